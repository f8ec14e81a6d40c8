/**
 * Rates of all production traffic in a window, from the traces that were sampled of it at known probabilities.
 *
 * A sampled trace speaks for 1/p traces, and an unweighted rate is simply wrong (off by .44 in a 3/7/90 design). Each
 * stratum brings its own rate and limits, its weight is its share of the traffic, and MOVER adds them up: so a stratum
 * sampled at 2 % without a failure still has a width. What is known in full (a census) has none.
 * Invariant: 0 ≤ low ≤ estimate ≤ high ≤ 1.
 */

import { InputError } from '../errors.ts'
import { requireCount, requireFinite, requireLevel, requireShares } from './argument.ts'
import { normalQuantile } from './distribution.ts'
import { ESTIMANDS, type Figure, type Interval, noFigure, type Piece } from './figure.ts'
import { jeffreys } from './interval.ts'
import { moverSum, type WeightedPiece } from './mover.ts'
import { meanOf, populationInterval, type ValueGroup, wilsonT } from './suite.ts'

/** With fewer sampled traces a stratum says nothing about itself. */
const STRATUM_SAMPLED_MIN = 2

export type TrafficStratum = {
  /** Traces counted in this stratum, sampled or not; null where nobody counted. */
  readonly received: number | null
  /** Traces that were kept and judged. */
  readonly sampled: number
  /** Of those, how many passed. */
  readonly successes: number
  /** The probability with which each was kept; needed where `received` is null. */
  readonly p: number | null
}

export type SessionStratum = {
  readonly received: number | null
  readonly p: number | null
  /** One entry a sampled session: its traces and how many passed. */
  readonly sessions: readonly { readonly traces: number; readonly successes: number }[]
}

/** A stratum made ready: its rate (null when it has none of its own), its size, and how sure both are. */
type Part = {
  readonly size: number
  readonly rate: number | null
  readonly limits: { readonly low: number; readonly high: number }
  /** Share of the stratum that was seen: shrinks its limits. */
  readonly seen: number
  /** Its size was counted, not estimated. */
  readonly counted: boolean
  /** Σ (1−π)/π²·m² over its units where the size is estimated, 0 where it is counted. */
  readonly sizeVariance: number
}

/**
 * The share of all traces of the window that passed. Strata with a count weigh by it; those without by sampled/p
 * (Hájek), and the uncertainty of such weights is added. Jeffreys limits, shrunk by what was seen of the stratum. `n` is the
 * number of sampled traces. Coverage at 95 %: .946–.962 with counts, .948–.982 without (Wald: .558–.953).
 */
export function trafficRate({ strata, level }: { strata: readonly TrafficStratum[]; level: number }): Figure {
  requireLevel(level)
  const n = strata.reduce((sum, stratum) => sum + stratum.sampled, 0)
  const parts: Part[] = []
  for (const [h, { received, sampled, successes, p }] of strata.entries()) {
    requireCount(`strata[${h}].sampled`, sampled)
    requireCount(`strata[${h}].successes`, successes, { max: sampled })
    const size = sizeOf({ received, p, sampled, at: `strata[${h}]` })
    if (size === null) return unknownP(n, h)
    const tooFew = sampled < STRATUM_SAMPLED_MIN && sampled !== received
    parts.push({
      ...size,
      rate: sampled === 0 ? null : successes / sampled,
      limits: tooFew ? { low: 0, high: 1 } : jeffreys({ successes, trials: sampled, level }),
      seen: tooFew ? 0 : size.seen,
      sizeVariance: size.counted ? 0 : sampled * perUnitVariance(p),
    })
  }
  return windowFigure(parts, n, level, 'mover, jeffreys strata')
}

/**
 * The same where whole sessions were sampled: traces of one session fail together, so the session is the unit. Limits are
 * Wilson-t+2 over sessions (see suite.ts). `received` counts traces, `p` is the session's. `n` is the number of sessions.
 */
export function sessionTrafficRate({ strata, level }: { strata: readonly SessionStratum[]; level: number }): Figure {
  requireLevel(level)
  const n = strata.reduce((sum, stratum) => sum + stratum.sessions.length, 0)
  const parts: Part[] = []
  for (const [h, { received, p, sessions }] of strata.entries()) {
    const groups = sessions.map((session, i) => sessionGroup(session, `strata[${h}].sessions[${i}]`))
    const traces = groups.reduce((sum, group) => sum + group.size, 0)
    const size = sizeOf({ received, p, sampled: traces, at: `strata[${h}]` })
    if (size === null) return unknownP(n, h)
    const own = wilsonT(groups, level, '')
    const census = received !== null && traces === received
    parts.push({
      ...size,
      rate: traces === 0 ? null : groups.reduce((sum, group) => sum + group.sum, 0) / traces,
      limits: own ?? { low: 0, high: 1 },
      seen: own === null && !census ? 0 : size.seen,
      sizeVariance: size.counted ? 0 : groups.reduce((sum, group) => sum + group.size ** 2, 0) * perUnitVariance(p),
    })
  }
  return windowFigure(parts, n, level, 'mover, wilson-t+2 over sessions')
}

