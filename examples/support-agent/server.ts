/**
 * The example agent as an HTTP service: `/v1/answer` for production callers, `/v1/trial` for replays, `/healthz`.
 *
 * A trial's answer follows from its Idempotency-Key, so that a repeated delivery gets the same answer and another trial a
 * chance of its own. The truth about seeded mistakes leaves the house only as a header of `/v1/answer`, for the simulated
 * customers; no answer to a trial holds it.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { type Answer, answerTurn, type Turn } from './agent.ts'
import { VERSIONS } from './mistakes.ts'
import { contextOf, startTracing } from './tracing.ts'

export type AgentOptions = {
  /** 0 takes a free one. */
  readonly port: number
  /** Base of the OTLP/HTTP endpoint, without `/v1/traces`. */
  readonly otlpEndpoint: string
  readonly seed: string
}

export type RunningAgent = {
  /** Without a slash at the end. */
  readonly url: string
  /** Lets calls in flight end, exports what waits, frees the port. */
  close(): Promise<void>
}

const HOST = '127.0.0.1'
const BODY_BYTES_MAX = 1024 * 1024
const MESSAGE_CHARACTERS_MAX = 20_000
const CLOSE_GRACE_MS = 2000

export const MISTAKES_HEADER = 'x-seeded-mistakes'

const version = z.enum(VERSIONS)
const message = z.string().min(1).max(MESSAGE_CHARACTERS_MAX)
const word = z.string().min(1).max(200)

const answerRequest = z.object({
  conversation: word,
  user: word,
  message,
  id: word,
  version: version.default('1.0.0'),
})

const textPart = z.object({ type: z.literal('text'), text: z.string() })
const otherPart = z.object({ type: z.string() })

const trialRequest = z.object({
  case: word,
  trial: z.int().min(0),
  version,
  input: z.object({
    userInput: z.unknown(),
    messages: z.array(z.object({ role: z.string(), parts: z.array(z.union([textPart, otherPart])) })).default([]),
  }),
})

/** Starts listening on the loopback address. Rejects when the port is taken. */
export async function startAgent({ port, otlpEndpoint, seed }: AgentOptions): Promise<RunningAgent> {
  const tracing = startTracing(otlpEndpoint)
  const answer = (turn: Turn) => answerTurn(turn, { seed, tracer: tracing.tracer, wait: (ms) => sleep(ms) })
  const server = createServer(getRequestListener(routes(answer).fetch))
  try {
    await listen(server, port)
  } catch (error) {
    await tracing.close()
    throw error
  }
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    async close() {
      await stop(server)
      await tracing.close()
    },
  }
}

function routes(answer: (turn: Turn) => Promise<Answer>): Hono {
  const app = new Hono()
  app.use(bodyLimit({ maxSize: BODY_BYTES_MAX, onError: (c) => refuse(c, 413, 'too_large', 'the body is too large') }))
  app.get('/healthz', (c) => c.json({ status: 'ok', versions: VERSIONS }))
  app.post('/v1/answer', async (c) => {
    const parsed = answerRequest.safeParse(await jsonOf(c))
    if (!parsed.success) return refuseBody(c, parsed.error)
    const { id, conversation, user } = parsed.data
    const turn = {
      ...parsed.data,
      key: id,
      parent: contextOf(c.req.header('traceparent')),
      caller: 'customer' as const,
    }
    const answered = await answer(turn)
    c.header(MISTAKES_HEADER, JSON.stringify(answered.mistakes))
    if (answered.failure !== null) return failed(c, answered.failure, answered.traceId)
    const { output, model, traceId } = answered
    return c.json({ id, conversation, user, answer: output, version: turn.version, model, traceId })
  })
  app.post('/v1/trial', async (c) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined) return refuse(c, 400, 'no_key', 'header Idempotency-Key is missing, expected one per trial')
    const parsed = trialRequest.safeParse(await jsonOf(c))
    if (!parsed.success) return refuseBody(c, parsed.error)
    const text = userTextOf(parsed.data.input)
    if (text === null) return refuse(c, 400, 'no_input', 'input has no text of a user, expected userInput or messages')
    const answered = await answer({
      message: text,
      version: parsed.data.version,
      key,
      conversation: `${parsed.data.case}/${parsed.data.trial}`,
      user: null,
      parent: contextOf(c.req.header('traceparent')),
      caller: 'replay',
    })
    if (answered.failure !== null) return failed(c, answered.failure, answered.traceId)
    const { output, model, tools, usage, costUsd } = answered
    return c.json({ output, version: parsed.data.version, model, tools, usage, costUsd })
  })
  app.notFound((c) => refuse(c, 404, 'not_found', `no ${c.req.method} ${c.req.path}`))
  return app
}

/** What the user says: the input itself, else the last message of a user. Null when there is no text. */
function userTextOf({ userInput, messages }: z.infer<typeof trialRequest>['input']): string | null {
  if (typeof userInput === 'string') return userInput.trim() === '' ? null : userInput
  const last = messages.findLast(({ role }) => role === 'user')
  const text = last?.parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n')
  return text === undefined || text.trim() === '' ? null : text
}

async function jsonOf(c: Context): Promise<unknown> {
  try {
    return await c.req.json()
  } catch {
    return undefined
  }
}

function failed(c: Context, failure: NonNullable<Answer['failure']>, traceId: string): Response {
  return c.json({ error: { code: failure.type, message: failure.message }, traceId }, failure.status)
}

function refuseBody(c: Context, error: z.ZodError): Response {
  const issue = error.issues[0]
  return refuse(c, 400, 'bad_body', `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'not as documented'}`)
}

function refuse(c: Context, status: 400 | 404 | 413, code: string, text: string): Response {
  return c.json({ error: { code, message: text } }, status)
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Waits for calls in flight, but not for ever for a client that does not read. */
function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}
