/**
 * Drift of categories (failure modes) between two periods.
 *
 * Per category the difference of its rates with a MOVER interval and a Holm-adjusted p; for all together a seeded
 * permutation χ². Never PSI or Jensen–Shannon against a fixed threshold: with a hundred failures a period PSI passes 0.1
 * in 40 % of periods in which nothing changed.
 */

import { requireCount, requireLevel, requireSameLength } from './argument.ts'
import { chiSquareQuantile, chiSquareTail } from './distribution.ts'
import type { Interval, Piece } from './figure.ts'
import { jeffreys } from './interval.ts'
import { holm } from './many.ts'
import { moverDifference } from './mover.ts'
import type { SeededRandom } from './random.ts'

const PERMUTATIONS_DEFAULT = 5_000
/** Halvings of the level until p stands still to eight digits. */
const BISECTIONS = 40

export type Period = {
  /** Units of the period in each category, in one order for both periods. */
  readonly counts: readonly number[]
  /** All units that could have had a category: trials or traces for a rate of failing so, failures for a share of them. */
  readonly total: number
}

export type CategoryDrift = {
  /** Rate after minus rate before. Null when a period has no units. */
  readonly difference: number | null
  readonly interval: Interval | null
  /** One minus the highest level at which the interval still leaves zero out. */
  readonly p: number | null
  /** The same, adjusted for asking of every category (Holm). */
  readonly adjusted: number | null
}

/** The drift of every category, in the order given. */
export function categoryDrift({
  before,
  after,
  level,
}: {
  before: Period
  after: Period
  level: number
}): CategoryDrift[] {
  requireLevel(level)
  requirePeriods(before, after)
  if (before.total === 0 || after.total === 0)
    return before.counts.map(() => ({ difference: null, interval: null, p: null, adjusted: null }))
  const drifts = before.counts.map((count, i) => {
    const difference = (at: number) => rateDifference(count, before.total, after.counts[i] as number, after.total, at)
    const { estimate, low, high } = difference(level)
    const interval = { low: Math.max(-1, low), high: Math.min(1, high), level, method: 'mover of jeffreys' }
    return { difference: estimate, interval, p: leavesZeroOut(difference) }
  })
  const adjusted = holm(drifts.map(({ p }) => p))
  return drifts.map((drift, i) => ({ ...drift, adjusted: adjusted[i] as number }))
}

export type Omnibus = {
  readonly chiSquare: number
  readonly degreesOfFreedom: number
  /** Share of shuffles at least as far from alike as the periods are. */
  readonly p: number
  /** By the χ² distribution: for comparison only, it is off where counts are small. */
  readonly asymptoticP: number
  readonly cramersV: number
  readonly permutations: number
  readonly random: string
}

/**
 * Do the two periods share one mix of categories? χ² whose p comes from shuffling the units between the periods. `before` and
 * `after` are counts of the same categories, each unit in exactly one. Null when a period is empty or only one category
 * occurs: nothing to compare.
 */
export function sameMix({
  before,
  after,
  random,
  permutations = PERMUTATIONS_DEFAULT,
}: {
  before: readonly number[]
  after: readonly number[]
  random: SeededRandom
  permutations?: number
}): Omnibus | null {
  requireCount('permutations', permutations, { min: 1 })
  requireSameLength('after', after.length, 'before', before.length)
  for (const [i, count] of before.entries()) {
    requireCount(`before[${i}]`, count)
    requireCount(`after[${i}]`, after[i] as number)
  }
  const occurring = [...before.keys()].filter((i) => (before[i] as number) + (after[i] as number) > 0)
  const first = occurring.map((i) => before[i] as number)
  const both = occurring.map((i) => (before[i] as number) + (after[i] as number))
  const taken = sum(first)
  const total = sum(both)
  if (occurring.length < 2 || taken === 0 || taken === total) return null

  const chiSquare = twoRowChiSquare(first, both, taken, total)
  const units = both.flatMap((count, category) => new Array<number>(count).fill(category))
  let hits = 1
  for (let i = 0; i < permutations; i += 1) {
    const drawn = drawRow(units, taken, both.length, random)
    if (twoRowChiSquare(drawn, both, taken, total) >= chiSquare * (1 - 1e-12)) hits += 1
  }
  const degreesOfFreedom = occurring.length - 1
  return {
    chiSquare,
    degreesOfFreedom,
    p: hits / (permutations + 1),
    asymptoticP: chiSquareTail(chiSquare, degreesOfFreedom),
    cramersV: Math.sqrt(chiSquare / total),
    permutations,
    random: random.name,
  }
}

/**
 * Shares of all categories of one period with intervals that hold together (Goodman 1965): each is a score interval at
 * level 1 − (1 − level)/categories. Null without units.
 */
export function simultaneousShares({ counts, level }: { counts: readonly number[]; level: number }): Interval[] | null {
  requireLevel(level)
  for (const [i, count] of counts.entries()) requireCount(`counts[${i}]`, count)
  const n = sum(counts)
  if (n === 0) return null
  const q = chiSquareQuantile(1 - (1 - level) / counts.length, 1)
  return counts.map((count) => {
    const half = Math.sqrt(q * (q + (4 * count * (n - count)) / n))
    const low = count === 0 ? 0 : Math.max(0, (q + 2 * count - half) / (2 * (n + q)))
    const high = count === n ? 1 : Math.min(1, (q + 2 * count + half) / (2 * (n + q)))
    return { low, high, level, method: 'goodman, simultaneous' }
  })
}

function rateDifference(before: number, beforeTotal: number, after: number, afterTotal: number, level: number): Piece {
  const piece = (successes: number, trials: number) => ({
    estimate: successes / trials,
    ...jeffreys({ successes, trials, level }),
  })
  return moverDifference({ a: piece(before, beforeTotal), b: piece(after, afterTotal), correlation: 0 })
}

/** Intervals grow with their level: halve until the one is found whose limit is zero. */
function leavesZeroOut(difference: (level: number) => Piece): number {
  let [leaves, holds] = [0, 1]
  for (let i = 0; i < BISECTIONS; i += 1) {
    const level = (leaves + holds) / 2
    const { low, high } = difference(level)
    if (low > 0 || high < 0) leaves = level
    else holds = level
  }
  return 1 - leaves
}

/** Draws the first row of a table with both margins fixed: a shuffle of `units`, of which only the front is needed. */
function drawRow(units: number[], taken: number, categories: number, random: Pick<SeededRandom, 'next'>): number[] {
  const row = new Array<number>(categories).fill(0)
  const shuffled = units.slice()
  for (let i = 0; i < taken; i += 1) {
    const j = i + Math.floor(random.next() * (shuffled.length - i))
    const category = shuffled[j] as number
    shuffled[j] = shuffled[i] as number
    row[category] = (row[category] as number) + 1
  }
  return row
}

/** χ² of a two-row table from its first row and its column sums. */
function twoRowChiSquare(row: readonly number[], both: readonly number[], taken: number, total: number): number {
  const share = taken / total
  let chiSquare = 0
  for (const [i, count] of row.entries()) {
    const expected = (both[i] as number) * share
    chiSquare += (count - expected) ** 2 / (expected * (1 - share))
  }
  return chiSquare
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function requirePeriods(before: Period, after: Period): void {
  requireSameLength('after.counts', after.counts.length, 'before.counts', before.counts.length)
  for (const [name, { counts, total }] of Object.entries({ before, after })) {
    requireCount(`${name}.total`, total)
    for (const [i, count] of counts.entries()) requireCount(`${name}.counts[${i}]`, count, { max: total })
  }
}
