/**
 * Agreement of two raters (a judge and a person, two people) who gave every unit one of the same categories.
 *
 * Raw agreement, sensitivity and specificity come first (judge.ts): κ collapses where nearly everything passes (agreement
 * .944 can be κ = −.02) and AC1 does not; both are shown because neither is right alone. With one category only there is
 * nothing to agree about and κ is null, neither 1 nor 0.
 */

import { InputError } from '../errors.ts'
import { requireCount, requireLevel } from './argument.ts'
import { normalQuantile } from './distribution.ts'
import type { Interval } from './figure.ts'
import { wilson } from './interval.ts'

/** A coefficient of agreement. Its interval is null where no disagreement was seen: a width of zero would be a claim. */
export type Coefficient = {
  readonly estimate: number | null
  readonly standardError: number | null
  readonly interval: Interval | null
  /** Units rated. */
  readonly n: number
  readonly reason?: string
}

/** `table[i][j]`: units that the first rater put in category i and the second in j. */
export type RatingTable = readonly (readonly number[])[]

export type PairAgreement = {
  /** Share of units on which both agree, with a Wilson interval; null without units. */
  readonly raw: { readonly estimate: number; readonly interval: Interval } | null
  readonly kappa: Coefficient
  readonly ac1: Coefficient
  /** The highest κ that the raters' margins allow; null where κ is. */
  readonly kappaMax: number | null
}

/** All coefficients of two raters side by side. */
export function pairAgreement({ table, level }: { table: RatingTable; level: number }): PairAgreement {
  const shares = tableShares(table)
  const kappa = cohenKappa({ table, level })
  const ac1 = gwetAc1({ table, level })
  if (shares === null) return { raw: null, kappa, ac1, kappaMax: null }
  const agreed = table.reduce((sum, row, i) => sum + (row[i] as number), 0)
  const interval = wilson({ successes: agreed, trials: shares.n, level })
  const chance = chanceAgreement(shares)
  const most = shares.rows.reduce((sum, row, i) => sum + Math.min(row, shares.columns[i] as number), 0)
  const kappaMax = kappa.estimate === null ? null : (most - chance) / (1 - chance)
  return { raw: { estimate: agreed / shares.n, interval }, kappa, ac1, kappaMax }
}

export type KappaWeights = 'none' | 'linear' | 'quadratic'

/**
 * Cohen's κ with the standard error of Fleiss, Cohen and Everitt (1969). `weights` for ordered categories gives part credit
 * by distance. Null with one category only.
 */
export function cohenKappa({
  table,
  level,
  weights = 'none',
}: {
  table: RatingTable
  level: number
  weights?: KappaWeights
}): Coefficient {
  requireLevel(level)
  const shares = tableShares(table)
  if (shares === null) return noCoefficient(0, 'no units')
  const { n, cells, rows, columns } = shares
  const credit = (i: number, j: number) => creditFor(weights, Math.abs(i - j), rows.length)
  const expected = rows.map((_, i) => columns.reduce((sum, share, j) => sum + credit(i, j) * share, 0))
  const expectedDown = columns.map((_, j) => rows.reduce((sum, share, i) => sum + credit(i, j) * share, 0))
  const seen = sumCells(cells, (share, i, j) => credit(i, j) * share)
  const chance = rows.reduce((sum, share, i) => sum + share * (expected[i] as number), 0)
  if (1 - chance < 1e-15) return noCoefficient(n, 'one category only: nothing to agree about')
  const spread = sumCells(cells, (share, i, j) => {
    const pull = (expected[i] as number) + (expectedDown[j] as number)
    return share * (credit(i, j) * (1 - chance) - pull * (1 - seen)) ** 2
  })
  const variance = (spread - (seen * chance - 2 * chance + seen) ** 2) / (n * (1 - chance) ** 4)
  const error = Math.sqrt(Math.max(0, variance))
  return coefficient({ estimate: (seen - chance) / (1 - chance), error, n, level, method: 'fleiss-cohen-everitt' })
}

