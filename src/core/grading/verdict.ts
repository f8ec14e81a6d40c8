/**
 * A verdict: a grader's judgement of one trial. Unknown is a verdict too: a grader that throws or cannot judge says
 * unknown, never fail.
 */
import type { Outcome, TrialStatus } from '../replay/trial.ts'

export type Judgement = 'pass' | 'fail' | 'unknown'

export type Verdict = {
  readonly grader: string
  readonly verdict: Judgement
  /** 0 to 1 where the grader scores, else null. */
  readonly score: number | null
  readonly explanation: string
  /** The failure category that the grader names, for failing verdicts. */
  readonly category: string | null
  /** The tool concerned, where the grader is about one. */
  readonly tool: string | null
}

/**
 * Outcome of a trial (DESIGN section 5): errored when the agent's side did not complete; ungraded when the trial was
 * lost or a required grader does not know; wrong when a required grader fails; else passed.
 * A failing verdict wins over an unknown one: a known fault is enough.
 */
export function outcomeOf(
  status: TrialStatus,
  verdicts: readonly Pick<Verdict, 'verdict'>[],
  completionOnly: boolean,
): Outcome {
  if (status === 'lost') return 'ungraded'
  if (status !== 'completed') return 'errored'
  if (verdicts.some((v) => v.verdict === 'fail')) return 'wrong'
  if (verdicts.some((v) => v.verdict === 'unknown')) return 'ungraded'
  return verdicts.length > 0 || completionOnly ? 'passed' : 'ungraded'
}
