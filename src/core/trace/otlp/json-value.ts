/**
 * Reading single values of OTLP/JSON by the rules of the protobuf JSON mapping and OTLP's exceptions from it. Each reader
 * takes `undefined` or null as absent, and throws InputError with the value's path at anything else it does not know.
 */
import { Buffer } from 'node:buffer'
import { InputError } from '../../errors.ts'

/** Where a value stands. Linked and not text: paths are needed in errors only. */
export type Place = { readonly up: Place | null; readonly key: string | number }

export type JsonObject = Readonly<Record<string, unknown>>

const SHOWN_MAX = 60
const PATH_SHOWN_MAX = 160
const UINT32_MAX = 0xffff_ffff
const UINT64_MAX = 2n ** 64n - 1n
const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

export function pathOf(place: Place): string {
  const up = place.up === null ? '' : pathOf(place.up)
  if (typeof place.key === 'number') return `${up}[${place.key}]`
  return up === '' ? place.key : `${up}.${place.key}`
}

export function fault(place: Place, value: unknown, expected: string): InputError {
  const path = pathOf(place)
  const at = path.length > PATH_SHOWN_MAX ? `${path.slice(0, PATH_SHOWN_MAX)}…` : path
  return new InputError('malformed_otlp', `${at} is ${shown(value)}, expected ${expected}`, at)
}

/** Structures are named and not written out: they may be deeper than the stack. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  return typeof value === 'string' ? JSON.stringify(value.slice(0, SHOWN_MAX)) : String(value)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function readObject(value: unknown, place: Place): JsonObject | undefined {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) throw fault(place, value, 'an object')
  return value
}

/** Reads each element of a list in its own place. */
export function readList<T>(
  value: unknown,
  place: Place,
  read: (element: unknown, place: Place) => T,
): readonly T[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw fault(place, value, 'a list')
  return value.map((element, index) => read(element, { up: place, key: index }))
}

export function readText(value: unknown, place: Place): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw fault(place, value, 'text')
  // JSON can write half a surrogate pair, UTF-8 cannot.
  return value.toWellFormed()
}

export function readBoolean(value: unknown, place: Place): boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'boolean') throw fault(place, value, 'true or false')
  return value
}

/** A number, decimal text, or one of the words for what JSON cannot write. */
export function readDouble(value: unknown, place: Place): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value)
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value)
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  throw fault(place, value, 'a number, or "NaN", "Infinity", "-Infinity"')
}

export function readUint32(value: unknown, place: Place): number | undefined {
  const integer = readInteger(value, place, 0n, BigInt(UINT32_MAX), 'a whole number from 0 to 4294967295')
  return integer === undefined ? undefined : Number(integer)
}

export function readInt64(value: unknown, place: Place): bigint | undefined {
  return readInteger(value, place, INT64_MIN, INT64_MAX, 'a 64-bit integer as decimal text or number')
}

export function readUint64(value: unknown, place: Place): bigint | undefined {
  return readInteger(value, place, 0n, UINT64_MAX, 'nanoseconds since the epoch as decimal text or number')
}

function readInteger(value: unknown, place: Place, min: bigint, max: bigint, expected: string): bigint | undefined {
  if (value === undefined || value === null) return undefined
  const isWhole =
    typeof value === 'bigint' ||
    (typeof value === 'number' && Number.isInteger(value)) ||
    (typeof value === 'string' && /^-?\d{1,20}$/.test(value))
  const integer = isWhole ? BigInt(value) : undefined
  if (integer === undefined || integer < min || integer > max) throw fault(place, value, expected)
  return integer
}

/** Hex in either case. Its length is not judged here. */
export function readHex(value: unknown, place: Place): Uint8Array | undefined {
  const text = readText(value, place)
  if (text === undefined) return undefined
  if (/^(?:[0-9a-f]{2})*$/i.test(text)) return Buffer.from(text, 'hex')
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)
  throw fault(place, text, isBase64 ? 'hex: OTLP/JSON writes ids as hex, not as base64' : 'hex')
}

export function readBase64(value: unknown, place: Place): Uint8Array | undefined {
  const text = readText(value, place)
  if (text === undefined) return undefined
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw fault(place, text, 'base64')
  return Buffer.from(text, 'base64')
}

/** A number as OTLP/JSON has it, or the enum's name as some emitters write it. */
export function readEnum(value: unknown, place: Place, prefix: string, names: readonly string[]): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31) return value
  const number = typeof value === 'string' && value.startsWith(prefix) ? names.indexOf(value.slice(prefix.length)) : -1
  if (number < 0) throw fault(place, value, `a number, or one of ${names.map((name) => prefix + name).join(', ')}`)
  return number
}
