/**
 * Before anything is run: how many cases and trials the question takes, and how often the answer will be wrong.
 *
 * More cases beat more trials whenever the claim is about traffic; trials buy the view of one case, pass^k, and a
 * narrower re-run interval. For gates by counts see gate-plan.ts. All figures take the spread they are given as the truth.
 */

import { requireCount, requireFinite, requireLevel, requireShare } from './argument.ts'
import { normalQuantile, tQuantile } from './distribution.ts'
import { wilsonLimits } from './interval.ts'
import { noncentralTTail } from './noncentral-t.ts'
import type { CaseCounts } from './pass-at-k.ts'

/** A plan asking for more than this is no plan. */
const CASES_MAX = 10_000_000
const BISECTIONS = 100

export type VarianceSplit = {
  /** Mean variance of one trial within its case. */
  readonly within: number
  /** Variance of the cases' true pass rates; 0 where the trials' noise explains all. */
  readonly between: number
  /** between/(between + within): 1 when a case always answers alike. */
  readonly icc: number
}

/**
 * Splits the spread of pass rates into cases and trials: within = mean p̂(1 − p̂)n/(n − 1), between = variance of the rates
 * less within/n. Cases with one trial tell nothing about within. Null under two cases or without a case of two trials.
 */
export function varianceSplit(counts: readonly CaseCounts[]): VarianceSplit | null {
  const rates = counts.filter(({ n }) => n > 0).map(({ n, c }) => c / n)
  const repeated = counts.filter(({ n }) => n > 1)
  if (rates.length < 2 || repeated.length === 0) return null
  const within = meanOver(repeated, ({ n, c }) => ((c / n) * (1 - c / n) * n) / (n - 1))
  const noise =
    within *
    meanOver(
      counts.filter(({ n }) => n > 0),
      ({ n }) => 1 / n,
    )
  const mean = meanOver(rates, (rate) => rate)
  const spread = (meanOver(rates, (rate) => (rate - mean) ** 2) * rates.length) / (rates.length - 1)
  const between = Math.max(0, spread - noise)
  return { within, between, icc: between + within === 0 ? 0 : between / (between + within) }
}

/** Standard errors of a suite's mean pass rate under a split: for traffic like this, and for these cases again. */
export function suiteErrors({
  split,
  cases,
  trials,
}: {
  split: Pick<VarianceSplit, 'within' | 'between'>
  cases: number
  trials: number
}): { readonly population: number; readonly rerun: number } {
  requireCount('cases', cases, { min: 1 })
  requireCount('trials', trials, { min: 1 })
  const noise = split.within / trials
  return { population: Math.sqrt((split.between + noise) / cases), rerun: Math.sqrt(noise / cases) }
}

type PairedPlan = {
  /** Standard deviation of the case differences. Typically .1 to .3 for pass@1, .3 to .5 for pass^5. */
  readonly sd: number
  /** Two-sided level of the interval or test. */
  readonly level: number
}

/** Chance that a paired comparison of so many cases notices a true difference (noncentral t, both tails). */
export function pairedPower({
  cases,
  difference,
  sd,
  level,
}: PairedPlan & { cases: number; difference: number }): number {
  requireFinite('sd', sd, { above: 0 })
  requireFinite('cases', cases, { above: 1 })
  requireFinite('difference', difference)
  requireLevel(level)
  const df = cases - 1
  const t = tQuantile((1 + level) / 2, df)
  const shift = (difference / sd) * Math.sqrt(cases)
  return noncentralTTail({ t, df, shift }) + noncentralTTail({ t, df, shift: -shift })
}

/** The smallest true difference that so many cases notice with chance `power`. */
export function minimumDetectableDifference({
  cases,
  power,
  ...plan
}: PairedPlan & { readonly cases: number; readonly power: number }): number {
  requirePower(power, plan.level)
  const notices = (difference: number) => pairedPower({ cases, difference, ...plan }) >= power
  let [low, high] = [0, plan.sd]
  while (!notices(high)) high *= 2
  for (let i = 0; i < BISECTIONS; i += 1) {
    const middle = (low + high) / 2
    if (notices(middle)) high = middle
    else low = middle
  }
  return high
}

/**
 * Cases (not rounded: round up) that notice a true difference with chance `power`. Null when more than ten million would be
 * needed. Not under 2 cases.
 */
export function casesForDifference({
  difference,
  power,
  ...plan
}: PairedPlan & { readonly difference: number; readonly power: number }): number | null {
  requirePower(power, plan.level)
  requireFinite('difference', difference)
  const notices = (cases: number) => pairedPower({ cases, difference, ...plan }) >= power
  return leastCases(notices)
}

/** Chance that non-inferiority is shown: that the lower limit of a paired interval clears −margin. */
export function nonInferiorityPower({
  cases,
  difference,
  margin,
  sd,
  level,
}: PairedPlan & { readonly cases: number; readonly difference: number; readonly margin: number }): number {
  requireFinite('sd', sd, { above: 0 })
  requireFinite('cases', cases, { above: 1 })
  requireFinite('margin', margin)
  requireLevel(level)
  const df = cases - 1
  const shift = ((difference + margin) / sd) * Math.sqrt(cases)
  return noncentralTTail({ t: tQuantile((1 + level) / 2, df), df, shift })
}

