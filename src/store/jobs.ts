/**
 * Trial jobs: pg-boss on the same database. A job says "trial so-and-so is owed" and nothing more; what is true stands in
 * the trials table, so a job that is lost, doubled or late costs time and never a trial.
 *
 * One queue a target: the concurrency limit of a target holds within a process. Jobs are fetched by our own loop and not by
 * pg-boss's workers: those sleep a polling interval after each job, or wait for a whole batch, and either would leave a
 * target idle. A process that dies stops touching its jobs, and they come back after HEARTBEAT_SECONDS; the embedded
 * database has no other process, so there every job is made anew at start, at once.
 */
import { PgBoss } from 'pg-boss'
import { invariant } from '../core/errors.ts'
import type { Log } from '../core/ports.ts'
import type { TrialKey } from '../core/replay/trial.ts'
import { type Database, jobsInside } from './database.ts'
import { makePump, type Pump, type RunJob } from './pump.ts'
import type { Tx } from './schema.ts'
import { type OwedTrial, owedTrials } from './trials.ts'

export type TrialJobs = {
  /** Inside the transaction that plans the trials. A trial that has a job already gets no second one. */
  enqueue(tx: Tx, target: string, trials: readonly TrialKey[]): Promise<void>
  /** Looks for jobs of the target now, not at the next poll: call it after the transaction has committed. */
  wake(target: string): void
  /** Starts to take jobs of a target, `concurrency` at a time. At most once a target. */
  work(target: string, concurrency: number, run: RunJob): void
  /** Takes back jobs of processes that died, and forgets old ones. To be called every few seconds. */
  supervise(): Promise<void>
  /** Takes no more jobs; lets those under way finish for `graceMs`, then aborts them and gives them back. */
  stop(graceMs: number): Promise<void>
}

/** The least that pg-boss allows. */
const HEARTBEAT_SECONDS = 10
/** Below the interval at which supervise is called, so that no call of it is passed over. */
const MONITOR_SECONDS = 2
const FORGET_SECONDS = 3600
const DAY_SECONDS = 24 * 3600
/** Attempts are counted on the trial; a job only has to outlive them. */
const JOB_RETRIES_MAX = 1000
const ENQUEUE_ROWS_MAX = 1000

/** Creates pg-boss's own schema when it is missing. `targets` are all names that this process may plan or run. */
export async function startJobs(database: Database, targets: readonly string[], log: Log): Promise<TrialJobs> {
  const boss = makeBoss(database, log)
  await boss.start()
  for (const target of targets) await createQueue(boss, target)
  const pumps = new Map<string, Pump>()
  const jobs: TrialJobs = {
    enqueue: (tx, target, trials) => enqueue(boss, tx, target, trials, targets),
    wake: (target) => pumps.get(target)?.wake(),
    work(target, concurrency, run) {
      invariant(targets.includes(target) && !pumps.has(target), `queue of ${target} exists and has one worker`)
      pumps.set(
        target,
        makePump({ boss, queue: queueOf(target), concurrency, run, log, heartbeatSeconds: HEARTBEAT_SECONDS }),
      )
    },
    async supervise() {
      for (const target of targets) await boss.supervise(queueOf(target))
    },
    async stop(graceMs) {
      await Promise.all([...pumps.values()].map((pump) => pump.stop(graceMs)))
      await boss.stop({ graceful: false, close: false })
    },
  }
  if (database.engine === 'pglite') await renew(boss, database, targets, jobs)
  return jobs
}

function makeBoss(database: Database, log: Log): PgBoss {
  const boss = new PgBoss({
    ...database.jobs,
    // We drive maintenance ourselves (supervise), and use none of its schedules, flows, statistics or spans.
    supervise: false,
    schedule: false,
    reindex: false,
    monitorVacuum: false,
    registerInstance: false,
    openTelemetry: { enabled: false },
    monitorIntervalSeconds: MONITOR_SECONDS,
    maintenanceIntervalSeconds: FORGET_SECONDS,
  })
  boss.on('error', (error) => log('error', `job queue: ${error.message}`))
  boss.on('warning', ({ message }) => log('warn', `job queue: ${message}`))
  return boss
}

async function createQueue(boss: PgBoss, target: string): Promise<void> {
  await boss.createQueue(queueOf(target), {
    // At most one job of a key that is not over: enqueuing what is enqueued does nothing.
    policy: 'exclusive',
    retryLimit: JOB_RETRIES_MAX,
    retryDelay: 1,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: DAY_SECONDS - 1,
    deleteAfterSeconds: FORGET_SECONDS,
    warningQueueSize: 1_000_000,
  })
}

/** Names of targets hold spaces and no "/"; names of queues the reverse. */
function queueOf(target: string): string {
  return `trials/${target.replaceAll(' ', '/')}`
}

async function enqueue(
  boss: PgBoss,
  tx: Tx,
  target: string,
  trials: readonly TrialKey[],
  targets: readonly string[],
): Promise<void> {
  // pg-boss would look for the queue outside the transaction, and on the embedded database wait for it for ever.
  invariant(targets.includes(target), `target ${target} has a queue in this process`)
  for (let start = 0; start < trials.length; start += ENQUEUE_ROWS_MAX) {
    const jobs = trials.slice(start, start + ENQUEUE_ROWS_MAX).map(({ replayId, caseId, trial }) => ({
      data: { replayId, caseId, trial },
      singletonKey: JSON.stringify([replayId, caseId, trial]),
    }))
    await boss.insert(queueOf(target), jobs, { db: jobsInside(tx) })
  }
}

/** Whoever held these jobs is dead: we are the only process of this database. */
async function renew(boss: PgBoss, { db }: Database, targets: readonly string[], jobs: TrialJobs): Promise<void> {
  for (const target of targets) {
    await boss.deleteAllJobs(queueOf(target))
    await enqueueOwed(db, jobs, target)
  }
}

/** Enqueues all trials that a target owes, or those of some replays, page by page in the order of their keys. How many. */
export async function enqueueOwed(
  db: Database['db'],
  jobs: Pick<TrialJobs, 'enqueue'>,
  target: string,
  replayIds?: readonly string[],
): Promise<number> {
  let count = 0
  let after: string | null = null
  for (;;) {
    const page: readonly OwedTrial[] = await owedTrials(
      db,
      { target, ...(replayIds === undefined ? {} : { replayIds }) },
      { after, limit: ENQUEUE_ROWS_MAX },
    )
    const last = page.at(-1)
    if (last === undefined) return count
    await db.transaction().execute((tx) => jobs.enqueue(tx, target, page))
    count += page.length
    after = last.idempotencyKey
  }
}
