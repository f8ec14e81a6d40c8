/**
 * A replay stage wired as the app wires it, on a database of the test, against a real target. Time and chance are the
 * test's; nothing stands in for the database, the job queue or HTTP.
 */

import { setTimeout } from 'node:timers/promises'
import { makeHttpTarget } from '../../src/clients/target-http.ts'
import type { Case } from '../../src/core/replay/case.ts'
import { fingerprintOf } from '../../src/core/replay/fingerprint.ts'
import { makeReplay, type Replay } from '../../src/stages/replay.ts'
import type { Database } from '../../src/store/database.ts'
import { importCases } from '../../src/store/import-cases.ts'
import { startJobs, type TrialJobs } from '../../src/store/jobs.ts'
import { planReplay, type ReplayRequest } from '../../src/store/replays.ts'
import { replayProgress } from './stored.ts'

export const NOW = new Date('2026-12-01T09:00:00.000Z')
export const TARGET = 'support agent'
export const PLAIN = { text: (text: string) => text, value: <T>(value: T) => value }

export type Bench = {
  readonly jobs: TrialJobs
  readonly replay: Replay
  readonly logged: readonly string[]
  plan(request: Partial<ReplayRequest<Grader>> & Pick<ReplayRequest<Grader>, 'id'>): Promise<string>
}

export type Grader = { readonly name: string; readonly only?: string }

export type BenchOptions = {
  readonly url: string
  readonly concurrency?: number
  readonly timeoutMs?: number
  readonly redact?: { value<T>(value: T): T }
  readonly now?: () => Date
}

export async function startBench(database: Database, options: BenchOptions): Promise<Bench> {
  const logged: string[] = []
  const clock = { now: options.now ?? (() => NOW) }
  const jobs = await startJobs(database, [TARGET], (_level, message) => logged.push(message))
  const client = makeHttpTarget({
    url: options.url,
    timeoutMs: options.timeoutMs ?? 20_000,
    clock,
    monotonic: () => performance.now(),
  })
  const replay = makeReplay({
    db: database.db,
    jobs,
    targets: [{ name: TARGET, concurrency: options.concurrency ?? 4, client }],
    clock,
    redact: options.redact ?? PLAIN,
    wait: async () => undefined,
    log: (_level, message) => logged.push(message),
  })
  return { jobs, replay, logged, plan: (request) => planReplay(database.db, jobs, { ...requestDefaults, ...request }) }
}

const requestDefaults = {
  name: null,
  suite: 'suite',
  cases: { caseIds: [] as string[] },
  target: { name: TARGET, version: '1.0.0', config: { url: 'http://target' } },
  trials: 3,
  k: 2,
  seed: 'seed',
  completionOnly: false,
  graders: [{ name: 'any' }] as Grader[],
  applies: (grader: Grader, aCase: Case) => grader.only === undefined || grader.only === aCase.id,
  about: { assay: '0.1.0', node: 'v24' },
  now: NOW,
}

/** Imports one case per input; gives their ids, in order. */
export async function givenCases(
  database: Database,
  inputs: Readonly<Record<string, unknown>>,
  suite = 'suite',
): Promise<readonly string[]> {
  const lines = Object.entries(inputs).map(([id, input]) => JSON.stringify({ id, input }))
  const { caseIds } = await importCases(database.db, { suite, lines: eachOf(lines), redact: PLAIN, now: NOW })
  return caseIds
}

export async function* eachOf<T>(values: Iterable<T>): AsyncGenerator<T> {
  for (const value of values) yield value
}

/** Resolves when the replay is no longer running. */
export async function whenFinished(database: Database, id: string): Promise<void> {
  while ((await replayProgress(database.db, id))?.state === 'running') await setTimeout(5)
}

/** A name of a file's own, so that suites sharing a database do not meet. */
export function unique(text: string): string {
  return `${text}-${fingerprintOf([text, counter++]).slice(0, 6)}`
}
let counter = 0
