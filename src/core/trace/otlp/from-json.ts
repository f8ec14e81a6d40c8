/**
 * OTLP/JSON to OTLP protobuf, once, at the door: behind it there is one format only.
 *
 * Takes what the specification allows and what emitters really send (enum names, unquoted 64-bit integers, which
 * JSON.parse alone would round). Unknown fields are ignored. A bad value inside a span refuses that span, outside of one
 * the whole body.
 */
import { InputError } from '../../errors.ts'
import {
  fault,
  isObject,
  type JsonObject,
  type Place,
  readBase64,
  readBoolean,
  readDouble,
  readEnum,
  readHex,
  readInt64,
  readList,
  readObject,
  readText,
  readUint32,
  readUint64,
} from './json-value.ts'
import {
  encodeOtlp,
  type OtlpEntityRef,
  type OtlpEvent,
  type OtlpKeyValue,
  type OtlpLink,
  type OtlpResourceSpans,
  type OtlpScope,
  type OtlpScopeSpans,
  type OtlpSpan,
  type OtlpValue,
} from './message.ts'
import { type Refusal, type Refusals, refuse } from './refusal.ts'

/** Deeper values are refused: protobufjs reads about 100 nested messages, and each level takes two. */
const VALUE_DEPTH_MAX = 40

const SPAN_KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']
const STATUS_CODES = ['UNSET', 'OK', 'ERROR']

/** Keys of other requests, and what to say to who sends them here. */
const OTHER_SIGNALS: Readonly<Record<string, string>> = {
  resourceLogs: 'it looks like OTLP logs',
  resourceMetrics: 'it looks like OTLP metrics',
  resourceProfiles: 'it looks like OTLP profiles',
  resource_spans: 'resource_spans is snake_case, OTLP/JSON writes resourceSpans',
}

/** `body` is the protobuf of all spans that could be read. */
export type FromJson = Refusals & { readonly body: Uint8Array }

/** Throws InputError where the text is no JSON, no OTLP trace request, or wrong outside of its spans. */
export function jsonToProtobuf(bytes: Uint8Array): FromJson {
  const json = parse(textOf(bytes))
  const refusal: Refusal = { rejected: 0, reasons: [] }
  const place: Place = { up: null, key: 'resourceSpans' }
  const resourceSpans = readList(tracesIn(json), place, (value, at) => readResourceSpans(value, at, refusal))
  return { body: encodeOtlp({ resourceSpans: resourceSpans ?? [] }), ...refusal }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InputError('bad_json', 'the body is not JSON: it is not UTF-8', 'body')
  }
}

