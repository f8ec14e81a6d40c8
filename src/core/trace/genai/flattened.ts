/**
 * Lists that a dialect flattened into attribute names: `prefix.0.role`, `prefix.0.content`, `prefix.1.role`.
 *
 * Keys come in any order and any index may be hostile. Invariant: at most FLATTENED_INDEX_MAX + 1 entries, in numeric
 * order, without holes; entries have no prototype, so no key can reach one.
 */
import type { Attributes, AttributeValue } from '../span.ts'

const FLATTENED_INDEX_MAX = 10_000

/** The entries under `prefix`, each with the rest of the name as its key. */
export function flattened(attributes: Attributes, prefix: string): readonly Attributes[] {
  const entries = new Map<number, Record<string, AttributeValue>>()
  const start = `${prefix}.`
  for (const key of Object.keys(attributes)) {
    if (!key.startsWith(start)) continue
    const dot = key.indexOf('.', start.length)
    const index = indexOf(key.slice(start.length, dot === -1 ? undefined : dot))
    if (index === null) continue
    const entry = entries.get(index) ?? (Object.create(null) as Record<string, AttributeValue>)
    entry[dot === -1 ? '' : key.slice(dot + 1)] = attributes[key] as AttributeValue
    entries.set(index, entry)
  }
  return [...entries].sort(([a], [b]) => a - b).map(([, entry]) => entry)
}

function indexOf(text: string): number | null {
  if (!/^\d{1,5}$/.test(text)) return null
  const index = Number(text)
  return index <= FLATTENED_INDEX_MAX ? index : null
}
