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
import { BYTES, type ByteRange, FIXED32, FIXED64, VARINT, WireCursor } from './wire.ts'

const RESOURCE_SPANS = 1
const RESOURCE = 1
const RESOURCE_ATTRIBUTES = 1
/** Of ResourceSpans: its ScopeSpans; of ScopeSpans: its spans. */
const CHILDREN = 2
const SPAN = { traceId: 1, spanId: 2, traceState: 3, parent: 4, start: 7, end: 8, attributes: 9, status: 15, flags: 16 }
const STATUS_CODE = 3

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8
const NO_PARENT = '0000000000000000'
/** Of an id that is too long no more is looked at. */
const ID_BYTES_SHOWN_MAX = 33
/** W3C asks for 512 characters to be passed on; more is cut. */
const TRACE_STATE_BYTES_MAX = 2048
const NANOS_PER_MS = 1e6

/** Everything of a message beside its children, tags included: what a slice repeats around the children it takes. */
export type ScannedResource = {
  readonly header: readonly ByteRange[]
  /** By the place of the key in the wanted keys. */
  readonly attributes: readonly AttributeFact[]
}
export type ScannedScope = { readonly resource: ScannedResource; readonly header: readonly ByteRange[] }

export type ScannedSpan = ByteRange & {
  /** Lower-case hex of 32 and 16 digits. */
  readonly traceId: string
  readonly spanId: string
  /** Empty for a root. */
  readonly parentSpanId: string
  /** Milliseconds since the epoch, exact to about a microsecond; 0 where absent. */
  readonly startMs: number
  readonly endMs: number
  /** 0 unset, 1 ok, 2 error. */
  readonly statusCode: number
  readonly traceState: string
  readonly flags: number
  /** By the place of the key in the wanted keys; the span's own, without its resource's. */
  readonly attributes: readonly AttributeFact[]
  readonly scope: ScannedScope
}

export type Scan = Refusals & {
  readonly spans: readonly ScannedSpan[]
  /** Spans refused because they have neither trace id nor span id: signs of another signal at this path. */
  readonly withoutIds: number
  /** The spans that are none have a log record's time where a span has its trace id. */
  readonly looksLikeLogs: boolean
}

type Found = Refusal & { spans: ScannedSpan[]; withoutIds: number; looksLikeLogs: boolean }

const NO_FACTS: readonly AttributeFact[] = []

/** `given` is an ExportTraceServiceRequest. Throws InputError when its frame (not one of its spans) is malformed. */
export function scanTraces(given: Uint8Array, wanted: WantedKeys): Scan {
  const body = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  const found: Found = { spans: [], rejected: 0, reasons: [], withoutIds: 0, looksLikeLogs: false }
  const cursor = new WireCursor(body, 0, body.length)
  let known = 0
  while (cursor.next()) {
    if (cursor.field !== RESOURCE_SPANS || cursor.wireType !== BYTES) {
      cursor.skip()
      continue
    }
    const start = cursor.bytesStart()
    scanResourceSpans(body, { start, end: cursor.at }, `resourceSpans[${known++}]`, wanted, found)
  }
  if (known === 0 && body.length > 0) {
    throw new InputError('not_otlp', 'the protobuf holds no resourceSpans: it is no OTLP trace request', 'body')
  }
  return found
}

function scanResourceSpans(body: Buffer, range: ByteRange, at: string, wanted: WantedKeys, found: Found): void {
  const { header, children } = partsOf(body, range)
  const resource = { header, attributes: resourceAttributes(body, header, wanted) }
  for (const [index, child] of children.entries()) {
    const scopeSpans = partsOf(body, child)
    const scope = { resource, header: scopeSpans.header }
    const place = `${at}.scopeSpans[${index}]`
    for (const [n, span] of scopeSpans.children.entries())
      scanSpan(body, span, `${place}.spans[${n}]`, scope, wanted, found)
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
        readAttribute(body, { start: cursor.bytesStart(), end: cursor.at }, wanted, facts)
      } else cursor.skip()
    }
  }
  return facts
}

