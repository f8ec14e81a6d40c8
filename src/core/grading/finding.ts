/**
 * What a grader of one kind finds out about one trial, before it carries the grader's name; and how values are shown in its
 * explanation. An explanation of a fail says what was expected and what came, both shortened.
 */
import type { Trial, TrialAnswer } from '../replay/trial.ts'
import type { JudgedCase } from './applies.ts'
import type { Judgement } from './verdict.ts'

export type JudgedTrial = Pick<TrialAnswer, 'output' | 'tools' | 'latencyMs' | 'costUsd'> & {
  readonly status: NonNullable<Trial['status']>
}

/** Everything a grader may look at: redacted, as it is stored. */
export type GradingEvidence = { readonly case: JudgedCase; readonly trial: JudgedTrial }

export type Finding = {
  readonly verdict: Judgement
  readonly explanation: string
  /** The tool concerned. */
  readonly tool?: string
  /** The sensible category of this failure, where the definition names none. */
  readonly category?: string
}

/** Compiled once for a definition. May throw: whoever calls it turns that into unknown. */
export type Check = (evidence: GradingEvidence) => Finding

const SHOWN_CHARACTERS_MAX = 120
const EXPLANATION_CHARACTERS_MAX = 600

export function pass(explanation: string): Finding {
  return { verdict: 'pass', explanation: clipped(explanation, EXPLANATION_CHARACTERS_MAX) }
}

export function fail(explanation: string): Finding {
  return { verdict: 'fail', explanation: clipped(explanation, EXPLANATION_CHARACTERS_MAX) }
}

export function unknown(explanation: string): Finding {
  return { verdict: 'unknown', explanation: clipped(explanation, EXPLANATION_CHARACTERS_MAX) }
}

/** The value as JSON in one line: quotes show where a text begins and ends. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(clipped(value, SHOWN_CHARACTERS_MAX))
  return clipped(JSON.stringify(value) ?? 'nothing', SHOWN_CHARACTERS_MAX)
}

export function clipped(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax).toWellFormed()}…`
}
