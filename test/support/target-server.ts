/**
 * A real HTTP server that speaks the protocol of docs/targets.md, counts the calls per idempotency key, and behaves as
 * each case's input tells it: `{"do": "hang"}`, `{"do": "status", "status": 500}` and so on.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = {
  readonly key: string
  readonly traceparent: string
  readonly headers: IncomingMessage['headers']
  readonly body: { case: string; trial: number; version: string; input: { userInput: unknown } }
}

export type TargetServer = {
  readonly url: string
  readonly received: readonly Received[]
  /** Calls per idempotency key. */
  calls(): ReadonlyMap<string, number>
  /** The most calls that were under way at once. */
  busiest(): number
  /** Lets all calls go on that `hold` has kept, and those to come. */
  release(): void
  /** Resolves when `n` calls have come in all. */
  whenReceived(n: number): Promise<void>
  close(): Promise<void>
}

type Behaviour = {
  readonly do?: 'answer' | 'hang' | 'hold' | 'status' | 'reset' | 'half' | 'slow' | 'text' | 'large'
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text?: string
  /** Merged into the answer. */
  readonly answer?: Readonly<Record<string, unknown>>
  /** Behaves so for the first calls of a key only. */
  readonly times?: number
}

export async function startTarget(): Promise<TargetServer> {
  const received: Received[] = []
  const held: (() => void)[] = []
  const waiting: { n: number; resolve: () => void }[] = []
  let released = false
  let busy = 0
  let busiest = 0
  const calls = () => new Map([...Map.groupBy(received, ({ key }) => key)].map(([key, list]) => [key, list.length]))

  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request))
    const key = String(request.headers['idempotency-key'])
    received.push({ key, traceparent: String(request.headers.traceparent), headers: request.headers, body })
    for (const { resolve } of waiting.filter(({ n }) => received.length >= n)) resolve()
    busy += 1
    busiest = Math.max(busiest, busy)
    response.on('close', () => {
      busy -= 1
    })
    const asked: Behaviour =
      typeof body.input.userInput === 'object' && body.input.userInput !== null ? body.input.userInput : {}
    const spent = asked.times !== undefined && (calls().get(key) ?? 0) > asked.times
    const behaviour = spent ? {} : asked
    if (behaviour.do === 'hold' && !released) await new Promise<void>((resolve) => held.push(resolve))
    behave(behaviour, body, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    calls,
    busiest: () => busiest,
    release() {
      released = true
      for (const go of held.splice(0)) go()
    },
    whenReceived(n) {
      if (received.length >= n) return Promise.resolve()
      return new Promise((resolve) => waiting.push({ n, resolve }))
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function behave(asked: Behaviour, body: Received['body'], request: IncomingMessage, response: ServerResponse): void {
  const send = (status: number, text: string, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(text)
  }
  if (asked.do === 'hang') return
  if (asked.do === 'reset') {
    request.socket.destroy()
    return
  }
  if (asked.do === 'half') {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"output":', () => request.socket.destroy())
    return
  }
  if (asked.do === 'slow') {
    response.writeHead(200)
    response.write('{"output":')
    return
  }
  if (asked.do === 'status') send(asked.status ?? 500, asked.text ?? 'no', { ...asked.headers })
  else if (asked.do === 'text') send(200, asked.text ?? '')
  else if (asked.do === 'large') send(200, JSON.stringify({ output: 'x'.repeat(8 * 1024 * 1024) }))
  else send(200, JSON.stringify({ output: `answer to ${body.case}`, version: body.version, ...asked.answer }))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
