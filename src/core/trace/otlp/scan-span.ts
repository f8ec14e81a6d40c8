/**
 * Reads what sampling needs of one span, in place. Knows the fields of a span, nothing of what stands around it.
 */
import type { Buffer } from 'node:buffer'
import { IdText } from './id-text.ts'
import { type AttributeFact, readAttribute, type WantedKeys } from './scan-attribute.ts'
import { BYTES, type ByteRange, FIXED32, FIXED64, VARINT, WireCursor } from './wire.ts'

export const TRACE_ID_BYTES = 16
export const SPAN_ID_BYTES = 8

const TRACE_ID = 1
const SPAN_ID = 2
const TRACE_STATE = 3
const PARENT = 4
const START = 7
const END = 8
const ATTRIBUTES = 9
const STATUS = 15
const FLAGS = 16
const STATUS_CODE = 3

const NANOS_PER_MS = 1e6
const ZEROS = '0'.repeat(32)
/** Of an id that is too long no more is looked at. */
const ID_BYTES_SHOWN_MAX = 33
/** W3C asks for 512 characters to be passed on; more is cut. */
const TRACE_STATE_BYTES_MAX = 2048

const NO_FACTS: AttributeFact[] = []

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

/** For the spans of one body, one after the other. */
export class SpanReader {
  readonly body: Buffer
  readonly wanted: WantedKeys
  private readonly cursor: WireCursor
  private readonly traceIds: IdText
  private readonly spanIds: IdText
  private readonly parentIds: IdText

  constructor(body: Buffer, wanted: WantedKeys) {
    this.body = body
    this.wanted = wanted
    this.cursor = new WireCursor(body, 0, 0)
    this.traceIds = new IdText(body, ID_BYTES_SHOWN_MAX)
    this.spanIds = new IdText(body, ID_BYTES_SHOWN_MAX)
    this.parentIds = new IdText(body, ID_BYTES_SHOWN_MAX)
  }

  /** Throws InputError where the span is malformed inside. Ids are not judged: see idProblem. */
  read(range: ByteRange, scope: ScannedScope): ScannedSpan {
    const { body, cursor, wanted } = this
    const { start, end } = range
    let attributes = NO_FACTS
    let traceId = ''
    let spanId = ''
    let parentSpanId = ''
    let traceState = ''
    let startMs = 0
    let endMs = 0
    let statusCode = 0
    let flags = 0
    cursor.enter(range)
    while (cursor.next()) {
      const { field, wireType } = cursor
      if (wireType === BYTES) {
        const at = cursor.bytesStart()
        if (field === ATTRIBUTES) {
          if (wanted.keys.length === 0) continue
          if (attributes === NO_FACTS) attributes = []
          readAttribute(body, at, cursor.at, wanted, attributes)
        } else if (field === TRACE_ID) traceId = this.traceIds.read(at, cursor.at)
        else if (field === SPAN_ID) spanId = this.spanIds.read(at, cursor.at)
        else if (field === PARENT) parentSpanId = this.parentIds.read(at, cursor.at)
        else if (field === TRACE_STATE) {
          traceState = body.toString('utf8', at, Math.min(cursor.at, at + TRACE_STATE_BYTES_MAX))
        } else if (field === STATUS) statusCode = readStatusCode(body, { start: at, end: cursor.at }, statusCode)
      } else if (wireType === FIXED64) {
        cursor.fixed64()
        if (field === START) startMs = cursor.unsigned() / NANOS_PER_MS
        else if (field === END) endMs = cursor.unsigned() / NANOS_PER_MS
      } else if (field === FLAGS && wireType === FIXED32) flags = cursor.fixed32()
      else cursor.skip()
    }
    if (parentSpanId.length === 2 * SPAN_ID_BYTES && isZeros(parentSpanId)) parentSpanId = ''
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
      attributes,
      scope,
    }
  }
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

/** What is wrong with an id of so many bytes, in words; null when nothing is. */
export function idProblem(name: string, hex: string, bytes: number): string | null {
  if (hex.length === 2 * bytes) return isZeros(hex) ? `${name} is all zeros` : null
  if (hex === '') return `${name} is missing, expected ${bytes} bytes`
  const given = hex.length / 2
  return `${name} has ${given}${given < ID_BYTES_SHOWN_MAX ? ' bytes' : ' bytes or more'}, expected ${bytes}`
}

function isZeros(hex: string): boolean {
  return ZEROS.startsWith(hex)
}
