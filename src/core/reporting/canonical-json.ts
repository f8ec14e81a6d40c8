/**
 * One text for one value: keys sorted by code unit, no spaces, numbers in their shortest form. What is frozen and hashed is
 * this text; the same rows give the same bytes on every machine.
 */
import { createHash } from 'node:crypto'
import { invariant } from '../errors.ts'

/** Keys whose value is undefined are left out. A number that JSON cannot say breaks the invariant. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number') {
    invariant(Number.isFinite(value), `${value} in canonical JSON`)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one ?? null)).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const members = value as Readonly<Record<string, unknown>>
    // Concatenated, not mapped and joined: reports hold ten thousand rows, and this is half of what freezing one costs.
    let text = ''
    for (const key of Object.keys(members).sort()) {
      if (members[key] === undefined) continue
      text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(members[key])}`
    }
    return `{${text}}`
  }
  return JSON.stringify(value ?? null)
}

/** SHA-256 of the text's UTF-8 bytes, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
