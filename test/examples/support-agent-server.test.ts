/**
 * The example agent as the outside sees it: its HTTP answers, and its spans as Assay's own decoder and normaliser read them.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { SYSTEM_TEXT } from '../../examples/support-agent/agent.ts'
import { type RunningAgent, startAgent } from '../../examples/support-agent/server.ts'
import { conversations, sendTraffic } from '../../examples/support-agent/traffic.ts'
import { readAnswer } from '../../src/core/replay/target-protocol.ts'
import { decodeTraces } from '../../src/core/trace/otlp/spans.ts'
import type { Span } from '../../src/core/trace/span.ts'
import { summarise } from '../../src/core/trace/summarise.ts'
import { parseWebhookEvent } from '../../src/core/trace/webhook.ts'

const SECRET = `whsec_${Buffer.from('a secret of the example, 32 byte').toString('base64')}`
const SEED = 'demo'

type Received = { readonly path: string; readonly headers: Record<string, string>; readonly body: Buffer }

/** Takes OTLP and webhooks as Assay would; the first webhook is asked to come again. */
async function startReceiver() {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = request.headers as Record<string, string>
      received.push({ path: request.url ?? '', headers, body: Buffer.concat(chunks) })
      const isFirstEvent = request.url === '/webhooks/helpdesk' && eventsOf(received).length === 1
      response.writeHead(isFirstEvent ? 503 : 200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    spans: (): readonly Span[] =>
      received.filter(({ path }) => path === '/v1/traces').flatMap(({ body }) => decodeTraces(body)),
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

function eventsOf(received: readonly Received[]) {
  return received.filter(({ path }) => path === '/webhooks/helpdesk')
}

function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text })
}

function trialBody(userInput: unknown, version = '1.0.0') {
  return { case: 'case_1', trial: 0, version, input: { system: null, userInput, messages: [] as unknown[] } }
}

describe('the answers of the example agent', () => {
  let agent: RunningAgent
  before(async () => {
    // Nobody listens there: an agent works without its tracing.
    agent = await startAgent({ port: 0, otlpEndpoint: 'http://127.0.0.1:9', seed: SEED })
  })
  after(() => agent.close())

  it('say that it is well', async () => {
    assert.equal((await fetch(`${agent.url}/healthz`)).status, 200)
  })

  it('repeat for a repeated Idempotency-Key, and are read by the target protocol', async () => {
    const body = trialBody('What are your opening hours?', '2.0.0')
    const ask = async () => (await post(`${agent.url}/v1/trial`, body, { 'idempotency-key': 'k1' })).text()
    const text = await ask()
    assert.equal(await ask(), text)
    const answer = readAnswer(text, { version: '2.0.0', latencyMs: 1 })
    assert.equal(answer.status, 'completed')
    assert.equal(answer.reportedVersion, '2.0.0')
    assert.equal(answer.model, 'seeded-support-2')
    assert.deepEqual(answer.tools[0]?.args, { query: 'opening hours of the shop' })
    assert.ok(answer.usage !== null && answer.usage.input > 0 && answer.usage.output > 0)
    assert.ok(answer.costUsd !== null && answer.costUsd > 0 && answer.costUsd < 0.01)
  })

  it('take the last text of a user where there is no input text, and tell no truth about mistakes', async () => {
    const messages = [{ role: 'user', parts: [{ type: 'text', text: 'How long is the warranty?' }] }]
    const body = { ...trialBody(null), input: { system: null, userInput: null, messages } }
    const response = await post(`${agent.url}/v1/trial`, body, { 'idempotency-key': 'k2' })
    const text = await response.text()
    assert.match(text, /warranty/)
    assert.doesNotMatch(text, /mistake/)
    assert.equal(response.headers.get('x-seeded-mistakes'), null)
  })

  it('fail with 500 or 503 and without Retry-After when the order database takes the agent down', async () => {
    const kinds = new Set<string>()
    for (let trial = 0; trial < 2000 && kinds.size < 2; trial += 50) {
      const burst = Array.from({ length: 50 }, (_, at) =>
        post(`${agent.url}/v1/trial`, trialBody(`Where is my order LF-${20_000 + trial + at}?`), {
          'idempotency-key': `down ${trial + at}`,
        }),
      )
      for (const response of await Promise.all(burst)) {
        const body = (await response.json()) as { error?: { code: string } }
        if (response.status === 200) continue
        assert.ok(response.status === 500 || response.status === 503)
        assert.equal(response.headers.get('retry-after'), null)
        kinds.add(body.error?.code ?? '')
      }
    }
    assert.deepEqual([...kinds].sort(), ['order_database_500', 'order_database_timeout'])
  })

  it('refuse what is no request, with a reason and its place', async () => {
    const key = { 'idempotency-key': 'k' }
    const refused = async (path: string, body: unknown, headers: Record<string, string>) => {
      const response = await post(`${agent.url}${path}`, body, headers)
      const { error } = (await response.json()) as { error: { code: string; message: string } }
      return [response.status, error.code, error.message] as const
    }
    assert.deepEqual((await refused('/v1/trial', trialBody('x'), {})).slice(0, 2), [400, 'no_key'])
    assert.deepEqual((await refused('/v1/trial', '{"case":', key)).slice(0, 2), [400, 'bad_body'])
    assert.deepEqual((await refused('/v1/trial', trialBody({ city: 'Köln' }), key)).slice(0, 2), [400, 'no_input'])
    const [status, , message] = await refused('/v1/trial', trialBody('x', '9.9.9'), key)
    assert.equal(status, 400)
    assert.match(message, /^version: /)
    assert.deepEqual((await refused('/v1/answer', { id: 'a' }, {})).slice(0, 2), [400, 'bad_body'])
    assert.deepEqual((await refused('/v1/answer', `"${'x'.repeat(2 ** 21)}"`, {})).slice(0, 2), [413, 'too_large'])
    assert.deepEqual((await refused('/v2/answer', {}, {})).slice(0, 2), [404, 'not_found'])
  })

  it('reject a port that is taken', async () => {
    const port = Number(new URL(agent.url).port)
    await assert.rejects(startAgent({ port, otlpEndpoint: 'http://127.0.0.1:9', seed: SEED }), { code: 'EADDRINUSE' })
  })
})