/** Cases (round up) that show non-inferiority with chance `power`; null where no number does. */
export function casesForNonInferiority({
  difference,
  margin,
  power,
  ...plan
}: PairedPlan & { readonly difference: number; readonly margin: number; readonly power: number }): number | null {
  requirePower(power, plan.level)
  if (difference + margin <= 0) return null
  return leastCases((cases) => nonInferiorityPower({ cases, difference, margin, ...plan }) >= power)
}

export type SuitePlan = { readonly cases: number; readonly trials: number; readonly total: number }

/** The mean that case values are expected to have, and their variance over cases (trial noise included). */
export type ExpectedValues = { readonly rate: number; readonly spread: number }

/** The population interval (Wilson-t+2) that so many cases with that mean and variance have. Not under two cases. */
export function expectedInterval({
  cases,
  rate,
  spread,
  level,
}: ExpectedValues & { readonly cases: number; readonly level: number }): {
  readonly low: number
  readonly high: number
} {
  requireFinite('cases', cases, { above: 1 })
  requireShare('rate', rate)
  requireShare('spread', spread)
  requireLevel(level)
  const centre = (cases * rate + 1) / (cases + 2)
  const squares = (cases - 1) * spread + cases * (rate - centre) ** 2 + (1 - centre) ** 2 + centre ** 2
  const trials = (centre * (1 - centre) * (cases + 1) * (cases + 2)) / squares
  return wilsonLimits({ share: rate, trials, quantile: tQuantile((1 + level) / 2, cases - 1) })
}

/** The same for these cases again: `noise` is the mean variance of a case's value over its trials. */
export function expectedRerun({
  cases,
  rate,
  noise,
  level,
}: {
  readonly cases: number
  readonly rate: number
  readonly noise: number
  readonly level: number
}): { readonly low: number; readonly high: number } {
  requireCount('cases', cases, { min: 1 })
  requireShare('rate', rate)
  requireShare('noise', noise)
  requireLevel(level)
  const effective = noise > 0 ? (rate * (1 - rate) * cases) / noise : 0
  const trials = Math.max(cases, effective)
  return wilsonLimits({ share: rate, trials, quantile: normalQuantile((1 + level) / 2) })
}

/** Cases (round up) whose expected population interval reaches no further than `halfWidth` on either side; or null. */
export function casesForWidth({
  halfWidth,
  ...expected
}: ExpectedValues & { readonly halfWidth: number; readonly level: number }): number | null {
  requireFinite('halfWidth', halfWidth, { above: 0 })
  return leastCases((cases) => {
    const { low, high } = expectedInterval({ cases, ...expected })
    return Math.max(expected.rate - low, high - expected.rate) <= halfWidth
  })
}

/**
 * For each number of trials the fewest cases whose population interval (Wilson-t+2) is expected no wider than `halfWidth`
 * on either side, cheapest in total first. `rate` is the pass rate expected.
 */
export function suitesForWidth({
  split,
  trials,
  ...wanted
}: {
  split: Pick<VarianceSplit, 'within' | 'between'>
  rate: number
  halfWidth: number
  level: number
  trials: readonly number[]
}): SuitePlan[] {
  const plans: SuitePlan[] = []
  for (const each of trials) {
    requireCount('trials', each, { min: 1 })
    const cases = casesForWidth({ spread: split.between + split.within / each, ...wanted })
    if (cases === null) continue
    const whole = Math.ceil(cases)
    plans.push({ cases: whole, trials: each, total: whole * each })
  }
  return plans.sort((a, b) => a.total - b.total || a.trials - b.trials)
}

/** Trials of one rate until its normal-theory interval is ± halfWidth (not rounded): a first guess, no more. */
export function trialsForWidth({ rate, halfWidth, level }: { rate: number; halfWidth: number; level: number }): number {
  requireShare('rate', rate)
  requireFinite('halfWidth', halfWidth, { above: 0 })
  requireLevel(level)
  return (normalQuantile((1 + level) / 2) ** 2 * rate * (1 - rate)) / halfWidth ** 2
}

/** The least number of cases, 2 or more and not rounded, at which something that gets easier with cases becomes true. */
function leastCases(isEnough: (cases: number) => boolean): number | null {
  let [low, high] = [2, 2]
  while (!isEnough(high)) {
    if (high > CASES_MAX) return null
    low = high
    high *= 2
  }
  for (let i = 0; i < BISECTIONS && high - low > 1e-12 * high; i += 1) {
    const middle = (low + high) / 2
    if (isEnough(middle)) high = middle
    else low = middle
  }
  return high
}

function requirePower(power: number, level: number): void {
  requireLevel(level)
  requireLevel(power)
  // At no difference at all a test notices with chance 1 − level: less power than that asks for nothing.
  requireFinite('power', power, { above: 1 - level })
}

function meanOver<T>(of: readonly T[], term: (one: T) => number): number {
  return of.reduce((sum, one) => sum + term(one), 0) / of.length
}
