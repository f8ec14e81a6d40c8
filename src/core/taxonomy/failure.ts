/**
 * A failure: a trial or a production trace that did not pass, seen as something to explain. Written down once.
 */

/** The starter set; a team's graders may name further categories. */
export const STARTER_CATEGORIES = [
  'wrong tool',
  'bad arguments',
  'retrieval miss',
  'policy violation',
  'unsupported claim',
  'environment failure',
] as const

export type FailureSource =
  | { readonly kind: 'trial'; readonly replayId: string; readonly caseId: string; readonly trial: number }
  | { readonly kind: 'trace'; readonly traceId: string }

export type Failure = {
  readonly id: string
  readonly source: FailureSource
  /** The failing grader, or null when the agent's side did not complete or production reported it. */
  readonly grader: string | null
  /** `verdict`, `feedback`, or the error kind of the trial or trace. */
  readonly errorKind: string
  readonly tool: string | null
  /** Message with its variable parts masked. */
  readonly message: string
  readonly excerpt: string
  readonly category: string | null
  readonly fingerprint: string
  readonly modeId: string | null
  readonly createdAt: string
}
