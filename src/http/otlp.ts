/**
 * OTLP/HTTP: POST /v1/traces in protobuf or JSON, plain or gzip, answered as the specification says: 200 with what was
 * refused, 400 for what can never be right, 503 with Retry-After for "in a moment".
 *
 * Never 500: exporters do not repeat it, and what they had is lost. Error bodies are google.rpc.Status in the encoding
 * of the request.
 */
import { type Context, Hono } from 'hono'
import { InputError } from '../core/errors.ts'
import type { Clock, Log } from '../core/ports.ts'
import type { Ingest, TracesAnswer } from '../core/trace/ingestion.ts'
import { type Encoding, encodeExportResponse, encodeStatus } from './otlp-answer.ts'
import { type BodyReader, makeBodyReader } from './request-body.ts'

/** OTLP recommends it, after decompression. */
export const OTLP_BODY_BYTES_MAX = 64 * 1024 * 1024

const PATH = '/v1/traces'
/** Seconds. Exporters give up after about 10 s in all, so that more would lose data. */
const RETRY_AFTER_MAX = 3

const STATUS_CODES = { invalidArgument: 3, resourceExhausted: 8, unimplemented: 12, unavailable: 14 } as const

const NOTHING_SENT: TracesAnswer = { outcome: 'accepted', accepted: 0, rejected: 0, message: null }

export type OtlpNeeds = {
  readonly ingest: Pick<Ingest, 'traces'>
  readonly clock: Clock
  readonly log: Log
  readonly bodyBytesMax?: number
}

export function makeOtlp({ ingest, clock, log, bodyBytesMax = OTLP_BODY_BYTES_MAX }: OtlpNeeds): Hono {
  const readBody = makeBodyReader({ bodyBytesMax })
  const app = new Hono()
  app.post(PATH, async (c) => {
    const encoding = encodingOf(c)
    try {
      return await receive(c, encoding, readBody, ingest, clock)
    } catch (error) {
      if (error instanceof InputError) {
        return refuse(c, encoding ?? 'json', 400, STATUS_CODES.invalidArgument, error.message)
      }
      log('error', 'a trace request failed unexpectedly', { error: error instanceof Error ? error.name : 'unknown' })
      return tryAgain(c, encoding ?? 'json', clock)
    }
  })
  app.all(PATH, (c) => {
    c.header('Allow', 'POST')
    const text = `${c.req.method} is not allowed at ${PATH}, expected POST`
    return refuse(c, encodingOf(c) ?? 'json', 405, STATUS_CODES.unimplemented, text)
  })
  return app
}

async function receive(
  c: Context,
  encoding: Encoding | null,
  readBody: BodyReader,
  ingest: OtlpNeeds['ingest'],
  clock: Clock,
): Promise<Response> {
  const contentEncoding = (c.req.header('content-encoding') ?? 'identity').trim().toLowerCase()
  if (encoding === null) {
    const given = c.req.header('content-type') ?? 'none'
    const text = `Content-Type ${given} is not supported, expected application/x-protobuf or application/json`
    return refuse(c, 'json', 415, STATUS_CODES.invalidArgument, text)
  }
  if (contentEncoding !== 'identity' && contentEncoding !== 'gzip' && contentEncoding !== '') {
    const text = `Content-Encoding ${contentEncoding} is not supported, expected gzip or none`
    return refuse(c, encoding, 415, STATUS_CODES.invalidArgument, text)
  }
  const read = await readBody(c.req.raw, contentEncoding === 'gzip' ? 'gzip' : 'identity', (bytes) =>
    bytes.length === 0 ? Promise.resolve(NOTHING_SENT) : ingest.traces(bytes, encoding),
  )
  if (read.outcome === 'too_large') {
    const text = `the body is larger than ${read.limit} bytes after decompression; send fewer spans at once`
    return refuse(c, encoding, 413, STATUS_CODES.resourceExhausted, text)
  }
  if (read.outcome === 'busy' || read.result.outcome === 'unavailable') return tryAgain(c, encoding, clock)
  return send(c, encoding, 200, encodeExportResponse(read.result, encoding))
}

/** By the media type alone: a charset may follow it. */
function encodingOf(c: Context): Encoding | null {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/x-protobuf' || type === 'application/protobuf') return 'protobuf'
  return type === 'application/json' ? 'json' : null
}

type RefusalStatus = 400 | 405 | 413 | 415 | 503

function refuse(c: Context, encoding: Encoding, status: RefusalStatus, code: number, message: string): Response {
  return send(c, encoding, status, encodeStatus({ code, message }, encoding))
}

function tryAgain(c: Context, encoding: Encoding, clock: Clock): Response {
  // Spread by the time of the request, so that senders that were refused together do not return together.
  c.header('Retry-After', String(1 + (clock.now().getTime() % RETRY_AFTER_MAX)))
  return refuse(c, encoding, 503, STATUS_CODES.unavailable, 'spans cannot be stored at the moment, try again')
}

function send(c: Context, encoding: Encoding, status: 200 | RefusalStatus, body: Uint8Array<ArrayBuffer>): Response {
  c.header('Content-Type', encoding === 'json' ? 'application/json' : 'application/x-protobuf')
  return c.body(body, status)
}
