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

/**
 * What found it comes first, since people know their graders by name: `order-is-right: expected order to be <str>, got <str>`,
 * `timeout in lookup_order: no answer within <n> ms`. The category stands in a column of its own.
 */
function nameOf({ grader, errorKind, tool, message }: FailureEvidence): string {
  const found = grader ?? `${errorKind.replaceAll('_', ' ')}${tool === null ? '' : ` in ${tool}`}`
  const text = message === '' ? found : `${found}: ${message}`
  if (text.length <= NAME_CHARACTERS_MAX) return text
  const end = text.lastIndexOf(' ', NAME_CHARACTERS_MAX - 1)
  const cut = end > NAME_CHARACTERS_MAX / 2 ? end : NAME_CHARACTERS_MAX - 1
  return `${text.slice(0, cut).toWellFormed()}…`
}
