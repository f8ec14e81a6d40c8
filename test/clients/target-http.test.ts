import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type HttpTarget, makeHttpTarget } from '../../src/clients/target-http.ts'
import { freePort } from '../support/postgres-server.ts'
import { startTarget, type TargetServer } from '../support/target-server.ts'

describe('an http target', () => {
  let server: TargetServer
  before(async () => {
    server = await startTarget()
  })
  after(() => server.close())

  function call(userInput: unknown, given: Partial<HttpTarget> = {}, signal = new AbortController().signal) {
    const clock = { now: () => new Date('2026-12-01T09:00:00Z') }
    const target = makeHttpTarget({
      url: server.url,
      timeoutMs: 20_000,
      clock,
      monotonic: () => performance.now(),
      ...given,
    })
    const input = { system: 'Be kind.', userInput, messages: [] }
    return target.call(
      {
        version: '1',
        caseId: 'c',
        trial: 2,
        input,
        idempotencyKey: 'key',
        traceId: 'a'.repeat(32),
        spanId: 'b'.repeat(16),
      },
      signal,
    )
  }

  async function ending(userInput: unknown, given: Partial<HttpTarget> = {}) {
    const answer = await call(userInput, given)
    assert.equal(answer.outcome, 'answered')
    return answer.outcome === 'answered' ? answer.answer : assert.fail()
  }

  it('sends the documented request, and its own headers win over configured ones', async () => {
    let ticks = 100
    const monotonic = () => (ticks += 50)
    const headers = { authorization: 'Bearer x', 'Idempotency-Key': 'mine' }
    const answer = await ending('hello', { headers, monotonic })
    const last = server.received.at(-1)
    assert.deepEqual(last?.body as unknown, {
      case: 'c',
      trial: 2,
      version: '1',
      input: { system: 'Be kind.', userInput: 'hello', messages: [] },
    })
    assert.equal(last?.headers.authorization, 'Bearer x')
    assert.equal(last?.headers['idempotency-key'], 'key')
    assert.equal(last?.headers.traceparent, `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`)
    assert.equal(last?.headers['content-type'], 'application/json')
    assert.equal(last?.headers.connection, 'close')
    assert.deepEqual([answer.status, answer.output, answer.latencyMs], ['completed', 'answer to c', 50])
    assert.doesNotMatch(JSON.stringify(answer), /Bearer/)
  })

  it('times out before the answer begins and while it comes', async () => {
    for (const behaviour of ['hang', 'slow']) {
      const { status, error } = await ending({ do: behaviour }, { timeoutMs: 100 })
      assert.deepEqual([status, error], ['timed_out', { kind: 'timeout', message: 'no answer within 100 ms' }])
    }
  })

  it('fails with the status and the beginning of the body', async () => {
    const answer = await ending({ do: 'status', status: 500, text: `stack ${'x'.repeat(10_000)}` })
    assert.deepEqual([answer.status, answer.error?.kind], ['failed', 'http_500'])
    assert.match(answer.error?.message ?? '', /^stack x{100}/)
    assert.ok((answer.error?.message.length ?? 0) < 600)
    assert.equal((await ending({ do: 'status', status: 404 })).error?.kind, 'http_404')
    assert.equal((await ending({ do: 'status', status: 204, text: '' })).error?.kind, 'http_204')
  })

  it('fails when the connection breaks or is refused', async () => {
    assert.equal((await ending({ do: 'reset' })).error?.kind, 'connection_reset')
    assert.equal((await ending({ do: 'half' })).error?.kind, 'connection_reset')
    const refused = await ending('hello', { url: `http://127.0.0.1:${await freePort()}/` })
    assert.equal(refused.error?.kind, 'connection_refused')
    assert.equal(refused.status, 'failed')
  })

  it('reads no more of an answer than it may', async () => {
    const { status, error } = await ending({ do: 'large' })
    assert.deepEqual([status, error?.kind], ['failed', 'answer_too_large'])
    assert.match(error?.message ?? '', /longer than 4194304 bytes: \{"output":"xxx/)
  })

  it('follows no redirect', async () => {
    const headers = { location: 'http://127.0.0.1:9/elsewhere' }
    const calls = server.received.length
    const { error } = await ending({ do: 'status', status: 307, headers })
    assert.equal(error?.kind, 'http_307')
    assert.match(error?.message ?? '', /elsewhere: redirects are not followed/)
    assert.equal(server.received.length, calls + 1)
  })

  it('asks for another attempt on 429, and on 503 when it says when', async () => {
    const asked = async (behaviour: object) => {
      const answer = await call({ do: 'status', ...behaviour })
      return answer.outcome === 'retry' ? [answer.afterMs, answer.kind] : [answer.outcome]
    }
    assert.deepEqual(await asked({ status: 429 }), [1000, 'http_429'])
    assert.deepEqual(await asked({ status: 429, headers: { 'retry-after': '7' } }), [7000, 'http_429'])
    assert.deepEqual(await asked({ status: 429, headers: { 'retry-after': '86400' } }), [60_000, 'http_429'])
    assert.deepEqual(await asked({ status: 503, headers: { 'retry-after': 'Tue, 01 Dec 2026 09:00:05 GMT' } }), [
      5000,
      'http_503',
    ])
    assert.deepEqual(await asked({ status: 503, headers: { 'retry-after': 'soon' } }), [1000, 'http_503'])
    assert.deepEqual(await asked({ status: 503 }), ['answered'])
  })

  it('knows our own shutdown from a failure of the target', async () => {
    const abort = new AbortController()
    const calls = server.received.length
    const pending = call({ do: 'hang' }, {}, abort.signal)
    await server.whenReceived(calls + 1)
    abort.abort()
    assert.deepEqual(await pending, { outcome: 'interrupted' })
    assert.deepEqual(await call('hello', {}, abort.signal), { outcome: 'interrupted' })
    assert.equal(server.received.length, calls + 1)
  })
})
