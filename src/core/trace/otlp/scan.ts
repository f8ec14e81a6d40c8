/**
 * One pass over the bytes of an OTLP trace request: what sampling needs of each span, and where its bytes lie. Nothing
 * is decoded, since most traces are dropped; what is kept is cut out by slice.ts.
 *
 * Bad spans are refused one by one with a reason, a body that cannot be walked by InputError. Invariant: every span of
 * the body is either in `spans` or counted in `rejected`, and a ScannedSpan holds no reference to the body's bytes.
 */
import { Buffer } from 'node:buffer'
import { InputError } from '../../errors.ts'
import { type Refusal, type Refusals, refuse } from './refusal.ts'
import { type AttributeFact, readAttribute, type WantedKeys } from './scan-attribute.ts'
import {
  idProblem,
  type ScannedScope,
  type ScannedSpan,
  SPAN_ID_BYTES,
  SpanReader,
  TRACE_ID_BYTES,
} from './scan-span.ts'
import { BYTES, type ByteRange, FIXED64, WireCursor } from './wire.ts'

const RESOURCE_SPANS = 1
const RESOURCE = 1
const RESOURCE_ATTRIBUTES = 1
/** Of ResourceSpans: its ScopeSpans; of ScopeSpans: its spans. */
const CHILDREN = 2

const NO_FACTS: readonly AttributeFact[] = []

export type Scan = Refusals & {
  readonly spans: readonly ScannedSpan[]
  /** Spans refused because they have neither trace id nor span id: signs of another signal at this path. */
  readonly withoutIds: number
  /** The spans that are none have a log record's time where a span has its trace id. */
  readonly looksLikeLogs: boolean
}

type Found = Refusal & { spans: ScannedSpan[]; withoutIds: number; looksLikeLogs: boolean }

/** `given` is an ExportTraceServiceRequest. Throws InputError when its frame (not one of its spans) is malformed. */
export function scanTraces(given: Uint8Array, wanted: WantedKeys): Scan {
  const body = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  const found: Found = { spans: [], rejected: 0, reasons: [], withoutIds: 0, looksLikeLogs: false }
  const reader = new SpanReader(body, wanted)
  const cursor = new WireCursor(body, 0, body.length)
  let known = 0
  while (cursor.next()) {
    if (cursor.field !== RESOURCE_SPANS || cursor.wireType !== BYTES) {
      cursor.skip()
      continue
    }
    const start = cursor.bytesStart()
    scanResourceSpans(reader, { start, end: cursor.at }, `resourceSpans[${known++}]`, found)
  }
  if (known === 0 && body.length > 0) {
    throw new InputError('not_otlp', 'the protobuf holds no resourceSpans: it is no OTLP trace request', 'body')
  }
  return found
}

function scanResourceSpans(reader: SpanReader, range: ByteRange, at: string, found: Found): void {
  const { body, wanted } = reader
  const { header, children } = partsOf(body, range)
  const resource = { header, attributes: resourceAttributes(body, header, wanted) }
  for (const [index, child] of children.entries()) {
    const scopeSpans = partsOf(body, child)
    const scope = { resource, header: scopeSpans.header }
    const place = `${at}.scopeSpans[${index}]`
    scopeSpans.children.forEach((span, n) => {
      takeSpan(reader, span, scope, found, () => `${place}.spans[${n}]`)
    })
  }
}

/** The order of fields on the wire is free, so the children are found before what stands around them is used. */
function partsOf(body: Buffer, range: ByteRange): { header: ByteRange[]; children: ByteRange[] } {
  const cursor = new WireCursor(body, range.start, range.end)
  const header: ByteRange[] = []
  const children: ByteRange[] = []
  for (let start = cursor.at; cursor.next(); start = cursor.at) {
    if (cursor.field === CHILDREN && cursor.wireType === BYTES) {
      const child = cursor.bytesStart()
      children.push({ start: child, end: cursor.at })
    } else {
      cursor.skip()
      header.push({ start, end: cursor.at })
    }
  }
  return { header, children }
}

function resourceAttributes(body: Buffer, header: readonly ByteRange[], wanted: WantedKeys): readonly AttributeFact[] {
  if (wanted.keys.length === 0) return NO_FACTS
  const facts: AttributeFact[] = []
  for (const range of header) {
    const cursor = new WireCursor(body, range.start, range.end)
    cursor.next()
    if (cursor.field !== RESOURCE || cursor.wireType !== BYTES) continue
    cursor.enter({ start: cursor.bytesStart(), end: cursor.at })
    while (cursor.next()) {
      if (cursor.field === RESOURCE_ATTRIBUTES && cursor.wireType === BYTES) {
        readAttribute(body, cursor.bytesStart(), cursor.at, wanted, facts)
      } else cursor.skip()
    }
  }
  return facts
}

function takeSpan(reader: SpanReader, range: ByteRange, scope: ScannedScope, found: Found, place: () => string): void {
  try {
    const span = reader.read(range, scope)
    const problem = problemOf(span)
    if (problem === null) {
      found.spans.push(span)
      return
    }
    if (span.traceId === '' && span.spanId === '') {
      found.withoutIds++
      found.looksLikeLogs ||= beginsLikeLogRecord(reader.body, range)
    }
    refuse(found, `${place()}: ${problem}`)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    refuse(found, `${place()}: ${error.message}`)
  }
}

/** A log record's first field is its time, where a span has its trace id. */
function beginsLikeLogRecord(body: Buffer, range: ByteRange): boolean {
  const cursor = new WireCursor(body, range.start, range.end)
  return cursor.next() && cursor.wireType === FIXED64
}

function problemOf(span: ScannedSpan): string | null {
  return (
    idProblem('trace id', span.traceId, TRACE_ID_BYTES) ??
    idProblem('span id', span.spanId, SPAN_ID_BYTES) ??
    (span.parentSpanId === '' ? null : idProblem('parent span id', span.parentSpanId, SPAN_ID_BYTES))
  )
}