/** An unquoted integer that a double may not hold, or text that looks like one: a reviver costs three times the parse. */
const LONG_INTEGER = /[:,[]\s*-?\d{16}/

function parse(text: string): unknown {
  try {
    return JSON.parse(text, LONG_INTEGER.test(text) ? exactIntegers : undefined)
  } catch (error) {
    throw new InputError('bad_json', `the body is not JSON: ${(error as Error).message}`, 'body')
  }
}

/** Keeps an unquoted 64-bit integer exact, from its source text. */
function exactIntegers(this: unknown, _key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return context?.source !== undefined && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value
}

function tracesIn(json: unknown): unknown {
  if (!isObject(json)) throw new InputError('not_otlp', 'the JSON is not an object with resourceSpans', 'body')
  if (Object.hasOwn(json, 'resourceSpans')) return json.resourceSpans
  const keys = Object.keys(json)
  if (keys.length === 0) return undefined
  const known = keys.find((key) => Object.hasOwn(OTHER_SIGNALS, key))
  const why = known === undefined ? 'its signal is unknown' : OTHER_SIGNALS[known]
  throw new InputError('not_otlp', `the JSON is no OTLP trace request, it has no resourceSpans: ${why}`, 'body')
}

function readResourceSpans(value: unknown, place: Place, refusal: Refusal): OtlpResourceSpans {
  const given = required(value, place)
  const at = (key: string): Place => ({ up: place, key })
  const resource = readObject(given.resource, at('resource'))
  return {
    ...(resource === undefined ? {} : { resource: readResource(resource, at('resource')) }),
    ...present(
      'scopeSpans',
      readList(given.scopeSpans, at('scopeSpans'), (v, p) => readScopeSpans(v, p, refusal)),
    ),
    ...present('schemaUrl', readText(given.schemaUrl, at('schemaUrl'))),
  }
}

function readResource(given: JsonObject, place: Place): OtlpResourceSpans['resource'] {
  return {
    ...attributesOf(given, place),
    ...present('entityRefs', readList(given.entityRefs, { up: place, key: 'entityRefs' }, readEntityRef)),
  }
}

function readEntityRef(value: unknown, place: Place): OtlpEntityRef {
  const given = required(value, place)
  const at = (key: string): Place => ({ up: place, key })
  const text = (element: unknown, p: Place) => readText(element, p) ?? ''
  return {
    ...present('schemaUrl', readText(given.schemaUrl, at('schemaUrl'))),
    ...present('type', readText(given.type, at('type'))),
    ...present('idKeys', readList(given.idKeys, at('idKeys'), text)),
    ...present('descriptionKeys', readList(given.descriptionKeys, at('descriptionKeys'), text)),
  }
}

function readScopeSpans(value: unknown, place: Place, refusal: Refusal): OtlpScopeSpans {
  const given = required(value, place)
  const at = (key: string): Place => ({ up: place, key })
  const scope = readObject(given.scope, at('scope'))
  const spans = readList(given.spans, at('spans'), (span, p) => readSpanOrRefuse(span, p, refusal))
  return {
    ...(scope === undefined ? {} : { scope: readScope(scope, at('scope')) }),
    ...present(
      'spans',
      spans?.filter((span) => span !== null),
    ),
    ...present('schemaUrl', readText(given.schemaUrl, at('schemaUrl'))),
  }
}

function readScope(given: JsonObject, place: Place): OtlpScope {
  return {
    ...present('name', readText(given.name, { up: place, key: 'name' })),
    ...present('version', readText(given.version, { up: place, key: 'version' })),
    ...attributesOf(given, place),
  }
}

function readSpanOrRefuse(value: unknown, place: Place, refusal: Refusal): OtlpSpan | null {
  try {
    return readSpan(required(value, place), place)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    refuse(refusal, error.message)
    return null
  }
}

function readSpan(given: JsonObject, place: Place): OtlpSpan {
  const at = (key: string): Place => ({ up: place, key })
  const status = readObject(given.status, at('status'))
  return {
    ...present('traceId', readHex(given.traceId, at('traceId'))),
    ...present('spanId', readHex(given.spanId, at('spanId'))),
    ...present('parentSpanId', readHex(given.parentSpanId, at('parentSpanId'))),
    ...present('traceState', readText(given.traceState, at('traceState'))),
    ...present('flags', readUint32(given.flags, at('flags'))),
    ...present('name', readText(given.name, at('name'))),
    ...present('kind', readEnum(given.kind, at('kind'), 'SPAN_KIND_', SPAN_KINDS)),
    ...present('startTimeUnixNano', readUint64(given.startTimeUnixNano, at('startTimeUnixNano'))),
    ...present('endTimeUnixNano', readUint64(given.endTimeUnixNano, at('endTimeUnixNano'))),
    ...attributesOf(given, place),
    ...present('events', readList(given.events, at('events'), readEvent)),
    ...present('droppedEventsCount', readUint32(given.droppedEventsCount, at('droppedEventsCount'))),
    ...present('links', readList(given.links, at('links'), readLink)),
    ...present('droppedLinksCount', readUint32(given.droppedLinksCount, at('droppedLinksCount'))),
    ...(status === undefined ? {} : { status: readStatus(status, at('status')) }),
  }
}

function readStatus(given: JsonObject, place: Place): OtlpSpan['status'] {
  return {
    ...present('message', readText(given.message, { up: place, key: 'message' })),
    ...present('code', readEnum(given.code, { up: place, key: 'code' }, 'STATUS_CODE_', STATUS_CODES)),
  }
}

function readEvent(value: unknown, place: Place): OtlpEvent {
  const given = required(value, place)
  return {
    ...present('timeUnixNano', readUint64(given.timeUnixNano, { up: place, key: 'timeUnixNano' })),
    ...present('name', readText(given.name, { up: place, key: 'name' })),
    ...attributesOf(given, place),
  }
}

function readLink(value: unknown, place: Place): OtlpLink {
  const given = required(value, place)
  const at = (key: string): Place => ({ up: place, key })
  return {
    ...present('traceId', readHex(given.traceId, at('traceId'))),
    ...present('spanId', readHex(given.spanId, at('spanId'))),
    ...present('traceState', readText(given.traceState, at('traceState'))),
    ...attributesOf(given, place),
    ...present('flags', readUint32(given.flags, at('flags'))),
  }
}

function attributesOf(given: JsonObject, place: Place) {
  const dropped = readUint32(given.droppedAttributesCount, { up: place, key: 'droppedAttributesCount' })
  const attributes = readList(given.attributes, { up: place, key: 'attributes' }, (v, p) => readKeyValue(v, p, 0))
  return { ...present('attributes', attributes), ...present('droppedAttributesCount', dropped) }
}

function readKeyValue(value: unknown, place: Place, depth: number): OtlpKeyValue {
  const given = required(value, place)
  const at: Place = { up: place, key: 'value' }
  const inner = readObject(given.value, at)
  return {
    ...present('key', readText(given.key, { up: place, key: 'key' })),
    ...(inner === undefined ? {} : { value: readValue(inner, at, depth) }),
  }
}

function readValue(given: JsonObject, place: Place, depth: number): OtlpValue {
  if (depth >= VALUE_DEPTH_MAX) throw fault(place, null, `a value nested at most ${VALUE_DEPTH_MAX} deep`)
  const at = (key: string): Place => ({ up: place, key })
  const array = readObject(given.arrayValue, at('arrayValue'))
  const list = readObject(given.kvlistValue, at('kvlistValue'))
  if (array !== undefined) {
    const place = { up: at('arrayValue'), key: 'values' }
    const element = (v: unknown, p: Place) => readValue(readObject(v, p) ?? {}, p, depth + 1)
    return { arrayValue: { ...present('values', readList(array.values, place, element)) } }
  }
  if (list !== undefined) {
    const place = { up: at('kvlistValue'), key: 'values' }
    return {
      kvlistValue: {
        ...present(
          'values',
          readList(list.values, place, (v, p) => readKeyValue(v, p, depth + 1)),
        ),
      },
    }
  }
  return {
    ...present('stringValue', readText(given.stringValue, at('stringValue'))),
    ...present('boolValue', readBoolean(given.boolValue, at('boolValue'))),
    ...present('intValue', readInt64(given.intValue, at('intValue'))),
    ...present('doubleValue', readDouble(given.doubleValue, at('doubleValue'))),
    ...present('bytesValue', readBase64(given.bytesValue, at('bytesValue'))),
  }
}

function required(value: unknown, place: Place): JsonObject {
  const given = readObject(value, place)
  if (given === undefined) throw fault(place, value, 'an object')
  return given
}

function present<K extends string, T>(key: K, value: T | undefined): { readonly [key in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [key in K]: T })
}
