import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createGzip, gzipSync } from 'node:zlib'
import protobuf from 'protobufjs'
import { openSpool } from '../../src/clients/spool-lmdb.ts'
import type { Spool } from '../../src/core/ports.ts'
import { decodeOtlp } from '../../src/core/trace/otlp/message.ts'
import { decodeTraces } from '../../src/core/trace/otlp/spans.ts'
import { toOtlpJson } from '../../src/core/trace/otlp/to-json.ts'
import { makeOtlp } from '../../src/http/otlp.ts'
import { makeIngest } from '../../src/stages/ingest.ts'
import { otlpBody, spanIdOf, traceOf } from '../support/otlp-fixtures.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MIB = 1024 * 1024
const PROTOBUF = 'application/x-protobuf'
const JSON_TYPE = 'application/json'

const { root } = protobuf.parse(`syntax = "proto3";
  message Status { int32 code = 1; string message = 2; }
  message Partial { int64 rejected_spans = 1; string error_message = 2; }
  message Response { Partial partial_success = 1; }`)
const read = (type: string, bytes: Uint8Array) => root.lookupType(type).decode(bytes).toJSON()

const clock = { now: () => new Date('2026-12-01T10:00:01Z') }
const spool = await openSpool(await temporaryFolder())
after(() => spool.close())
const logged: string[] = []
const log = (level: string, message: string) => logged.push(`${level} ${message}`)

const appOver = (over: Spool, more: { spoolBytesMax?: number; bodyBytesMax?: number } = {}) =>
  makeOtlp({ ingest: makeIngest({ spool: over, clock, log, ...more }), clock, log, ...more })
const app = appOver(spool)

