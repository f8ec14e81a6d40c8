/**
 * A proposal: the failure mode that the machine suggests for a fingerprint that nobody has seen. Its name is readable and says
 * what is known; a person gives it the name that says what to fix.
 */
import type { FailureEvidence } from './evidence.ts'
import type { FailureMode } from './failure-mode.ts'

const NAME_CHARACTERS_MAX = 110

/** `now` is when the first failure was written down. */
export function proposeMode(id: string, evidence: FailureEvidence, now: Date): FailureMode {
  const at = now.toISOString()
  return {
    id,
    state: 'proposed',
    name: nameOf(evidence),
    definition: null,
    category: evidence.category,
    mergedInto: null,
    createdAt: at,
    updatedAt: at,
  }
}

/** `bad arguments in refund_order: expected order to be <str>, got <str> (order-is-right)`. */
function nameOf({ category, grader, errorKind, tool, message }: FailureEvidence): string {
  const what = category ?? (grader === null ? errorKind.replaceAll('_', ' ') : 'wrong')
  const where = tool === null ? '' : ` in ${tool}`
  const by = grader === null ? '' : ` (${grader})`
  const why = message === '' ? '' : `: ${message}`
  const room = NAME_CHARACTERS_MAX - by.length
  const text = `${what}${where}${why}`
  if (text.length <= room) return `${text}${by}`
  const end = text.lastIndexOf(' ', room - 1)
  return `${text.slice(0, end > room / 2 ? end : room - 1).toWellFormed()}…${by}`
}
