/**
 * Intervals for one probability from counts: successes out of independent, alike trials. Never for several cases at once:
 * trials of different cases are not alike, see suite.ts.
 *
 * Jeffreys is the default (coverage by enumeration, n = 10: mean .953, least .868); Clopper–Pearson where a guarantee is
 * asked for; Wilson where the figure is compared with a published one. Limits are exactly 0 at no success and exactly 1
 * at no failure; with no trials at all the interval is [0, 1].
 * Invariant: 0 ≤ low ≤ successes/trials ≤ high ≤ 1, and high > low.
 */

import { requireCount, requireLevel } from './argument.ts'
import { betaQuantile, normalQuantile } from './distribution.ts'
import type { Interval } from './figure.ts'
import { passAtK, passHatK } from './pass-at-k.ts'

/** The largest double under 1. */
const BELOW_ONE = 1 - Number.EPSILON / 2

export type Counts = { readonly successes: number; readonly trials: number; readonly level: number }

function requireProportion({ successes, trials, level }: Counts): void {
  requireCount('trials', trials)
  requireCount('successes', successes, { max: trials })
  requireLevel(level)
}

/**
 * Equal-tailed Beta(successes + ½, failures + ½), with 0 and 1 at the ends (Brown, Cai, DasGupta 2001). At levels of a
 * few per cent, which only the search for a p-value asks for, the limits can pass the share: then they stop there.
 */
export function jeffreys(counts: Counts): Interval {
  requireProportion(counts)
  const { low, high } = jeffreysLimits(counts, (1 - counts.level) / 2)
  const share = counts.trials === 0 ? 0.5 : counts.successes / counts.trials
  return { low: Math.min(low, share), high: Math.max(high, share), level: counts.level, method: 'jeffreys' }
}

/** Score interval (Wilson 1927). */
export function wilson(counts: Counts): Interval {
  requireProportion(counts)
  const { successes, trials, level } = counts
  if (trials === 0) return { low: 0, high: 1, level, method: 'wilson' }
  const limits = wilsonLimits({ share: successes / trials, trials, quantile: normalQuantile((1 + level) / 2) })
  return { ...limits, level, method: 'wilson' }
}

/** Inverted binomial test (Clopper, Pearson 1934): covers at least `level`, always, at the price of width. */
export function clopperPearson(counts: Counts): Interval {
  requireProportion(counts)
  const tail = (1 - counts.level) / 2
  const low = clopperPearsonLowerAt(counts, tail)
  return { low, high: clopperPearsonUpperAt(counts, tail), level: counts.level, method: 'clopper-pearson' }
}

/** One-sided: the p that this many successes prove, with confidence `level`. */
export function clopperPearsonLower(counts: Counts): number {
  requireProportion(counts)
  return clopperPearsonLowerAt(counts, 1 - counts.level)
}

/** One-sided: the p that these counts exclude everything above of, with confidence `level`. */
export function clopperPearsonUpper(counts: Counts): number {
  requireProportion(counts)
  return clopperPearsonUpperAt(counts, 1 - counts.level)
}

/** One-sided lower score limit; 0 without trials. */
export function wilsonLower(counts: Counts): number {
  requireProportion(counts)
  return wilsonOneSided(counts).low
}

/** One-sided upper score limit; 1 without trials. */
export function wilsonUpper(counts: Counts): number {
  requireProportion(counts)
  return wilsonOneSided(counts).high
}

/** One-sided lower Jeffreys limit; 0 at no success. */
export function jeffreysLower(counts: Counts): number {
  requireProportion(counts)
  return jeffreysLimits(counts, 1 - counts.level).low
}

/** One-sided upper Jeffreys limit; 1 at no failure. */
export function jeffreysUpper(counts: Counts): number {
  requireProportion(counts)
  return jeffreysLimits(counts, 1 - counts.level).high
}

/**
 * Wilson limits for a share whose number of trials need not be whole (an effective number) and any quantile. Clamped to
 * [0, 1] and exact at the ends, where rounding would give 1.0000000000000002.
 */
