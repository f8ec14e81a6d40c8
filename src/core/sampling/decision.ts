/**
 * What was decided of one trace, with its reason and its probability. A decision never travels without them.
 */

/** Why a trace was taken as complete. */
export type Completion = 'root' | 'idle' | 'timeout' | 'size'

export type Decision = {
  readonly traceId: string
  readonly keep: boolean
  readonly rule: string
  /** `all` where the rule does not stratify. */
  readonly stratum: string
  /** Start of the hour in which the trace arrived, ISO 8601. */
  readonly windowStart: string
  /** Fingerprint of the rules in force. */
  readonly policy: string
  /** Probability of keeping; null when it cannot be known (see `weightSource`). */
  readonly p: number | null
  readonly weightSource: 'threshold' | 'unknown'
  /** 14 hex digits each: the trace's randomness, and the threshold applied (kept iff r >= threshold). */
  readonly r: string
  readonly threshold: string
  readonly completion: Completion
  /** The root was seen and every parent resolves. */
  readonly whole: boolean
  /** Milliseconds since the epoch: first span accepted; decision made. */
  readonly arrivedAt: number
  readonly decidedAt: number
  readonly spanCount: number
}

/** Decisions that reach the database in one transaction. `batch` rises by one; a batch is applied once. */
export type DecisionBatch = { readonly batch: number; readonly decisions: readonly Decision[] }
