/**
 * POST /webhooks/{source}: signed events by the Standard Webhooks specification, also under Svix's header names.
 *
 * The signature is checked over the raw bytes, before anything of them is read, in constant time, against each live
 * secret, within 300 s of our clock. Who is refused for it is not told why. docs/webhooks.md is for senders.
 */
import { Buffer } from 'node:buffer'
import { timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { Webhook } from 'standardwebhooks'
import { ConfigError, InputError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { Ingest } from '../core/trace/ingestion.ts'
import { parseWebhookEvent } from '../core/trace/webhook.ts'
import { type BodyReader, makeBodyReader } from './request-body.ts'

export const WEBHOOK_BODY_BYTES_MAX = 1024 * 1024

const TOLERANCE_S = 300
const RETRY_AFTER_S = 3
const SIGNATURES_MAX = 16
/** Of `webhook-id`: printable, and short enough for a key. */
const ID = /^[\x21-\x7e]{1,256}$/

export type WebhookSource = {
  readonly name: string
  /** One or two, the values themselves: base64, with or without `whsec_`. */
  readonly secrets: readonly string[]
}

export type WebhookNeeds = {
  readonly sources: readonly WebhookSource[]
  readonly ingest: Pick<Ingest, 'event'>
  readonly clock: Clock
  readonly bodyBytesMax?: number
}

/** Throws ConfigError for a secret that is none. */
export function makeWebhooks({ sources, ingest, clock, bodyBytesMax = WEBHOOK_BODY_BYTES_MAX }: WebhookNeeds): Hono {
  const signers = new Map(
    sources.map((source) => [source.name, source.secrets.map((secret) => signer(source.name, secret))]),
  )
  const readBody = makeBodyReader({ bodyBytesMax })
  const app = new Hono()
  app.post('/webhooks/:source', async (c) => {
    const source = c.req.param('source')
    const keys = signers.get(source)
    if (keys === undefined)
      return refuse(c, 404, 'not_found', `webhook source ${JSON.stringify(source.slice(0, 80))} is not configured`)
    return receive(c, source, keys, readBody, ingest, clock)
  })
  app.all('/webhooks/:source', (c) => {
    c.header('Allow', 'POST')
    return refuse(c, 405, 'method_not_allowed', `${c.req.method} is not allowed here, expected POST`)
  })
  return app
}

function signer(source: string, secret: string): Webhook {
  try {
    return new Webhook(secret)
  } catch {
    throw new ConfigError(
      'a secret is not base64 (with or without whsec_ before it), expected what the sender shows as its signing secret',
      `source ${source}`,
    )
  }
}

async function receive(
  c: Context,
  source: string,
  keys: readonly Webhook[],
  readBody: BodyReader,
  ingest: WebhookNeeds['ingest'],
  clock: Clock,
): Promise<Response> {
  try {
    const read = await readBody(c.req.raw, 'identity', async (body) => {
      const eventId = verifiedId(c, body, keys, clock.now())
      return eventId === null ? null : ingest.event(parseWebhookEvent(parsed(body)), { source, eventId })
    })
    if (read.outcome === 'too_large') {
      return refuse(c, 413, 'too_large', `the body is larger than ${read.limit} bytes`, 'body')
    }
    if (read.outcome === 'busy' || read.result?.outcome === 'unavailable') return tryAgain(c)
    if (read.result === null) return refuse(c, 401, 'unauthorized', 'the webhook signature does not hold')
    const { outcome, traceId } = read.result
    return c.json({ outcome, traceId }, outcome === 'accepted' ? 202 : 200)
  } catch (error) {
    if (error instanceof InputError) return refuse(c, 400, error.code, error.message, error.at)
    throw error
  }
}

/** The id of an event whose signature and time hold; null otherwise, whichever it was. */
function verifiedId(c: Context, body: Uint8Array, keys: readonly Webhook[], now: Date): string | null {
  const header = (name: string) => c.req.header(`webhook-${name}`) ?? c.req.header(`svix-${name}`) ?? ''
  const id = header('id')
  const timestamp = header('timestamp')
  const given = header('signature').split(' ').slice(0, SIGNATURES_MAX)
  if (!ID.test(id) || !/^\d{1,12}$/.test(timestamp)) return null
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_S) return null
  const at = new Date(Number(timestamp) * 1000)
  const raw = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // The package's own verify() reads the machine's clock, which is not ours to test with; its sign() does the rest.
  const expected = keys.map((key) => key.sign(id, at, raw))
  const holds = given.map((one) => expected.map((other) => equals(one, other)).includes(true)).includes(true)
  return holds ? id : null
}

function equals(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    throw new InputError('bad_json', `the body is not JSON: ${error instanceof Error ? error.message : 'unknown'}`, '$')
  }
}

type RefusalStatus = 400 | 401 | 404 | 405 | 413 | 503

function refuse(c: Context, status: RefusalStatus, code: string, message: string, at?: string): Response {
  return c.json({ error: at === undefined ? { code, message } : { code, message, at } }, status)
}

function tryAgain(c: Context): Response {
  c.header('Retry-After', String(RETRY_AFTER_S))
  return refuse(c, 503, 'unavailable', 'the event cannot be stored at the moment, try again')
}