export function wilsonLimits({ share, trials, quantile }: { share: number; trials: number; quantile: number }): {
  low: number
  high: number
} {
  const q2 = (quantile * quantile) / trials
  const centre = (share + q2 / 2) / (1 + q2)
  const half = Math.sqrt(q2 * (share * (1 - share) + q2 / 4)) / (1 + q2)
  return {
    low: share === 0 ? 0 : Math.min(share, Math.max(0, centre - half)),
    high: share === 1 ? 1 : Math.max(share, Math.min(1, centre + half)),
  }
}

type CaseFigure = { readonly n: number; readonly c: number; readonly k: number; readonly level: number }

/**
 * Interval of one case's pass^k: the Jeffreys limits of p raised to k (monotone, so it covers as often), widened to hold
 * the unbiased point, which can lie outside (n = 5, c = 4, k = 5: point 0). Null when k > n.
 */
export function casePassHatK({ n, c, k, level }: CaseFigure): Interval | null {
  const point = passHatK({ n, c, k })
  if (point === null) return null
  const p = jeffreys({ successes: c, trials: n, level })
  return hull(p.low ** k, p.high ** k, point, level)
}

/** Interval of one case's pass@k: limits mapped through 1 − (1 − p)^k and widened to the point. Null when k > n. */
export function casePassAtK({ n, c, k, level }: CaseFigure): Interval | null {
  const point = passAtK({ n, c, k })
  if (point === null) return null
  const p = jeffreys({ successes: c, trials: n, level })
  return hull(anyOf(p.low, k), anyOf(p.high, k), point, level)
}

/**
 * What "all n passed" proves: with confidence `level` the case passes at least with probability `low`, and n fresh trials
 * all pass with at least `allLow` = lowⁿ (one-sided Clopper–Pearson). Null when n is 0.
 */
export function allPassedBound({ n, level }: { n: number; level: number }): { low: number; allLow: number } | null {
  requireCount('n', n)
  requireLevel(level)
  return n === 0 ? null : { low: (1 - level) ** (1 / n), allLow: 1 - level }
}

function anyOf(p: number, k: number): number {
  return p === 1 ? 1 : -Math.expm1(k * Math.log1p(-p))
}

/**
 * Rounded outwards: of 100 trials of which 65 passed, pass@100 is at least 1 − 10⁻³⁵, which is not the 1 that a double
 * makes of it.
 */
function hull(low: number, high: number, point: number, level: number): Interval {
  return {
    low: Math.min(low, point, BELOW_ONE),
    high: Math.max(high, point, Number.MIN_VALUE),
    level,
    method: 'jeffreys-mapped',
  }
}

/**
 * Suites have few distinct counts and many cases, and a beta quantile costs 20 µs: limits are remembered, which changes no
 * answer.
 */
const rememberedLimits = new Map<string, { readonly low: number; readonly high: number }>()
const REMEMBERED_MAX = 20_000

function jeffreysLimits({ successes, trials }: Counts, tail: number): { readonly low: number; readonly high: number } {
  const key = `${successes} ${trials} ${tail}`
  const known = rememberedLimits.get(key)
  if (known !== undefined) return known
  const [a, b] = [successes + 0.5, trials - successes + 0.5]
  const limits = {
    low: successes === 0 ? 0 : betaQuantile(tail, a, b),
    high: successes === trials ? 1 : betaQuantile(1 - tail, a, b),
  }
  if (rememberedLimits.size >= REMEMBERED_MAX) rememberedLimits.clear()
  rememberedLimits.set(key, limits)
  return limits
}

function clopperPearsonLowerAt({ successes, trials }: Counts, tail: number): number {
  if (successes === 0) return 0
  if (successes === trials) return tail ** (1 / trials)
  return betaQuantile(tail, successes, trials - successes + 1)
}

function clopperPearsonUpperAt({ successes, trials }: Counts, tail: number): number {
  if (successes === trials) return 1
  if (successes === 0) return -Math.expm1(Math.log(tail) / trials)
  return betaQuantile(1 - tail, successes + 1, trials - successes)
}

function wilsonOneSided({ successes, trials, level }: Counts): { low: number; high: number } {
  if (trials === 0) return { low: 0, high: 1 }
  // Under level ½ the quantile is negative and the limit would pass the estimate: it stays on its own side.
  return wilsonLimits({ share: successes / trials, trials, quantile: Math.abs(normalQuantile(level)) })
}
