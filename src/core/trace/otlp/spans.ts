/**
 * Decoded OTLP to spans: plain values under the specification's names, each with its scope and resource.
 */
import { Buffer } from 'node:buffer'
import type { Attributes, AttributeValue, Span, SpanEvent } from '../span.ts'
import {
  decodeOtlp,
  type OtlpEvent,
  type OtlpKeyValue,
  type OtlpRequest,
  type OtlpSpan,
  type OtlpValue,
} from './message.ts'

/** All spans of an ExportTraceServiceRequest in their order on the wire. Throws InputError where it cannot be decoded. */
export function decodeTraces(bytes: Uint8Array): readonly Span[] {
  return toSpans(decodeOtlp(bytes))
}

export function toSpans(request: OtlpRequest): readonly Span[] {
  return (request.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) => {
    const attributes = toAttributes(resource?.attributes)
    return scopeSpans.flatMap(({ scope, spans = [] }) => {
      const around = { scope: { name: scope?.name ?? '', version: scope?.version ?? '' }, resource: attributes }
      return spans.map((span) => toSpan(span, around))
    })
  })
}

function toSpan(span: OtlpSpan, around: Pick<Span, 'scope' | 'resource'>): Span {
  const parent = hex(span.parentSpanId)
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: /[^0]/.test(parent) ? parent : null,
    name: span.name ?? '',
    kind: span.kind ?? 0,
    startTimeUnixNano: span.startTimeUnixNano ?? 0n,
    endTimeUnixNano: span.endTimeUnixNano ?? 0n,
    attributes: toAttributes(span.attributes),
    events: (span.events ?? []).map(toEvent),
    links: (span.links ?? []).map((link) => ({
      traceId: hex(link.traceId),
      spanId: hex(link.spanId),
      attributes: toAttributes(link.attributes),
    })),
    status: { code: span.status?.code ?? 0, message: span.status?.message ?? '' },
    traceState: span.traceState ?? '',
    flags: span.flags ?? 0,
    droppedAttributesCount: span.droppedAttributesCount ?? 0,
    ...around,
  }
}

function toEvent(event: OtlpEvent): SpanEvent {
  return {
    name: event.name ?? '',
    timeUnixNano: event.timeUnixNano ?? 0n,
    attributes: toAttributes(event.attributes),
  }
}

/** Of equal keys the last one counts. Keys such as `__proto__` become own properties. */
function toAttributes(list: readonly OtlpKeyValue[] = []): Attributes {
  return Object.fromEntries(list.map(({ key, value }) => [key ?? '', toValue(value ?? {})]))
}

function toValue(value: OtlpValue): AttributeValue {
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(toValue)
  if (value.kvlistValue !== undefined) return toAttributes(value.kvlistValue.values)
  if (value.intValue !== undefined) return toInteger(value.intValue)
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? value.bytesValue ?? null
}

function toInteger(value: bigint | number): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

export function hex(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
