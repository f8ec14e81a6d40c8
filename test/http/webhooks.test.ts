import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { openSpool } from '../../src/clients/spool-lmdb.ts'
import { ConfigError } from '../../src/core/errors.ts'
import { decodeTraces } from '../../src/core/trace/otlp/spans.ts'
import { summarise } from '../../src/core/trace/summarise.ts'
import { makeWebhooks } from '../../src/http/webhooks.ts'
import { makeIngest } from '../../src/stages/ingest.ts'
import { traceIdOf } from '../support/otlp-fixtures.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SECRET = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`
const OLD_SECRET = Buffer.from('the secret from last year').toString('base64')
const NOW_S = Date.parse('2026-12-01T10:00:00Z') / 1000

const clock = { now: () => new Date(NOW_S * 1000) }
const spool = await openSpool(await temporaryFolder())
after(() => spool.close())
const ingest = makeIngest({ spool, clock, log: () => undefined })
const app = makeWebhooks({ sources: [{ name: 'helpdesk', secrets: [SECRET, OLD_SECRET] }], ingest, clock })

type Sent = { id?: string; at?: number; secret?: string; prefix?: string; path?: string; signature?: string }
const send = (
  event: unknown,
  { id = 'msg_1', at = NOW_S, secret = SECRET, prefix = 'webhook', path = '/webhooks/helpdesk', ...more }: Sent = {},
) => {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const signature = more.signature ?? new Webhook(secret).sign(id, new Date(at * 1000), body)
  const headers = { [`${prefix}-id`]: id, [`${prefix}-timestamp`]: String(at), [`${prefix}-signature`]: signature }
  return app.request(path, { method: 'POST', body, headers })
}
const stored = () => spool.after(0, 1e6, 1e12)
const feedback = (more: object = {}) => ({ type: 'feedback', traceId: traceIdOf(1), label: 'thumbs-down', ...more })
const turn = {
  type: 'turn',
  agent: 'support-agent',
  version: '1.2.0',
  session: 's-7',
  user: 'u-42',
  system: 'You help.',
  input: 'Where is my order?',
  output: 'On its way.',
  tools: [
    { name: 'find_order', arguments: { id: 7 }, result: { state: 'sent' } },
    { name: 'track', arguments: {}, error: 'carrier down' },
  ],
  model: 'gpt-5-mini',
  provider: 'openai',
  usage: { input: 120, output: 14 },
  costUsd: 0.0021,
  startedAt: '2026-12-01T09:59:00Z',
  endedAt: '2026-12-01T10:59:02.5+01:00',
}

