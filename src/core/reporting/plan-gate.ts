/**
 * The error rates of a gate that every case must reach: what it does with agents of which the truth is known. Read the
 * row of an agent that is good enough for "blocked", and that of one that is not for "let through".
 */
import { gateAdmits, gateErrors, passesNeeded } from '../statistics/gate-plan.ts'
import type { PassMetric } from '../statistics/pass-at-k.ts'
import { metricName } from './wording.ts'

/** Agents that pass a trial of any case with this chance. */
const AGENTS = [0.5, 0.8, 0.9, 0.95, 0.99] as const
/** What a good agent, and the one case that broke, pass with. */
const GOOD = 0.99
const BROKEN = 0.5

export type PlannedGate = {
  readonly metric: string
  readonly required: number
  /** The fewest passes of the trials that reach it. */
  readonly passes: number
  readonly agents: readonly {
    readonly p: number
    /** Chance that one case reaches it, and that all do. */
    readonly oneCase: number
    readonly allCases: number
    readonly blocked: number
  }[]
  /** A good agent is blocked; a good agent of which one case broke is let through. */
  readonly good: number
  readonly broken: number
  readonly falseBlock: number
  readonly falsePass: number
}

/** `required` is from 0 to 1; k is at most the trials. */
export function plannedGate(
  { cases, trials, k }: { readonly cases: number; readonly trials: number; readonly k: number },
  metric: PassMetric,
  required: number,
): PlannedGate {
  // With k ≤ trials, passing all of them reaches everything: never null.
  const passes = passesNeeded({ n: trials, k, metric, threshold: required }) ?? trials
  const gate = { trials, passes }
  return {
    metric: metricName(metric, k),
    required,
    passes,
    agents: AGENTS.map((p) => {
      const allCases = gateAdmits({ cases, p, ...gate })
      return { p, oneCase: gateAdmits({ cases: 1, p, ...gate }), allCases, blocked: 1 - allCases }
    }),
    good: GOOD,
    broken: BROKEN,
    ...gateErrors({ cases, good: GOOD, bad: BROKEN, badCases: 1, ...gate }),
  }
}
