import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ATTEMPTS_MAX } from '../../src/core/replay/trial.ts'
import type { Database } from '../../src/store/database.ts'
import { cancelReplay, findReplay } from '../../src/store/replays.ts'
import { onBothEngines } from '../support/databases.ts'
import { givenCases, NOW, startBench, TARGET, unique, whenFinished } from '../support/replaying.ts'
import { replayProgress } from '../support/stored.ts'
import { startTarget } from '../support/target-server.ts'

onBothEngines('replay', (get) => {
  async function bench(options: Partial<Parameters<typeof startBench>[1]> = {}) {
    const database = await get()
    const target = await startTarget()
    const made = await startBench(database, { url: target.url, ...options })
    const close = async () => {
      await made.jobs.stop(0)
      await target.close()
    }
    return { database, target, ...made, close }
  }

  async function trialsOf({ db }: Database, replayId: string) {
    return db
      .selectFrom('trials')
      .selectAll()
      .where('replay_id', '=', replayId)
      .orderBy('case_id')
      .orderBy('trial')
      .execute()
  }

  it('runs each trial once, each with a key and a trace of its own, and finishes the replay', async () => {
    const { database, target, replay, plan, close } = await bench()
    const [a, b] = [unique('a'), unique('b')]
    const caseIds = await givenCases(database, { [a]: 'hello', [b]: { question: 'why' } })
    const id = await plan({ id: unique('replay'), cases: { caseIds }, trials: 5 })
    replay.start()
    await whenFinished(database, id)

    const trials = await trialsOf(database, id)
    assert.deepEqual(
      trials.map((t) => [t.case_id, t.trial, t.status, t.output, t.attempts]),
      [a, b].flatMap((c) => [1, 2, 3, 4, 5].map((n) => [c, n, 'completed', `answer to ${c}`, 1])),
    )
    assert.deepEqual(target.calls(), new Map(trials.map((t) => [t.idempotency_key, 1])))
    assert.equal(new Set(trials.map((t) => t.trace_id)).size, 10)
    for (const t of trials) {
      const call = target.received.find(({ key }) => key === t.idempotency_key)
      assert.match(call?.traceparent ?? '', new RegExp(`^00-${t.trace_id}-[0-9a-f]{16}-01$`))
      assert.deepEqual([call?.body.case, call?.body.trial, call?.body.version], [t.case_id, t.trial, '1.0.0'])
    }
    const progress = await replayProgress(database.db, id)
    assert.deepEqual([progress?.state, progress?.planned, progress?.status.completed], ['finished', 0, 10])
    assert.equal(progress?.graded, false)
    await close()
  })

  it('never has more trials of a target under way than its concurrency', async () => {
    const { database, target, replay, plan, close } = await bench({ concurrency: 3 })
    const caseIds = await givenCases(database, { [unique('hold')]: { do: 'hold' } })
    const id = await plan({ id: unique('replay'), cases: { caseIds }, trials: 12 })
    replay.start()
    await target.whenReceived(3)
    target.release()
    await whenFinished(database, id)
    assert.equal(target.busiest(), 3)
    assert.equal(target.received.length, 12)
    await close()
  })

  it('gives every misbehaviour of a target exactly one ending, with its cause', async () => {
    const { database, replay, plan, close } = await bench({ timeoutMs: 500, concurrency: 8 })
    const tag = unique('x')
    const inputs: Readonly<Record<string, [unknown, string, string | null]>> = {
      hang: [{ do: 'hang' }, 'timed_out', 'timeout'],
      slow: [{ do: 'slow' }, 'timed_out', 'timeout'],
      status: [{ do: 'status', status: 500 }, 'failed', 'http_500'],
      reset: [{ do: 'reset' }, 'failed', 'connection_reset'],
      half: [{ do: 'half' }, 'failed', 'connection_reset'],
      text: [{ do: 'text', text: '<html>' }, 'failed', 'invalid_answer'],
      version: [{ answer: { version: '2.0.0' } }, 'failed', 'version_mismatch'],
      nul: [{ answer: { output: 'a\0b\ud800' } }, 'completed', null],
      busy: [{ do: 'status', status: 429, headers: { 'retry-after': '1' } }, 'failed', 'http_429'],
    }
    const caseIds = await givenCases(
      database,
      Object.fromEntries(Object.entries(inputs).map(([name, [input]]) => [`${tag}-${name}`, input])),
    )
    const id = await plan({ id: unique('replay'), cases: { caseIds }, trials: 2, k: 1 })
    replay.start()
    await whenFinished(database, id)
    const trials = await trialsOf(database, id)
    for (const [name, [, status, kind]] of Object.entries(inputs)) {
      const ended = trials.filter((t) => t.case_id === `${tag}-${name}`).map((t) => [t.status, t.error_kind])
      assert.deepEqual(ended, [
        [status, kind],
        [status, kind],
      ])
    }
    assert.match(trials.find((t) => t.case_id === `${tag}-version`)?.error ?? '', /1\.0\.0.*2\.0\.0/)
    assert.equal(trials.find((t) => t.case_id === `${tag}-nul`)?.output, 'a\uFFFDb\uFFFD')
    assert.equal(trials.find((t) => t.case_id === `${tag}-busy`)?.attempts, ATTEMPTS_MAX)
    await close()
  })

  it('tries again with the same key when the target asks for it, within the same trial', async () => {
    const { database, target, replay, plan, close } = await bench()
    const caseIds = await givenCases(database, { [unique('busy')]: { do: 'status', status: 429, times: 2 } })
    const id = await plan({ id: unique('replay'), cases: { caseIds }, trials: 1, k: 1 })
    replay.start()
    await whenFinished(database, id)
    const [trial] = await trialsOf(database, id)
    assert.deepEqual([trial?.status, trial?.attempts], ['completed', 3])
    assert.deepEqual(target.calls(), new Map([[trial?.idempotency_key ?? '', 3]]))
    await close()
  })

  it('loses a trial whose attempts were all interrupted, and calls nobody for it', async () => {
    const { database, target, replay, plan, close } = await bench()
    const caseIds = await givenCases(database, { [unique('a')]: 'hello' })
    const id = await plan({ id: unique('replay'), cases: { caseIds }, trials: 1, k: 1 })
    await database.db.updateTable('trials').set({ attempts: ATTEMPTS_MAX }).where('replay_id', '=', id).execute()
    const key = { replayId: id, caseId: caseIds[0] ?? '', trial: 1 }
    assert.equal(await replay.runTrial(TARGET, key, new AbortController().signal), 'ended')
    const [trial] = await trialsOf(database, id)
    assert.deepEqual([trial?.status, trial?.error_kind, trial?.attempts], ['lost', 'interrupted', ATTEMPTS_MAX])
    assert.equal(target.received.length, 0)
    assert.equal((await findReplay(database.db, id))?.state, 'finished')
    await close()
  })

  it('does not call again for a trial that has ended', async () => {
    const { database, target, replay, plan, close } = await bench()
    const caseIds = await givenCases(database, { [unique('a')]: 'hello' })
    const id = await plan({ id: unique('replay'), cases: { caseIds }, trials: 1, k: 1 })
    const key = { replayId: id, caseId: caseIds[0] ?? '', trial: 1 }
    const run = () => replay.runTrial(TARGET, key, new AbortController().signal)
    assert.deepEqual([await run(), await run()], ['ended', 'ended'])
    assert.equal(target.received.length, 1)
    await close()
  })

  it('leaves trials planned when it is stopped, and another process goes on with the same keys', async () => {
    const first = await bench({ concurrency: 2 })
    const { database, target } = first
    const caseIds = await givenCases(database, { [unique('hold')]: { do: 'hold' } })
    const id = await first.plan({ id: unique('replay'), cases: { caseIds }, trials: 6 })
    first.replay.start()
    await target.whenReceived(2)
    await first.jobs.stop(0)
    const interrupted = [...target.calls().keys()]
    assert.equal((await replayProgress(database.db, id))?.planned, 6)

    const second = await startBench(database, { url: target.url })
    target.release()
    second.replay.start()
    await whenFinished(database, id)
    const trials = await trialsOf(database, id)
    assert.ok(trials.every(({ status }) => status === 'completed'))
    for (const { idempotency_key, attempts } of trials) {
      const times = interrupted.includes(idempotency_key) ? 2 : 1
      assert.deepEqual([attempts, target.calls().get(idempotency_key)], [times, times])
    }
    await second.jobs.stop(0)
    await target.close()
  })

  it('lets trials under way finish within the grace', async () => {
    const { database, target, replay, plan, jobs } = await bench({ concurrency: 2 })
    const caseIds = await givenCases(database, { [unique('hold')]: { do: 'hold' } })
    const id = await plan({ id: unique('replay'), cases: { caseIds }, trials: 6 })
    replay.start()
    await target.whenReceived(2)
    const stopped = jobs.stop(20_000)
    target.release()
    await stopped
    const progress = await replayProgress(database.db, id)
    assert.deepEqual([progress?.status.completed, progress?.planned], [2, 4])
    assert.equal(await cancelReplay(database.db, id, NOW), true)
    await target.close()
  })

  it('loses what is planned when a replay is cancelled, and calls nobody for it', async () => {
    const { database, target, replay, plan, close } = await bench({ concurrency: 1 })
    const caseIds = await givenCases(database, { [unique('hold')]: { do: 'hold' } })
    const id = await plan({ id: unique('replay'), cases: { caseIds }, trials: 3 })
    replay.start()
    await target.whenReceived(1)
    assert.equal(await cancelReplay(database.db, id, NOW), true)
    assert.equal(await cancelReplay(database.db, id, NOW), false)
    target.release()
    const other = await plan({ id: unique('replay'), cases: { caseIds }, trials: 2 })
    await whenFinished(database, other)
    const trials = await trialsOf(database, id)
    assert.deepEqual(
      trials.map((t) => [t.status, t.error_kind]),
      Array(3).fill(['lost', 'replay_cancelled']),
    )
    assert.equal(target.received.length, 3)
    await close()
  })

  it('stores nothing that the redactor would hide', async () => {
    const hide = (text: string) => text.replaceAll('secret', '[hidden]')
    const redact = { value: <T>(value: T) => JSON.parse(hide(JSON.stringify(value))) as T }
    const { database, replay, plan, close } = await bench({ redact })
    const tools = [{ name: 'look', arguments: { q: 'secret' }, result: 'secret' }]
    const caseIds = await givenCases(database, {
      [unique('a')]: { answer: { output: 'the secret', tools } },
      [unique('b')]: { do: 'status', status: 500, text: 'secret stack' },
    })
    const id = await plan({ id: unique('replay'), cases: { caseIds }, trials: 1, k: 1 })
    replay.start()
    await whenFinished(database, id)
    const stored = JSON.stringify(await trialsOf(database, id))
    assert.doesNotMatch(stored, /secret/)
    assert.match(stored, /the \[hidden\]/)
    await close()
  })

  it('makes jobs anew for a replay that stands still, and finishes one whose end was not written', async () => {
    let now = NOW
    const { database, replay, plan, logged, close } = await bench({ now: () => now })
    const caseIds = await givenCases(database, { [unique('a')]: 'hello' })
    const id = await plan({ id: unique('replay'), cases: { caseIds } })
    const ended = await plan({ id: unique('ended'), cases: { caseIds } })
    await database.db.updateTable('trials').set({ status: 'completed' }).where('replay_id', '=', ended).execute()
    await deleteJobs(database)
    replay.start()
    now = new Date(NOW.getTime() + 61_000)
    assert.equal(await replay.sweep(), 'worked')
    assert.equal(await replay.sweep(), 'idle')
    await whenFinished(database, id)
    assert.equal((await findReplay(database.db, ended))?.state, 'finished')
    assert.ok(logged.some((line) => line.includes('stands still')))
    await close()
  })
})

async function deleteJobs({ jobs }: Database): Promise<void> {
  await jobs.db.executeSql('delete from pgboss.job')
}
