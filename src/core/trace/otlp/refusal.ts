/**
 * Counting what is refused of a request, with the first few reasons: an answer must stay small however much was wrong.
 */

const REASONS_MAX = 5
const REASON_LENGTH_MAX = 300

export type Refusals = { readonly rejected: number; readonly reasons: readonly string[] }

/** The same while it is being counted. */
export type Refusal = { rejected: number; reasons: string[] }

export function refuse(refusal: Refusal, reason: string): void {
  refusal.rejected++
  if (refusal.reasons.length < REASONS_MAX) refusal.reasons.push(reason.slice(0, REASON_LENGTH_MAX))
}

/** Of two passes over one request. */
export function bothRefusals(first: Refusals, second: Refusals): Refusals {
  return {
    rejected: first.rejected + second.rejected,
    reasons: [...first.reasons, ...second.reasons].slice(0, REASONS_MAX),
  }
}