/**
 * The mean of case values (pass^k) over traffic, from a replay suite whose cases were drawn with unequal probabilities:
 * per stratum its share of traffic (`weight`, any scale) and the values of its cases. MOVER over Wilson-t+2 strata; a
 * stratum under two cases counts as unknown, [0, 1]. `n` is the number of cases. Coverage .944–.990 (unweighted: 0–.08).
 */
export function suiteTrafficRate({
  strata,
  level,
}: {
  strata: readonly { readonly weight: number; readonly values: readonly number[] }[]
  level: number
}): Figure {
  requireLevel(level)
  const n = strata.reduce((sum, stratum) => sum + stratum.values.length, 0)
  const parts = strata.map(({ weight, values }, h): Part => {
    requireFinite(`strata[${h}].weight`, weight)
    if (weight < 0) throw new InputError('bad_statistic_input', `strata[${h}].weight: ${weight} is below 0`)
    requireShares(`strata[${h}].values`, values)
    const limits = populationInterval({ values, level }) ?? { low: 0, high: 1 }
    return { size: weight, rate: meanOf(values), limits, seen: 0, counted: true, sizeVariance: 0 }
  })
  return { ...windowFigure(parts, n, level, 'mover, wilson-t+2 strata'), estimand: ESTIMANDS.population }
}

/**
 * Variance of a Hájek mean under independent (Poisson) sampling: Σ count·(1−p)/p²·(value − mean)²/N̂², the sum over units
 * that were sampled with probability p. As R `survey` with `pps = poisson_sampling`.
 */
export function hajekVariance(
  units: readonly { readonly value: number; readonly p: number; readonly count: number }[],
): number {
  let size = 0
  let total = 0
  for (const { value, p, count } of units) {
    size += count / p
    total += (count * value) / p
  }
  let variance = 0
  for (const { value, p, count } of units) variance += count * perUnitVariance(p) * (value - total / size) ** 2
  return variance / size ** 2
}

function windowFigure(strata: readonly Part[], n: number, level: number, method: string): Figure {
  const parts = strata.filter((part) => !(part.counted && part.size === 0))
  const known = parts.filter((part) => part.rate !== null && part.size > 0)
  const knownSize = known.reduce((sum, part) => sum + part.size, 0)
  if (knownSize === 0) return noFigure({ n, estimand: ESTIMANDS.window, reason: 'nothing was sampled' })
  const total = parts.reduce((sum, part) => sum + part.size, 0)
  // A stratum without a sample takes the rate of the others and limits of [0, 1]: it moves nothing and widens what it must.
  const elsewhere = known.reduce((sum, part) => sum + (part.size / knownSize) * (part.rate as number), 0)
  const pieces = parts.map((part): WeightedPiece => {
    const rate = part.rate ?? elsewhere
    return { weight: part.size / total, ...shrunk(rate, part.limits, part.seen) }
  })
  const estimate = pieces.reduce((sum, piece) => sum + piece.weight * piece.estimate, 0)
  const sizes = parts.reduce((sum, part, h) => {
    return sum + part.sizeVariance * ((pieces[h] as Piece).estimate - estimate) ** 2
  }, 0)
  const quantile = normalQuantile((1 + level) / 2)
  const sum = moverSum(pieces, (quantile ** 2 * sizes) / total ** 2)
  const interval: Interval = { low: Math.max(0, sum.low), high: Math.min(1, sum.high), level, method }
  const figure = { estimate: Math.min(1, sum.estimate), interval, n, estimand: ESTIMANDS.window }
  const silent = parts.filter((part) => part.rate === null).length
  return silent === 0 ? figure : { ...figure, reason: `${silent} of ${parts.length} strata without a sampled trace` }
}

function shrunk(rate: number, limits: { low: number; high: number }, seen: number): Piece {
  const factor = Math.sqrt(1 - seen)
  const low = rate - factor * (rate - Math.min(rate, limits.low))
  return { estimate: rate, low, high: rate + factor * (Math.max(rate, limits.high) - rate) }
}

function sizeOf({
  received,
  p,
  sampled,
  at,
}: {
  received: number | null
  p: number | null
  sampled: number
  at: string
}): { size: number; seen: number; counted: boolean } | null {
  if (received !== null) {
    requireCount(`${at}.received`, received, { min: sampled })
    return { size: received, seen: received === 0 ? 0 : sampled / received, counted: true }
  }
  if (p === null) return null
  if (!(p > 0 && p <= 1))
    throw new InputError(
      'bad_statistic_input',
      `${at}.p: ${p} is not allowed, expected a number above 0 and up to 1`,
      at,
    )
  return { size: sampled / p, seen: p, counted: false }
}

function sessionGroup({ traces, successes }: { traces: number; successes: number }, at: string): ValueGroup {
  requireCount(`${at}.traces`, traces, { min: 1 })
  requireCount(`${at}.successes`, successes, { max: traces })
  return { sum: successes, size: traces }
}

function perUnitVariance(p: number | null): number {
  return p === null ? 0 : (1 - p) / p ** 2
}

function unknownP(n: number, h: number): Figure {
  const reason = `strata[${h}] has neither a count of received traces nor a known sampling probability`
  return noFigure({ n, estimand: ESTIMANDS.window, reason })
}
