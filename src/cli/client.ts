/**
 * The command line as a client of the HTTP API: over the network to a running service, or in-process to an app of its
 * own. One contract, one code path; the commands do not know which.
 */
import { type App, startApp } from '../app.ts'
import { type Config, loadConfig } from '../config.ts'
import { InputError, NotFoundError } from '../core/errors.ts'
import { makeLog } from '../telemetry.ts'
import type { Flags, Io } from './command.ts'
import { numberFlag, textFlag } from './command.ts'

export type Client = {
  get<T>(path: string): Promise<T>
  /** The body as it stands: reports in their own bytes. */
  text(path: string): Promise<string>
  post<T>(path: string, body: unknown): Promise<T>
  /** Lines of a file, streamed where there is a network. */
  send<T>(path: string, lines: string): Promise<T>
  close(): Promise<void>
}

type Request = (path: string, init?: RequestInit) => Promise<Response>

/** `config` may be changed before an in-process app starts (a concurrency flag, say). */
export async function connect(flags: Flags, io: Io, adjust: (config: Config) => Config = (c) => c): Promise<Client> {
  const config = adjust(configOf(flags))
  const url = textFlag(flags, 'url') ?? config.url
  if (url !== null) return clientOver(remote(url, config.apiKey), async () => undefined)
  const log = makeLog({ isTTY: io.isTerminal, write: io.err }, io.clock, { quiet: true })
  const app: App = await startApp(config, { log, clock: io.clock, random: io.random })
  return { ...clientOfApp(app, config), close: () => app.close() }
}

/** To an app of this process; closing the client leaves the app running. */
export function clientOfApp(app: Pick<App, 'request'>, { apiKey }: Pick<Config, 'apiKey'>): Client {
  const headers = new Headers({ host: 'localhost', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) })
  return clientOver(
    async (path, init = {}) => app.request(path, { ...init, headers: mergeHeaders(headers, init.headers) }),
    async () => undefined,
  )
}

export function configOf(flags: Flags): Config {
  const config = textFlag(flags, 'config')
  const data = textFlag(flags, 'data')
  const port = numberFlag(flags, 'port', { min: 0, max: 65_535 })
  return loadConfig({
    ...(config === undefined ? {} : { config }),
    ...(data === undefined ? {} : { data }),
    ...(port === undefined ? {} : { port }),
  })
}

function remote(url: string, apiKey: string | null): Request {
  const headers = new Headers(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` })
  return async (path, init = {}) => {
    try {
      return await fetch(new URL(`${url.replace(/\/+$/, '')}${path}`), {
        ...init,
        headers: mergeHeaders(headers, init.headers),
      })
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
      throw new InputError('unreachable', `no answer: ${cause}`, url)
    }
  }
}

function mergeHeaders(base: Headers, more: RequestInit['headers']): Headers {
  const merged = new Headers(base)
  new Headers(more).forEach((value, key) => {
    merged.set(key, value)
  })
  return merged
}

function clientOver(request: Request, close: () => Promise<void>): Client {
  const read = async (path: string, init?: RequestInit) => {
    const response = await request(path, init)
    if (response.ok) return response
    throw await errorOf(response, path)
  }
  // What the service answers is described by its schemas; here it is taken at its word.
  const json = async <T>(path: string, init?: RequestInit) => (await (await read(path, init)).json()) as T
  const body = (text: string, type: string): RequestInit => ({
    method: 'POST',
    body: text,
    headers: { 'content-type': type },
  })
  return {
    get: (path) => json(path),
    text: async (path) => (await read(path)).text(),
    post: (path, value) => json(path, body(JSON.stringify(value), 'application/json')),
    send: (path, lines) => json(path, body(lines, 'application/x-ndjson')),
    close,
  }
}

async function errorOf(response: Response, path: string): Promise<Error> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; at?: string } }
    return response.status === 404
      ? new NotFoundError(error.message, error.at)
      : new InputError(error.code, error.message, error.at)
  } catch {
    return new InputError('unexpected_answer', `answered ${response.status}: ${text.slice(0, 200)}`, path)
  }
}
