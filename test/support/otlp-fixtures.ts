/**
 * OTLP requests for tests: small ones written by hand, random ones from fast-check, and bytes that are none.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import {
  encodeOtlp,
  type OtlpKeyValue,
  type OtlpRequest,
  type OtlpSpan,
  type OtlpValue,
} from '../../src/core/trace/otlp/message.ts'

const FIXTURES = path.join(import.meta.dirname, '..', 'fixtures', 'genai')

/** Payloads that published SDKs really sent, of the three dialects that are read. */
export const CAPTURED: readonly string[] = [
  'openinference-openai-js-4.2.7.traces.json',
  'strands-ts-1.16.0-latest-experimental.traces.json',
  'vercel-ai-4.3.19.traces.json',
  'vercel-ai-5.0.277.error-and-stream.traces.json',
  'vercel-ai-5.0.277.traces.json',
  'vercel-ai-7.0.173-otel-default.traces.json',
]

export function captured(name: string): Buffer {
  return readFileSync(path.join(FIXTURES, name))
}

export const START_NANOS = 1_796_000_000_000_000_000n

export type SpanGiven = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name?: string
  readonly status?: number
  readonly traceState?: string
  readonly flags?: number
  readonly durationMs?: number
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
}

export function otlpSpan(given: SpanGiven): OtlpSpan {
  return {
    traceId: Buffer.from(given.traceId, 'hex'),
    spanId: Buffer.from(given.spanId, 'hex'),
    ...(given.parentSpanId === undefined ? {} : { parentSpanId: Buffer.from(given.parentSpanId, 'hex') }),
    name: given.name ?? 'invoke_agent support',
    kind: 1,
    startTimeUnixNano: START_NANOS,
    endTimeUnixNano: START_NANOS + BigInt(given.durationMs ?? 5) * 1_000_000n,
    attributes: keyValues(given.attributes ?? {}),
    status: { code: given.status ?? 0 },
    traceState: given.traceState ?? '',
    flags: given.flags ?? 0,
  }
}

export function keyValues(record: Readonly<Record<string, string | number | boolean>>): readonly OtlpKeyValue[] {
  return Object.entries(record).map(([key, value]) => ({ key, value: otlpValue(value) }))
}

function otlpValue(value: string | number | boolean): OtlpValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: BigInt(value) } : { doubleValue: value }
}

/** One request with these spans, of one service. */
export function otlpBody(spans: readonly SpanGiven[], service = 'support-bot'): Uint8Array {
  return encodeOtlp({
    resourceSpans: [
      {
        resource: { attributes: keyValues({ 'service.name': service }) },
        scopeSpans: [{ scope: { name: 'test' }, spans: spans.map(otlpSpan) }],
      },
    ],
  })
}

/** The n-th trace id of a test; never zero, and its last 7 bytes are no good randomness. */
export function traceIdOf(n: number): string {
  return `5eed${(n + 1).toString(16).padStart(28, '0')}`
}

export function spanIdOf(n: number): string {
  return `ab${(n + 1).toString(16).padStart(14, '0')}`
}

/** A trace of a root and `children` below it. */
export function traceOf(n: number, children = 1, root: Partial<SpanGiven> = {}): readonly SpanGiven[] {
  const traceId = traceIdOf(n)
  const parentSpanId = spanIdOf(0)
  const below = Array.from({ length: children }, (_, i) => ({ traceId, spanId: spanIdOf(i + 1), parentSpanId }))
  return [{ traceId, spanId: parentSpanId, ...root }, ...below]
}

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const nanos = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const text = fc.string({ unit: 'binary', maxLength: 12 }).map((s) => s.toWellFormed())
const anyValue: fc.Arbitrary<OtlpValue> = fc.letrec<{ value: OtlpValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.record({ stringValue: text }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ intValue: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
    fc.record({ doubleValue: fc.double() }),
    fc.record({ bytesValue: fc.uint8Array({ maxLength: 5 }) }),
    fc.constant({}),
    fc.record({ arrayValue: fc.record({ values: fc.array(tie('value'), { minLength: 1, maxLength: 3 }) }) }),
    fc.record({
      kvlistValue: fc.record({
        values: fc.array(fc.record({ key: text, value: tie('value') }), { minLength: 1, maxLength: 3 }),
      }),
    }),
  ),
})).value

const someKey = fc.oneof(fc.constantFrom('tenant', 'tokens', 'cached'), text)
const attributes = fc.array(fc.record({ key: someKey, value: anyValue }), { maxLength: 5 })
const uint32 = fc.nat({ max: 0xffff_ffff })

const anySpan: fc.Arbitrary<OtlpSpan> = fc.record(
  {
    traceId: fc.oneof({ weight: 8, arbitrary: bytes(16) }, { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) }),
    spanId: fc.oneof({ weight: 8, arbitrary: bytes(8) }, { weight: 1, arbitrary: fc.uint8Array({ maxLength: 9 }) }),
    parentSpanId: fc.oneof(bytes(8), fc.constant(new Uint8Array(8))),
    traceState: text,
    flags: uint32,
    name: text,
    kind: fc.integer({ min: 0, max: 6 }),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    droppedAttributesCount: uint32,
    events: fc.array(fc.record({ timeUnixNano: nanos, name: text, attributes }), { maxLength: 2 }),
    links: fc.array(fc.record({ traceId: bytes(16), spanId: bytes(8), attributes, flags: uint32 }), { maxLength: 2 }),
    status: fc.record({ message: text, code: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['traceId', 'spanId'] },
)

/** Any request that protobuf can write, most of its ids valid. */
export const anyRequest: fc.Arbitrary<OtlpRequest> = fc.record({
  resourceSpans: fc.array(
    fc.record(
      {
        resource: fc.record({ attributes, droppedAttributesCount: uint32 }),
        scopeSpans: fc.array(
          fc.record({
            scope: fc.record({ name: text, version: text, attributes }),
            spans: fc.array(anySpan, { maxLength: 4 }),
          }),
          { maxLength: 3 },
        ),
        schemaUrl: text,
      },
      { requiredKeys: ['scopeSpans'] },
    ),
    { minLength: 1, maxLength: 3 },
  ),
})