function scanSpan(
  body: Buffer,
  range: ByteRange,
  at: string,
  scope: ScannedScope,
  wanted: WantedKeys,
  found: Found,
): void {
  try {
    const span = readSpan(body, range, scope, wanted)
    const problem = problemOf(span)
    if (problem === null) {
      found.spans.push(span)
      return
    }
    if (span.traceId === '' && span.spanId === '') {
      found.withoutIds++
      found.looksLikeLogs ||= beginsLikeLogRecord(body, range)
    }
    refuse(found, `${at}: ${problem}`)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    refuse(found, `${at}: ${error.message}`)
  }
}

function readSpan(body: Buffer, range: ByteRange, scope: ScannedScope, wanted: WantedKeys): ScannedSpan {
  const cursor = new WireCursor(body, range.start, range.end)
  let facts = NO_FACTS as AttributeFact[]
  let traceId = ''
  let spanId = ''
  let parentSpanId = ''
  let traceState = ''
  let startMs = 0
  let endMs = 0
  let statusCode = 0
  let flags = 0
  while (cursor.next()) {
    const { field, wireType } = cursor
    if (wireType === BYTES) {
      const start = cursor.bytesStart()
      if (field === SPAN.attributes) {
        if (wanted.keys.length === 0) continue
        if (facts === NO_FACTS) facts = []
        readAttribute(body, { start, end: cursor.at }, wanted, facts)
      } else if (field === SPAN.traceId) traceId = idText(body, start, cursor.at)
      else if (field === SPAN.spanId) spanId = idText(body, start, cursor.at)
      else if (field === SPAN.parent) parentSpanId = idText(body, start, cursor.at)
      else if (field === SPAN.traceState) {
        traceState = body.toString('utf8', start, Math.min(cursor.at, start + TRACE_STATE_BYTES_MAX))
      } else if (field === SPAN.status) statusCode = readStatusCode(body, { start, end: cursor.at }, statusCode)
    } else if (wireType === FIXED64) {
      cursor.fixed64()
      if (field === SPAN.start) startMs = cursor.unsigned() / NANOS_PER_MS
      else if (field === SPAN.end) endMs = cursor.unsigned() / NANOS_PER_MS
    } else if (field === SPAN.flags && wireType === FIXED32) flags = cursor.fixed32()
    else cursor.skip()
  }
  if (parentSpanId === NO_PARENT) parentSpanId = ''
  const { start, end } = range
  return {
    start,
    end,
    traceId,
    spanId,
    parentSpanId,
    startMs,
    endMs,
    statusCode,
    traceState,
    flags,
    attributes: facts,
    scope,
  }
}

function idText(body: Buffer, start: number, end: number): string {
  return body.toString('hex', start, Math.min(end, start + ID_BYTES_SHOWN_MAX))
}

/** A log record's first field is its time, where a span has its trace id. */
function beginsLikeLogRecord(body: Buffer, range: ByteRange): boolean {
  const cursor = new WireCursor(body, range.start, range.end)
  return cursor.next() && cursor.wireType === FIXED64
}

/** A status that occurs twice is merged: what the second leaves out stays. */
function readStatusCode(body: Buffer, range: ByteRange, before: number): number {
  const cursor = new WireCursor(body, range.start, range.end)
  let code = before
  while (cursor.next()) {
    if (cursor.field === STATUS_CODE && cursor.wireType === VARINT) {
      cursor.varint()
      code = cursor.low | 0
    } else cursor.skip()
  }
  return code
}

function problemOf(span: ScannedSpan): string | null {
  return (
    idProblem('trace id', span.traceId, TRACE_ID_BYTES) ??
    idProblem('span id', span.spanId, SPAN_ID_BYTES) ??
    (span.parentSpanId === '' ? null : idProblem('parent span id', span.parentSpanId, SPAN_ID_BYTES))
  )
}

function idProblem(name: string, hex: string, bytes: number): string | null {
  if (hex === '') return `${name} is missing, expected ${bytes} bytes`
  if (hex.length >= 2 * ID_BYTES_SHOWN_MAX) return `${name} has ${ID_BYTES_SHOWN_MAX} bytes or more, expected ${bytes}`
  if (hex.length !== 2 * bytes) return `${name} has ${hex.length / 2} bytes, expected ${bytes}`
  return /[^0]/.test(hex) ? null : `${name} is all zeros`
}
