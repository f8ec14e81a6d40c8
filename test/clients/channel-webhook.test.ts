import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { makeWebhookChannel, webhookBody } from '../../src/clients/channel-webhook.ts'
import { ConfigError } from '../../src/core/errors.ts'
import { digestOf } from '../../src/core/reporting/digest.ts'
import { sampleReport } from '../core/reporting/sample-report.ts'

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`
const digest = digestOf(sampleReport())
const clock = { now: () => new Date() }
const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A real receiver; gives its URL and what it was sent. */
async function receiver(answer: (response: ServerResponse) => void) {
  const seen: { headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    seen.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
    answer(response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, seen }
}

function channelTo(url: string, timeoutMs?: number) {
  return makeWebhookChannel({
    name: 'team',
    url,
    secret: SECRET,
    clock,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
}

const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end('x'.repeat(100_000))

describe('webhook channel', () => {
  it('posts JSON that a Standard Webhooks receiver verifies, under the delivery id', async () => {
    const { url, seen } = await receiver(status(204))
    assert.deepEqual(await channelTo(url).send(digest, 'dlv_7'), { outcome: 'delivered' })
    const [first] = seen
    assert.ok(first !== undefined)
    const verified = new Webhook(SECRET).verify(first.body, first.headers as Record<string, string>) as {
      type: string
      data: Record<string, unknown>
    }
    assert.equal(verified.type, 'assay.report.published')
    assert.deepEqual(Object.keys(verified.data), ['deliveryId', 'reportId', 'subject', 'text', 'markdown', 'report'])
    assert.equal(verified.data.deliveryId, 'dlv_7')
    assert.equal((verified.data.report as { schema: string }).schema, 'assay.report/1')
    assert.equal(first.headers['webhook-id'], 'dlv_7')
    assert.throws(() => new Webhook(SECRET).verify(`${first.body} `, first.headers as Record<string, string>))
  })

  it('sends the same bytes and id in each attempt', async () => {
    const { url, seen } = await receiver(status(200))
    const channel = channelTo(url)
    await channel.send(digest, 'dlv_7')
    await channel.send(digest, 'dlv_7')
    assert.equal(seen[0]?.body, seen[1]?.body)
    assert.equal(seen[0]?.headers['webhook-id'], seen[1]?.headers['webhook-id'])
    assert.equal(seen[0]?.body, webhookBody(digest, 'dlv_7'))
  })

  it('takes 410 as final and other refusals as passing', async () => {
    for (const [code, permanent] of [
      [410, true],
      [400, false],
      [429, false],
      [503, false],
    ] as const) {
      const { url } = await receiver(status(code))
      const result = await channelTo(url).send(digest, 'dlv_7')
      assert.deepEqual(result, { outcome: 'failed', cause: `answered ${code}`, permanent })
    }
  })

  it('does not follow a redirect', async () => {
    const other = await receiver(status(200))
    const { url } = await receiver((response) => response.writeHead(307, { location: other.url }).end())
    const result = await channelTo(url).send(digest, 'dlv_7')
    const cause = 'answered 307, and redirects are not followed'
    assert.deepEqual(result, { outcome: 'failed', cause, permanent: false })
    assert.equal(other.seen.length, 0)
  })

  it('gives up on a receiver that does not answer, and on one that is not there', async () => {
    const { url } = await receiver(() => undefined)
    const silent = await channelTo(url, 50).send(digest, 'dlv_7')
    assert.deepEqual(silent, { outcome: 'failed', cause: 'no answer within 50 ms', permanent: false })
    const gone = await channelTo('http://127.0.0.1:1/hook').send(digest, 'dlv_7')
    assert.ok(gone.outcome === 'failed' && !gone.permanent && gone.cause !== 'fetch failed')
  })

  it('refuses a secret that is none at the start', () => {
    const make = () => makeWebhookChannel({ name: 'team', url: 'http://127.0.0.1', secret: 'whsec_!!', clock })
    assert.throws(make, (error) => error instanceof ConfigError && error.message.startsWith('channel team: its secret'))
  })
})
