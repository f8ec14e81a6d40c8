/**
 * Checks a number in the answer against an expected one, within a tolerance.
 *
 * Passes when |got − expected| ≤ max(absolute, relative · |expected|); numbers that stand exactly at the tolerance pass although
 * binary fractions say otherwise.
 */
import { answerOf, referenceOf, textOf } from './answer.ts'
import { type Check, fail, type GradingEvidence, pass, shown, unknown } from './finding.ts'
import type { GraderOf } from './grader.ts'
import { numbersIn } from './numbers.ts'

const TEXT_CHARACTERS_MAX = 200_000
/** A few units in the last place of a double. */
const ROUNDING = 2 ** -50

export function numericCheck(grader: GraderOf<'numeric'>): Check {
  return (evidence) => {
    const expected = expectedNumber(grader, evidence)
    if (typeof expected !== 'number') return expected.finding
    const got = answerOf(evidence, grader.path)
    if ('finding' in got) return got.finding
    const text = textOf(got.value)
    if (text.length > TEXT_CHARACTERS_MAX) {
      return unknown(`the answer is ${text.length} characters long; numbers are looked for in ${TEXT_CHARACTERS_MAX}`)
    }
    const numbers = taken(typeof got.value === 'number' ? [got.value] : numbersIn(text), grader.take)
    const words = `${expected}${toleranceWords(grader.tolerance)}`
    if (numbers.length === 0) return fail(`expected the number ${words}, got none in ${shown(got.value)}`)
    if (numbers.some((number) => isWithin(number, expected, grader.tolerance))) {
      return pass(`the number is ${words}`)
    }
    return fail(`expected the number ${words}, got ${numbers.slice(0, 5).join(', ')} in ${shown(got.value)}`)
  }
}

function taken(numbers: readonly number[], take: GraderOf<'numeric'>['take']): readonly number[] {
  if (take === 'any') return numbers
  return take === 'first' ? numbers.slice(0, 1) : numbers.slice(-1)
}

/** The reference is a number, or a text that states exactly one. */
function expectedNumber(
  grader: GraderOf<'numeric'>,
  evidence: GradingEvidence,
): number | { readonly finding: ReturnType<typeof unknown> } {
  if (grader.value !== undefined) return grader.value
  const reference = referenceOf(evidence)
  if ('finding' in reference) return reference
  if (typeof reference.value === 'number') return reference.value
  const stated = typeof reference.value === 'string' ? numbersIn(reference.value.slice(0, TEXT_CHARACTERS_MAX)) : []
  const [only] = stated
  if (only !== undefined && stated.length === 1) return only
  return { finding: unknown(`the reference states ${stated.length} numbers, expected one: ${shown(reference.value)}`) }
}

export function isWithin(got: number, expected: number, tolerance: GraderOf<'numeric'>['tolerance']): boolean {
  const allowed = Math.max(tolerance.absolute ?? 0, (tolerance.relative ?? 0) * Math.abs(expected))
  const rounding = allowed === 0 ? 0 : ROUNDING * Math.max(Math.abs(got), Math.abs(expected))
  return Math.abs(got - expected) <= allowed + rounding
}

function toleranceWords({ absolute, relative }: GraderOf<'numeric'>['tolerance']): string {
  const words = [
    ...(absolute === undefined || absolute === 0 ? [] : [`${absolute}`]),
    ...(relative === undefined || relative === 0 ? [] : [`${relative * 100} %`]),
  ]
  return words.length === 0 ? '' : ` ± ${words.join(' or ')}`
}