describe('the spans of the example agent', () => {
  it('are exported by the time it is closed, and say what was asked, done and answered', async () => {
    const receiver = await startReceiver()
    const agent = await startAgent({ port: 0, otlpEndpoint: `${receiver.url}/`, seed: SEED })
    const message = 'Hi, what is your return policy? Anna'
    const body = { conversation: 'conv-1', user: 'user-1', message, id: 'req-1' }
    const answered = await (await post(`${agent.url}/v1/answer`, body)).json()
    await agent.close()
    await receiver.close()

    const spans = receiver.spans()
    const { answer, traceId } = answered as { answer: string; traceId: string }
    assert.ok(spans.every((span) => span.traceId === traceId))
    const summary = summarise(spans)
    assert.equal(summary.agent, 'support-agent')
    assert.equal(summary.version, '1.0.0')
    assert.equal(summary.service, 'support-agent')
    assert.equal(summary.session, 'conv-1')
    assert.equal(summary.user, 'user-1')
    assert.equal(summary.system, SYSTEM_TEXT)
    assert.equal(summary.userInput, message)
    assert.equal(summary.output, answer)
    assert.equal(summary.model, 'seeded-support-1')
    assert.equal(summary.provider, 'seeded')
    assert.equal(summary.llmCalls, 2)
    assert.deepEqual(
      summary.tools.map(({ name }) => name),
      ['search_help'],
    )
    assert.deepEqual(summary.tools[0]?.args, { query: 'return policy' })
    assert.equal(summary.retrieved[0]?.id, 'returns')
    assert.match(summary.retrieved[0]?.content ?? '', /30 days/)
    assert.equal(summary.finishReason, 'stop')
    assert.ok(summary.usage !== null && summary.usage.input > 0)
    assert.equal(summary.error, null)
    assert.deepEqual(summary.completeness, [])
  })

  it('join the trace context of a trial, and tell replays from customers', async () => {
    const receiver = await startReceiver()
    const agent = await startAgent({ port: 0, otlpEndpoint: receiver.url, seed: SEED })
    const traceId = 'ab'.repeat(16)
    const traceparent = `00-${traceId}-${'cd'.repeat(8)}-01`
    await post(`${agent.url}/v1/trial`, trialBody('How long is the warranty?'), { 'idempotency-key': 'k', traceparent })
    await post(`${agent.url}/v1/trial`, trialBody('How long is the warranty?'), {
      'idempotency-key': 'k',
      traceparent: 'x',
    })
    await agent.close()
    await receiver.close()

    const roots = receiver.spans().filter((span) => span.name.startsWith('invoke_agent'))
    assert.equal(roots.length, 2)
    assert.ok(roots.every((span) => span.attributes['support_agent.caller'] === 'replay'))
    assert.equal(roots.find((span) => span.traceId === traceId)?.parentSpanId, 'cd'.repeat(8))
    assert.equal(roots.find((span) => span.traceId !== traceId)?.parentSpanId, null)
  })
})

