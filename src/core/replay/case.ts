/**
 * A case: a replayable input from a kept trace, or imported, with an optional reference answer.
 *
 * Invariant: a case drawn from traffic carries both probabilities, that of its trace (`p`) and that of the draw given
 * the kept traces (`pDraw`); a figure about traffic weighs it by 1 / (p · pDraw).
 */
import type { Message, RetrievedDocument, ToolCall, TraceSummary } from '../trace/summary.ts'
import { fingerprintOf, hashText } from './fingerprint.ts'

export type CaseInput = {
  readonly system: string | null
  /** What the target is called with: text, or the object that the agent's root recorded. */
  readonly userInput: unknown
  readonly messages: readonly Message[]
}

/** What production did with this input; the baseline beside which trials are read, never a reference by itself. */
export type Observed = {
  readonly output: unknown
  readonly tools: readonly ToolCall[]
  readonly retrieved: readonly RetrievedDocument[]
  readonly error: string | null
  readonly agentVersion: string | null
}

export type Case = {
  readonly id: string
  readonly suite: string
  readonly drawId: string | null
  readonly origin: 'trace' | 'import'
  readonly traceId: string | null
  readonly stratum: string
  /** Probability with which the trace was kept; null when unknown or imported. */
  readonly p: number | null
  /** Probability with which the case was drawn from the kept traces of its stratum; null when imported. */
  readonly pDraw: number | null
  /** Cases of one session are one family: their trials are not independent evidence about traffic. */
  readonly family: string | null
  readonly input: CaseInput
  readonly reference: unknown
  readonly observed: Observed | null
  /** Hash of the input: two cases with the same fingerprint ask the same question. */
  readonly fingerprint: string
}

const ID_HASH_DIGITS = 14

/** Why a kept trace cannot become a case, in words; empty when it can. `whole` says that no span of it is missing. */
export function unreplayable(completeness: TraceSummary['completeness'], whole: boolean): readonly string[] {
  return whole ? completeness : ['spans of the trace are missing', ...completeness]
}

export function inputOf(summary: Pick<TraceSummary, 'system' | 'userInput' | 'messages'>): CaseInput {
  return { system: summary.system, userInput: summary.userInput, messages: summary.messages }
}

export function observedOf(
  summary: Pick<TraceSummary, 'output' | 'tools' | 'retrieved' | 'error' | 'version'>,
): Observed {
  const { output, tools, retrieved, error, version } = summary
  return { output, tools, retrieved, error, agentVersion: version }
}

/**
 * Id of the case that a draw makes of a trace: the same each time it is asked for. People read it in tables and type it, so
 * it is as short as chance allows (two alike among a million cases: 1 in 100,000), and does not begin with what its draw
 * says already.
 */
export function drawnCaseId(drawId: string, suite: string, traceId: string): string {
  return `case_${hashText(`${drawId}\n${suite}\n${traceId}`).slice(0, ID_HASH_DIGITS)}`
}

/** Of a set of cases, whatever their order and ids: equal when the same questions are asked with the same references. */
export function caseSetFingerprint(cases: readonly Pick<Case, 'fingerprint' | 'reference'>[]): string {
  return fingerprintOf(cases.map((aCase) => fingerprintOf([aCase.fingerprint, aCase.reference ?? null])).sort())
}
