/**
 * A case: a replayable input from a kept trace, or imported, with an optional reference answer.
 *
 * Invariant: a case drawn from traffic carries both probabilities, that of its trace (`p`) and that of the draw given
 * the kept traces (`pDraw`); a figure about traffic weighs it by 1 / (p · pDraw).
 */
import type { Message, RetrievedDocument, ToolCall, TraceSummary } from '../trace/summary.ts'

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

/** Why a kept trace cannot become a case, in words; empty when it can. */
export function unreplayable(summary: TraceSummary): readonly string[] {
  return summary.completeness
}
