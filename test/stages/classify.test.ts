/**
 * The classify stage on both engines: what becomes a failure, where it goes, and that it is written down once, also by several
 * workers, after a worker died, and after people decided.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { FailureMode } from '../../src/core/taxonomy/failure-mode.ts'
import { makeClassify } from '../../src/stages/classify.ts'
import { makeGrade } from '../../src/stages/grade.ts'
import { historyOf, modesFor, review } from '../../src/store/failure-modes.ts'
import { replaysSettled } from '../../src/store/report-evidence.ts'
import type { Db } from '../../src/store/schema.ts'
import { onBothEngines } from '../support/databases.ts'
import { CLOCK, counting, givenFeedback, givenReplay, givenTrace, givenTrial, NOW, tool } from './flow-rows.ts'

const MUST_FIND = { name: 'finds', kind: 'tool-called', tool: 'find' }
const MUST_SAY = { name: 'says', kind: 'contains', value: 'sorry' }

let workers = 0
/** Steps of one worker until there is nothing to do. */
async function classify(db: Db): Promise<void> {
  const step = makeClassify({ db, clock: CLOCK, random: counting(`w${++workers}x`) })
  for (let steps = 0; (await step()) === 'worked'; steps++) assert.ok(steps < 100, 'the stage comes to an end')
}

async function grade(db: Db): Promise<void> {
  const step = makeGrade({ db, clock: CLOCK })
  while ((await step()) === 'worked');
}

const ofReplay = (db: Db, replay: string) =>
  db.selectFrom('failures').selectAll().where('replay_id', '=', replay).orderBy('trial').execute()
const ofTrace = (db: Db, trace: string) =>
  db.selectFrom('failures').selectAll().where('trace_id', '=', trace).executeTakeFirst()
const mode = (db: Db, id: string | undefined) =>
  db
    .selectFrom('failure_modes')
    .selectAll()
    .where('id', '=', id ?? '')
    .executeTakeFirst()

function refused(replay: string, trial: number) {
  return {
    replay_id: replay,
    trial,
    status: 'failed' as const,
    error_kind: 'connection_refused',
    error: `connect ECONNREFUSED 10.0.0.${trial}:5432`,
  }
}

