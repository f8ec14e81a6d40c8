/**
 * Chance that repeats: the same seed gives the same numbers on every machine, so a report can be recomputed byte for byte.
 * Not for secrets and not for sampling of traffic, which has its own randomness.
 *
 * Generator: xoshiro128** (Blackman, Vigna 2018), its state drawn from the seed's text by FNV-1a and a finaliser. The name
 * carries a version: a change of either would change every reported p, and must change the name.
 */

/** A named stream of numbers. `next()` is uniform on [0, 1), in steps of 2⁻⁵³. */
export type SeededRandom = {
  /** Printed in reports: generator and seed. */
  readonly name: string
  next(): number
}

const GENERATOR = 'xoshiro128**/1'
const FNV_PRIME = 0x01000193
/** FNV's own offset basis, then three odd words of the golden ratio's digits: four lanes that never agree. */
const LANES = [0x811c9dc5, 0x9e3779b9, 0x7f4a7c15, 0xf39cc061] as const

/** A stream from any text. Equal seeds give equal streams. */
export function seededRandom(seed: string): SeededRandom {
  const next32 = xoshiro128(LANES.map((lane) => hashText(seed, lane)))
  return {
    name: `${GENERATOR} seed ${JSON.stringify(seed)}`,
    next: () => (next32() >>> 5) * 2 ** -27 + (next32() >>> 6) * 2 ** -53,
  }
}

/** The generator itself, by its published recurrence: whole numbers from 0 to 2³² − 1. `state` is four words, not all zero. */
export function xoshiro128(state: readonly number[]): () => number {
  let [a, b, c, d] = state.map((word) => word | 0) as [number, number, number, number]
  return () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotate(d, 11)
    return result
  }
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

/** FNV-1a over UTF-16 code units, finished as MurmurHash3 does, so that seeds one letter apart share nothing. */
function hashText(text: string, basis: number): number {
  let hash = basis
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    hash = Math.imul(hash ^ (unit & 0xff), FNV_PRIME)
    hash = Math.imul(hash ^ (unit >>> 8), FNV_PRIME)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
