import assert from 'node:assert/strict'
import { it } from 'node:test'
import { InputError } from '../../src/core/errors.ts'
import { importTrials, type TrialImport } from '../../src/store/import-trials.ts'
import { findReplay } from '../../src/store/replays.ts'
import { caseCounts } from '../../src/store/trials.ts'
import { onBothEngines } from '../support/databases.ts'
import { eachOf, NOW, PLAIN, unique } from '../support/replaying.ts'
import { replayProgress } from '../support/stored.ts'

const GOOD = { case: 'a', trial: 0, target: 'agent', version: '1', status: 'completed', verdict: 'pass' }

onBothEngines('importing trials', (get) => {
  async function importing(lines: readonly (object | string)[], given: Partial<TrialImport> = {}) {
    const { db } = await get()
    const id = unique('replay')
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    const all = { id, replayName: id, lines: eachOf(texts), redact: PLAIN, now: NOW, ...given }
    return { db, id, done: importTrials(db, all) }
  }

  async function refused(lines: readonly (object | string)[], code: string, message: RegExp, given = {}) {
    const { db, id, done } = await importing(lines, given)
    await assert.rejects(done, (error: unknown) => {
      assert.ok(error instanceof InputError, String(error))
      assert.equal(error.code, code)
      assert.match(error.message, message)
      return true
    })
    assert.equal(await findReplay(db, id), undefined, 'nothing is stored')
  }

  it('makes a finished replay with an outcome for every status and verdict', async () => {
    const lines = [
      { ...GOOD, trial: 0 },
      { ...GOOD, trial: 1, verdict: 'fail', latencyMs: 12.5, costUsd: 0.01 },
      { ...GOOD, trial: 2, verdict: 'unknown' },
      { ...GOOD, trial: 3, verdict: null },
      { ...GOOD, trial: 4, status: 'timed_out', error: 'too slow' },
      { ...GOOD, trial: 5, status: 'failed', verdict: 'fail' },
      { ...GOOD, trial: 6, status: 'cancelled', verdict: null },
      '',
      { ...GOOD, trial: 7, status: 'lost', verdict: 'pass' },
      { ...GOOD, case: 'b', trial: 0 },
    ]
    const { db, id, done } = await importing(lines)
    assert.deepEqual(await done, { replayId: id, trials: 9, cases: 2 })
    assert.deepEqual(await caseCounts(db, id), [
      { caseId: 'a', planned: 8, passed: 1, wrong: 1, errored: 3, ungraded: 3, pending: 0, erroredButPassing: 1 },
      { caseId: 'b', planned: 1, passed: 1, wrong: 0, errored: 0, ungraded: 0, pending: 0, erroredButPassing: 0 },
    ])
    const replay = await findReplay(db, id)
    assert.deepEqual(
      [replay?.origin, replay?.state, replay?.target, replay?.version, replay?.trials, replay?.k],
      ['import', 'finished', 'agent', '1', 8, 3],
    )
    assert.equal((await replayProgress(db, id))?.graded, true)
    const trials = await db.selectFrom('trials').selectAll().where('replay_id', '=', id).orderBy('trial').execute()
    assert.deepEqual(
      trials.filter(({ case_id }) => case_id === 'a').map(({ error_kind }) => error_kind),
      [null, null, null, null, 'timeout', 'failed', 'cancelled', 'lost'],
    )
    assert.equal(trials.find(({ trial }) => trial === 1)?.latency_ms, 12.5)
    assert.equal(trials.find(({ trial }) => trial === 4)?.error, 'too slow')
    const verdicts = await db.selectFrom('verdicts').selectAll().where('replay_id', '=', id).execute()
    assert.deepEqual(new Set(verdicts.map(({ grader }) => grader)), new Set(['imported']))
    assert.equal(verdicts.length, 7)
  })

  it('pairs the cases of two imports by their names', async () => {
    const name = unique('shared')
    const one = await importing([{ ...GOOD, case: name }])
    const two = await importing([{ ...GOOD, case: name, version: '2', verdict: 'fail' }])
    await Promise.all([one.done, two.done])
    const ids = await Promise.all([one, two].map(async ({ db, id }) => (await caseCounts(db, id)).map((c) => c.caseId)))
    assert.deepEqual(ids, [[name], [name]])
  })

  it('counts a completed trial without a verdict as passed only where completing is all that is asked', async () => {
    const { db, id, done } = await importing([{ ...GOOD, verdict: null }], { completionOnly: true })
    await done
    assert.equal((await caseCounts(db, id))[0]?.passed, 1)
  })

  it('refuses a bad line by its number, its value and what was expected, and stores nothing', async () => {
    const last = (line: object | string) => [GOOD, { ...GOOD, trial: 1 }, line]
    await refused(last('{"case":'), 'bad_line', /^line 3: \{"case": is not JSON/)
    await refused(last({ ...GOOD, trial: 2, status: 'done' }), 'bad_line', /^line 3: status "done" .*completed/)
    await refused(last({ ...GOOD, trial: 2, verdict: 'maybe' }), 'bad_line', /^line 3: verdict "maybe" .*pass/)
    await refused(last({ ...GOOD, trial: -1 }), 'bad_line', /^line 3: trial -1/)
    await refused(last({ ...GOOD, trial: 1.5 }), 'bad_line', /^line 3: trial 1.5 .*int/)
    await refused(last({ ...GOOD, trial: 2, latencyMs: '5' }), 'bad_line', /^line 3: latencyMs "5" .*number/)
    await refused(last({ ...GOOD, trial: 2, latency_ms: 5 }), 'bad_line', /^line 3: unknown key "latency_ms"/)
    await refused(last({ trial: 2 }), 'bad_line', /^line 3: case is missing/)
    await refused(last('[]'), 'bad_line', /^line 3: \[\]: .*object/)
    await refused([], 'no_trials', /no trial/)
  })

  it('names both lines of a trial that is there twice, near or far apart', async () => {
    await refused([GOOD, { ...GOOD, trial: 1 }, GOOD], 'duplicate_trial', /^line 3: case "a", trial 0 stands on line 1/)
    const many = Array.from({ length: 4100 }, (_, trial) => ({ ...GOOD, trial }))
    await refused([...many, { ...GOOD, trial: 7 }], 'duplicate_trial', /^line 4101: case "a", trial 7 stands on line 8/)
  })

  it('refuses a file of several targets or versions, and another target than asked', async () => {
    await refused([GOOD, { ...GOOD, trial: 1, version: '2' }], 'mixed_version', /^line 2: version "2": line 1 says "1"/)
    await refused(
      [GOOD, { ...GOOD, trial: 1, target: 'b' }],
      'mixed_target',
      /^line 2: target "b": line 1 says "agent"/,
    )
    await refused([GOOD], 'mixed_target', /^line 1: target "agent": expected "other"/, { target: 'other' })
  })

  it('refuses a k that no case has the trials for', async () => {
    await refused([GOOD, { ...GOOD, trial: 1 }], 'bad_k', /k 3 .*1 to 2/, { k: 3 })
  })

  it('refuses a name that is taken', async () => {
    const { id, done } = await importing([GOOD])
    await done
    const second = await importing([GOOD], { replayName: id })
    await assert.rejects(second.done, { code: 'replay_exists' })
  })

  it('redacts the errors that come with it', async () => {
    const redact = { text: (text: string) => text.replace('ada@example.org', '[email]') }
    const { db, id, done } = await importing([{ ...GOOD, status: 'failed', error: 'no mail for ada@example.org\0' }], {
      redact,
    })
    await done
    const { error } = await db
      .selectFrom('trials')
      .select('error')
      .where('replay_id', '=', id)
      .executeTakeFirstOrThrow()
    assert.equal(error, 'no mail for [email]\uFFFD')
  })

  it('reads a long file, batch after batch', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => ({
      ...GOOD,
      case: `case ${i % 400}`,
      trial: Math.floor(i / 400),
    }))
    const { db, id, done } = await importing(lines)
    assert.deepEqual(await done, { replayId: id, trials: 20_000, cases: 400 })
    assert.ok((await caseCounts(db, id)).every(({ planned, passed }) => planned === 50 && passed === 50))
  })
})
