/**
 * Reads a regular expression of JavaScript (flag u) into a tree that a linear-time matcher can run.
 *
 * What cannot be matched in time linear in the text is refused, not bounded: back references and lookarounds, and
 * repetitions so large that the automaton would be. JavaScript's own parser has the first word on what is valid.
 */

export type PatternNode =
  /** One code point; `source` is its own regular expression: a literal, an escape, a class or the dot. */
  | { readonly type: 'atom'; readonly source: string }
  | { readonly type: 'assertion'; readonly kind: Assertion }
  | { readonly type: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly options: readonly PatternNode[] }
  /** `max` of null is without end. */
  | { readonly type: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number | null }

export type Assertion = 'start' | 'end' | 'boundary' | 'inside'

export type ParsedPattern = { readonly node: PatternNode } | { readonly problem: string }

const SOURCE_CHARACTERS_MAX = 2000
const DEPTH_MAX = 50

/** `(?<name>`, `(?:` or a plain `(`. */
const GROUP_OPENING = /\((?:\?:|\?<[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*>)?/uy
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y
const CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/uy
/** Surrogate pairs written as two escapes are one code point. */
const ESCAPE =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|[\s\S])/uy
const CHARACTER = /[\s\S]/uy

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  '^': 'start',
  $: 'end',
  '\\b': 'boundary',
  '\\B': 'inside',
}

/** The tree, or what is wrong with the expression, in words. Never throws. */
export function parsePattern(source: string): ParsedPattern {
  if (source.length > SOURCE_CHARACTERS_MAX) {
    return { problem: `is ${source.length} characters long, expected at most ${SOURCE_CHARACTERS_MAX}` }
  }
  try {
    new RegExp(source, 'u')
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'is not a regular expression' }
  }
  const reader = { source, at: 0 }
  const node = readChoice(reader, 0)
  return typeof node === 'string' ? { problem: node } : { node }
}

/** Where reading has come to. The only thing in this file that changes. */
type Reader = { readonly source: string; at: number }

function readChoice(reader: Reader, depth: number): PatternNode | string {
  if (depth > DEPTH_MAX) return `has groups nested deeper than ${DEPTH_MAX}`
  const options: PatternNode[] = []
  do {
    const option = readSequence(reader, depth)
    if (typeof option === 'string') return option
    options.push(option)
  } while (take(reader, '|'))
  return options.length === 1 && options[0] !== undefined ? options[0] : { type: 'choice', options }
}

function readSequence(reader: Reader, depth: number): PatternNode | string {
  const parts: PatternNode[] = []
  while (reader.at < reader.source.length && !'|)'.includes(reader.source[reader.at] ?? '')) {
    const term = readTerm(reader, depth)
    if (typeof term === 'string') return term
    parts.push(readQuantified(reader, term))
  }
  return { type: 'sequence', parts }
}

function readTerm(reader: Reader, depth: number): PatternNode | string {
  const next = reader.source[reader.at]
  if (next === '(') return readGroup(reader, depth)
  if (next === '[') return { type: 'atom', source: match(reader, CLASS)?.[0] ?? '' }
  const text = match(reader, next === '\\' ? ESCAPE : CHARACTER)?.[0] ?? ''
  if (/^\\[1-9k]/.test(text)) return 'uses a back reference, which cannot be matched in linear time'
  const kind = ASSERTIONS[text]
  return kind === undefined ? { type: 'atom', source: text } : { type: 'assertion', kind }
}

function readGroup(reader: Reader, depth: number): PatternNode | string {
  const rest = reader.source.slice(reader.at, reader.at + 4)
  if (/^\(\?<?[=!]/.test(rest)) return 'uses a lookahead or lookbehind, which cannot be matched in linear time'
  if (/^\(\?[a-z-]/.test(rest)) return 'uses flags inside the expression, expected caseSensitive: false instead'
  match(reader, GROUP_OPENING)
  const inner = readChoice(reader, depth + 1)
  take(reader, ')')
  return inner
}

function readQuantified(reader: Reader, node: PatternNode): PatternNode {
  const found = match(reader, QUANTIFIER)
  if (found === null) return node
  const [text, min, range, max] = found
  if (min !== undefined) {
    const least = Number(min)
    return { type: 'repeat', node, min: least, max: range === undefined ? least : max ? Number(max) : null }
  }
  return { type: 'repeat', node, min: text.startsWith('+') ? 1 : 0, max: text.startsWith('?') ? 1 : null }
}

function take(reader: Reader, character: string): boolean {
  if (reader.source[reader.at] !== character) return false
  reader.at += 1
  return true
}

/** Matches at the reader's place and goes past it. */
function match(reader: Reader, sticky: RegExp): RegExpExecArray | null {
  sticky.lastIndex = reader.at
  const found = sticky.exec(reader.source)
  if (found !== null) reader.at += found[0].length
  return found
}
