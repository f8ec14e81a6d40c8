import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import type { Database } from '../../src/store/database.ts'
import { findReplay } from '../../src/store/replays.ts'
import { caseCounts } from '../../src/store/trials.ts'
import { onBothEngines } from '../support/databases.ts'
import { type Bench, givenCases, NOW, startBench, unique } from '../support/replaying.ts'
import { replayProgress } from '../support/stored.ts'

onBothEngines('planning a replay', (get) => {
  let started: Promise<Bench> | undefined
  after(async () => (await started)?.jobs.stop(0))

  async function bench() {
    const database = await get()
    started ??= startBench(database, { url: 'http://127.0.0.1:9/' })
    return { database, ...(await started) }
  }

  async function jobsOf({ jobs }: Database, replayId: string) {
    const { rows } = await jobs.db.executeSql(`select data from pgboss.job where data ->> 'replayId' = $1`, [replayId])
    return rows.map(({ data }) => `${data.caseId} ${data.trial}`).sort()
  }

  async function trialsOf({ db }: Database, replayId: string) {
    return db.selectFrom('trials').selectAll().where('replay_id', '=', replayId).execute()
  }

  it('writes the replay, its trials and a job for each', async () => {
    const { database, plan } = await bench()
    const caseIds = await givenCases(database, { [unique('a')]: 'x', [unique('b')]: 'y' })
    const id = await plan({ id: unique('replay'), name: unique('weekly'), cases: { caseIds }, trials: 4 })
    const trials = await trialsOf(database, id)
    assert.equal(trials.length, 8)
    assert.ok(trials.every((t) => t.status === null && t.attempts === 0 && t.outcome === null))
    assert.deepEqual(await jobsOf(database, id), trials.map((t) => `${t.case_id} ${t.trial}`).sort())
    const replay = await findReplay(database.db, id)
    assert.deepEqual([replay?.state, replay?.trials, replay?.k, replay?.seed], ['running', 4, 2, 'seed'])
    const manifest = replay?.manifest as { assay?: string; cases?: { count: number }; target?: { name: string } }
    assert.deepEqual([manifest.assay, manifest.cases?.count, manifest.target?.name], ['0.1.0', 2, 'support agent'])
    assert.equal((await findReplay(database.db, replay?.name ?? ''))?.id, id)
    assert.equal((await replayProgress(database.db, id))?.planned, 8)
    assert.equal(await replayProgress(database.db, 'nobody'), undefined)
  })

  it('writes nothing at all when it is refused', async () => {
    const { database, plan } = await bench()
    const [a, b] = [unique('a'), unique('b')]
    const caseIds = await givenCases(database, { [a]: 'x', [b]: 'y' })
    const name = unique('taken')
    await plan({ id: unique('replay'), name, cases: { caseIds } })
    const id = unique('refused')
    const refused = (more: object, expected: object) =>
      assert.rejects(plan({ id, cases: { caseIds }, ...more }), expected)
    await refused({ name }, { code: 'replay_exists', message: new RegExp(name) })
    await refused({ k: 4 }, { code: 'bad_k' })
    await refused({ graders: [{ name: 'g', only: a }] }, { code: 'case_without_check', message: new RegExp(b) })
    await refused({ graders: [] }, { code: 'case_without_check' })
    await refused({ cases: { caseIds: [] } }, { code: 'no_cases' })
    await refused({ cases: { caseIds: [a, 'nobody'] } }, { code: 'not_found', message: 'no case nobody' })
    await refused({ cases: { drawId: 'nobody' } }, { code: 'no_cases' })
    assert.deepEqual(await trialsOf(database, id), [])
    assert.deepEqual(await jobsOf(database, id), [])
    assert.equal(await findReplay(database.db, id), undefined)
  })

  it('replays cases without a check where completing is all that is asked', async () => {
    const { database, plan } = await bench()
    const caseIds = await givenCases(database, { [unique('a')]: 'x' })
    const id = await plan({ id: unique('replay'), cases: { caseIds }, graders: [], completionOnly: true })
    assert.equal((await trialsOf(database, id)).length, 3)
  })

  it('enqueues nothing in a transaction that does not commit', async () => {
    const { database, jobs } = await bench()
    const key = { replayId: unique('undone'), caseId: 'c', trial: 1 }
    const undone = database.db.transaction().execute(async (tx) => {
      await jobs.enqueue(tx, 'support agent', [key])
      throw new Error('undone')
    })
    await assert.rejects(undone, /undone/)
    assert.deepEqual(await jobsOf(database, key.replayId), [])
  })

  it('enqueues no second job for a trial that has one', async () => {
    const { database, plan, jobs } = await bench()
    const caseIds = await givenCases(database, { [unique('a')]: 'x' })
    const id = await plan({ id: unique('replay'), cases: { caseIds }, trials: 4 })
    const keys = [1, 2, 3, 4].map((trial) => ({ replayId: id, caseId: caseIds[0] ?? '', trial }))
    await database.db.transaction().execute((tx) => jobs.enqueue(tx, 'support agent', keys))
    assert.equal((await jobsOf(database, id)).length, 4)
  })

  it('counts each trial of a case once, and what errored but would have passed', async () => {
    const { database, plan } = await bench()
    const { db } = database
    const [a] = await givenCases(database, { [unique('a')]: 'x' })
    const id = await plan({ id: unique('replay'), cases: { caseIds: [a ?? ''] }, trials: 6 })
    const set = async (trial: number, status: string, outcome: string | null, verdicts: readonly string[]) => {
      await db
        .updateTable('trials')
        .set({ status: status as 'completed', outcome: outcome as 'passed', ended_at: NOW })
        .where('replay_id', '=', id)
        .where('trial', '=', trial)
        .execute()
      for (const [i, verdict] of verdicts.entries()) {
        const key = { replay_id: id, case_id: a ?? '', trial, grader: `g${i}` }
        await db
          .insertInto('verdicts')
          .values({ ...key, verdict: verdict as 'pass', explanation: '' })
          .execute()
      }
    }
    await set(1, 'completed', 'passed', ['pass', 'pass'])
    await set(2, 'completed', 'wrong', ['pass', 'fail'])
    await set(3, 'timed_out', 'errored', ['pass', 'pass'])
    await set(4, 'timed_out', 'errored', ['pass', 'unknown'])
    await set(5, 'failed', 'errored', [])
    assert.deepEqual(await caseCounts(db, id), [
      { caseId: a, planned: 6, passed: 1, wrong: 1, errored: 3, ungraded: 0, pending: 1, erroredButPassing: 1 },
    ])
  })
})
