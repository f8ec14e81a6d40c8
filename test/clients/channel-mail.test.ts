import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, it } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { makeMailChannel } from '../../src/clients/channel-mail.ts'
import { digestOf } from '../../src/core/reporting/digest.ts'
import { sampleReport } from '../core/reporting/sample-report.ts'

const digest = digestOf(sampleReport())
const servers: SMTPServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise<void>((resolve) => server.close(() => resolve()))
})

/** A real SMTP server; gives its URL and the messages it took. */
async function mailbox(options: SMTPServerOptions = {}) {
  const messages: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    onData(stream, _session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        messages.push(Buffer.concat(chunks).toString('utf8'))
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = (server.server.address() as AddressInfo).port
  return { url: `smtp://127.0.0.1:${port}`, messages, server }
}

function channelTo(url: string, to = ['team@example.org', 'lead@example.org']) {
  return makeMailChannel({ url, from: 'assay@example.org', to })
}

function smtpError(message: string, responseCode: number): Error {
  return Object.assign(new Error(message), { responseCode })
}

function headersOf(message: string): string {
  return message.slice(0, message.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ')
}

describe('mail channel', () => {
  it('mails text and HTML with a Message-ID of the delivery', async () => {
    const { url, messages } = await mailbox()
    assert.deepEqual(await channelTo(url).send(digest, 'dlv_9'), { outcome: 'delivered' })
    const [message = ''] = messages
    const headers = headersOf(message)
    assert.match(headers, /^Message-ID: <dlv_9@example\.org>$/m)
    assert.match(headers, /^Content-Type: multipart\/alternative/m)
    assert.match(headers, /^Auto-Submitted: auto-generated$/m)
    assert.match(headers, /^Subject: .*weekly: support-agent 1\.5\.0 pass\^3/m)
    assert.match(message, /Content-Type: text\/plain/)
    assert.match(message, /Content-Type: text\/html/)
  })

  it('lets nothing from traffic into the headers', async () => {
    const { url, messages } = await mailbox()
    const hostile = digestOf(sampleReport({ title: 'weekly\r\nBcc: victim@example.net\r\n\r\nbody' }))
    await channelTo(url).send(hostile, 'dlv_9')
    const headers = headersOf(messages[0] ?? '')
    assert.doesNotMatch(headers, /^Bcc:/im)
    assert.match(headers, /^Subject: weekly Bcc: victim@example\.net body: /m)
  })

  it('takes 5xx as final and 4xx as passing', async () => {
    for (const [code, permanent] of [
      [550, true],
      [451, false],
    ] as const) {
      const { url } = await mailbox({ onMailFrom: (_from, _session, callback) => callback(smtpError('no', code)) })
      const result = await channelTo(url).send(digest, 'dlv_9')
      assert.ok(result.outcome === 'failed' && result.permanent === permanent, String(code))
    }
  })

  it('is delivered to those who take it and says who does not', async () => {
    const { url } = await mailbox({
      onRcptTo: ({ address }, _session, callback) =>
        callback(address.startsWith('lead') ? smtpError('unknown', 550) : undefined),
    })
    const result = await channelTo(url).send(digest, 'dlv_9')
    assert.deepEqual(result, { outcome: 'delivered', note: 'refused for lead@example.org' })
  })

  it('can be tried again when nobody listens or the line breaks before the message', async () => {
    const refused = await channelTo('smtp://127.0.0.1:1').send(digest, 'dlv_9')
    assert.ok(refused.outcome === 'failed' && !refused.permanent)
    const { url } = await mailbox({
      onMailFrom: (_from, session) => {
        for (const connection of servers[0]?.connections ?? []) if (connection.session === session) connection.close()
      },
    })
    const broken = await channelTo(url).send(digest, 'dlv_9')
    assert.ok(broken.outcome === 'failed' && !broken.permanent, JSON.stringify(broken))
  })

  it('is uncertain when the line breaks while the server has the message', async () => {
    const { url } = await mailbox({
      onData: (stream) => {
        stream.resume()
        stream.on('end', () => {
          for (const connection of servers[0]?.connections ?? []) connection.close()
        })
      },
    })
    const result = await channelTo(url).send(digest, 'dlv_9')
    assert.equal(result.outcome, 'uncertain')
  })
})