describe('POST /webhooks/{source}', () => {
  it('turns a signed turn into a trace that reads like any other', async () => {
    const response = await send(turn, { id: 'turn_1' })
    assert.equal(response.status, 202)
    const { traceId } = (await response.json()) as { traceId: string }
    assert.match(traceId, /^[0-9a-f]{32}$/)
    const spans = decodeTraces(stored().at(-1)?.body ?? new Uint8Array())
    assert.ok(spans.every((span) => span.traceId === traceId))
    const summary = summarise(spans)
    assert.deepEqual(
      [
        summary.agent,
        summary.version,
        summary.session,
        summary.user,
        summary.system,
        summary.userInput,
        summary.output,
      ],
      ['support-agent', '1.2.0', 's-7', 'u-42', 'You help.', 'Where is my order?', 'On its way.'],
    )
    assert.deepEqual(
      [summary.model, summary.provider, summary.cost, summary.usage?.input, summary.usage?.output],
      ['gpt-5-mini', 'openai', 0.0021, 120, 14],
    )
    assert.deepEqual(
      summary.tools.map(({ name, args, result, error }) => ({ name, args, result, error })),
      [
        { name: 'find_order', args: { id: 7 }, result: { state: 'sent' }, error: null },
        { name: 'track', args: {}, result: null, error: 'carrier down' },
      ],
    )
    assert.deepEqual(
      [summary.service, summary.durationMs, summary.startedAt, summary.error],
      ['helpdesk', 2500, '2026-12-01T09:59:00.000Z', null],
    )
    assert.equal(spans[0]?.endTimeUnixNano, BigInt(Date.parse('2026-12-01T09:59:02.5Z')) * 1_000_000n)
  })

  it('takes a whole conversation, and an error in place of an output', async () => {
    const input = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Refund me' },
    ]
    const response = await send(
      { type: 'turn', agent: 'a', input, error: 'model unavailable', traceId: traceIdOf(5).toUpperCase() },
      { id: 'turn_2' },
    )
    assert.deepEqual(await response.json(), { outcome: 'accepted', traceId: traceIdOf(5) })
    const summary = summarise(decodeTraces(stored().at(-1)?.body ?? new Uint8Array()))
    assert.deepEqual([summary.userInput, summary.error, summary.output], ['Refund me', 'model unavailable', null])
  })

  it('answers a second delivery of an id with 200 and stores it once', async () => {
    const before = stored().length
    const first = await send(feedback(), { id: 'same' })
    const second = await send(feedback(), { id: 'same' })
    assert.deepEqual([first.status, second.status], [202, 200])
    assert.deepEqual(await second.json(), { outcome: 'duplicate', traceId: traceIdOf(1) })
    assert.equal(stored().length, before + 1)
    assert.deepEqual(JSON.parse(Buffer.from(stored().at(-1)?.body ?? '').toString()), {
      source: 'helpdesk',
      eventId: 'same',
      traceId: traceIdOf(1),
      name: 'user',
      score: null,
      label: 'thumbs-down',
      comment: null,
    })
  })

  it('takes either live secret, several signatures, and the header names of Svix', async () => {
    assert.equal((await send(feedback(), { id: 'old', secret: OLD_SECRET })).status, 202)
    assert.equal((await send(feedback(), { id: 'svix', prefix: 'svix' })).status, 202)
    const signature = `v1,bm9wZQ== ${new Webhook(SECRET).sign('two', new Date(NOW_S * 1000), JSON.stringify(feedback()))} v1a,xyz`
    assert.equal((await send(feedback(), { id: 'two', signature })).status, 202)
  })

  it("agrees with the specification's own example of a signature", async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const payload = '{"test": 2432232314}'
    const [id, timestamp] = ['msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330]
    const key = Buffer.from(secret.slice(6), 'base64')
    assert.equal(
      createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64'),
      'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
    const then = { now: () => new Date(timestamp * 1000) }
    const example = makeWebhooks({ sources: [{ name: 's', secrets: [secret] }], ingest, clock: then })
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const response = await example.request('/webhooks/s', { method: 'POST', body: payload, headers })
    // The signature holds, so that the event is what is refused.
    assert.deepEqual(
      [response.status, ((await response.json()) as { error: { at?: string } }).error.at],
      [400, '$.type'],
    )
  })

  it('refuses a wrong signature, an old or future time and missing headers alike', async () => {
    const wrong = await Promise.all([
      send(feedback(), { secret: Buffer.from('another secret of 24 byte').toString('base64') }),
      send(feedback(), { at: NOW_S - 600 }),
      send(feedback(), { at: NOW_S - 301 }),
      send(feedback(), { at: NOW_S + 301 }),
      send(feedback(), { signature: '' }),
      send(feedback(), { id: 'x'.repeat(300) }),
      app.request('/webhooks/helpdesk', { method: 'POST', body: '{}' }),
    ])
    for (const response of wrong) {
      assert.equal(response.status, 401)
      assert.deepEqual(await response.json(), {
        error: { code: 'unauthorized', message: 'the webhook signature does not hold' },
      })
    }
    const changed = new Webhook(SECRET).sign('msg_1', new Date(NOW_S * 1000), JSON.stringify(feedback()))
    assert.equal((await send(feedback({ label: 'thumbs-up' }), { signature: changed })).status, 401)
    assert.equal((await send(feedback(), { id: 'edge1', at: NOW_S - 300 })).status, 202)
    assert.equal((await send(feedback(), { id: 'edge2', at: NOW_S + 300 })).status, 202)
  })

  it('refuses a bad event with the path of what is wrong', async () => {
    const at = async (event: unknown) => {
      const response = await send(event, { id: 'bad' })
      assert.equal(response.status, 400, JSON.stringify(event))
      return ((await response.json()) as { error: { at?: string } }).error.at
    }
    assert.equal(await at('{"type":'), '$')
    assert.equal(await at({ type: 'ping' }), '$.type')
    assert.equal(await at({ ...turn, agent: '' }), '$.agent')
    assert.equal(await at({ ...turn, tools: [{ name: 'x' }, { name: 5 }] }), '$.tools[1].name')
    assert.equal(await at({ ...turn, colour: 'red' }), '$.colour')
    assert.equal(
      await at(`{"type":"turn","agent":"a","input":"x","output":${'['.repeat(9000)}${']'.repeat(9000)}}`),
      '$',
    )
    assert.equal(await at({ ...turn, usage: { input: -1, output: 0 } }), '$.usage.input')
    assert.equal(await at({ ...turn, startedAt: 'yesterday' }), '$.startedAt')
    assert.equal(await at({ ...turn, startedAt: '2026-12-01T11:00:00Z' }), '$.endedAt')
    assert.equal(await at(feedback({ traceId: '0'.repeat(32) })), '$.traceId')
    assert.equal(await at({ type: 'feedback', traceId: traceIdOf(1) }), '$')
  })

  it('refuses an unknown source with 404, a large body with 413, other methods with 405', async () => {
    assert.equal((await send(feedback(), { path: '/webhooks/nobody' })).status, 404)
    assert.equal((await send(feedback({ comment: 'x'.repeat(1_100_000) }))).status, 413)
    assert.equal((await app.request('/webhooks/helpdesk')).status, 405)
  })

  it('asks to come again when nothing can be stored', async () => {
    const full = makeIngest({ spool, clock, log: () => undefined, spoolBytesMax: 0 })
    const to = makeWebhooks({ sources: [{ name: 's', secrets: [SECRET] }], ingest: full, clock })
    const body = JSON.stringify(feedback())
    const headers = {
      'webhook-id': 'i',
      'webhook-timestamp': String(NOW_S),
      'webhook-signature': new Webhook(SECRET).sign('i', clock.now(), body),
    }
    const response = await to.request('/webhooks/s', { method: 'POST', body, headers })
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '3'])
  })

  it('stops the start at a secret that is none', () => {
    assert.throws(
      () => makeWebhooks({ sources: [{ name: 's', secrets: ['not base64!'] }], ingest, clock }),
      ConfigError,
    )
  })
})
