/**
 * Redaction: the one function that every path calls before anything is written. Text, and any nested JSON-like value:
 * strings, keys, JSON inside strings, OTLP as protobufjs decodes it.
 *
 * Replaces what it finds by typed markers (`[email]`), so that text stays readable and a replay sees that something
 * was there. Invariants: redacting twice is redacting once; time is linear in the text; what nothing was found in is
 * returned as it came, byte for byte; byte arrays and trace ids are never touched.
 */
import { ConfigError } from '../../errors.ts'
import { isCardNumber } from './cards.ts'
import { type Detector, detectBuiltIn, MARKER_NAMES } from './detectors.ts'
import { redactJsonText } from './json-text.ts'
import { isPhoneLike } from './phones.ts'
import { type Sensitivity, sensitivityOf } from './sensitive-names.ts'

/** A pattern of the operator's own. `name` is the marker's word: lower case letters, digits and hyphens. */
export type ExtraPattern = { readonly name: string; readonly regex: RegExp }

export type Redactor = {
  /** Redacts plain text. */
  readonly text: (value: string) => string
  /** Redacts every string and key in a value; unchanged parts are shared with what was given. */
  readonly value: <T>(value: T) => T
}

/** Deeper values are cut off rather than let through unread. */
const DEPTH_MAX = 200

/** How often JSON may be encoded in JSON; deeper it is read as plain text. */
const ENCODINGS_MAX = 8

/** A marker put in place of one secret may uncover another beside it. */
const PASSES_MAX = 4

/** AnyValue's own keys: what they hold is named by the attribute's key. */
const TRANSPARENT_KEYS = new Set(['value', 'stringValue', 'arrayValue', 'values', 'intValue', 'doubleValue'])

/** Fields of the wire format that only take numbers, so no marker. */
const NUMERIC_KEYS = new Set(['intValue', 'doubleValue', 'asInt', 'asDouble'])

/** Field names too plain to hold a secret. Own patterns pass them by as well: renaming `stringValue` would break the wire format. */
const WIRE_FIELD = /^[a-z][A-Za-z]{0,30}$/

type Place = { readonly key: string; readonly name: string; readonly depth: number; readonly encodings: number }

export function makeRedactor(options: { readonly extraPatterns?: readonly ExtraPattern[] } = {}): Redactor {
  const extra = options.extraPatterns ?? []
  const detectors = [detectBuiltIn, ...ownDetectors(extra)]
  const text = (value: string) => untilStable(detectors, value)
  const walk = makeWalk(text)
  return { text, value: <T>(value: T) => walk(value, { key: '', name: '', depth: 0, encodings: 0 }, new Set()) as T }
}

function untilStable(detectors: readonly Detector[], value: string): string {
  let before = value
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const after = detectors.reduce((text, detect) => detect(text), before)
    if (after === before) break
    before = after
  }
  return before
}

/** Own patterns do not look inside markers, or `/\w+/` would never come to rest. */
function ownDetectors(patterns: readonly ExtraPattern[]): readonly Detector[] {
  for (const { name } of patterns) {
    if (!/^[a-z][a-z0-9-]*$/.test(name)) {
      throw new ConfigError(
        `redaction pattern name "${name}" is not allowed, expected lower-case letters, digits, hyphens`,
      )
    }
  }
  const marker = new RegExp(`(\\[(?:${[...MARKER_NAMES, ...patterns.map(({ name }) => name)].join('|')})\\])`)
  return patterns.map(({ name, regex }) => {
    const global = new RegExp(regex.source, `${regex.flags.replace(/[gy]/g, '')}g`)
    const replace = (plain: string) => plain.replace(global, (found) => (found === '' ? '' : `[${name}]`))
    return (text) =>
      text
        .split(marker)
        .map((piece, index) => (index % 2 === 1 ? piece : replace(piece)))
        .join('')
  })
}

