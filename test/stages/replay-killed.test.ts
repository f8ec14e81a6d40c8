import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { migrate, openDatabase } from '../../src/store/database.ts'
import { freshPostgresUrl } from '../support/databases.ts'
import { givenCases, startBench } from '../support/replaying.ts'
import { replayProgress } from '../support/stored.ts'
import { startTarget, type TargetServer } from '../support/target-server.ts'

const WORKER = path.join(import.meta.dirname, '..', 'support', 'replay-worker.ts')
/** Six cases; those of the one that the target holds are fewer than what the worker runs at a time. */
const TRIALS_PER_CASE = 3
const TRIALS = 18
/** Seconds, not minutes, on a machine that does other things too. */
const PROMPT_MS = 60_000

type Place = { readonly url: string } | { readonly folder: string }

describe('kill -9 during a replay', () => {
  it('on the embedded database repeats no finished trial and goes on at once with the same keys', async (t) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'assay-killed-'))
    await killedTwice(t, { folder: path.join(folder, 'db') })
    await rm(folder, { recursive: true, force: true })
  })

  it('on PostgreSQL repeats no finished trial and goes on within seconds with the same keys', async (t) => {
    await killedTwice(t, { url: await freshPostgresUrl() })
  })
})

async function killedTwice(t: TestContext, place: Place): Promise<void> {
  const target = await startTarget()
  const planned = await plan(place, target.url)

  // Each life is killed while calls are under way that the target holds, after others have been answered.
  const before = await life(place, target, () => target.whenReceived(8))
  const between = await life(place, target, () => target.whenReceived(target.received.length + 3))
  target.release()
  const calls = target.received.length
  const startedAt = performance.now()
  const last = spawnWorker(place, target.url)
  await target.whenReceived(calls + 1)
  const wentOnMs = Math.round(performance.now() - startedAt)
  await once(last, 'exit')
  const endedMs = Math.round(performance.now() - startedAt)
  t.diagnostic(`started again, went on after ${wentOnMs} ms, ended after ${endedMs} ms`)
  assert.ok(endedMs < PROMPT_MS, `ended after ${endedMs} ms`)

  const database = await openDatabase(place)
  const trials = await database.db.selectFrom('trials').selectAll().execute()
  assert.equal((await replayProgress(database.db, 'killed'))?.state, 'finished')
  assert.deepEqual(new Set(trials.map(({ status }) => status)), new Set(['completed']))
  assert.deepEqual(new Map(trials.map((t) => [keyOf(t), t.idempotency_key])), planned)
  for (const { idempotency_key, attempts } of trials) {
    const calls = target.calls().get(idempotency_key) ?? 0
    assert.ok(calls >= 1 && calls <= attempts && attempts <= 3, `${calls} calls in ${attempts} attempts`)
  }
  for (const { finished, calls } of [before, between]) {
    assert.ok(finished.length >= 4 && finished.length < TRIALS, `${finished.length} trials had finished`)
    for (const key of finished)
      assert.equal(target.calls().get(key), calls.get(key), 'a finished trial was called again')
  }
  assert.ok(
    [...target.calls().values()].some((calls) => calls > 1),
    'some trial was interrupted and called again',
  )
  await database.close()
  await target.close()
}

/** Gives the idempotency key of each planned trial. */
async function plan(place: Place, url: string): Promise<ReadonlyMap<string, string>> {
  const database = await openDatabase(place)
  await migrate(database.db)
  const { jobs, plan } = await startBench(database, { url })
  const caseIds = await givenCases(database, {
    a: 'hello',
    b: 'hello',
    c: 'hello',
    d: 'hello',
    e: 'hello',
    held: { do: 'hold' },
  })
  await plan({ id: 'killed', cases: { caseIds }, trials: TRIALS_PER_CASE })
  await jobs.stop(0)
  const trials = await database.db.selectFrom('trials').selectAll().execute()
  await database.close()
  return new Map(trials.map((t) => [keyOf(t), t.idempotency_key]))
}

/** Lets a worker process live until `enough`, kills it, and says which trials had finished, after which calls. */
async function life(place: Place, target: TargetServer, enough: () => Promise<void>) {
  const worker = spawnWorker(place, target.url)
  await enough()
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  const database = await openDatabase(place)
  const rows = await database.db
    .selectFrom('trials')
    .select('idempotency_key')
    .where('status', 'is not', null)
    .execute()
  await database.close()
  return { finished: rows.map((row) => row.idempotency_key), calls: target.calls() }
}

function spawnWorker(place: Place, url: string): ChildProcess {
  return spawn(process.execPath, [WORKER, JSON.stringify(place), url], { stdio: ['ignore', 'inherit', 'inherit'] })
}

function keyOf({ case_id, trial }: { case_id: string; trial: number }): string {
  return `${case_id} ${trial}`
}