type Sent = string | Uint8Array | ReadableStream
const post = async (body: Sent, headers: Record<string, string>, to = app) =>
  to.request('/v1/traces', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
const body = () => Buffer.from(otlpBody(traceOf(1)))
const asJson = (bytes: Uint8Array) => JSON.stringify(toOtlpJson(decodeOtlp(bytes)))
const statusIn = async (response: Response) => (await response.json()) as { code: number; message: string }
/** What was appended since. */
const appended = async (send: () => Promise<Response>) => {
  const before = spool.after(0, 1e6, 1e12).length
  const response = await send()
  return { response, entries: spool.after(0, 1e6, 1e12).slice(before) }
}

describe('POST /v1/traces', () => {
  it('stores protobuf and JSON alike, plain and gzip, with and without charset', async () => {
    const expected = decodeTraces(body())
    const ways: readonly [Sent, Record<string, string>][] = [
      [body(), { 'content-type': PROTOBUF }],
      [gzipSync(body()), { 'content-type': PROTOBUF, 'content-encoding': 'gzip' }],
      [asJson(body()), { 'content-type': `${JSON_TYPE}; charset=utf-8` }],
      [gzipSync(asJson(body())), { 'content-type': 'Application/JSON', 'content-encoding': 'GZIP' }],
    ]
    for (const [sent, headers] of ways) {
      const { response, entries } = await appended(() => post(sent, headers))
      assert.equal(response.status, 200)
      const isJson = headers['content-type'] !== PROTOBUF
      assert.equal(response.headers.get('content-type'), isJson ? JSON_TYPE : PROTOBUF)
      assert.equal(await response.text(), isJson ? '{}' : '')
      assert.deepEqual(decodeTraces(entries[0]?.body ?? new Uint8Array()), expected)
      assert.equal(entries[0]?.arrivedAt, clock.now().getTime())
    }
  })

  it('answers an empty request with success and stores nothing', async () => {
    for (const [sent, type] of [
      ['', PROTOBUF],
      ['', JSON_TYPE],
      ['{}', JSON_TYPE],
      ['{"resourceSpans":[]}', JSON_TYPE],
    ] as const) {
      const { response, entries } = await appended(() => post(sent, { 'content-type': type }))
      assert.deepEqual([response.status, entries.length], [200, 0])
    }
  })

  it('takes the good spans and tells of the bad ones', async () => {
    const mixed = otlpBody([...traceOf(1), { traceId: 'abcd', spanId: spanIdOf(9) }])
    const expected = '1 of 3 spans refused: resourceSpans[0].scopeSpans[0].spans[2]: trace id has 2 bytes, expected 16'
    const binary = await post(Buffer.from(mixed), { 'content-type': PROTOBUF })
    assert.equal(binary.status, 200)
    assert.deepEqual(read('Response', new Uint8Array(await binary.arrayBuffer())), {
      partialSuccess: { rejectedSpans: '1', errorMessage: expected },
    })
    const json = await post(asJson(mixed), { 'content-type': JSON_TYPE })
    assert.deepEqual(await json.json(), { partialSuccess: { rejectedSpans: '1', errorMessage: expected } })
  })

  it('refuses what is malformed or another signal with 400 and a Status in the encoding of the request', async () => {
    const cases: readonly [Sent, string, RegExp][] = [
      [body().subarray(0, body().length - 4), PROTOBUF, /malformed: a length of \d+ where \d+ bytes are left/],
      [Buffer.from('hello'), PROTOBUF, /malformed|no resourceSpans/],
      [
        Buffer.from([0x0a, 13, 0x12, 11, 0x12, 9, 0x09, 1, 2, 3, 4, 5, 6, 7, 8]),
        PROTOBUF,
        /none of the 1 spans has a trace id and a span id: it looks like OTLP logs/,
      ],
      [
        Buffer.from([0x0a, 6, 0x12, 4, 0x12, 2, 0x18, 1]),
        PROTOBUF,
        /it looks like OTLP metrics, or like no OTLP at all/,
      ],
      ['{"resourceSpans":[', JSON_TYPE, /the body is not JSON/],
      ['{"resourceLogs":[]}', JSON_TYPE, /it looks like OTLP logs/],
      ['{"events":[1]}', JSON_TYPE, /it has no resourceSpans: its signal is unknown/],
      [
        '{"resourceSpans":[{"scopeSpans":[{"spans":[{"body":"a log"}]}]}]}',
        JSON_TYPE,
        /none of the 1 spans has a trace id/,
      ],
      ['{"resourceSpans":[{"scopeSpans":5}]}', JSON_TYPE, /resourceSpans\[0\].scopeSpans is 5, expected a list/],
      [Buffer.from([0xff, 0xfe]), JSON_TYPE, /it is not UTF-8/],
    ]
    for (const [sent, type, expected] of cases) {
      const { response, entries } = await appended(() => post(sent, { 'content-type': type }))
      assert.equal(response.status, 400, String(expected))
      const bytes = new Uint8Array(await response.arrayBuffer())
      const status = type === PROTOBUF ? read('Status', bytes) : JSON.parse(new TextDecoder().decode(bytes))
      assert.equal(status.code, 3)
      assert.match(status.message, expected)
      assert.equal(entries.length, 0)
    }
  })

  it('refuses a gzip body that is none or is cut off', async () => {
    const whole = gzipSync(body())
    for (const sent of [Buffer.from('not gzip'), whole.subarray(0, whole.length - 10)]) {
      const response = await post(sent, { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' })
      assert.equal(response.status, 400)
      assert.match((await statusIn(response)).message, /not complete gzip/)
    }
  })

  it('stops a gzip bomb at the limit while it inflates', async () => {
    const gzip = createGzip()
    const compressed: Buffer[] = []
    gzip.on('data', (chunk: Buffer) => compressed.push(chunk))
    for (let n = 0; n < 256; n++) gzip.write(Buffer.alloc(MIB))
    await new Promise((done) => gzip.end(() => gzip.on('end', done)))
    const bomb = Buffer.concat(compressed)
    assert.ok(bomb.length < MIB)
    const before = process.memoryUsage().arrayBuffers
    const response = await post(bomb, { 'content-type': PROTOBUF, 'content-encoding': 'gzip' })
    assert.equal(response.status, 413)
    assert.ok(process.memoryUsage().arrayBuffers - before < 150 * MIB)
    assert.equal(read('Status', new Uint8Array(await response.arrayBuffer())).code, 8)
  })

  it('refuses a body over the limit, whether it announces its length or not', async () => {
    const small = appOver(spool, { bodyBytesMax: 1000 })
    const announced = await post(Buffer.alloc(1001), { 'content-type': JSON_TYPE, 'content-length': '1001' }, small)
    assert.equal(announced.status, 413)
    assert.match((await statusIn(announced)).message, /larger than 1000 bytes after decompression/)
    const chunks = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(400)),
    })
    assert.equal((await post(chunks, { 'content-type': JSON_TYPE }, small)).status, 413)
  })

  it('refuses other media types and encodings with 415 and other methods with 405', async () => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': '' },
      { 'content-type': JSON_TYPE, 'content-encoding': 'br' },
    ]) {
      const response = await post(body(), headers as Record<string, string>)
      assert.equal(response.status, 415)
      assert.match((await statusIn(response)).message, /is not supported, expected/)
    }
    const response = await app.request('/v1/traces')
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST'])
    assert.match((await statusIn(response)).message, /GET is not allowed at \/v1\/traces, expected POST/)
  })

  it('asks to come again in 1 to 3 seconds when the spool is full, cannot be written, or we are wrong; never 500', async () => {
    const broken = { ...spool, append: async () => assert.fail('no space left on device') }
    const apps = [
      appOver(spool, { spoolBytesMax: 0 }),
      appOver(broken as unknown as Spool),
      makeOtlp({ ingest: { traces: async () => assert.fail('a bug') }, clock, log }),
    ]
    for (const to of apps) {
      const response = await post(body(), { 'content-type': PROTOBUF }, to)
      assert.equal(response.status, 503)
      assert.match(response.headers.get('retry-after') ?? '', /^[123]$/)
      assert.equal(read('Status', new Uint8Array(await response.arrayBuffer())).code, 14)
    }
    assert.ok(logged.includes('error spool cannot be written'))
    assert.ok(logged.includes('warn spool is full, senders are asked to wait'))
  })

  it('asks to come again while the bodies in hand together are too many', async () => {
    const small = appOver(spool, { bodyBytesMax: 1000 })
    const open: ReadableStreamDefaultController[] = []
    const stalled = () =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(900))
          open.push(controller)
        },
      })
    const waiting = Array.from({ length: 8 }, () => post(stalled(), { 'content-type': JSON_TYPE }, small))
    await new Promise((done) => setImmediate(done))
    assert.equal((await post(new Uint8Array(900), { 'content-type': JSON_TYPE }, small)).status, 503)
    for (const controller of open) controller.close()
    for (const response of await Promise.all(waiting)) assert.equal(response.status, 400)
    assert.equal((await post('{}'.padEnd(900), { 'content-type': JSON_TYPE }, small)).status, 200)
  })

  it('answers within 4 KiB however much is wrong', async () => {
    const bad = otlpBody(Array.from({ length: 500 }, () => ({ traceId: 'ab'.repeat(500), spanId: spanIdOf(1) })))
    const response = await post(Buffer.from(bad), { 'content-type': PROTOBUF })
    assert.equal(response.status, 200)
    const bytes = new Uint8Array(await response.arrayBuffer())
    assert.ok(bytes.length < 4096)
    assert.match(read('Response', bytes).partialSuccess.errorMessage, /500 of 500 spans refused: .*; and 495 more$/)
  })
})
