/**
 * The composition root: constructors and functions, wired by hand, readable with a finger. It decides nothing.
 *
 * Order of start: own the data folder, open and migrate the database, take up jobs, start the loops, then listen. Order of
 * end: stop listening, stop the loops, give back jobs, close spool and database, release the folder.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { makeChannels } from './app/channels.ts'
import { makeFigures } from './app/figures.ts'
import { type Loops, startLoops } from './app/loops.ts'
import { makeReplaying, type ReplayingNeeds } from './app/replaying.ts'
import { makeRunSchedule, nextSlots, startFiring, windowWork } from './app/schedules.ts'
import { makeDiskRoom } from './clients/disk-room.ts'
import { openSpool } from './clients/spool-lmdb.ts'
import { makeHttpTarget } from './clients/target-http.ts'
import type { Config } from './config.ts'
import { ConfigError } from './core/errors.ts'
import type { Clock, Log, Random, Spool, StageName, TargetClient } from './core/ports.ts'
import { makePolicy } from './core/sampling/policy.ts'
import { BYTES_PER_TRACE_MAX, SPANS_PER_TRACE_MAX } from './core/trace/assembly.ts'
import type { Ingest } from './core/trace/ingestion.ts'
import { makeRedactor } from './core/trace/redaction/redactor.ts'
import { summarise } from './core/trace/summarise.ts'
import { makeOtlp } from './http/otlp.ts'
import { makeServer } from './http/server.ts'
import type { UseCases } from './http/use-cases.ts'
import { makeWebhooks } from './http/webhooks.ts'
import { makeClassify } from './stages/classify.ts'
import { makeGrade } from './stages/grade.ts'
import { makeIngest } from './stages/ingest.ts'
import { pipeline } from './stages/pipeline.ts'
import { makePublish } from './stages/publish.ts'
import { makeReplay } from './stages/replay.ts'
import { makeReport } from './stages/report.ts'
import { makeSample } from './stages/sample.ts'
import { makeSelect } from './stages/select.ts'
import { type Database, type DatabasePlace, engineVersion, migrate, openDatabase } from './store/database.ts'
import { review } from './store/failure-modes.ts'
import { startJobs, type TrialJobs } from './store/jobs.ts'
import { type Ownership, takeFolder } from './store/owner.ts'

/** What trials under way get to finish when the service ends; then they are aborted and stay planned. */
const TRIALS_GRACE_MS = 5000
const CONNECTIONS_GRACE_MS = 3000

export type AppNeeds = { readonly log: Log; readonly clock: Clock; readonly random: Random }

export type App = {
  /** A request without a network, for the command line. */
  request(path: string, init?: RequestInit): Promise<Response>
  /** Listens where the configuration says; tells a second process of it. */
  listen(where?: Config['server']): Promise<{ readonly url: string }>
  describeDatabase(): string
  close(): Promise<void>
}

export function databasePlace(config: Config): DatabasePlace {
  if (config.databaseUrl !== null) return { url: config.databaseUrl }
  return { folder: path.join(config.dataFolder, 'pglite'), room: makeDiskRoom(config.dataFolder) }
}

/** The data folder holds the embedded database and the spool; one process has it. */
export function takeDataFolder(config: Config): Ownership {
  return takeFolder(config.dataFolder)
}

