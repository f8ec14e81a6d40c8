/**
 * A channel that posts the digest to a webhook, signed as Standard Webhooks has it. `webhook-id` is the delivery's id in
 * each attempt, so that a receiver can pass over a repeat. Redirects are not followed: a signed report goes where the
 * operator said and nowhere else.
 */
import { Webhook } from 'standardwebhooks'
import { ConfigError } from '../core/errors.ts'
import type { Channel, Clock, SendResult } from '../core/ports.ts'
import type { Digest } from '../core/reporting/digest.ts'

const TIMEOUT_MS = 15_000
/** The receiver says that it wants no more of these (Standard Webhooks). */
const GONE = 410

/** `secret` is `whsec_` and base64. Throws ConfigError when it is not. */
export function makeWebhookChannel({
  name,
  url,
  secret,
  clock,
  timeoutMs = TIMEOUT_MS,
}: {
  readonly name: string
  readonly url: string
  readonly secret: string
  readonly clock: Clock
  readonly timeoutMs?: number
}): Channel {
  const webhook = signer(name, secret)
  return {
    async send(digest, deliveryId): Promise<SendResult> {
      const body = webhookBody(digest, deliveryId)
      const now = clock.now()
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'assay',
        'webhook-id': deliveryId,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': webhook.sign(deliveryId, now, body),
      }
      try {
        const signal = AbortSignal.timeout(timeoutMs)
        const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
        await response.body?.cancel()
        return resultOf(response)
      } catch (error) {
        return { outcome: 'failed', cause: causeOf(error, timeoutMs), permanent: false }
      }
    },
  }
}

/** The same bytes in each attempt. docs/reports.md documents it. */
export function webhookBody(digest: Digest, deliveryId: string): string {
  const { reportId, subject, text, markdown, json } = digest
  const report: unknown = JSON.parse(json)
  return JSON.stringify({
    type: 'assay.report.published',
    data: { deliveryId, reportId, subject, text, markdown, report },
  })
}

function resultOf({ ok, status }: Response): SendResult {
  if (ok) return { outcome: 'delivered' }
  const redirected = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
  return { outcome: 'failed', cause: `answered ${status}${redirected}`, permanent: status === GONE }
}

function causeOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`
  // fetch says only "fetch failed": what failed is the cause's.
  return error.cause instanceof Error ? error.cause.message || String(error.cause) : error.message
}

function signer(name: string, secret: string): Webhook {
  try {
    return new Webhook(secret)
  } catch {
    throw new ConfigError('its secret is not one of Standard Webhooks, expected whsec_ and base64', `channel ${name}`)
  }
}