describe('the simulated customers', () => {
  it('send all conversations and signed feedback that names the traces, and ask again where Assay is busy', async () => {
    const receiver = await startReceiver()
    const agent = await startAgent({ port: 0, otlpEndpoint: receiver.url, seed: SEED })
    const progress: number[] = []
    const result = await sendTraffic({
      agentUrl: agent.url,
      n: 200,
      seed: SEED,
      concurrency: 32,
      onProgress: (done) => progress.push(done),
      feedback: { url: `${receiver.url}/webhooks/helpdesk`, secret: SECRET, share: 0.6 },
    })
    await agent.close()
    await receiver.close()

    const turns = conversations(SEED, 200).flatMap((conversation) => conversation.turns)
    assert.equal(result.turns, turns.length)
    assert.equal(result.answered + result.failed, result.turns)
    assert.deepEqual(
      progress,
      turns.map((_, at) => at + 1),
    )
    assert.ok(result.failed > 0 && result.mistaken > result.failed)

    const events = eventsOf(receiver.received)
    for (const { headers, body } of events) new Webhook(SECRET).verify(body, headers)
    const ids = events.map(({ headers }) => headers['webhook-id'])
    assert.equal(new Set(ids).size, ids.length - 1)
    const { down, up, refused } = result.feedback
    assert.equal(down + up, new Set(ids).size)
    assert.equal(refused, 0)
    assert.ok(down > 0.4 * result.mistaken && up > 0)
    const traces = new Set(receiver.spans().map((span) => span.traceId))
    assert.equal(traces.size, turns.length)
    for (const { body } of events) {
      const event = parseWebhookEvent(JSON.parse(body.toString()))
      assert.ok(event.type === 'feedback' && traces.has(event.traceId))
      assert.ok(event.label === 'thumbs-down' || event.label === 'thumbs-up')
    }
  })

  it('leave failed turns in error, with the order database named', async () => {
    const receiver = await startReceiver()
    const agent = await startAgent({ port: 0, otlpEndpoint: receiver.url, seed: SEED })
    const { failed } = await sendTraffic({ agentUrl: agent.url, n: 150, seed: SEED, concurrency: 32 })
    await agent.close()
    await receiver.close()

    const summaries = [...Map.groupBy(receiver.spans(), (span) => span.traceId).values()].map(summarise)
    const inError = summaries.filter(({ error }) => error !== null)
    assert.ok(failed > 0)
    assert.equal(inError.length, failed)
    for (const { error, toolErrors } of inError) {
      assert.match(error ?? '', /order database/)
      assert.equal(toolErrors, 1)
    }
  })

  it('stop when they are told to, and when nobody answers', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await assert.rejects(sendTraffic({ agentUrl: 'http://127.0.0.1:9', n: 5, seed: SEED, signal }), /enough/)
    await assert.rejects(sendTraffic({ agentUrl: 'http://127.0.0.1:9', n: 5, seed: SEED }), /fetch failed/)
  })
})

describe('the example agent as a process', () => {
  const main = path.join(import.meta.dirname, '../../examples/support-agent/main.ts')

  it('says where it listens, exports on SIGTERM and ends with 0', async () => {
    const receiver = await startReceiver()
    const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }
    const child = spawn(process.execPath, [main, '--port', '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const url = /listens on (\S+?),/.exec(line)?.[1] ?? ''
    await post(`${url}/v1/trial`, trialBody('How long is the warranty?'), { 'idempotency-key': 'k' })
    child.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null])
    await receiver.close()
    assert.ok(receiver.spans().some((span) => span.name === 'invoke_agent support-agent'))
  })

  it('refuses a port that is none with 2', async () => {
    const child = spawn(process.execPath, [main, '--port', 'x'], { stdio: 'ignore' })
    assert.deepEqual(await once(child, 'exit'), [2, null])
  })
})
