/**
 * An OTLP trace request as plain objects, decoded and encoded by protobufjs with our own descriptor: for what is kept,
 * since redaction has to see every text.
 *
 * Both ways are lossless for every field that the descriptor knows. Unknown fields are left out on purpose: what cannot
 * be read cannot be redacted. Ids and bytes are Uint8Array, 64-bit integers bigint, an absent field is undefined.
 */
import protobuf from 'protobufjs/light.js'
import { InputError } from '../../errors.ts'

export type OtlpValue = {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: bigint | number
  readonly doubleValue?: number
  readonly arrayValue?: { readonly values?: readonly OtlpValue[] }
  readonly kvlistValue?: { readonly values?: readonly OtlpKeyValue[] }
  readonly bytesValue?: Uint8Array
}
export type OtlpKeyValue = { readonly key?: string; readonly value?: OtlpValue }
export type OtlpEvent = {
  readonly timeUnixNano?: bigint
  readonly name?: string
  readonly attributes?: readonly OtlpKeyValue[]
  readonly droppedAttributesCount?: number
}
export type OtlpLink = {
  readonly traceId?: Uint8Array
  readonly spanId?: Uint8Array
  readonly traceState?: string
  readonly attributes?: readonly OtlpKeyValue[]
  readonly droppedAttributesCount?: number
  readonly flags?: number
}
export type OtlpSpan = {
  readonly traceId?: Uint8Array
  readonly spanId?: Uint8Array
  readonly traceState?: string
  readonly parentSpanId?: Uint8Array
  readonly flags?: number
  readonly name?: string
  readonly kind?: number
  readonly startTimeUnixNano?: bigint
  readonly endTimeUnixNano?: bigint
  readonly attributes?: readonly OtlpKeyValue[]
  readonly droppedAttributesCount?: number
  readonly events?: readonly OtlpEvent[]
  readonly droppedEventsCount?: number
  readonly links?: readonly OtlpLink[]
  readonly droppedLinksCount?: number
  readonly status?: { readonly message?: string; readonly code?: number }
}
export type OtlpScope = {
  readonly name?: string
  readonly version?: string
  readonly attributes?: readonly OtlpKeyValue[]
  readonly droppedAttributesCount?: number
}
export type OtlpResource = {
  readonly attributes?: readonly OtlpKeyValue[]
  readonly droppedAttributesCount?: number
  readonly entityRefs?: readonly OtlpEntityRef[]
}
export type OtlpEntityRef = {
  readonly schemaUrl?: string
  readonly type?: string
  readonly idKeys?: readonly string[]
  readonly descriptionKeys?: readonly string[]
}
export type OtlpScopeSpans = {
  readonly scope?: OtlpScope
  readonly spans?: readonly OtlpSpan[]
  readonly schemaUrl?: string
}
export type OtlpResourceSpans = {
  readonly resource?: OtlpResource
  readonly scopeSpans?: readonly OtlpScopeSpans[]
  readonly schemaUrl?: string
}
export type OtlpRequest = { readonly resourceSpans?: readonly OtlpResourceSpans[] }

type Field = { id: number; type: string; rule?: 'repeated' }
const one = (type: string, id: number): Field => ({ id, type })
const many = (type: string, id: number): Field => ({ id, type, rule: 'repeated' })

/**
 * opentelemetry-proto 1.10, trace service with its parts. Enums are int32, which is the same on the wire: a number that
 * a later version adds must survive.
 */
const DESCRIPTOR = {
  Request: { resourceSpans: many('ResourceSpans', 1) },
  ResourceSpans: { resource: one('Resource', 1), scopeSpans: many('ScopeSpans', 2), schemaUrl: one('string', 3) },
  Resource: {
    attributes: many('KeyValue', 1),
    droppedAttributesCount: one('uint32', 2),
    entityRefs: many('EntityRef', 3),
  },
  EntityRef: {
    schemaUrl: one('string', 1),
    type: one('string', 2),
    idKeys: many('string', 3),
    descriptionKeys: many('string', 4),
  },
  ScopeSpans: { scope: one('Scope', 1), spans: many('Span', 2), schemaUrl: one('string', 3) },
  Scope: {
    name: one('string', 1),
    version: one('string', 2),
    attributes: many('KeyValue', 3),
    droppedAttributesCount: one('uint32', 4),
  },
  Span: {
    traceId: one('bytes', 1),
    spanId: one('bytes', 2),
    traceState: one('string', 3),
    parentSpanId: one('bytes', 4),
    name: one('string', 5),
    kind: one('int32', 6),
    startTimeUnixNano: one('fixed64', 7),
    endTimeUnixNano: one('fixed64', 8),
    attributes: many('KeyValue', 9),
    droppedAttributesCount: one('uint32', 10),
    events: many('Event', 11),
    droppedEventsCount: one('uint32', 12),
    links: many('Link', 13),
    droppedLinksCount: one('uint32', 14),
    status: one('Status', 15),
    flags: one('fixed32', 16),
  },
  Event: {
    timeUnixNano: one('fixed64', 1),
    name: one('string', 2),
    attributes: many('KeyValue', 3),
    droppedAttributesCount: one('uint32', 4),
  },
  Link: {
    traceId: one('bytes', 1),
    spanId: one('bytes', 2),
    traceState: one('string', 3),
    attributes: many('KeyValue', 4),
    droppedAttributesCount: one('uint32', 5),
    flags: one('fixed32', 6),
  },
  Status: { message: one('string', 2), code: one('int32', 3) },
  KeyValue: { key: one('string', 1), value: one('AnyValue', 2) },
  AnyValue: {
    stringValue: one('string', 1),
    boolValue: one('bool', 2),
    intValue: one('int64', 3),
    doubleValue: one('double', 4),
    arrayValue: one('ArrayValue', 5),
    kvlistValue: one('KeyValueList', 6),
    bytesValue: one('bytes', 7),
  },
  ArrayValue: { values: many('AnyValue', 1) },
  KeyValueList: { values: many('KeyValue', 1) },
}

/**
 * Read by the rules of proto2, which are those of proto3 on the wire: a zero that was sent stays apart from one that was
 * not, and text with bytes that are not UTF-8 (SDKs cut long values at a byte) is text with U+FFFD, not a lost span.
 */
const Request = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(DESCRIPTOR).map(([name, fields]) => [
      name,
      {
        edition: 'proto2',
        fields,
        ...(name === 'AnyValue' ? { oneofs: { value: { oneof: Object.keys(fields) } } } : {}),
      },
    ]),
  ),
}).lookupType('Request')

/** Throws InputError where the bytes are no such message (or nest deeper than protobufjs goes, about 100 levels). */
export function decodeOtlp(bytes: Uint8Array): OtlpRequest {
  try {
    return Request.toObject(Request.decode(bytes), { longs: BigInt }) as OtlpRequest
  } catch (error) {
    throw new InputError('malformed_protobuf', `the protobuf cannot be decoded: ${(error as Error).message}`, 'body')
  }
}

/** Throws InputError for a value that nests too deep. */
export function encodeOtlp(request: OtlpRequest): Uint8Array {
  try {
    return Request.encode(Request.fromObject(request as Record<string, unknown>)).finish()
  } catch (error) {
    throw new InputError('malformed_otlp', `the spans cannot be encoded: ${(error as Error).message}`)
  }
}
