/**
 * A trial: one independent repetition of a case against a target. The unit that statistics count.
 *
 * A trial is planned (status null), then ends as completed, timed_out, failed, cancelled or lost. Only the replay stage
 * ends it, once: an update counts only where the status is still null. `lost` is our own fault (we could not find out),
 * every other ending is the agent's. Grading then gives verdicts, and status and verdicts together give the outcome.
 */
import type { ToolCall, Usage } from '../trace/summary.ts'

export const TRIAL_STATUSES = ['completed', 'timed_out', 'failed', 'cancelled', 'lost'] as const
export type TrialStatus = (typeof TRIAL_STATUSES)[number]

export const OUTCOMES = ['passed', 'wrong', 'errored', 'ungraded'] as const
export type Outcome = (typeof OUTCOMES)[number]

export type TrialKey = { readonly replayId: string; readonly caseId: string; readonly trial: number }

/** What came back from the target, as it is stored (redacted). */
export type TrialAnswer = {
  readonly status: TrialStatus
  readonly output: unknown
  readonly tools: readonly ToolCall[]
  readonly usage: Usage | null
  /** US dollars. */
  readonly costUsd: number | null
  readonly latencyMs: number | null
  readonly reportedVersion: string | null
  readonly model: string | null
  /** `kind` is a stable word such as `timeout`, `http_500`, `connection_refused`, `version_mismatch`. */
  readonly error: { readonly kind: string; readonly message: string } | null
}

export type Trial = TrialKey & {
  readonly idempotencyKey: string
  readonly traceId: string
  /** Null while it is planned. */
  readonly status: TrialStatus | null
  readonly attempts: number
  readonly answer: TrialAnswer | null
  readonly startedAt: string | null
  readonly endedAt: string | null
  /** Null until graded. */
  readonly outcome: Outcome | null
}

/** Counts of one case's trials. Invariant: planned = passed + wrong + errored + ungraded once all are graded. */
export type TrialCounts = { readonly planned: number } & Readonly<Record<Outcome, number>>

/** Attempts at one trial, all told: after the last one it ends, whatever was found out. */
export const ATTEMPTS_MAX = 5

/** An ending without an answer: nothing came back but the reason. */
export function endedWithout(status: TrialStatus, kind: string, message: string): TrialAnswer {
  return {
    status,
    output: null,
    tools: [],
    usage: null,
    costUsd: null,
    latencyMs: null,
    reportedVersion: null,
    model: null,
    error: { kind, message },
  }
}

/** Our own fault: each attempt began, and this service was stopped or killed before it knew how the attempt ended. */
export function lostAfterAttempts(): TrialAnswer {
  return endedWithout('lost', 'interrupted', `interrupted in each of ${ATTEMPTS_MAX} attempts`)
}

/** The agent's side: it asked to be tried again, each time. */
export function refusedEachTime({ kind, cause }: { readonly kind: string; readonly cause: string }): TrialAnswer {
  return endedWithout('failed', kind, `asked to try again in each of ${ATTEMPTS_MAX} attempts: ${cause}`)
}
