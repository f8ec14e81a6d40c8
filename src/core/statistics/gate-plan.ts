/**
 * The two ways in which a gate by counts is wrong: it blocks a good agent, it lets a bad one through.
 *
 * "All passed" over 30 cases of 5 trials lets an agent of p = .99 through 22 % of the time; "pass@3 ≥ .8 at n = 5" means two
 * passes of five, which p = .4 reaches 66 % of the time. Both errors belong next to every gate.
 */

import { requireCount, requireLevel, requireShare } from './argument.ts'
import { binomialUpperTail } from './distribution.ts'
import { caseValue, type PassMetric } from './pass-at-k.ts'

/** The fewest passes of n at which pass@k or pass^k reaches the threshold. Null when k > n. */
export function passesNeeded({
  n,
  k,
  metric,
  threshold,
}: {
  n: number
  k: number
  metric: PassMetric
  threshold: number
}): number | null {
  requireShare('threshold', threshold)
  for (let c = 0; c <= n; c += 1) {
    const value = caseValue({ n, c, k, metric })
    // A threshold of .3 typed by hand and a share of 3/10 are not the same double.
    if (value === null) return null
    if (value >= threshold - 1e-12) return c
  }
  return null
}

/**
 * Chance that a gate lets an agent through: each of `cases` cases, all passing with probability p a trial, must reach
 * `passes` of `trials`. Read it at a p that is good enough (1 − it is the false block) and at one that is not.
 */
export function gateAdmits({
  cases,
  trials,
  passes,
  p,
}: {
  cases: number
  trials: number
  passes: number
  p: number
}): number {
  requireCount('cases', cases, { min: 1 })
  requireCount('trials', trials, { min: 1 })
  requireCount('passes', passes, { max: trials })
  requireShare('p', p)
  return binomialUpperTail(passes, trials, p) ** cases
}

export type GateErrors = {
  /** Chance that an agent whose every case passes with probability `good` is blocked. */
  readonly falseBlock: number
  /** Chance that an agent of which `badCases` cases pass only with probability `bad` is let through. */
  readonly falsePass: number
}

/** Both errors of a gate that every case must reach. */
export function gateErrors({
  cases,
  trials,
  passes,
  good,
  bad,
  badCases,
}: {
  cases: number
  trials: number
  passes: number
  good: number
  bad: number
  badCases: number
}): GateErrors {
  requireCount('badCases', badCases, { min: 1, max: cases })
  const gate = { trials, passes }
  const rest = cases === badCases ? 1 : gateAdmits({ cases: cases - badCases, p: good, ...gate })
  return {
    falseBlock: 1 - gateAdmits({ cases, p: good, ...gate }),
    falsePass: rest * gateAdmits({ cases: badCases, p: bad, ...gate }),
  }
}

/** Trials without a failure that prove a failure rate of at most `failureRate`, one-sided. */
export function trialsWithoutFailure({ failureRate, level }: { failureRate: number; level: number }): number {
  requireLevel(level)
  requireLevel(failureRate)
  return Math.ceil(Math.log(1 - level) / Math.log1p(-failureRate) - 1e-9)
}

/** The failure rate that "no failure in n trials" leaves possible, one-sided: 1 − error^(1/n); 1 without trials. */
export function failureRateLeft({ n, level }: { n: number; level: number }): number {
  requireCount('n', n)
  requireLevel(level)
  return n === 0 ? 1 : -Math.expm1(Math.log(1 - level) / n)
}

/**
 * Trials a case and version until a fall from all to none survives Holm over so many gated cases (Boschloo: ¼ⁿ ≤
 * error/cases). With fewer a per-case gate can never block.
 */
export function trialsForCaseGate({ cases, error }: { cases: number; error: number }): number {
  requireCount('cases', cases, { min: 1 })
  requireLevel(error)
  return Math.ceil(Math.log(cases / error) / Math.log(4) - 1e-9)
}
