/**
 * Makes what came from outside storable. jsonb and text columns refuse NUL and halves of surrogate pairs, and a nesting without
 * end would break whoever walks it: a hostile answer must cost its own trial, not the worker.
 *
 * Everything else comes through unchanged. Where a person or program asks for something, nothing is changed for them:
 * `whyUnstorable` says what to refuse.
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

/** More than DEPTH_MAX levels, where `storable` would cut. Any depth can be asked about: nothing here calls itself. */
export function isNestedTooDeep(value: unknown): boolean {
  return walk(value).tooDeep
}

/** Why a value cannot be stored as it stands, as the end of a sentence ("holds a NUL character"); null when it can. */
export function whyUnstorable(value: unknown): string | null {
  const { tooDeep, texts } = walk(value)
  if (tooDeep) return `is nested more than ${DEPTH_MAX} levels deep`
  if (texts.some((text) => text.includes('\0'))) return 'holds a NUL character'
  return texts.some((text) => !text.isWellFormed()) ? 'holds half of a surrogate pair' : null
}

/** Every text and key of a value, level by level, until it ends or is too deep. */
function walk(value: unknown): { readonly tooDeep: boolean; readonly texts: readonly string[] } {
  const texts: string[] = []
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = []
    for (const one of level) {
      if (typeof one === 'string') texts.push(one)
      else if (typeof one === 'object' && one !== null) {
        if (depth >= DEPTH_MAX) return { tooDeep: true, texts }
        for (const [key, inner] of Object.entries(one)) {
          if (!Array.isArray(one)) texts.push(key)
          below.push(inner)
        }
      }
    }
    level = below
  }
  return { tooDeep: false, texts }
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEPTH_MAX) return CUT
  if (Array.isArray(value)) return value.map((inner) => clean(inner, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), clean(inner, depth + 1)]))
}
