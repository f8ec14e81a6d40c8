/**
 * A target of kind `http`: one POST a trial, answered in JSON (docs/targets.md).
 *
 * Whatever the target does is data: a time-out, a refusal, a half answer or nonsense end the trial, and nothing it sends
 * makes this throw. Each call has a connection of its own: a kept one that the target closes between two trials would fail
 * the second, and a proxy in front of it could pin all trials to one replica. Headers are sent and never stored.
 */
import type { Clock, TargetClient } from '../core/ports.ts'
import { storableText } from '../core/replay/storable.ts'
import type { TargetAnswer, TargetCall } from '../core/replay/target.ts'
import { excerptOf, readAnswer, requestBody } from '../core/replay/target-protocol.ts'
import { endedWithout, type TrialStatus } from '../core/replay/trial.ts'

export type HttpTarget = {
  readonly url: string
  readonly timeoutMs: number
  /** Name to value, resolved from the environment. They cannot replace the headers of the protocol. */
  readonly headers?: Readonly<Record<string, string>>
  readonly clock: Clock
  /** Milliseconds that only go forward, for latencies. */
  readonly monotonic: () => number
}

const ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** As much of an error's body as is read. */
const ERROR_BYTES_MAX = 4 * 1024
const RETRY_AFTER_MS_DEFAULT = 1000
const RETRY_AFTER_MS_MAX = 60_000

/** Codes of Node and of undici beneath fetch's "fetch failed". */
const ERROR_KINDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection_reset',
  ENOTFOUND: 'host_not_found',
  EAI_AGAIN: 'host_not_found',
  UND_ERR_CONNECT_TIMEOUT: 'connection_timeout',
  ETIMEDOUT: 'connection_timeout',
}

/** fetch's own limits, which end a call before a time-out set above them. */
const FETCH_TIMEOUTS = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']

export function makeHttpTarget(target: HttpTarget): TargetClient {
  return {
    async call(call, signal) {
      if (signal.aborted) return { outcome: 'interrupted' }
      const timeout = AbortSignal.timeout(target.timeoutMs)
      const startedAt = target.monotonic()
      const latencyMs = () => target.monotonic() - startedAt
      try {
        const response = await fetch(target.url, {
          method: 'POST',
          headers: headersOf(target, call),
          body: requestBody(call),
          redirect: 'manual',
          signal: AbortSignal.any([signal, timeout]),
        })
        return await readResponse(response, { version: call.version, latencyMs, now: target.clock.now() })
      } catch (error) {
        if (signal.aborted) return { outcome: 'interrupted' }
        return notAnswered(error, { timedOut: timeout.aborted, timeoutMs: target.timeoutMs, latencyMs: latencyMs() })
      }
    },
  }
}

function headersOf(target: HttpTarget, call: TargetCall): Headers {
  const headers = new Headers(target.headers)
  headers.set('content-type', 'application/json')
  headers.set('accept', 'application/json')
  headers.set('idempotency-key', call.idempotencyKey)
  headers.set('traceparent', `00-${call.traceId}-${call.spanId}-01`)
  headers.set('connection', 'close')
  return headers
}

type Reading = { readonly version: string; readonly latencyMs: () => number; readonly now: Date }

async function readResponse(response: Response, { version, latencyMs, now }: Reading): Promise<TargetAnswer> {
  const { status } = response
  if (status === 200) {
    const body = await readText(response, ANSWER_BYTES_MAX)
    if (body.cut) {
      const message = `the answer is longer than ${ANSWER_BYTES_MAX} bytes: ${excerptOf(body.text)}`
      return ended('failed', 'answer_too_large', message, latencyMs())
    }
    return { outcome: 'answered', answer: readAnswer(body.text, { version, latencyMs: latencyMs() }) }
  }
  const retryAfter = response.headers.get('retry-after')
  const location = response.headers.get('location')
  const { text } = await readText(response, ERROR_BYTES_MAX)
  const kind = `http_${status}`
  if (status === 429 || (status === 503 && retryAfter !== null)) {
    return { outcome: 'retry', afterMs: retryAfterMs(retryAfter, now), kind, cause: excerptOf(storableText(text)) }
  }
  if (status >= 300 && status < 400) {
    const message = `redirected to ${excerptOf(location ?? '')}: redirects are not followed, the target's url must be the final one`
    return ended('failed', kind, message, latencyMs())
  }
  return ended('failed', kind, excerptOf(text), latencyMs())
}

/** At most `bytesMax` bytes as text; `cut` says that there was more, which is not read. */
async function readText(response: Response, bytesMax: number): Promise<{ text: string; cut: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Leaving the loop early cancels the body and closes the connection.
  for await (const chunk of response.body ?? []) {
    const room = bytesMax - bytes
    if (chunk.length > room) return { text: text + decoder.decode(chunk.subarray(0, room)), cut: true }
    bytes += chunk.length
    text += decoder.decode(chunk, { stream: true })
  }
  return { text: text + decoder.decode(), cut: false }
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3), kept between 0 and a minute. */
function retryAfterMs(header: string | null, now: Date): number {
  if (header === null) return RETRY_AFTER_MS_DEFAULT
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now.getTime()
  return Number.isNaN(ms) ? RETRY_AFTER_MS_DEFAULT : Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX)
}

type NotAnswered = { readonly timedOut: boolean; readonly timeoutMs: number; readonly latencyMs: number }

function notAnswered(error: unknown, { timedOut, timeoutMs, latencyMs }: NotAnswered): TargetAnswer {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (timedOut) return ended('timed_out', 'timeout', `no answer within ${timeoutMs} ms`, latencyMs)
  const message = cause instanceof Error && cause.message !== '' ? cause.message : code || 'the call failed'
  if (FETCH_TIMEOUTS.includes(code)) return ended('timed_out', 'timeout', message, latencyMs)
  return ended('failed', ERROR_KINDS[code] ?? 'connection_failed', message, latencyMs)
}

function ended(status: TrialStatus, kind: string, message: string, latencyMs: number): TargetAnswer {
  return { outcome: 'answered', answer: { ...endedWithout(status, kind, storableText(message)), latencyMs } }
}
