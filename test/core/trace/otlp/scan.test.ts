import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { InputError } from '../../../../src/core/errors.ts'
import { jsonToProtobuf } from '../../../../src/core/trace/otlp/from-json.ts'
import { encodeOtlp, type OtlpRequest } from '../../../../src/core/trace/otlp/message.ts'
import { scanTraces } from '../../../../src/core/trace/otlp/scan.ts'
import { wantedKeys } from '../../../../src/core/trace/otlp/scan-attribute.ts'
import { sliceTrace } from '../../../../src/core/trace/otlp/slice.ts'
import { decodeTraces } from '../../../../src/core/trace/otlp/spans.ts'
import type { Span } from '../../../../src/core/trace/span.ts'
import {
  anyRequest,
  CAPTURED,
  captured,
  otlpBody,
  spanIdOf,
  traceIdOf,
  traceOf,
} from '../../../support/otlp-fixtures.ts'

const WANTED = wantedKeys(['tenant', 'tokens', 'cached'])

const isValid = (span: Span) =>
  span.traceId.length === 32 && /[^0]/.test(span.traceId) && span.spanId.length === 16 && /[^0]/.test(span.spanId)

describe('the scanner', () => {
  it('agrees with protobufjs on every span of a random request', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const body = encodeOtlp(request)
        const decoded = decodeTraces(body)
        const scan = scanTraces(body, WANTED)
        const valid = decoded.filter(isValid)
        assert.equal(scan.rejected, decoded.length - valid.length)
        assert.deepEqual(
          scan.spans.map((s) => [s.traceId, s.spanId, s.parentSpanId || null, s.statusCode, s.flags]),
          valid.map((s) => [s.traceId, s.spanId, s.parentSpanId, s.status.code, s.flags]),
        )
        for (const [index, scanned] of scan.spans.entries()) {
          const span = valid[index] as Span
          assert.ok(Math.abs(scanned.startMs - Number(span.startTimeUnixNano) / 1e6) <= 0.002)
          assert.ok(Math.abs(scanned.endMs - Number(span.endTimeUnixNano) / 1e6) <= 0.002)
          assert.equal(scanned.traceState, span.traceState)
          for (const [at, key] of WANTED.keys.entries()) {
            assert.equal(scanned.attributes[at], factOf(span.attributes, key))
            assert.equal(scanned.scope.resource.attributes[at], factOf(span.resource, key))
          }
        }
      }),
    )
  })

  it('answers arbitrary bytes with a scan or an InputError, and never with more spans than bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), scansOrRefuses), { numRuns: 2000 })
  })

  it('survives real payloads with bytes changed, cut out and cut off', () => {
    const bodies = CAPTURED.map((name) => jsonToProtobuf(captured(name)).body)
    fc.assert(
      fc.property(
        fc.constantFrom(...bodies),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
        fc.nat(),
        (body, edits, cut) => {
          const bytes = Uint8Array.from(body)
          for (const [at, value] of edits) bytes[at % bytes.length] = value
          scansOrRefuses(bytes)
          scansOrRefuses(bytes.subarray(0, cut % bytes.length))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('cuts a trace out so that it decodes to the spans it had', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const body = encodeOtlp(request)
        const { spans } = scanTraces(body, WANTED)
        const expected = decodeTraces(body).filter(isValid)
        for (const [traceId, own] of Map.groupBy(spans, (span) => span.traceId)) {
          const slice = decodeTraces(sliceTrace([{ body, spans: own }]))
          assert.deepEqual(
            slice,
            expected.filter((span) => span.traceId === traceId),
          )
        }
      }),
    )
  })

  it('keeps unknown fields and groups in a slice, and steps over them in a scan', () => {
    // Field 90 varint 7, and group 91 holding field 1 = 5, put before the span's own fields.
    const span = Buffer.from([0xd0, 0x05, 0x07, 0xdb, 0x05, 0x08, 0x05, 0xdc, 0x05])
    const ids = Buffer.concat([
      Buffer.from([0x0a, 16]),
      Buffer.from(traceIdOf(1), 'hex'),
      Buffer.from([0x12, 8]),
      Buffer.from(spanIdOf(1), 'hex'),
    ])
    const message = Buffer.concat([span, ids])
    const scopeSpans = Buffer.concat([Buffer.from([0x12, message.length]), message])
    const resourceSpans = Buffer.concat([Buffer.from([0x12, scopeSpans.length]), scopeSpans])
    const body = Buffer.concat([Buffer.from([0x0a, resourceSpans.length]), resourceSpans])
    const { spans, rejected } = scanTraces(body, WANTED)
    assert.equal(rejected, 0)
    assert.deepEqual(Buffer.from(sliceTrace([{ body, spans }])), body)
  })

  it('finds the resource that stands behind its scopes on the wire', () => {
    const forward = encodeOtlp({
      resourceSpans: [
        {
          scopeSpans: [
            { spans: [{ traceId: Buffer.from(traceIdOf(1), 'hex'), spanId: Buffer.from(spanIdOf(1), 'hex') }] },
          ],
        },
      ],
    })
    const resource = encodeOtlp({
      resourceSpans: [{ resource: { attributes: [{ key: 'tenant', value: { stringValue: 'acme' } }] } }],
    })
    const inner = Buffer.concat([forward.subarray(2), resource.subarray(2)])
    const { spans } = scanTraces(Buffer.concat([Buffer.from([0x0a, inner.length]), inner]), WANTED)
    assert.equal(spans[0]?.scope.resource.attributes[0], 'acme')
  })

  it('refuses bad spans one by one, says why, and gives at most five reasons', () => {
    const good = traceOf(1, 0)
    const bad = [
      { traceId: 'abcd', spanId: spanIdOf(1) },
      { traceId: '0'.repeat(32), spanId: spanIdOf(1) },
      { traceId: traceIdOf(2), spanId: '0'.repeat(16) },
      { traceId: traceIdOf(2), spanId: spanIdOf(1), parentSpanId: 'abcd' },
      { traceId: 'ab'.repeat(4000), spanId: spanIdOf(1) },
      { traceId: traceIdOf(2), spanId: '' },
    ]
    const scan = scanTraces(otlpBody([...bad, ...good]), WANTED)
    assert.equal(scan.spans.length, 1)
    assert.equal(scan.rejected, 6)
    assert.deepEqual(scan.reasons, [
      'resourceSpans[0].scopeSpans[0].spans[0]: trace id has 2 bytes, expected 16',
      'resourceSpans[0].scopeSpans[0].spans[1]: trace id is all zeros',
      'resourceSpans[0].scopeSpans[0].spans[2]: span id is all zeros',
      'resourceSpans[0].scopeSpans[0].spans[3]: parent span id has 2 bytes, expected 8',
      'resourceSpans[0].scopeSpans[0].spans[4]: trace id has 33 bytes or more, expected 16',
    ])
  })

  it('refuses a span that is malformed inside and takes its neighbours', () => {
    const body = Buffer.from(otlpBody([...traceOf(1, 0), ...traceOf(2, 0)]))
    const at = body.indexOf(Buffer.from(traceIdOf(1), 'hex'))
    body[at - 1] = 0x7f // the length of the trace id now passes the span's end
    const scan = scanTraces(body, WANTED)
    assert.deepEqual(
      scan.spans.map((span) => span.traceId),
      [traceIdOf(2)],
    )
    assert.match(scan.reasons[0] ?? '', /spans\[0\]: the protobuf is malformed: a length of 127 where/)
  })

  it('reads an attribute by the book: value before key, a key twice, unknown fields between', () => {
    const key = (text: string) => Buffer.concat([Buffer.from([0x0a, text.length]), Buffer.from(text)])
    const value = (text: string) =>
      Buffer.concat([Buffer.from([0x12, text.length + 2, 0x0a, text.length]), Buffer.from(text)])
    const unknown = Buffer.from([0x18, 0x05])
    const ways = [
      [key('tenant'), value('acme')],
      [value('acme'), key('tenant')],
      [key('other'), value('x'), key('tenant'), value('acme')],
      [key('tenant'), unknown, value('old'), value('acme'), unknown],
    ]
    for (const parts of ways) {
      const body = Buffer.concat([Buffer.from(otlpBody(traceOf(1, 0))), resourceWith(Buffer.concat(parts))])
      const { spans } = scanTraces(body, WANTED)
      assert.deepEqual(
        spans.map((span) => span.attributes[0]),
        [undefined, 'acme'],
      )
      assert.equal(decodeTraces(body)[1]?.attributes.tenant, 'acme')
    }
  })

  it('takes text that was cut at a byte, as text with U+FFFD', () => {
    const body = Buffer.from(otlpBody(traceOf(1, 0, { attributes: { tenant: 'a€' } })))
    body[body.indexOf('€') + 2] = 0x41
    assert.equal(scanTraces(body, WANTED).spans[0]?.attributes[0], 'a\ufffdA')
    assert.deepEqual(decodeTraces(body)[0]?.attributes, { tenant: 'a\ufffdA' })
  })

  it('refuses a truncated body with the place', () => {
    const body = otlpBody(traceOf(1))
    assert.throws(
      () => scanTraces(body.subarray(0, body.length - 3), WANTED),
      (error: unknown) => {
        assert.ok(error instanceof InputError)
        assert.match(error.message, /malformed: a length of \d+ where \d+ bytes are left at byte 1/)
        return true
      },
    )
  })

  it('tells log records that were sent here from spans', () => {
    const record = { timeUnixNano: 5n }
    const logs = encodeOtlp({ resourceSpans: [{ scopeSpans: [{ spans: [{}] }] }] } satisfies OtlpRequest)
    assert.equal(scanTraces(logs, WANTED).withoutIds, 1)
    assert.equal(scanTraces(logs, WANTED).looksLikeLogs, false)
    const time = Buffer.alloc(8)
    time.writeBigUInt64LE(record.timeUnixNano)
    const scan = scanTraces(Buffer.concat([Buffer.from([0x0a, 13, 0x12, 11, 0x12, 9, 0x09]), time]), WANTED)
    assert.equal(scan.withoutIds, 1)
    assert.equal(scan.looksLikeLogs, true)
  })
})

/** ResourceSpans with one span that has one attribute, given as bytes. */
function resourceWith(keyValue: Buffer): Buffer {
  const framed = (tag: number, inner: Buffer) => Buffer.concat([Buffer.from([tag, inner.length]), inner])
  const traceId = framed(0x0a, Buffer.from(traceIdOf(2), 'hex'))
  const spanId = framed(0x12, Buffer.from(spanIdOf(1), 'hex'))
  return framed(0x0a, framed(0x12, framed(0x12, Buffer.concat([traceId, spanId, framed(0x4a, keyValue)]))))
}

function scansOrRefuses(bytes: Uint8Array): void {
  try {
    const { spans, rejected } = scanTraces(bytes, WANTED)
    assert.ok(spans.length + rejected <= bytes.length)
  } catch (error) {
    assert.ok(error instanceof InputError, String(error))
  }
}

/** What a rule would see of a decoded attribute. */
function factOf(attributes: Span['attributes'], key: string): unknown {
  const value = Object.hasOwn(attributes, key) ? attributes[key] : undefined
  if (value === null || typeof value === 'object') return undefined
  if (typeof value === 'string' && /^-?\d{16,}$/.test(value)) return Number(value)
  return value
}
