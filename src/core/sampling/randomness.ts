/**
 * A trace's 56 bits of randomness, 14 hex digits: the same on every machine, in every process, at every time.
 *
 * The trace id's own last 56 bits are trusted only where somebody vouches for them. Behind a sampler that chose by the
 * low bits of the id and said nothing, a second choice by the same bits would keep nothing at all; a hash does not see them.
 */
import { createHash } from 'node:crypto'

/** Another version would be another draw: it never changes silently. */
const DOMAIN = 'assay.sampling.randomness/1'
const DIGITS = 14

export type RandomnessSource = {
  /** 32 hex digits. */
  readonly traceId: string
  /** `rv` of the tracestate, 14 hex digits. */
  readonly randomness: string | null
  /** A `th` came along, or the W3C random flag is set: the id's last 56 bits are random. */
  readonly isIdRandom: boolean
}

export function randomnessOf(source: RandomnessSource, salt: string): string {
  if (source.randomness !== null) return source.randomness
  if (source.isIdRandom) return source.traceId.slice(-DIGITS)
  return createHash('sha256').update(`${DOMAIN}\n${salt}\n${source.traceId}`).digest('hex').slice(0, DIGITS)
}
