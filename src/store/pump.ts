/**
 * Takes jobs of one queue and keeps up to `concurrency` of them under way, each place filled as soon as it is free.
 *
 * A job is over when `run` resolves: `ended` completes it, `interrupted` (or a throw) gives it back. Completions are
 * written together, before the next fetch. A pump that is told to stop leaves no job under way behind.
 */
import type { Job, PgBoss } from 'pg-boss'
import type { Log } from '../core/ports.ts'
import type { TrialKey } from '../core/replay/trial.ts'

export type RunJob = (key: TrialKey, signal: AbortSignal) => Promise<'ended' | 'interrupted'>

export type Pump = { wake(): void; stop(graceMs: number): Promise<void> }

export type PumpNeeds = {
  readonly boss: Pick<PgBoss, 'fetch' | 'complete' | 'fail' | 'touch'>
  readonly queue: string
  readonly concurrency: number
  readonly run: RunJob
  readonly log: Log
  readonly heartbeatSeconds: number
}

/** How long a job that another process enqueued may wait to be seen; our own wake us. */
const IDLE_MS = 1000
/** Heartbeats within the time after which a job is taken back. */
const BEATS = 3

export function makePump({ boss, queue, concurrency, run, log, heartbeatSeconds }: PumpNeeds): Pump {
  const abort = new AbortController()
  const underWay = new Map<Job<TrialKey>, Promise<void>>()
  let over: Job<TrialKey>[] = []
  let stopping = false
  let wakeUp: () => void = () => undefined
  let woken = false

  const wake = () => {
    woken = true
    wakeUp()
  }
  const beat = setInterval(() => touch(), (heartbeatSeconds * 1000) / BEATS)
  const pumping = pump()

  async function pump(): Promise<void> {
    while (!stopping) {
      woken = false
      const found = await settleAndFetch().catch(failed)
      if (found === 0 || underWay.size >= concurrency) await sleep()
    }
  }

  async function settleAndFetch(): Promise<number> {
    await settle()
    const free = concurrency - underWay.size
    if (free === 0 || stopping) return 0
    const jobs = await boss.fetch<TrialKey>(queue, { batchSize: free })
    for (const job of jobs) underWay.set(job, start(job))
    return jobs.length
  }

  async function start(job: Job<TrialKey>): Promise<void> {
    const end = await run(job.data, abort.signal).catch(failed)
    if (end === 'ended') over.push(job)
    else await boss.fail(queue, job, { cause: end === 0 ? 'failed' : end }).catch(failed)
    underWay.delete(job)
    wake()
  }

  async function settle(): Promise<void> {
    const jobs = over
    over = []
    if (jobs.length > 0) await boss.complete(queue, jobs)
  }

  /** Until woken, or until it is time to look again. A wake that came since the last look counts. */
  async function sleep(): Promise<void> {
    if (woken || stopping) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, IDLE_MS)
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function touch(): Promise<void> {
    if (underWay.size > 0) await boss.touch(queue, [...underWay.keys()]).catch(failed)
  }

  /** The database may be away for a while: the jobs are still there when it is back. */
  function failed(error: unknown): 0 {
    log('error', `trials of ${queue}: ${error instanceof Error ? error.message : String(error)}`)
    return 0
  }

  return {
    wake,
    async stop(graceMs) {
      stopping = true
      wake()
      await pumping
      const timer = setTimeout(() => abort.abort(), graceMs)
      await Promise.all(underWay.values())
      clearTimeout(timer)
      clearInterval(beat)
      await settle().catch(failed)
    },
  }
}
