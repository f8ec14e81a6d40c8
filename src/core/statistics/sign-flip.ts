/**
 * Sign-flip permutation test for paired differences: if the two versions are alike, each case's difference could as well
 * have had the other sign (Fisher 1935). The p-value is the share of sign patterns whose sum is at least as far out as the
 * one seen.
 *
 * Every pattern is tried where there are at most 2¹⁶; above, patterns are drawn from a seeded stream and the seen one is
 * counted among them, so p is never 0.
 */

import { requireCount, requireFinite } from './argument.ts'
import type { SeededRandom } from './random.ts'

/** Up to so many non-zero differences all sign patterns are tried. */
const EXACT_DIFFERENCES_MAX = 16
const FLIPS_DEFAULT = 10_000
/** Differences a table of sums covers: one byte of random bits picks one of its 256 sums. */
const TABLE_BITS = 8

export type SignFlip = {
  readonly p: number
  /** How many sign patterns p rests on: all of them, or as many as were drawn. */
  readonly flips: number
  readonly exact: boolean
}

/** `greater` asks whether the differences lie above zero, `different` on either side. Without a difference p is 1. */
export function signFlip({
  differences,
  random,
  flips = FLIPS_DEFAULT,
  alternative = 'different',
}: {
  differences: readonly number[]
  random: Pick<SeededRandom, 'next'>
  flips?: number
  alternative?: 'different' | 'greater'
}): SignFlip {
  requireCount('flips', flips, { min: 1 })
  for (const [i, difference] of differences.entries()) requireFinite(`differences[${i}]`, difference)
  const moved = differences.filter((difference) => difference !== 0)
  const seen = moved.reduce((sum, difference) => sum + difference, 0)
  // Sums of the same terms in another order differ in their last digits: equal must count as equal.
  const slack = 1e-12 * moved.reduce((sum, difference) => sum + Math.abs(difference), 0)
  const isAsFar =
    alternative === 'greater'
      ? (sum: number) => sum >= seen - slack
      : (sum: number) => Math.abs(sum) >= Math.abs(seen) - slack

  const tables = sumTables(moved)
  if (moved.length <= EXACT_DIFFERENCES_MAX) {
    const patterns = 2 ** moved.length
    let hits = 0
    for (let pattern = 0; pattern < patterns; pattern += 1) if (isAsFar(patternSum(tables, pattern))) hits += 1
    return { p: hits / patterns, flips: patterns, exact: true }
  }
  let hits = 1
  for (let flip = 0; flip < flips; flip += 1) if (isAsFar(drawnSum(tables, random))) hits += 1
  return { p: hits / (flips + 1), flips, exact: false }
}

/** For every eight differences the signed sum under each of their 256 sign patterns: a flip costs one look-up an eight. */
function sumTables(differences: readonly number[]): Float64Array[] {
  const tables: Float64Array[] = []
  for (let start = 0; start < differences.length; start += TABLE_BITS) {
    const part = differences.slice(start, start + TABLE_BITS)
    const table = new Float64Array(2 ** TABLE_BITS)
    table[0] = part.reduce((sum, difference) => sum + difference, 0)
    // Each pattern is one turned sign away from the pattern without its lowest bit.
    for (let pattern = 1; pattern < table.length; pattern += 1) {
      const turned = part[31 - Math.clz32(pattern & -pattern)] ?? 0
      table[pattern] = (table[pattern & (pattern - 1)] as number) - 2 * turned
    }
    tables.push(table)
  }
  return tables
}

function patternSum(tables: readonly Float64Array[], pattern: number): number {
  let sum = 0
  for (let i = 0; i < tables.length; i += 1)
    sum += (tables[i] as Float64Array)[(pattern >> (TABLE_BITS * i)) & 0xff] as number
  return sum
}

function drawnSum(tables: readonly Float64Array[], random: Pick<SeededRandom, 'next'>): number {
  let sum = 0
  let bits = 0
  for (let i = 0; i < tables.length; i += 1) {
    if (i % 4 === 0) bits = Math.floor(random.next() * 2 ** 32)
    sum += (tables[i] as Float64Array)[(bits >>> (TABLE_BITS * (i % 4))) & 0xff] as number
  }
  return sum
}
