/**
 * Checks of the answer's text: equal to, containing, or matching what is expected.
 */
import { canonicalJson } from '../replay/fingerprint.ts'
import { type Answer, answerOf, comparable, parsedIfJson, referenceOf, textOf } from './answer.ts'
import { type Check, fail, type GradingEvidence, pass, shown, unknown } from './finding.ts'
import type { GraderOf } from './grader.ts'
import { compilePattern, PATTERN_TEXT_MAX, type Pattern, patternProblem } from './pattern.ts'

/** Texts are compared as texts; numbers, objects and lists by their value, also when the output holds them as JSON. */
export function exactCheck(grader: GraderOf<'exact'>): Check {
  return (evidence) => {
    const expected = expectedOf(grader, evidence)
    if ('finding' in expected) return expected.finding
    const got = answerOf(evidence, grader.path)
    if ('finding' in got) return got.finding
    if (expected.values.some((value) => isEqual(value, got.value, grader))) return pass('the answer is as expected')
    return fail(`expected ${oneOf(expected.values)}, got ${shown(got.value)}`)
  }
}

function isEqual(expected: unknown, got: unknown, grader: GraderOf<'exact'>): boolean {
  if (typeof expected === 'string') return comparable(expected, grader) === comparable(textOf(got), grader)
  const value = typeof got === 'string' ? jsonValue(got) : got
  return canonicalJson(expected) === canonicalJson(value)
}

function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function containsCheck(grader: GraderOf<'contains'>): Check {
  return (evidence) => {
    const expected = expectedOf(grader, evidence)
    if ('finding' in expected) return expected.finding
    const got = answerOf(evidence, grader.path)
    if ('finding' in got) return got.finding
    const text = comparable(textOf(got.value), grader)
    const wanted = expected.values.map(textOf)
    const there = wanted.filter((value) => text.includes(comparable(value, grader)))
    if (grader.absent) {
      if (there.length === 0) return pass('none of the unwanted texts is in the answer')
      return fail(`expected none of the unwanted texts, got ${there.map(shown).join(', ')} in ${shown(got.value)}`)
    }
    const isEnough = grader.match === 'all' ? there.length === wanted.length : there.length > 0
    if (isEnough) return pass('the answer contains what is expected')
    const missing = wanted.filter((value) => !there.includes(value))
    const words = grader.match === 'all' ? missing.map(shown).join(' and ') : oneOf(missing)
    return fail(`expected the answer to contain ${words}, got ${shown(got.value)}`)
  }
}

export function regexCheck(grader: GraderOf<'regex'>): Check {
  const own = grader.pattern === undefined ? null : compilePattern(grader.pattern, grader)
  return (evidence) => {
    const expected = own === null ? referencePattern(grader, evidence) : { pattern: own, source: grader.pattern }
    if ('finding' in expected) return expected.finding
    const got = answerOf(evidence, grader.path)
    if ('finding' in got) return got.finding
    const text = textOf(got.value)
    if (text.length > PATTERN_TEXT_MAX) {
      return unknown(`the answer is ${text.length} characters long; patterns are tried on at most ${PATTERN_TEXT_MAX}`)
    }
    if (expected.pattern.found(text) !== grader.absent) return pass('the answer is as the pattern asks')
    const words = grader.absent ? 'no match of' : 'a match of'
    return fail(`expected ${words} ${shown(expected.source)}, got ${shown(got.value)}`)
  }
}

type Referred = { readonly pattern: Pattern; readonly source: string } | Extract<Answer, { finding: unknown }>

function referencePattern(grader: GraderOf<'regex'>, evidence: GradingEvidence): Referred {
  const reference = referenceOf(evidence)
  if ('finding' in reference) return reference
  if (typeof reference.value !== 'string') {
    return { finding: unknown(`the reference is not a pattern: ${shown(reference.value)}`) }
  }
  const problem = patternProblem(reference.value)
  if (problem !== null) return { finding: unknown(`the reference ${shown(reference.value)} ${problem}`) }
  return { pattern: compilePattern(reference.value, grader), source: reference.value }
}

type Expected = { readonly values: readonly unknown[] } | Extract<Answer, { finding: unknown }>

function expectedOf(grader: GraderOf<'exact'> | GraderOf<'contains'>, evidence: GradingEvidence): Expected {
  if (grader.values !== undefined) return { values: grader.values }
  if (grader.value !== undefined) return { values: [grader.value] }
  const reference = referenceOf(evidence)
  if ('finding' in reference) return reference
  return { values: [grader.kind === 'exact' ? parsedIfJson(reference.value) : reference.value] }
}

function oneOf(values: readonly unknown[]): string {
  const [only, ...more] = values
  return more.length === 0 ? shown(only) : `one of ${values.map(shown).join(', ')}`
}
