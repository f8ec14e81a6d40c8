/**
 * The decision: the first rule that matches gives a threshold, the upstream one may raise it, and one comparison keeps
 * or drops. The probability of the decision is that of the threshold that was applied, or it is said to be unknown.
 *
 * One trace and one policy have one decision, whatever the machine, the order of the spans and the time.
 */
import { invariant } from '../errors.ts'
import type { Completion, Decision } from './decision.ts'
import type { TraceFacts } from './facts.ts'
import type { Policy, ReadyCondition, ReadyRule } from './policy.ts'
import { randomnessOf } from './randomness.ts'
import type { SamplerRule } from './rule.ts'
import { maxThreshold, probabilityOf, THRESHOLD_ZERO, thresholdFor } from './threshold.ts'

const HOUR_MS = 3_600_000
const STRATUM_ALL = 'all'

/** A trace that is complete. Times are milliseconds since the epoch. */
export type CompleteTrace = {
  readonly traceId: string
  readonly facts: TraceFacts
  readonly completion: Completion
  readonly whole: boolean
  readonly arrivedAt: number
}

export function decide(trace: CompleteTrace, policy: Policy, decidedAt: number): Decision {
  const { traceId, facts, completion, whole, arrivedAt } = trace
  const { rule } = matching(facts, policy)
  const r = randomnessOf({ traceId, randomness: facts.randomness, isIdRandom: facts.isIdRandom }, policy.salt)
  return {
    traceId,
    rule: rule.name,
    sampler: rule.sampler.type,
    stratum: STRATUM_ALL,
    windowStart: new Date(Math.floor(arrivedAt / HOUR_MS) * HOUR_MS).toISOString(),
    policy: policy.fingerprint,
    r,
    ...drawn(r, facts, rule.sampler),
    completion,
    whole,
    arrivedAt,
    decidedAt,
    spanCount: facts.spanCount,
  }
}

/** The first rule whose conditions all hold. */
function matching(facts: TraceFacts, policy: Policy): ReadyRule {
  const found = policy.rules.find(({ rule, conditions }) => conditions.every((c) => holds(c, facts, rule.match)))
  invariant(found !== undefined, 'the last rule has no conditions')
  return found
}

function holds({ condition, bit }: ReadyCondition, facts: TraceFacts, match: 'any_span' | 'root'): boolean {
  if (bit !== null) {
    const isSet = ((match === 'root' ? facts.root : facts.any) & bit) !== 0n
    // As in the Collector, an inverted match means that no span matches, and not that some span does not.
    return condition.string_attribute?.invert_match === true ? !isSet : isSet
  }
  if (condition.span_count !== undefined) {
    const { min_spans, max_spans = Infinity } = condition.span_count
    return facts.spanCount >= min_spans && facts.spanCount <= max_spans
  }
  invariant(condition.latency !== undefined, 'a condition without a bit is about the whole trace')
  const { threshold_ms, upper_threshold_ms = Infinity } = condition.latency
  const exactMs = match === 'root' ? facts.rootMs : Math.max(facts.endMs - facts.startMs, 0)
  if (exactMs === null) return false
  // To the microsecond: doubles hold times of today to about 0.25 of one, and 50 ms must not be 49.9998.
  const tookMs = Math.round(exactMs * 1000) / 1000
  return tookMs >= threshold_ms && tookMs <= upper_threshold_ms
}

type Drawn = Pick<Decision, 'keep' | 'p' | 'weightSource' | 'threshold'>

function drawn(r: string, facts: TraceFacts, sampler: SamplerRule): Drawn {
  if (sampler.type === 'drop') return { keep: false, p: 0, weightSource: 'threshold', threshold: null }
  const upstream = facts.threshold ?? THRESHOLD_ZERO
  // Under its own upstream threshold the trace ought not to be here: what was said cannot be true and counts for nothing.
  const isConsistent = r >= upstream
  const own = sampler.type === 'always' ? THRESHOLD_ZERO : thresholdFor(sampler.percentage / 100)
  const threshold = isConsistent ? maxThreshold(own, upstream) : own
  const isKnown = isConsistent && !facts.isUpstreamMixed
  return {
    keep: r >= threshold,
    p: isKnown ? probabilityOf(threshold) : null,
    weightSource: isKnown ? 'threshold' : 'unknown',
    threshold,
  }
}
