/**
 * What was decided of one trace, with its reason and its probability. A decision never travels without them.
 */

/** Why a trace was taken as complete. */
export type Completion = 'root' | 'idle' | 'timeout' | 'size'

export type SamplerType = 'always' | 'probabilistic' | 'drop'

export type Decision = {
  readonly traceId: string
  readonly keep: boolean
  readonly rule: string
  readonly sampler: SamplerType
  /** `all` where the rule does not stratify. */
  readonly stratum: string
  /** Start of the hour in which the trace arrived, ISO 8601. */
  readonly windowStart: string
  /** Fingerprint of the rules in force. */
  readonly policy: string
  /** Probability of keeping; null when it cannot be known (see `weightSource`); 0 where the rule drops all. */
  readonly p: number | null
  readonly weightSource: 'threshold' | 'unknown'
  /** 14 hex digits: the trace's randomness. */
  readonly r: string
  /** 14 hex digits: kept iff r >= threshold. Null where the rule drops all. */
  readonly threshold: string | null
  readonly completion: Completion
  /** The root was seen and every parent resolves. */
  readonly whole: boolean
  /** Milliseconds since the epoch: first span accepted; decision made. */
  readonly arrivedAt: number
  readonly decidedAt: number
  readonly spanCount: number
}

/** What is remembered of a decision, so that late spans follow it and are counted where their trace was. */
export type RememberedDecision = Pick<
  Decision,
  'keep' | 'policy' | 'rule' | 'sampler' | 'stratum' | 'windowStart' | 'decidedAt'
> & {
  /** The last entry of the spool whose spans were taken into account; spans in later ones are late. */
  readonly through: number
}

/** A decision and the spool entries that hold the trace's spans. */
export type PlannedDecision = { readonly decision: Decision; readonly entries: readonly number[] }

/** Spans that came after their trace was decided, and the entries that hold them. */
export type LateSpans = {
  readonly traceId: string
  readonly decision: RememberedDecision
  readonly entries: readonly number[]
}

/** What reaches the database in one transaction. `batch` rises by one; a batch is applied once. */
export type DecisionBatch = {
  readonly batch: number
  /** The last entry of the spool that had been read when this was planned. */
  readonly through: number
  readonly decisions: readonly PlannedDecision[]
  readonly late: readonly LateSpans[]
  /** Entries that hold feedback. */
  readonly feedback: readonly number[]
}

export function remembered(decision: Decision, through: number): RememberedDecision {
  const { keep, policy, rule, sampler, stratum, windowStart, decidedAt } = decision
  return { keep, policy, rule, sampler, stratum, windowStart, decidedAt, through }
}