/** Gwet's AC1 for two raters with its 2008 variance. */
export function gwetAc1({ table, level }: { table: RatingTable; level: number }): Coefficient {
  requireLevel(level)
  const shares = tableShares(table)
  if (shares === null) return noCoefficient(0, 'no units')
  const { n, cells, rows, columns } = shares
  const others = rows.length - 1
  const mean = rows.map((row, i) => (row + (columns[i] as number)) / 2)
  const seen = cells.reduce((sum, row, i) => sum + (row[i] as number), 0)
  const chance = mean.reduce((sum, share) => sum + share * (1 - share), 0) / others
  const own = cells.reduce((sum, row, i) => sum + (row[i] as number) * (1 - (mean[i] as number)), 0) / others
  const cross = sumCells(cells, (share, i, j) => {
    return (share * (1 - ((mean[i] as number) + (mean[j] as number)) / 2) ** 2) / others ** 2
  })
  const variance =
    (seen * (1 - seen) - 4 * (1 - seen) * (own - seen * chance) + 4 * (1 - seen) ** 2 * (cross - chance ** 2)) /
    (n * (1 - chance) ** 2)
  const error = Math.sqrt(Math.max(0, variance))
  return coefficient({ estimate: (seen - chance) / (1 - chance), error, n, level, method: 'gwet 2008' })
}

/** Scott's π: κ with the raters' margins averaged. Null with one category only. */
export function scottPi(table: RatingTable): number | null {
  const shares = tableShares(table)
  if (shares === null) return null
  const seen = shares.cells.reduce((sum, row, i) => sum + (row[i] as number), 0)
  const chance = shares.rows.reduce((sum, row, i) => sum + ((row + (shares.columns[i] as number)) / 2) ** 2, 0)
  return 1 - chance < 1e-15 ? null : (seen - chance) / (1 - chance)
}

/** Estimate ± quantile·error, cut to [−1, 1]; no interval where the error is zero. */
export function coefficient(ask: {
  estimate: number
  error: number | null
  n: number
  level: number
  method: string
  quantile?: number
}): Coefficient {
  const { estimate, error, n, level, method } = ask
  if (error === null || error < 1e-12) {
    const reason = error === null ? 'too few units for an interval' : 'the units show no spread: no interval'
    return { estimate, standardError: error === null ? null : 0, interval: null, n, reason }
  }
  const half = (ask.quantile ?? normalQuantile((1 + level) / 2)) * error
  const interval = { low: Math.max(-1, estimate - half), high: Math.min(1, estimate + half), level, method }
  return { estimate, standardError: error, interval, n }
}

export function noCoefficient(n: number, reason: string): Coefficient {
  return { estimate: null, standardError: null, interval: null, n, reason }
}

type TableShares = {
  readonly n: number
  readonly cells: readonly (readonly number[])[]
  readonly rows: readonly number[]
  readonly columns: readonly number[]
}

function tableShares(table: RatingTable): TableShares | null {
  const size = table.length
  if (size < 2) throw new InputError('bad_statistic_input', `table: ${size} categories, expected 2 or more`, 'table')
  for (const [i, row] of table.entries()) {
    if (row.length !== size)
      throw new InputError('bad_statistic_input', `table[${i}]: ${row.length} columns, expected ${size}`, `table[${i}]`)
    for (const [j, count] of row.entries()) requireCount(`table[${i}][${j}]`, count)
  }
  const n = table.flat().reduce((sum, count) => sum + count, 0)
  if (n === 0) return null
  const cells = table.map((row) => row.map((count) => count / n))
  const rows = table.map((row) => row.reduce((sum, count) => sum + count, 0) / n)
  const columns = table.map((_, j) => table.reduce((sum, row) => sum + (row[j] as number), 0) / n)
  return { n, cells, rows, columns }
}

function chanceAgreement({ rows, columns }: TableShares): number {
  return rows.reduce((sum, row, i) => sum + row * (columns[i] as number), 0)
}

function creditFor(weights: KappaWeights, distance: number, size: number): number {
  if (weights === 'none') return distance === 0 ? 1 : 0
  return 1 - (weights === 'linear' ? distance / (size - 1) : (distance / (size - 1)) ** 2)
}

function sumCells(cells: TableShares['cells'], term: (share: number, i: number, j: number) => number): number {
  let sum = 0
  for (const [i, row] of cells.entries()) for (const [j, share] of row.entries()) sum += term(share, i, j)
  return sum
}
