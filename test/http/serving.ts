/**
 * A server over a real database for tests. Use cases are the application's; a test gives those that it is about, and any
 * other call fails the test.
 */
import { Hono } from 'hono'
import { type Log, STAGES, type StageName } from '../../src/core/ports.ts'
import { makeServer, type ServerNeeds } from '../../src/http/server.ts'
import type { Running, UseCases } from '../../src/http/use-cases.ts'
import type { Db } from '../../src/store/schema.ts'
import { NOW } from './seed.ts'

export const RUNNING: Running = {
  version: '0.1.0',
  engine: 'pglite',
  startedAt: '2026-10-05T08:00:00.000Z',
  stages: Object.fromEntries(
    STAGES.map((stage) => [
      stage,
      {
        lastWorkedAt: stage === 'publish' ? null : '2026-10-05T09:29:58.000Z',
        lastError: stage === 'publish' ? { at: '2026-10-05T09:29:00.000Z', message: 'team: connection refused' } : null,
      },
    ]),
  ) as unknown as Readonly<Record<StageName, Running['stages'][StageName]>>,
  spool: { entries: 3, bytes: 5120 },
  openTraces: 2,
  schedules: [
    { name: 'weekly', cron: '0 9 * * MON', timezone: 'UTC', nextAt: '2026-10-12T09:00:00.000Z' },
    { name: 'nightly', cron: '0 3 * * *', timezone: 'Europe/Berlin', nextAt: '2026-10-06T01:00:00.000Z' },
  ],
}

function unexpected(name: string): never {
  throw new Error(`the test did not expect ${name} to be asked for`)
}

export function useCasesOf(given: Partial<UseCases> = {}): UseCases {
  return {
    drawCases: () => unexpected('drawCases'),
    importCases: () => unexpected('importCases'),
    startReplay: () => unexpected('startReplay'),
    importTrials: () => unexpected('importTrials'),
    cancelReplay: () => unexpected('cancelReplay'),
    reliability: () => unexpected('reliability'),
    compare: () => unexpected('compare'),
    review: () => unexpected('review'),
    makeReport: () => unexpected('makeReport'),
    runSchedule: () => unexpected('runSchedule'),
    running: async () => RUNNING,
    ...given,
  }
}

export type LogLine = readonly [level: string, message: string, fields: Readonly<Record<string, unknown>> | undefined]

export function serverOver(db: Db, given: Partial<ServerNeeds> = {}, lines: LogLine[] = []) {
  const log: Log = (level, message, fields) => {
    lines.push([level, message, fields])
  }
  let made = 0
  return makeServer({
    db,
    clock: { now: () => NOW },
    random: { id: (prefix) => `${prefix}_${++made}`, seed: () => 'seed' },
    log,
    redact: (text) => text.replaceAll('ada@example.com', '[email]'),
    apiKey: null,
    version: '0.1.0',
    useCases: useCasesOf(),
    readyChecks: [],
    otlp: new Hono().post('/v1/traces', (c) => c.json({})),
    webhooks: new Hono().post('/webhooks/:source', (c) => c.json({})),
    ...given,
  })
}

export function postJson(body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
}

/** Body of an answer, for tests that look into it. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it needs
export async function bodyOf(response: Response): Promise<any> {
  return response.json()
}
