/**
 * Reading one value from an attribute that anybody may have written. A reading is captured, or says why it is not.
 *
 * Never throws, never guesses: text that only looks like cut JSON is "truncated", a marker is "redacted". Invariant: a
 * captured value is never null, an empty string or an empty list, and nests at most VALUE_DEPTH_MAX levels.
 */
import type { Attributes, AttributeValue, Span } from '../span.ts'

export type Reading<T> =
  | { readonly state: 'captured'; readonly value: T }
  /** The text as far as it goes. */
  | { readonly state: 'truncated'; readonly text: string }
  | { readonly state: 'redacted' | 'external' | 'not_captured' }

/** One place where one field may be found. */
export type Source<T> = (span: Span) => Reading<T>

/** Deeper values are cut: recursion downstream (JSON.stringify, redaction) must not exhaust the stack. */
const VALUE_DEPTH_MAX = 128

export const NOT_CAPTURED: Reading<never> = { state: 'not_captured' }

/** What instrumentations write instead of content that they were told to hide. */
const REDACTION_MARKERS = new Set(['__REDACTED__', '<REDACTED>', 'readacted', '[REDACTED]'])

/** From the least to the most telling: a truncated value shows that something was there. */
const TELLING = ['not_captured', 'redacted', 'external', 'truncated', 'captured'] as const

export function captured<T>(value: T | null | undefined): Reading<T> {
  if (value === null || value === undefined || value === '') return NOT_CAPTURED
  if (Array.isArray(value) && value.length === 0) return NOT_CAPTURED
  if (typeof value === 'string' && isMarkedRedacted(value)) return { state: 'redacted' }
  return { state: 'captured', value }
}

/** The first captured reading; when there is none, the most telling of the others. */
export function firstReading<T>(sources: readonly Source<T>[], span: Span): Reading<T> {
  let best: Reading<T> = NOT_CAPTURED
  for (const source of sources) {
    const reading = source(span)
    if (reading.state === 'captured') return reading
    best = moreTelling(best, reading)
  }
  return best
}

export function moreTelling<T>(a: Reading<T>, b: Reading<T>): Reading<T> {
  return TELLING.indexOf(b.state) > TELLING.indexOf(a.state) ? b : a
}

/** Turns a captured value into something else; the other states pass through. */
export function mapReading<A, B>(reading: Reading<A>, change: (value: A) => Reading<B>): Reading<B> {
  return reading.state === 'captured' ? change(reading.value) : reading
}

export function valueIn<T>(reading: Reading<T>): T | null {
  return reading.state === 'captured' ? reading.value : null
}

/** An own attribute: `attributes` may hold keys such as `__proto__`. */
export function attribute(attributes: Attributes, key: string): AttributeValue | undefined {
  return Object.hasOwn(attributes, key) ? attributes[key] : undefined
}

function isMarkedRedacted(text: string): boolean {
  return text.length <= 16 && REDACTION_MARKERS.has(text.trim())
}

/** A value that ought to be JSON or structured: text that is not JSON stays text unless it is JSON cut short. */
export function readJson(value: AttributeValue | undefined): Reading<unknown> {
  if (value === undefined || value === null || value instanceof Uint8Array) return NOT_CAPTURED
  if (typeof value !== 'string') return captured(boundDepth(value))
  const text = value.trim()
  const parsed = parseJson(text)
  if (parsed !== undefined) return captured(boundDepth(parsed))
  return looksLikeJson(text) ? { state: 'truncated', text: value } : captured<unknown>(value)
}

/** Free text that may be JSON. Objects, lists and quoted strings are decoded; "123" stays what the user typed. */
export function readLoose(value: AttributeValue | undefined): Reading<unknown> {
  if (typeof value === 'string' && !/^\s*[{["]/.test(value)) return readText(value)
  return readJson(value)
}

/** Text as it stands; other scalars and structures are kept as they are. */
export function readText(value: AttributeValue | undefined): Reading<unknown> {
  if (typeof value !== 'string') return readJson(value)
  return captured<unknown>(value)
}

/** A name, id or other short word: trimmed, never empty. Numbers become their decimal text. */
export function readWord(value: AttributeValue | undefined): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'string') return null
  const word = value.trim()
  return word === '' || isMarkedRedacted(word) ? null : word
}

/** A count or amount, also from a decimal string; null when it is not a finite number of 0 or more. */
export function readAmount(value: AttributeValue | undefined): number | null {
  const amount = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value
  return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : null
}

export function wordOf(key: string): (attributes: Attributes) => string | null {
  return (attributes) => readWord(attribute(attributes, key))
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

/** An own property of an unknown value, undefined when there is none. */
export function property(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** Parses JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  if (!/^[{["\dtfn-]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Decodes text that is a JSON object, list or quoted string, up to twice (arguments are often encoded twice). */
export function decodeNested(value: unknown): unknown {
  let decoded = value
  for (let round = 0; round < 2 && typeof decoded === 'string' && /^\s*[{["]/.test(decoded); round++) {
    const inner = parseJson(decoded.trim())
    if (inner === undefined) break
    decoded = inner
  }
  return boundDepth(decoded)
}

function looksLikeJson(text: string): boolean {
  return /^(?:\{\s*(?:"|$)|\[\s*(?:[{["]|$))/.test(text)
}

function boundDepth(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  if (depth >= VALUE_DEPTH_MAX) return `[deeper than ${VALUE_DEPTH_MAX} levels]`
  if (Array.isArray(value)) return mapChanged(value, depth)
  let changed: Record<string, unknown> | undefined
  for (const key of Object.keys(value)) {
    const before = (value as Record<string, unknown>)[key]
    const after = boundDepth(before, depth + 1)
    if (after === before) continue
    changed ??= { ...value }
    Object.defineProperty(changed, key, { value: after, enumerable: true, configurable: true, writable: true })
  }
  return changed ?? value
}

function mapChanged(list: readonly unknown[], depth: number): readonly unknown[] {
  const bounded = list.map((element) => boundDepth(element, depth + 1))
  return bounded.every((element, index) => element === list[index]) ? list : bounded
}
