/**
 * Makes what came from outside storable. jsonb and text columns refuse NUL and halves of surrogate pairs, and a nesting without
 * end would break whoever walks it: a hostile answer must cost its own trial, not the worker.
 *
 * Everything else comes through unchanged.
 */

/** Deeper than any answer that people read, shallower than what JSON.stringify and the redactor can walk. */
export const DEPTH_MAX = 100

const REPLACEMENT = '\uFFFD'
const CUT = '[nested too deep]'

/** The same text without NUL and without halves of surrogate pairs. */
export function storableText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', REPLACEMENT) : text).toWellFormed()
}

/** The same value with storable texts and keys, cut off below DEPTH_MAX levels. */
export function storable<T>(value: T): T {
  return clean(value, 0) as T
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEPTH_MAX) return CUT
  if (Array.isArray(value)) return value.map((inner) => clean(inner, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), clean(inner, depth + 1)]))
}
