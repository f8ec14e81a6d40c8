/**
 * Counting decisions: per policy, rule, stratum and hour of arrival, what was received and what became of it.
 *
 * Invariant: kept + dropped + shed = received, in each increment and so in their sum.
 */
import type { Decision, RememberedDecision } from './decision.ts'

type CensusKey = Pick<Decision, 'policy' | 'rule' | 'sampler' | 'stratum' | 'windowStart'>

export type CensusIncrement = CensusKey & {
  readonly received: number
  readonly kept: number
  readonly dropped: number
  readonly shed: number
  /** Of the received: their root or a parent was never seen. */
  readonly incomplete: number
  /** Spans, not traces. */
  readonly lateSpans: number
}

/** One decided trace. `isStored` is false for a kept trace that could not be read: it counts as dropped. */
export function countTrace(decision: Decision, isStored: boolean): CensusIncrement {
  const kept = decision.keep && isStored
  return {
    ...keyOf(decision),
    received: 1,
    kept: kept ? 1 : 0,
    dropped: kept ? 0 : 1,
    shed: 0,
    incomplete: decision.whole ? 0 : 1,
    lateSpans: 0,
  }
}

export function countLate(decision: RememberedDecision, lateSpans: number): CensusIncrement {
  return { ...keyOf(decision), received: 0, kept: 0, dropped: 0, shed: 0, incomplete: 0, lateSpans }
}

/** One increment per key, in the order in which the keys first occur. */
export function totalled(increments: readonly CensusIncrement[]): readonly CensusIncrement[] {
  const groups = Map.groupBy(increments, (i) => JSON.stringify([i.policy, i.rule, i.stratum, i.windowStart]))
  return [...groups.values()].map((group) => group.reduce(sum))
}

function keyOf({ policy, rule, sampler, stratum, windowStart }: CensusKey): CensusKey {
  return { policy, rule, sampler, stratum, windowStart }
}

function sum(a: CensusIncrement, b: CensusIncrement): CensusIncrement {
  return {
    ...keyOf(a),
    received: a.received + b.received,
    kept: a.kept + b.kept,
    dropped: a.dropped + b.dropped,
    shed: a.shed + b.shed,
    incomplete: a.incomplete + b.incomplete,
    lateSpans: a.lateSpans + b.lateSpans,
  }
}
