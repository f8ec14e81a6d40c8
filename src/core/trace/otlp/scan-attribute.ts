/**
 * Reads those attributes that the sampling rules name, comparing keys as bytes; all others are stepped over unread.
 *
 * Values are text (at most FACT_LENGTH_MAX characters of it), numbers and booleans; lists and maps are no facts.
 */
import { Buffer } from 'node:buffer'
import { BYTES, type ByteRange, FIXED64, VARINT, WireCursor } from './wire.ts'

/** Text of a fact is cut here: rules compare names, not prompts, and an operator's pattern must not meet a novel. */
export const FACT_LENGTH_MAX = 1024

const KEY = 1
const VALUE = 2
const STRING_VALUE = 1
const BOOL_VALUE = 2
const INT_VALUE = 3
const DOUBLE_VALUE = 4

export type AttributeFact = string | number | boolean | undefined

/** The attribute keys that rules name, once as text and once as bytes. */
export type WantedKeys = { readonly keys: readonly string[]; readonly bytes: readonly Uint8Array[] }

export function wantedKeys(keys: readonly string[]): WantedKeys {
  const distinct = [...new Set(keys)]
  return { keys: distinct, bytes: distinct.map((key) => Buffer.from(key, 'utf8')) }
}

const TAG_KEY = 0x0a
const TAG_VALUE = 0x12

/** Puts the value of a KeyValue at the place of its key, if the key is wanted. Of equal keys the last one counts. */
export function readAttribute(
  body: Buffer,
  start: number,
  end: number,
  wanted: WantedKeys,
  facts: AttributeFact[],
): void {
  const keyEnd = plainKeyEnd(body, start, end)
  if (keyEnd >= 0 && indexOfKey(body, start + 2, keyEnd, wanted) < 0) return
  readByTheBook(body, { start, end }, wanted, facts)
}

/**
 * Where the key ends in a KeyValue as every SDK writes it: a key of under 128 bytes, then a value up to the end. -1 for
 * any other. Most attributes are stepped over, so that this is the loop in which a scan spends its time.
 */
function plainKeyEnd(body: Buffer, start: number, end: number): number {
  const length = body[start + 1] as number
  const keyEnd = start + 2 + length
  if (body[start] !== TAG_KEY || length >= 0x80 || keyEnd + 1 >= end || body[keyEnd] !== TAG_VALUE) return -1
  let size = 0
  let at = keyEnd + 1
  for (let shift = 0; at < end && shift < 28; shift += 7) {
    const byte = body[at++] as number
    size |= (byte & 0x7f) << shift
    if (byte < 0x80) return at + size === end ? keyEnd : -1
  }
  return -1
}

/** Fields in any order, more than once, or unknown. */
function readByTheBook(body: Buffer, range: ByteRange, wanted: WantedKeys, facts: AttributeFact[]): void {
  const cursor = new WireCursor(body, range.start, range.end)
  let index = -1
  let value: ByteRange | null = null
  while (cursor.next()) {
    if (cursor.wireType !== BYTES) {
      cursor.skip()
      continue
    }
    const start = cursor.bytesStart()
    if (cursor.field === KEY) index = indexOfKey(body, start, cursor.at, wanted)
    else if (cursor.field === VALUE) value = { start, end: cursor.at }
  }
  if (index >= 0) facts[index] = value === null ? undefined : readValue(body, value)
}

function indexOfKey(body: Buffer, start: number, end: number, wanted: WantedKeys): number {
  for (let index = 0; index < wanted.bytes.length; index++) {
    const key = wanted.bytes[index] as Uint8Array
    if (key.length === end - start && equalAt(body, start, key)) return index
  }
  return -1
}

function equalAt(body: Buffer, start: number, key: Uint8Array): boolean {
  for (let offset = 0; offset < key.length; offset++) if (body[start + offset] !== key[offset]) return false
  return true
}

/** Of the alternatives the last on the wire counts, as in every protobuf reader. */
function readValue(body: Buffer, range: ByteRange): AttributeFact {
  const cursor = new WireCursor(body, range.start, range.end)
  let fact: AttributeFact
  while (cursor.next()) {
    const { field, wireType } = cursor
    if (field === STRING_VALUE && wireType === BYTES) {
      const start = cursor.bytesStart()
      // A code unit takes at most 3 bytes of UTF-8, so that 4 times the length is enough.
      const end = Math.min(cursor.at, start + 4 * FACT_LENGTH_MAX)
      fact = body.toString('utf8', start, end).slice(0, FACT_LENGTH_MAX)
    } else if (field === BOOL_VALUE && wireType === VARINT) {
      cursor.varint()
      fact = cursor.low !== 0 || cursor.high !== 0
    } else if (field === INT_VALUE && wireType === VARINT) {
      cursor.varint()
      fact = cursor.signed()
    } else if (field === DOUBLE_VALUE && wireType === FIXED64) {
      cursor.fixed64()
      fact = body.readDoubleLE(cursor.at - 8)
    } else {
      // A list, a map or bytes: set, but nothing that a rule compares.
      if (field >= STRING_VALUE && field <= 7) fact = undefined
      cursor.skip()
    }
  }
  return fact
}
