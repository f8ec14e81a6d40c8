/**
 * Reads an OTLP/JSON file into spans for tests: small and strict, so that tests of what comes after decoding depend on
 * no decoder. Log records that name a span become events of it, as the product joins them.
 */
import { readFileSync } from 'node:fs'
import type { Attributes, AttributeValue, Span, SpanEvent } from '../../src/core/trace/span.ts'

type AnyValue = {
  stringValue?: string
  intValue?: string | number
  doubleValue?: number | null
  boolValue?: boolean
  arrayValue?: { values?: AnyValue[] }
  kvlistValue?: { values?: KeyValue[] }
}
type KeyValue = { key: string; value?: AnyValue }
type Json = {
  resourceSpans?: {
    resource?: { attributes?: KeyValue[] }
    scopeSpans?: { scope?: { name?: string; version?: string }; spans?: JsonSpan[] }[]
  }[]
  resourceLogs?: { scopeLogs?: { logRecords?: JsonLog[] }[] }[]
}
type JsonSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind?: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes?: KeyValue[]
  events?: { name: string; timeUnixNano?: string; attributes?: KeyValue[] }[]
  links?: { traceId: string; spanId: string; attributes?: KeyValue[] }[]
  status?: { code?: number; message?: string }
  traceState?: string
  flags?: number
  droppedAttributesCount?: number
}
type JsonLog = { spanId?: string; eventName?: string; timeUnixNano?: string; attributes?: KeyValue[] }

export function readSpans(path: URL | string): readonly Span[] {
  const json = JSON.parse(readFileSync(path, 'utf8')) as Json
  const logs = (json.resourceLogs ?? []).flatMap((r) => (r.scopeLogs ?? []).flatMap((s) => s.logRecords ?? []))
  return (json.resourceSpans ?? []).flatMap(({ resource, scopeSpans }) =>
    (scopeSpans ?? []).flatMap(({ scope, spans }) =>
      (spans ?? []).map((span) => toSpan(span, attributesOf(resource?.attributes), scope ?? {}, logs)),
    ),
  )
}

/** The spans of each trace, in order of the traces' first appearance in time. */
export function readTraces(path: URL | string): readonly (readonly Span[])[] {
  const byTime = readSpans(path).toSorted((a, b) => Number(a.startTimeUnixNano - b.startTimeUnixNano))
  return [...Map.groupBy(byTime, (span) => span.traceId).values()]
}

/** A span with sensible fields, for tests that are about one or two of them. */
export function makeSpan(given: Partial<Span> = {}): Span {
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: null,
    name: 'span',
    kind: 1,
    startTimeUnixNano: 1_796_000_000_000_000_000n,
    endTimeUnixNano: 1_796_000_000_500_000_000n,
    attributes: {},
    events: [],
    links: [],
    status: { code: 0, message: '' },
    traceState: '',
    flags: 0,
    droppedAttributesCount: 0,
    scope: { name: '', version: '' },
    resource: {},
    ...given,
  }
}

function toSpan(
  span: JsonSpan,
  resource: Attributes,
  scope: { name?: string; version?: string },
  logs: readonly JsonLog[],
): Span {
  const joined = logs.filter((log) => log.spanId === span.spanId).map((log) => ({ ...log, name: log.eventName ?? '' }))
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId || null,
    name: span.name,
    kind: span.kind ?? 0,
    startTimeUnixNano: BigInt(span.startTimeUnixNano),
    endTimeUnixNano: BigInt(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    events: [...(span.events ?? []), ...joined].map(toEvent),
    links: (span.links ?? []).map((link) => ({ ...link, attributes: attributesOf(link.attributes) })),
    status: { code: span.status?.code ?? 0, message: span.status?.message ?? '' },
    traceState: span.traceState ?? '',
    flags: span.flags ?? 0,
    droppedAttributesCount: span.droppedAttributesCount ?? 0,
    scope: { name: scope.name ?? '', version: scope.version ?? '' },
    resource,
  }
}

function toEvent(event: { name: string; timeUnixNano?: string; attributes?: KeyValue[] }): SpanEvent {
  return {
    name: event.name,
    timeUnixNano: BigInt(event.timeUnixNano ?? 0),
    attributes: attributesOf(event.attributes),
  }
}

function attributesOf(list: readonly KeyValue[] = []): Attributes {
  return Object.fromEntries(list.map(({ key, value }) => [key, decoded(value ?? {})]))
}

function decoded(value: AnyValue): AttributeValue {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(decoded)
  if (value.kvlistValue) return attributesOf(value.kvlistValue.values)
  if (value.intValue !== undefined) return Number(value.intValue)
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? null
}
