/**
 * Review: what an act of a person makes of a failure mode. The states and moves are those of failure-mode.ts; what they do
 * not allow is refused with what they do.
 */
import { InputError } from '../errors.ts'
import type { FailureMode, ModeState, ReviewAct, ReviewEvent } from './failure-mode.ts'

const ALLOWED: Readonly<Record<ModeState, readonly ReviewAct['act'][]>> = {
  proposed: ['accept', 'rename', 'merge', 'dismiss'],
  accepted: ['rename', 'merge', 'dismiss'],
  dismissed: ['accept'],
  merged: [],
}

const NAME_CHARACTERS_MAX = 120
const DEFINITION_CHARACTERS_MAX = 2000

export type ActContext = {
  readonly now: Date
  /** The mode that a merge names, as it is now. */
  readonly into?: FailureMode | undefined
  /** `updatedAt` of the mode as the person saw it; without it nothing is compared. */
  readonly expected?: string | undefined
  /** The last thing that happened to the mode, for the words of a refusal. */
  readonly last?: Pick<ReviewEvent, 'act' | 'who' | 'at'> | undefined
}

/**
 * The mode after the act; the given one is not changed. Throws InputError: `changed_meanwhile` where the mode is not what
 * the person saw, or in a state that does not allow the act; `bad_name`, `bad_definition`, `bad_category`,
 * `merge_into_itself`, `merge_into_merged`, `merge_into_dismissed`.
 */
export function applyAct(mode: FailureMode, act: ReviewAct, context: ActContext): FailureMode {
  const { now, into, expected } = context
  if (expected !== undefined && Date.parse(expected) !== Date.parse(mode.updatedAt)) throw changed(mode, context)
  if (!ALLOWED[mode.state].includes(act.act)) throw notAllowed(mode, act, context)
  const after = { ...mode, updatedAt: laterThan(mode.updatedAt, now) }
  switch (act.act) {
    case 'accept':
      return {
        ...after,
        state: 'accepted',
        name: act.name === undefined ? mode.name : checkedWords(act.name, 'name', NAME_CHARACTERS_MAX),
        definition:
          act.definition === undefined
            ? mode.definition
            : checkedWords(act.definition, 'definition', DEFINITION_CHARACTERS_MAX),
        category:
          act.category === undefined ? mode.category : checkedWords(act.category, 'category', NAME_CHARACTERS_MAX),
      }
    case 'rename':
      return { ...after, name: checkedWords(act.name, 'name', NAME_CHARACTERS_MAX) }
    case 'dismiss':
      return { ...after, state: 'dismissed' }
    case 'merge':
      return { ...after, state: 'merged', mergedInto: checkedTarget(mode, act.into, into).id }
  }
}

/** A merged mode is never merged again and never merged into, so redirects cannot form a circle. */
function checkedTarget(mode: FailureMode, wanted: string, into: FailureMode | undefined): FailureMode {
  if (into === undefined || into.id === mode.id) {
    throw new InputError('merge_into_itself', `failure mode ${wanted} cannot be merged into itself`, 'into')
  }
  if (into.state === 'merged') {
    throw new InputError(
      'merge_into_merged',
      `failure mode ${wanted} was itself merged into ${into.mergedInto}: merge into that one`,
      'into',
    )
  }
  if (into.state === 'dismissed') {
    throw new InputError(
      'merge_into_dismissed',
      `failure mode ${wanted} was dismissed: accept it first, or dismiss ${mode.id} too`,
      'into',
    )
  }
  return into
}

function changed(mode: FailureMode, { last }: ActContext): InputError {
  const message = `failure mode ${mode.id} changed meanwhile: ${lastWords(mode, last)}; look at it again`
  return new InputError('changed_meanwhile', message, 'expected')
}

function notAllowed(mode: FailureMode, { act }: ReviewAct, { last }: ActContext): InputError {
  const allowed = ALLOWED[mode.state]
  const may =
    allowed.length === 0 ? `it was merged into ${mode.mergedInto}: review that one` : `expected ${allowed.join(', ')}`
  const message = `failure mode ${mode.id} is ${mode.state} (${lastWords(mode, last)}), ${act} is not allowed; ${may}`
  return new InputError('changed_meanwhile', message, 'act')
}

function lastWords({ updatedAt }: FailureMode, last: ActContext['last']): string {
  return last === undefined ? `last act at ${updatedAt}` : `${last.act} by ${last.who} at ${last.at}`
}

function checkedWords(given: string, what: string, charactersMax: number): string {
  const text = given.replaceAll('\0', '').toWellFormed().trim()
  if (text.length > 0 && text.length <= charactersMax) return text
  throw new InputError(
    `bad_${what}`,
    `${what} of ${text.length} characters is not allowed, expected 1 to ${charactersMax}`,
    what,
  )
}

/** Rises with each act, also within one millisecond: whoever has seen it can tell that nothing happened since. */
function laterThan(before: string, now: Date): string {
  return new Date(Math.max(now.getTime(), Date.parse(before) + 1)).toISOString()
}