onBothEngines('the classify stage', (get, engine) => {
  it('writes each wrong and errored trial down once and groups the alike', async () => {
    const { db } = await get()
    await givenReplay(db, { id: 'r1', graders: [MUST_SAY, MUST_FIND] })
    const found = { replay_id: 'r1', status: 'completed' as const, tools: [tool('find')] }
    await givenTrial(db, { ...found, trial: 1, output: 'so sorry' })
    await givenTrial(db, { ...found, trial: 2, output: 'order 17 is late' })
    await givenTrial(db, { ...found, trial: 3, output: 'order 18 is here' })
    await givenTrial(db, { ...found, trial: 4, output: 'no', tools: [tool('lose')] })
    await givenTrial(db, refused('r1', 5))
    await givenTrial(db, refused('r1', 6))
    await givenTrial(db, { replay_id: 'r1', trial: 7, status: 'lost' })
    await grade(db)
    assert.equal(await replaysSettled(db, ['r1']), false)
    await classify(db)
    assert.equal(await replaysSettled(db, ['r1']), true)

    const failures = await ofReplay(db, 'r1')
    assert.deepEqual(
      failures.map(({ trial, grader, error_kind, tool: name, category }) => [
        trial,
        grader,
        error_kind,
        name,
        category,
      ]),
      [
        [2, 'says', 'verdict', null, null],
        [3, 'says', 'verdict', null, null],
        // The wrong tool is nearer to the cause than the wrong answer, wherever it stands in the suite.
        [4, 'finds', 'verdict', 'find', 'wrong tool'],
        [5, null, 'connection_refused', null, 'environment failure'],
        [6, null, 'connection_refused', null, 'environment failure'],
      ],
    )
    const modes = failures.map(({ mode_id }) => mode_id)
    assert.equal(modes[0], modes[1])
    assert.equal(modes[3], modes[4])
    assert.equal(new Set(modes).size, 3)
    assert.match(failures[0]?.excerpt ?? '', /contain "sorry", got "order 17 is late"\nanswered: order 17 is late/)

    const proposed = await mode(db, modes[2])
    assert.deepEqual([proposed?.state, proposed?.category], ['proposed', 'wrong tool'])
    assert.match(proposed?.name ?? '', /^finds: expected a call of find, /)
    const history = await historyOf(db, modes[2] ?? '')
    assert.deepEqual(
      history.map(({ act, who, before }) => [act, who, before]),
      [['propose', 'assay', null]],
    )
  })

  it('changes nothing when it runs again', async () => {
    const { db } = await get()
    const before = await db.selectFrom('failures').selectAll().orderBy('id').execute()
    await db.updateTable('trials').set({ classified: false }).execute()
    await classify(db)
    assert.deepEqual(await db.selectFrom('failures').selectAll().orderBy('id').execute(), before)
    const idle = makeClassify({ db, clock: CLOCK, random: counting('idle') })
    assert.equal(await idle(), 'idle')
  })

  it('takes traces with an error, and those that people turned their thumb down on', async () => {
    const { db } = await get()
    await givenTrace(db, { id: 't-error', error: 'HTTP 503 Service Unavailable' })
    await givenTrace(db, { id: 't-fine' })
    await givenTrace(db, { id: 't-down', output: 'take this' })
    await givenTrace(db, { id: 't-up' })
    await givenTrace(db, { id: 't-tool', tools: [tool('pay', { error: 'card 17 was declined' })] })
    await givenFeedback(db, { id: '1', trace: 't-down', comment: 'Wrong answer' })
    await givenFeedback(db, { id: '2', trace: 't-up', label: 'thumbs-up' })
    await givenFeedback(db, { id: '3', trace: 't-tool', label: null, score: 0 })
    await givenFeedback(db, { id: '4', trace: 't-dropped' })
    await classify(db)

    assert.equal((await ofTrace(db, 't-error'))?.category, 'environment failure')
    const down = await ofTrace(db, 't-down')
    assert.deepEqual([down?.error_kind, down?.message], ['feedback', 'thumbs-down: wrong answer'])
    assert.match(down?.excerpt ?? '', /Wrong answer\nanswered: take this/)
    const broken = await ofTrace(db, 't-tool')
    assert.deepEqual([broken?.tool, broken?.message], ['pay', 'card <n> was declined'])
    for (const id of ['t-fine', 't-up', 't-dropped']) assert.equal(await ofTrace(db, id), undefined, id)
    const waiting = await db.selectFrom('feedback').select('event_id').where('classified', '=', false).execute()
    assert.deepEqual(waiting, [])
  })

  it('takes feedback that comes days after its trace, and before it', async () => {
    const { db } = await get()
    await givenFeedback(db, { id: '10', trace: 't-fine' })
    await givenFeedback(db, { id: '11', trace: 't-later' })
    await givenFeedback(db, { id: '12', trace: 't-error', comment: 'still bad' })
    await classify(db)
    assert.equal((await ofTrace(db, 't-fine'))?.message, 'thumbs-down')
    assert.equal((await ofTrace(db, 't-error'))?.error_kind, 'trace_error')
    await givenTrace(db, { id: 't-later' })
    await classify(db)
    assert.equal((await ofTrace(db, 't-later'))?.message, 'thumbs-down')
  })

  it('sends failures of a merged mode to the one it was merged into, and leaves a dismissed one dismissed', async () => {
    const { db } = await get()
    await givenReplay(db, { id: 'r2', graders: [MUST_SAY, MUST_FIND] })
    const [says, , finds, environment] = (await ofReplay(db, 'r1')).map(({ mode_id }) => mode_id)
    assert.ok(says !== undefined && finds !== undefined && environment !== undefined)
    const by = { who: 'Ada', why: null, clock: CLOCK }
    await review(db, { ...by, modeId: finds, act: { act: 'merge', into: says } })
    await review(db, { ...by, modeId: environment, act: { act: 'dismiss' } })
    await givenTrial(db, { replay_id: 'r2', trial: 1, status: 'completed', output: 'no', tools: [tool('lose')] })
    await givenTrial(db, refused('r2', 2))
    await grade(db)
    await classify(db)
    assert.deepEqual(
      (await ofReplay(db, 'r2')).map(({ mode_id }) => mode_id),
      [says, environment],
    )
    assert.deepEqual(new Set((await ofReplay(db, 'r1')).map(({ mode_id }) => mode_id)), new Set([says, environment]))
    assert.equal((await mode(db, environment))?.state, 'dismissed')
    assert.equal((await mode(db, says))?.state, 'proposed')
  })

  it('follows redirects of fingerprints that an older merge left behind', async () => {
    const { db } = await get()
    const [says] = (await ofReplay(db, 'r1')).map(({ mode_id }) => mode_id)
    const merged = await db
      .selectFrom('failure_modes')
      .selectAll()
      .where('state', '=', 'merged')
      .executeTakeFirstOrThrow()
    await db.insertInto('mode_fingerprints').values({ fingerprint: 'left behind', mode_id: merged.id }).execute()
    const proposal = { id: 'mode_unused' } as FailureMode
    const found = await db.transaction().execute((tx) => modesFor(tx, new Map([['left behind', proposal]])))
    assert.equal(found.get('left behind'), says)
  })

  it('gives one mode to one fingerprint, whatever the number of workers', async () => {
    const { db } = await get()
    await givenReplay(db, { id: 'r3' })
    const kinds = ['version_mismatch', 'invalid_answer', 'agent_error', 'answer_too_large']
    for (let trial = 1; trial <= 200; trial++) {
      const kind = kinds[trial % kinds.length] ?? ''
      await givenTrial(db, { replay_id: 'r3', trial, status: 'failed', error_kind: kind, error: `no ${trial}` })
    }
    await grade(db)
    await Promise.all([classify(db), classify(db), classify(db)])
    const failures = await ofReplay(db, 'r3')
    assert.equal(failures.length, 200)
    assert.equal(new Set(failures.map(({ mode_id }) => mode_id)).size, kinds.length)
    const { rows } = {
      rows: await db.selectFrom('failure_modes').select('id').where('name', 'like', '%: no <n>').execute(),
    }
    assert.equal(rows.length, kinds.length, 'no proposal of a loser is left')
  })

  // The embedded engine has one connection: its transactions never overlap.
  const itOverlapping = engine === 'postgres' ? it : () => undefined
  itOverlapping('uses the winner where another worker proposed first', async () => {
    const { db } = await get()
    const proposal = (id: string): ReadonlyMap<string, FailureMode> => {
      const at = NOW.toISOString()
      const given = { state: 'proposed', name: id, definition: null, category: null, mergedInto: null } as const
      return new Map(['f1', 'f2'].map((f) => [f, { id: `${id}-${f}`, ...given, createdAt: at, updatedAt: at }]))
    }
    const first = Promise.withResolvers<void>()
    const second = Promise.withResolvers<void>()
    const winner = db.transaction().execute(async (tx) => {
      const modes = await modesFor(tx, proposal('winner'))
      first.resolve()
      await second.promise
      return modes
    })
    await first.promise
    const loser = db.transaction().execute((tx) => {
      // Its insert waits for the winner's transaction, which ends only now.
      second.resolve()
      return modesFor(tx, new Map([...proposal('loser')].toReversed()))
    })
    assert.deepEqual(Object.fromEntries(await winner), { f1: 'winner-f1', f2: 'winner-f2' })
    assert.deepEqual(Object.fromEntries(await loser), { f1: 'winner-f1', f2: 'winner-f2' })
    assert.equal(await mode(db, 'loser-f1'), undefined)
  })

  it('leaves everything as it was when it is killed half way', async () => {
    const { db } = await get()
    await givenReplay(db, { id: 'r4' })
    await givenTrial(db, refused('r4', 1))
    await givenTrace(db, { id: 't-killed', error: 'boom' })
    await grade(db)
    const dying = makeClassify({ db, clock: { now: () => assert.fail('killed') }, random: counting('dead') })
    await assert.rejects(dying(), /killed/)
    assert.deepEqual(await ofReplay(db, 'r4'), [])
    await classify(db)
    assert.equal((await ofReplay(db, 'r4')).length, 1)
    assert.equal((await ofTrace(db, 't-killed'))?.message, 'boom')
  })

  it('survives hostile names, messages and outputs', async () => {
    const { db } = await get()
    await givenReplay(db, { id: 'r5', graders: [{ name: 'f', kind: 'forbidden-tool', tools: ['x'] }] })
    const hostile = `<b>\u202e'"; drop table failures; --\u0007${'['.repeat(5000)}`
    await givenTrial(db, {
      replay_id: 'r5',
      trial: 1,
      status: 'failed',
      error_kind: 'agent_error',
      error: hostile,
      output: { message: hostile },
      tools: [tool(hostile, { error: hostile })],
    })
    await grade(db)
    await classify(db)
    const [failure] = await ofReplay(db, 'r5')
    assert.ok(failure !== undefined && failure.message.length <= 300 && failure.excerpt.length <= 602)
    assert.ok(((await mode(db, failure.mode_id))?.name.length ?? 0) <= 120)
  })
})
