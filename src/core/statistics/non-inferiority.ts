/**
 * "Not worse by more than the margin": three answers, not two, and what it would take to leave the third.
 *
 * A difference whose interval reaches past −margin on one side and not on the other is decided; one that lies across it is
 * inconclusive, which is neither a pass nor a fail. The outlook takes today's estimate and spread to be the truth:
 * it is a plan, not a promise, and re-testing after every addition is peeking (monitor.ts has what allows that).
 */

import { requireCount, requireFinite } from './argument.ts'
import type { Interval } from './figure.ts'
import type { CaseCounts, PassMetric } from './pass-at-k.ts'
import { passAtKVarianceEstimate, passHatKVarianceEstimate } from './pass-at-k.ts'

export type NonInferiority = {
  readonly answer: 'holds' | 'fails' | 'inconclusive'
  /** The difference may be as low as −margin. */
  readonly margin: number
  /** Cases to add, at as many trials each, until the answer would be clear. Null: decided, or no number would do. */
  readonly furtherCases: number | null
  /** Trials to add to each case and version instead. Null: decided, unknown, or more trials alone would not do. */
  readonly furtherTrialsPerCase: number | null
}

/** How much of the spread of the case differences is the trials' own, which more trials would shrink. */
export type TrialNoise = {
  /** Mean over cases of Var(a value) + Var(b value), from trialNoise(); null where no case has 2k trials. */
  readonly variance: number | null
  /** Spread (sample variance) of the case differences. */
  readonly spread: number
  /** Trials that each case had on each side. */
  readonly trials: number
}

/**
 * The interval's level is two-sided: at 0.95 each wrong "holds" has a chance of 2.5 %. `n` is the number of cases behind
 * the interval.
 */
export function nonInferiority({
  difference,
  interval,
  margin,
  n,
  noise,
}: {
  difference: number
  interval: Pick<Interval, 'low' | 'high'>
  margin: number
  n: number
  noise?: TrialNoise
}): NonInferiority {
  requireFinite('difference', difference)
  requireFinite('margin', margin)
  requireCount('n', n, { min: 1 })
  const decided = { margin, furtherCases: null, furtherTrialsPerCase: null }
  if (interval.low > -margin) return { answer: 'holds', ...decided }
  if (interval.high < -margin) return { answer: 'fails', ...decided }

  // The half-width towards −margin has to shrink to the gap; it shrinks with the root of the variance.
  const gap = Math.abs(difference + margin)
  const half = difference > -margin ? difference - interval.low : interval.high - difference
  if (gap === 0) return { answer: 'inconclusive', ...decided }
  const growth = (half / gap) ** 2
  return {
    answer: 'inconclusive',
    margin,
    furtherCases: Math.max(1, Math.ceil(n * growth) - n),
    furtherTrialsPerCase: noise === undefined ? null : furtherTrials(noise, growth),
  }
}

/**
 * The trials' own share of the variance of case differences: the mean of the unbiased variances of both versions' case
 * values, over cases with at least 2k trials on both sides. Null when there is none.
 */
export function trialNoise({
  a,
  b,
  k,
  metric,
}: {
  a: readonly CaseCounts[]
  b: readonly CaseCounts[]
  k: number
  metric: PassMetric
}): number | null {
  const estimate = metric === 'passHatK' ? passHatKVarianceEstimate : passAtKVarianceEstimate
  let sum = 0
  let cases = 0
  for (const [i, before] of a.entries()) {
    const after = b[i]
    const noiseA = estimate({ ...before, k })
    const noiseB = after === undefined ? null : estimate({ ...after, k })
    if (noiseA === null || noiseB === null) continue
    sum += noiseA + noiseB
    cases += 1
  }
  return cases === 0 ? null : Math.max(0, sum / cases)
}

/** spread = between + within/trials: only the second part shrinks. The outlook for pass^k is rough: its noise falls faster. */
function furtherTrials({ variance, spread, trials }: TrialNoise, growth: number): number | null {
  if (variance === null) return null
  const wanted = spread / growth
  const between = Math.max(0, spread - variance)
  if (between >= wanted || variance === 0) return null
  return Math.max(1, Math.ceil((trials * variance) / (wanted - between)) - trials)
}
