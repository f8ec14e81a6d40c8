/**
 * A target: the agent under test at one exact version, and how it is called.
 */

import type { CaseInput } from './case.ts'
import type { TrialAnswer } from './trial.ts'

/** One attempt at one trial. A repeated attempt of a trial carries the same idempotency key. */
export type TargetCall = {
  readonly version: string
  readonly caseId: string
  readonly trial: number
  readonly input: CaseInput
  readonly idempotencyKey: string
  /** W3C trace context of the trial: spans that the target exports under it belong to the trial. */
  readonly traceId: string
  readonly spanId: string
}

/**
 * `retry` asks for another attempt of the same trial (429, or 503 with Retry-After); `kind` is the word that the trial
 * fails with when no attempt is left. A target that cannot be reached is `answered` with a failed trial: the agent's side.
 */
export type TargetAnswer =
  | { readonly outcome: 'answered'; readonly answer: TrialAnswer }
  | { readonly outcome: 'retry'; readonly afterMs: number; readonly kind: string; readonly cause: string }
  /** Our own shutdown: nothing is known, the trial stays planned. */
  | { readonly outcome: 'interrupted' }