function makeWalk(text: (value: string) => string) {
  const walk = (value: unknown, place: Place, above: Set<object>): unknown => {
    if (typeof value === 'string') return walkString(value, place)
    if (typeof value === 'number' || typeof value === 'bigint') return walkNumber(value, place)
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
    if (isLong(value)) return walkLong(value, place)
    if (place.depth >= DEPTH_MAX) return '[too-deep]'
    if (above.has(value)) return '[circular]'
    above.add(value)
    const walked = Array.isArray(value) ? walkList(value, place, above) : walkObject(value, place, above)
    above.delete(value)
    return walked
  }

  const walkString = (value: string, place: Place): string => {
    const named = namedMarker(value, sensitivityOf(place.name))
    if (named !== null) return NUMERIC_KEYS.has(place.key) && named !== value ? '0' : named
    if (!/^\s*[{[]/.test(value) || place.encodings >= ENCODINGS_MAX) return numericSafe(value, text(value), place)
    const inner = { ...place, encodings: place.encodings + 1 }
    const redacted = redactJsonText(value, {
      name: text,
      string: (decoded, name) => walkString(decoded, { ...inner, key: name, name: name === '' ? place.name : name }),
      number: (source, name) => numberMarker(source, sensitivityOf(name === '' ? place.name : name)),
    })
    return redacted ?? text(value)
  }

  const walkList = (list: readonly unknown[], place: Place, above: Set<object>): readonly unknown[] => {
    const inner = { ...place, depth: place.depth + 1 }
    const walked = list.map((element) => walk(element, inner, above))
    return walked.some((element, index) => !Object.is(element, list[index])) ? walked : list
  }

  const walkObject = (object: object, place: Place, above: Set<object>): object => {
    const record = object as Readonly<Record<string, unknown>>
    const attribute = typeof record.key === 'string' && 'value' in record ? record.key : place.name
    const keys = Object.keys(record)
    const names = distinct(keys.map((key) => (WIRE_FIELD.test(key) ? key : text(key))))
    const values = keys.map((key) => {
      const name = TRANSPARENT_KEYS.has(key) ? attribute : key
      return walk(record[key], { ...place, key, name, depth: place.depth + 1 }, above)
    })
    const isSame = keys.every((key, index) => names[index] === key && Object.is(values[index], record[key]))
    return isSame ? object : rebuilt(object, names, values)
  }

  return walk
}

function walkNumber(value: number | bigint, place: Place): unknown {
  if (typeof value === 'number' && !Number.isInteger(value)) return value
  const marker = numberMarker(String(value), sensitivityOf(place.name))
  if (marker === null) return value
  return NUMERIC_KEYS.has(place.key) ? 0 : marker
}

/** How protobufjs decodes 64-bit integers. */
type Long = { readonly low: number; readonly high: number; readonly unsigned: boolean }

function isLong(value: object): value is Long {
  const long = value as Partial<Long>
  return typeof long.low === 'number' && typeof long.high === 'number' && typeof long.unsigned === 'boolean'
}

function walkLong(value: Long, place: Place): unknown {
  const integer = BigInt.asIntN(64, (BigInt(value.high | 0) << 32n) | BigInt(value.low >>> 0))
  const walked = walkNumber(integer, place)
  return walked === integer ? value : walked
}

/** The marker for a number, null when it may stay. */
function numberMarker(digits: string, sensitivity: Sensitivity): string | null {
  if (!/^\d{3,16}$/.test(digits)) return null
  if (sensitivity === 'secret') return '[secret]'
  if (isCardNumber(digits) || (sensitivity === 'card' && digits.length >= 13)) return '[card]'
  return sensitivity === 'phone' && isPhoneLike(digits) ? '[phone]' : null
}

/** What the name of a field alone decides: the marker, the value itself when it must stay, null when nothing. */
function namedMarker(value: string, sensitivity: Sensitivity): string | null {
  if (sensitivity === 'none' || value === '' || /^\[[a-z-]+\]$/.test(value)) return null
  if (sensitivity === 'id') return /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/i.test(value) ? value : null
  if (sensitivity === 'secret') return '[secret]'
  if (sensitivity === 'phone') return isPhoneLike(value) ? '[phone]' : null
  return /^\d(?:[ -]?\d){12,18}$/.test(value) ? '[card]' : null
}

function numericSafe(before: string, after: string, place: Place): string {
  return after !== before && NUMERIC_KEYS.has(place.key) ? '0' : after
}

/** Of the same class, for protobufjs. Not by assignment: a key of `__proto__` must stay a key. */
function rebuilt(object: object, names: readonly string[], values: readonly unknown[]): object {
  const copy = Object.create(Object.getPrototypeOf(object) as object | null) as object
  for (const [index, name] of names.entries()) {
    Object.defineProperty(copy, name, { value: values[index], enumerable: true, configurable: true, writable: true })
  }
  return copy
}

/** Two keys that become the same marker must not become one key. */
function distinct(names: readonly string[]): readonly string[] {
  if (new Set(names).size === names.length) return names
  const all = new Set(names)
  const last = new Map<string, number>()
  return names.map((name) => {
    let n = (last.get(name) ?? 0) + 1
    while (n > 1 && all.has(`${name} ${n}`)) n++
    last.set(name, n)
    return n === 1 ? name : `${name} ${n}`
  })
}
