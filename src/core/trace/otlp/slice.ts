/**
 * Cuts the spans of one trace out of the request bodies that brought them, and frames them as one request of their own.
 * Bytes are copied, never decoded: unknown fields, and whatever else stands in a span, its scope or its resource, stay.
 */
import { Buffer } from 'node:buffer'
import type { ScannedScope, ScannedSpan } from './scan-span.ts'
import type { ByteRange } from './wire.ts'

/** Field 1 (of the request: ResourceSpans) and field 2 (their children), both length-delimited. */
const TAG_RESOURCE_SPANS = 0x0a
const TAG_CHILD = 0x12

/** Spans of one body, all of the same trace; `body` is what was scanned. */
export type TracePart = { readonly body: Uint8Array; readonly spans: readonly ScannedSpan[] }

/** An ExportTraceServiceRequest with these spans, grouped by scope and resource as they came, in the order given. */
export function sliceTrace(parts: readonly TracePart[]): Uint8Array {
  return joined(parts.flatMap(({ body, spans }) => resourcesOf(body, spans)))
}

function resourcesOf(body: Uint8Array, spans: readonly ScannedSpan[]): readonly Uint8Array[] {
  const byScope = [...Map.groupBy(spans, (span) => span.scope)]
  const byResource = Map.groupBy(byScope, ([scope]) => scope.resource)
  return [...byResource].map(([resource, scopes]) =>
    framed(TAG_RESOURCE_SPANS, [
      ...cut(body, resource.header),
      ...scopes.map(([scope, own]) => framedScope(body, scope, own)),
    ]),
  )
}

function framedScope(body: Uint8Array, scope: ScannedScope, spans: readonly ScannedSpan[]): Uint8Array {
  return framed(TAG_CHILD, [...cut(body, scope.header), ...spans.map((span) => framed(TAG_CHILD, cut(body, [span])))])
}

function cut(body: Uint8Array, ranges: readonly ByteRange[]): readonly Uint8Array[] {
  return ranges.map(({ start, end }) => body.subarray(start, end))
}

function framed(tag: number, chunks: readonly Uint8Array[]): Uint8Array {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return joined([Uint8Array.from([tag, ...varint(length)]), ...chunks])
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(chunks)
}

function varint(value: number): readonly number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}
