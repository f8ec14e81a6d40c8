/**
 * Which graders judge which cases. A case that no required grader judges has no check: a trial of it can complete, but not
 * pass, unless completing is all that is asked.
 */
import type { Case } from '../replay/case.ts'
import type { Grader } from './grader.ts'
import { compilePattern, PATTERN_TEXT_MAX } from './pattern.ts'

export type JudgedCase = Pick<Case, 'input' | 'reference' | 'observed'>

/** Whether the grader judges the case. Conditions are joined by "and". */
export function applies({ when }: Pick<Grader, 'when'>, aCase: JudgedCase): boolean {
  if (when === undefined) return true
  return (
    (when.userInput === undefined || isAsked(when.userInput, aCase.input.userInput)) &&
    (when.tool === undefined || (aCase.observed?.tools ?? []).some(({ name }) => name === when.tool))
  )
}

/** Whether the grader's verdict can decide the outcome of the case's trials. */
export function isCheck(grader: Pick<Grader, 'when' | 'required'>, aCase: JudgedCase): boolean {
  return grader.required && applies(grader, aCase)
}

/** Only the beginning of a very long input is looked at. */
function isAsked(source: string, userInput: unknown): boolean {
  const text = typeof userInput === 'string' ? userInput : JSON.stringify(userInput ?? '')
  return compilePattern(source, { caseSensitive: true }).found(text.slice(0, PATTERN_TEXT_MAX))
}
