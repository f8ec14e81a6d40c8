/**
 * Agreement of any number of raters: Fleiss' κ for units that all got as many ratings, Krippendorff's α for everything else
 * (gaps, ordered or measured categories).
 *
 * Intervals come from the jackknife over units, never over ratings: ratings of one unit belong together. With one category
 * only both are null: 0/0 is neither 1 nor 0. With two raters see agreement.ts.
 */

import { InputError } from '../errors.ts'
import { type Coefficient, coefficient, noCoefficient } from './agreement.ts'
import { requireCount, requireLevel } from './argument.ts'
import { tQuantile } from './distribution.ts'

/** `counts[u][c]`: how many raters put unit u in category c; every unit needs the same number of ratings, 2 or more. */
export function fleissKappa({ counts, level }: { counts: readonly (readonly number[])[]; level: number }): Coefficient {
  requireLevel(level)
  const raters = requireRatings(counts)
  const estimate = fleiss(counts, raters)
  if (estimate === null) return noCoefficient(counts.length, 'one category only: nothing to agree about')
  const leftOut = counts.map((_, i) => fleiss(counts.toSpliced(i, 1), raters))
  return jackknifed({ estimate, leftOut, level })
}

/** Free-marginal κ (Randolph): chance is one over the number of categories. */
export function randolphKappa(counts: readonly (readonly number[])[]): number | null {
  const raters = requireRatings(counts)
  const categories = counts[0]?.length ?? 0
  if (categories < 2) return null
  return (agreeingPairs(counts, raters) - 1 / categories) / (1 - 1 / categories)
}

export type RatingScale = 'nominal' | 'ordinal' | 'interval' | 'ratio'

/** A rating; null where the rater gave none. Scales other than nominal need numbers. */
export type Rating = string | number | null

/** `units[u][r]`: what rater r said of unit u. Units with fewer than two ratings cannot be paired and are left out. */
export function krippendorffAlpha({
  units,
  scale,
  level,
}: {
  units: readonly (readonly Rating[])[]
  scale: RatingScale
  level: number
}): Coefficient {
  requireLevel(level)
  const pairable = units.map((unit) => unit.filter((rating) => rating !== null)).filter((unit) => unit.length >= 2)
  for (const rating of pairable.flat()) requireRating(rating, scale)
  const estimate = alpha(pairable, scale)
  if (estimate === null) return noCoefficient(pairable.length, 'one category only: nothing to agree about')
  const leftOut = pairable.map((_, i) => alpha(pairable.toSpliced(i, 1), scale))
  return jackknifed({ estimate, leftOut, level })
}

/** Leave-one-unit-out standard error and a t interval. Units whose absence leaves nothing to compare are skipped. */
function jackknifed({
  estimate,
  leftOut,
  level,
}: {
  estimate: number
  leftOut: (number | null)[]
  level: number
}): Coefficient {
  const values = leftOut.filter((value) => value !== null)
  const n = leftOut.length
  const method = 'jackknife over units'
  if (values.length < 2) return coefficient({ estimate, error: null, n, level, method })
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const error = Math.sqrt(((values.length - 1) / values.length) * squares)
  const quantile = tQuantile((1 + level) / 2, values.length - 1)
  return coefficient({ estimate, error, n, level, method, quantile })
}

function fleiss(counts: readonly (readonly number[])[], raters: number): number | null {
  if (counts.length === 0) return null
  const shares = (counts[0] as readonly number[]).map((_, c) => {
    return counts.reduce((sum, row) => sum + (row[c] as number), 0) / (counts.length * raters)
  })
  const chance = shares.reduce((sum, share) => sum + share * share, 0)
  return 1 - chance < 1e-15 ? null : (agreeingPairs(counts, raters) - chance) / (1 - chance)
}

function agreeingPairs(counts: readonly (readonly number[])[], raters: number): number {
  const pairs = counts.flat().reduce((sum, count) => sum + count * (count - 1), 0)
  return pairs / (counts.length * raters * (raters - 1))
}

/** 1 − (n−1)·Σ o·δ² / Σ n_c·n_k·δ² over the coincidences of values within units (Krippendorff 2011). */
function alpha(units: readonly (readonly (string | number)[])[], scale: RatingScale): number | null {
  const ratings = units.flat()
  const values = [...new Set(ratings)].sort((a, b) => (typeof a === 'number' ? a - (b as number) : 0))
  const place = new Map(values.map((value, i) => [value, i]))
  const totals = values.map(() => 0)
  for (const rating of ratings) {
    const i = place.get(rating) as number
    totals[i] = (totals[i] as number) + 1
  }
  const distance = squaredDistance(values, totals, scale)
  let seen = 0
  for (const unit of units) {
    const places = unit.map((rating) => place.get(rating) as number)
    for (const a of places) for (const b of places) seen += distance(a, b) / (unit.length - 1)
  }
  let expected = 0
  for (const [a, countA] of totals.entries())
    for (const [b, countB] of totals.entries()) expected += countA * countB * distance(a, b)
  return expected === 0 ? null : 1 - ((ratings.length - 1) * seen) / expected
}

function squaredDistance(values: (string | number)[], totals: number[], scale: RatingScale) {
  const number = (i: number) => values[i] as number
  return (a: number, b: number): number => {
    if (a === b) return 0
    if (scale === 'nominal') return 1
    if (scale === 'interval') return (number(a) - number(b)) ** 2
    if (scale === 'ratio') return ((number(a) - number(b)) / (number(a) + number(b))) ** 2
    const [low, high] = a < b ? [a, b] : [b, a]
    const between = totals.slice(low, high + 1).reduce((sum, count) => sum + count, 0)
    return (between - ((totals[a] as number) + (totals[b] as number)) / 2) ** 2
  }
}

function requireRatings(counts: readonly (readonly number[])[]): number {
  const first = counts[0]
  if (first === undefined) throw new InputError('bad_statistic_input', 'counts: no units, expected 1 or more', 'counts')
  const raters = first.reduce((sum, count) => sum + count, 0)
  for (const [u, row] of counts.entries()) {
    for (const [c, count] of row.entries()) requireCount(`counts[${u}][${c}]`, count)
    const own = row.reduce((sum, count) => sum + count, 0)
    if (own !== raters || own < 2)
      throw new InputError(
        'bad_statistic_input',
        `counts[${u}]: ${own} ratings, expected ${Math.max(2, raters)}`,
        `counts[${u}]`,
      )
  }
  return raters
}

function requireRating(rating: string | number, scale: RatingScale): void {
  const isNumber = typeof rating === 'number' && Number.isFinite(rating)
  if (isNumber ? scale === 'ratio' && rating < 0 : scale !== 'nominal' || typeof rating === 'number')
    throw new InputError('bad_statistic_input', `units: ${rating} is not a rating on a ${scale} scale`, 'units')
}
