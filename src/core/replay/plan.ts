/**
 * The plan of a replay: its trials with their keys, in the order in which they start, and its manifest. Pure: what it
 * refuses, it refuses before anything is written.
 *
 * Invariants: every trial has an idempotency key and a trace id of its own, which follow from the replay's id and seed and
 * so stay the same over restarts. Trials start in the order of their keys: shuffled by the seed, so that neither the hour
 * of the day nor a warm cache favours a case, and the same order comes out of the database without being stored.
 */
import { InputError } from '../errors.ts'
import { type Case, caseSetFingerprint } from './case.ts'
import { fingerprintOf, hashText } from './fingerprint.ts'
import type { TrialKey } from './trial.ts'

export type PlannedTrial = TrialKey & { readonly idempotencyKey: string; readonly traceId: string }

/** What a replay runs: `trials` per case, `k` for the figures, 1 ≤ k ≤ trials. */
export type TrialPlan = { readonly trials: number; readonly k: number; readonly seed: string }

/** What wrote this replay, for the manifest. */
export type About = { readonly assay: string; readonly node: string }

const TRIALS_MAX = 1000
const REPLAY_TRIALS_MAX = 1_000_000
const KEY_DIGITS = 32
const NAMED_CASES_MAX = 10

/** Throws InputError when the numbers cannot be replayed or cannot give the figures asked for. */
export function checkPlan({ trials, k }: TrialPlan, cases: number): void {
  if (!Number.isInteger(trials) || trials < 1 || trials > TRIALS_MAX) {
    throw new InputError(
      'bad_trials',
      `trials ${trials} is not allowed, expected a whole number from 1 to ${TRIALS_MAX}`,
    )
  }
  if (!Number.isInteger(k) || k < 1 || k > trials) {
    throw new InputError('bad_k', `k ${k} is not allowed, expected a whole number from 1 to trials (${trials})`)
  }
  if (cases === 0) throw new InputError('no_cases', 'there is no case to replay')
  if (cases * trials > REPLAY_TRIALS_MAX) {
    throw new InputError(
      'too_many_trials',
      `${cases} cases × ${trials} trials are ${cases * trials}, expected at most ${REPLAY_TRIALS_MAX} in one replay`,
    )
  }
}

/** No check, no pass: throws InputError naming the cases that no grader judges. */
export function checkGraded<G>(
  cases: readonly Case[],
  graders: readonly G[],
  applies: (grader: G, aCase: Case) => boolean,
): void {
  const bare = cases.filter((aCase) => !graders.some((grader) => applies(grader, aCase))).map(({ id }) => id)
  if (bare.length === 0) return
  const more = bare.length > NAMED_CASES_MAX ? ` and ${bare.length - NAMED_CASES_MAX} more` : ''
  throw new InputError(
    'case_without_check',
    `no grader applies to ${bare.length} of ${cases.length} cases: ${bare.slice(0, NAMED_CASES_MAX).join(', ')}${more}; ` +
      'add a grader to the suite, or say that completing is all that is asked (--completion-only, completionOnly in the suite)',
  )
}

export function planTrials(
  replayId: string,
  caseIds: readonly string[],
  { trials, seed }: TrialPlan,
): readonly PlannedTrial[] {
  return caseIds
    .flatMap((caseId) => Array.from({ length: trials }, (_, i) => planTrial({ replayId, caseId, trial: i + 1 }, seed)))
    .sort((a, b) => (a.idempotencyKey < b.idempotencyKey ? -1 : 1))
}

function planTrial(key: TrialKey, seed: string): PlannedTrial {
  const name = JSON.stringify([seed, key.replayId, key.caseId, key.trial])
  return {
    ...key,
    idempotencyKey: hashText(`assay.trial.key/1\n${name}`).slice(0, KEY_DIGITS),
    traceId: hashText(`assay.trial.trace/1\n${name}`).slice(0, KEY_DIGITS),
  }
}

/** Span id of the call within the trial's trace: the parent of whatever the target exports. */
export function spanIdOf(traceId: string): string {
  return hashText(`assay.trial.span/1\n${traceId}`).slice(0, 16)
}

export type ManifestParts = {
  readonly about: About
  readonly target: { readonly name: string; readonly version: string; readonly config: unknown }
  readonly cases: readonly Case[]
  readonly graders: readonly unknown[]
  readonly plan: TrialPlan
  readonly completionOnly: boolean
}

/** Everything that the figures of a replay depend on: two replays are comparable, or the difference is in here. */
export function manifestOf({
  about,
  target,
  cases,
  graders,
  plan,
  completionOnly,
}: ManifestParts): Readonly<Record<string, unknown>> {
  return {
    assay: about.assay,
    node: about.node,
    target: { name: target.name, version: target.version, fingerprint: fingerprintOf(target.config) },
    cases: { count: cases.length, fingerprint: caseSetFingerprint(cases) },
    graders: { count: graders.length, fingerprint: fingerprintOf(graders) },
    ...plan,
    completionOnly,
  }
}
