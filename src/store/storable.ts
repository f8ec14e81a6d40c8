/**
 * Text from outside as the database can hold it: PostgreSQL has no character 0 and no half surrogate pairs, neither in
 * text nor in jsonb, and a production trace may hold both. They become U+FFFD, and nothing else changes.
 */

const NUL = String.fromCharCode(0)

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll(NUL, '\ufffd')
}

/** At most `lengthMax` characters: a column that is indexed takes no novel. */
export function storableWord(text: string | null, lengthMax: number): string | null {
  return text === null ? null : storableText(text.slice(0, lengthMax))
}

/** A value as JSON text, keys and strings storable. */
export function storableJson(value: unknown): string {
  return JSON.stringify(storable(value) ?? null)
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(storable)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), storable(inner)]))
}
