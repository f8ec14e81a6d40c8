/**
 * Fingerprints: a hash of a value's meaning, the same whatever the order of its keys. Two values with one fingerprint are
 * taken to be the same input, grader or target.
 */
import { createHash } from 'node:crypto'

/** 32 hex digits: 128 bits, so that no two of a team's values ever meet by chance. */
const FINGERPRINT_DIGITS = 32

export function fingerprintOf(value: unknown): string {
  return hashText(canonicalJson(value)).slice(0, FINGERPRINT_DIGITS)
}

/** JSON with sorted keys. Undefined is left out of objects and null elsewhere, as JSON has it. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value)) ?? 'null'
}

/** SHA-256 in hex: 64 digits, uniform whatever the text. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sortKeys(inner)]))
}
