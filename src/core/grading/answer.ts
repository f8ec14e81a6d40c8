/**
 * The part of a trial's output that a grader looks at, and the reference that it compares with.
 *
 * An output that is not there cannot be judged (unknown); an output that lacks what the path names is a wrong answer (fail):
 * otherwise an agent that forgets a field would lose its worst trials from the count.
 */
import { canonicalJson } from '../replay/fingerprint.ts'
import { type Finding, fail, type GradingEvidence, shown, unknown } from './finding.ts'

export type Answer = { readonly value: unknown } | { readonly finding: Finding }

/** The output, or what lies at the path in it; an output that is JSON in a text is read as JSON for the path. */
export function answerOf({ trial }: Pick<GradingEvidence, 'trial'>, path: string | undefined): Answer {
  const { output } = trial
  if (output === null || output === undefined) return { finding: unknown('the trial has no output to judge') }
  if (path === undefined) return { value: output }
  const value = valueAt(parsedIfJson(output), path)
  return value === undefined || value === null
    ? { finding: fail(`expected a value at ${path} of the output, got ${shown(output)}`) }
    : { value }
}

/** Unknown when the case has none: there is nothing to compare with. */
export function referenceOf({ case: { reference } }: Pick<GradingEvidence, 'case'>): Answer {
  return reference === null || reference === undefined
    ? { finding: unknown('the case has no reference answer') }
    : { value: reference }
}

/** Texts as they are, all else as JSON with sorted keys. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : canonicalJson(value)
}

/** The value of a text that is a JSON object or list; the value itself otherwise. */
export function parsedIfJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Own keys only: a path never reaches what every object inherits. */
function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined
    return (inner as Readonly<Record<string, unknown>>)[key]
  }, value)
}

export type TextOptions = { readonly caseSensitive: boolean; readonly normalizeWhitespace: boolean }

/** For comparison: composed characters (NFC), and as the options say one space for any, and lower case. */
export function comparable(text: string, { caseSensitive, normalizeWhitespace }: TextOptions): string {
  const composed = text.normalize('NFC')
  const spaced = normalizeWhitespace ? composed.replaceAll(/\s+/g, ' ').trim() : composed
  return caseSensitive ? spaced : spaced.toLowerCase()
}