export async function startApp(config: Config, needs: AppNeeds): Promise<App> {
  const closing: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end()
  }
  try {
    const ownership = takeDataFolder(config)
    closing.push(() => ownership.release())
    const database = await openDatabase(databasePlace(config))
    closing.push(() => database.close())
    await migrate(database.db)
    const jobs = await startJobs(
      database,
      config.targets.map((target) => target.name),
      needs.log,
    )
    closing.push(() => jobs.stop(TRIALS_GRACE_MS))
    const spool = await openSpool(path.join(config.dataFolder, 'spool'), makeDiskRoom(config.dataFolder))
    closing.push(() => spool.close())
    const { loops, server } = wire(config, { ...needs, database, jobs, spool }, closing)
    closing.push(() => loops.stop())
    return {
      request: async (url, init) => server.request(url, init),
      listen: (where = config.server) => listen(where, server.fetch, ownership, closing),
      describeDatabase: () => (database.engine === 'pglite' ? `embedded, in ${config.dataFolder}` : 'PostgreSQL'),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Wires = AppNeeds & { readonly database: Database; readonly jobs: TrialJobs; readonly spool: Spool }

function wire(config: Config, wires: Wires, closing: (() => Promise<void> | void)[]) {
  const { log, clock, random, database, jobs, spool } = wires
  const { db } = database
  const redactor = makeRedactor()
  const redact = redactor.value
  const version = productVersion()
  // Stages without a loop say themselves that they worked.
  const worked = (stage: StageName) => loops.note(stage)
  const select = makeSelect({ db, clock, random })
  const drawCases: typeof select = async (request) => {
    const drawn = await select(request)
    worked('select')
    return drawn
  }
  const replaying: ReplayingNeeds = { config, db, jobs, clock, random, redactor, drawCases, version }
  const ingest = noted(makeIngest({ spool, clock, log }), () => worked('ingest'))
  const sample = makeSample({
    db,
    spool,
    clock,
    log,
    redact,
    summarise,
    policy: makePolicy(config.sampling.rules, config.sampling.salt),
    limits: {
      decisionDelayMs: config.sampling.decisionDelay,
      idleTimeoutMs: config.sampling.idleTimeout,
      traceTimeoutMs: config.sampling.traceTimeout,
      spansMax: SPANS_PER_TRACE_MAX,
      bytesMax: BYTES_PER_TRACE_MAX,
    },
  })
  const replay = makeReplay({
    db,
    jobs,
    clock,
    log,
    redact: redactor,
    wait,
    targets: replayTargets(config, clock, () => worked('replay')),
  })
  const report = makeReport({
    db,
    clock,
    random,
    log,
    schedules: config.schedules,
    finalAfterMs: config.sampling.traceTimeout,
    ...windowWork(replaying),
  })
  const loops = startLoops(
    pipeline({
      sample: sample.step,
      replay: replay.sweep,
      grade: makeGrade({ db, clock }),
      classify: makeClassify({ db, clock, random }),
      report: report.step,
      publish: makePublish({ db, clock, log, channels: makeChannels(config, clock) }),
    }),
    { clock, log },
  )
  replay.start()
  const server = serverOf(config, wires, { ingest, redact: redactor.text, loops, sample, replaying, tick: report.tick })
  closing.push(startFiring(config, report.tick, log))
  return { loops, server }
}

type Served = {
  readonly ingest: Ingest
  readonly redact: (text: string) => string
  readonly loops: Loops
  readonly sample: ReturnType<typeof makeSample>
  readonly replaying: ReplayingNeeds
  readonly tick: () => Promise<void>
}

function serverOf(config: Config, wires: Wires, { ingest, redact, loops, sample, replaying, tick }: Served) {
  const { log, clock, random, database, spool } = wires
  const { db } = database
  const { version } = replaying
  const startedAt = clock.now().toISOString()
  const useCases: UseCases = {
    ...makeReplaying(replaying),
    ...makeFigures({ db, clock, random }),
    review: (wish) => review(db, { ...wish, clock }),
    runSchedule: makeRunSchedule({ config, db, clock, tick }),
    running: async () => ({
      version,
      engine: database.engine,
      startedAt,
      stages: loops.activity(),
      spool: spool.waiting(),
      openTraces: sample.status().openTraces,
      schedules: nextSlots(config, clock),
    }),
  }
  return makeServer({
    db,
    clock,
    random,
    log,
    version,
    useCases,
    redact,
    apiKey: config.apiKey,
    readyChecks: [
      { name: 'database', check: async () => void (await engineVersion(db)) },
      { name: 'spool', check: async () => void spool.waiting() },
      { name: 'disk', check: async () => makeDiskRoom(config.dataFolder)() },
    ],
    otlp: makeOtlp({ ingest, clock, log }),
    webhooks: makeWebhooks({ sources: config.sources, ingest, clock }),
  })
}

function replayTargets(config: Config, clock: Clock, onAnswer: () => void) {
  const monotonic = () => performance.now()
  return config.targets.map(({ name, concurrency, url, headers, timeout }) => ({
    name,
    concurrency,
    client: answering(makeHttpTarget({ url, headers, timeoutMs: timeout, clock, monotonic }), onAnswer),
  }))
}

function answering(client: TargetClient, onAnswer: () => void): TargetClient {
  return {
    async call(call, signal) {
      const answer = await client.call(call, signal)
      if (answer.outcome === 'answered') onAnswer()
      return answer
    },
  }
}

function noted(ingest: Ingest, onAccepted: () => void): Ingest {
  return {
    async traces(body, format) {
      const answer = await ingest.traces(body, format)
      if (answer.outcome === 'accepted') onAccepted()
      return answer
    },
    async event(event, origin) {
      const answer = await ingest.event(event, origin)
      if (answer.outcome === 'accepted') onAccepted()
      return answer
    },
  }
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}

function productVersion(): string {
  return (JSON.parse(readFileSync(path.join(import.meta.dirname, '..', 'package.json'), 'utf8')) as { version: string })
    .version
}

async function listen(
  { host, port }: Config['server'],
  handle: Parameters<typeof getRequestListener>[0],
  ownership: Ownership,
  closing: (() => Promise<void> | void)[],
): Promise<{ readonly url: string }> {
  const http = createServer(getRequestListener(handle))
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error) =>
      reject(new ConfigError(`cannot listen: ${error.message}; choose another with --port`, `${host}:${port}`)),
    )
    http.listen(port, host, resolve)
  })
  closing.push(async () => {
    const ended = new Promise((resolve) => http.close(resolve))
    http.closeIdleConnections()
    await Promise.race([ended, sleep(CONNECTIONS_GRACE_MS)])
    http.closeAllConnections()
    await ended
  })
  const address = http.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
  ownership.announce(url)
  return { url }
}
