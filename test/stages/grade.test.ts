/** The grade stage on both engines: outcomes, what is judged, and that a trial is graded once. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeGrade } from '../../src/stages/grade.ts'
import type { Db } from '../../src/store/schema.ts'
import { caseCounts } from '../../src/store/trials.ts'
import { onBothEngines } from '../support/databases.ts'
import { CLOCK, givenCase, givenReplay, givenTrial, tool } from './flow-rows.ts'

const FOUND = { name: 'finds', kind: 'tool-called', tool: 'find' }
const PARIS = { name: 'says-paris', kind: 'exact', reference: true, category: 'unsupported claim' }

async function grade(db: Db): Promise<void> {
  const step = makeGrade({ db, clock: CLOCK })
  for (let steps = 0; (await step()) === 'worked'; steps++) assert.ok(steps < 100, 'the stage comes to an end')
}

const outcomes = (db: Db, replay: string) =>
  db.selectFrom('trials').select(['trial', 'outcome']).where('replay_id', '=', replay).orderBy('trial').execute()

const verdicts = (db: Db, replay: string) =>
  db.selectFrom('verdicts').selectAll().where('replay_id', '=', replay).orderBy('trial').orderBy('grader').execute()

onBothEngines('the grade stage', (get) => {
  it('gives each ended trial its outcome and its verdicts', async () => {
    const { db } = await get()
    await givenReplay(db, { id: 'r1', graders: [FOUND, PARIS] })
    await givenCase(db, 'r1-case', { reference: 'Paris' })
    const all = { replay_id: 'r1', tools: [tool('find')] }
    await givenTrial(db, { ...all, trial: 1, status: 'completed', output: 'Paris' })
    await givenTrial(db, { ...all, trial: 2, status: 'completed', output: 'London' })
    await givenTrial(db, { ...all, trial: 3, status: 'completed', output: null })
    await givenTrial(db, { ...all, trial: 4, status: 'timed_out' })
    await givenTrial(db, { ...all, trial: 5, status: 'lost' })
    await givenTrial(db, { ...all, trial: 6, status: 'failed', output: 'Paris' })
    await givenTrial(db, { ...all, trial: 7, status: null })
    await grade(db)
    assert.deepEqual(
      (await outcomes(db, 'r1')).map(({ outcome }) => outcome),
      ['passed', 'wrong', 'ungraded', 'errored', 'ungraded', 'errored', null],
    )
    const judged = await verdicts(db, 'r1')
    assert.deepEqual([...new Set(judged.map(({ trial }) => trial))], [1, 2, 3, 6])
    const [wrong] = judged.filter(({ trial, verdict }) => trial === 2 && verdict === 'fail')
    assert.equal(wrong?.category, 'unsupported claim')
    assert.match(wrong?.explanation ?? '', /expected "Paris", got "London"/)
    const [counts] = await caseCounts(db, 'r1')
    assert.equal(counts?.erroredButPassing, 1)
  })

  it('lets no verdict decide that is not required', async () => {
    const { db } = await get()
    await givenReplay(db, { id: 'r2', graders: [{ ...FOUND, required: false }] })
    await givenTrial(db, { replay_id: 'r2', trial: 1, status: 'completed', output: 'x', tools: [tool('find')] })
    await givenReplay(db, { id: 'r3', graders: [{ ...FOUND, required: false }], completionOnly: true })
    await givenTrial(db, { replay_id: 'r3', trial: 1, status: 'completed', output: 'x' })
    await grade(db)
    assert.equal((await outcomes(db, 'r2'))[0]?.outcome, 'ungraded')
    assert.equal((await outcomes(db, 'r3'))[0]?.outcome, 'passed')
    assert.deepEqual(
      (await verdicts(db, 'r3')).map(({ verdict, required }) => [verdict, required]),
      [['fail', false]],
    )
  })

  it('asks only the graders that apply to the case', async () => {
    const { db } = await get()
    await givenReplay(db, {
      id: 'r4',
      graders: [
        { ...FOUND, when: { userInput: 'where' } },
        { name: 'c', kind: 'completion' },
      ],
    })
    await givenCase(db, 'where-case', { userInput: 'where is it?' })
    await givenTrial(db, { replay_id: 'r4', trial: 1, status: 'completed', output: 'x' })
    await givenTrial(db, { replay_id: 'r4', case_id: 'where-case', trial: 2, status: 'completed', output: 'x' })
    await grade(db)
    assert.deepEqual(
      (await outcomes(db, 'r4')).map(({ outcome }) => outcome),
      ['passed', 'wrong'],
    )
    assert.equal((await verdicts(db, 'r4')).length, 3)
  })

  it('says ungraded where a stored definition cannot be read, and reads one that is named twice once', async () => {
    const { db } = await get()
    await givenReplay(db, { id: 'r5', graders: [{ name: 'of tomorrow', kind: 'telepathy' }] })
    await givenTrial(db, { replay_id: 'r5', trial: 1, status: 'completed', output: 'x' })
    await givenReplay(db, { id: 'r6', graders: [FOUND, FOUND] })
    await givenTrial(db, { replay_id: 'r6', trial: 1, status: 'completed', output: 'x' })
    await grade(db)
    assert.equal((await outcomes(db, 'r5'))[0]?.outcome, 'ungraded')
    assert.equal((await outcomes(db, 'r6'))[0]?.outcome, 'wrong')
  })

  it('finishes a replay with its last trial, and leaves one with planned trials running', async () => {
    const { db } = await get()
    await givenReplay(db, { id: 'r7', completionOnly: true })
    await givenTrial(db, { replay_id: 'r7', trial: 1, status: 'completed', output: 'x' })
    await grade(db)
    const rows = await db
      .selectFrom('replays')
      .select(['id', 'state'])
      .where('id', 'in', ['r1', 'r7'])
      .orderBy('id')
      .execute()
    assert.deepEqual(rows, [
      { id: 'r1', state: 'running' },
      { id: 'r7', state: 'finished' },
    ])
  })

  it('grades each trial once, whatever the number of workers', async () => {
    const { db } = await get()
    await givenReplay(db, { id: 'r8', graders: [FOUND] })
    for (let trial = 1; trial <= 150; trial++) {
      await givenTrial(db, {
        replay_id: 'r8',
        trial,
        status: 'completed',
        output: 'x',
        tools: [tool(trial % 3 ? 'find' : 'lose')],
      })
    }
    await Promise.all([grade(db), grade(db), grade(db)])
    const graded = await outcomes(db, 'r8')
    assert.equal(graded.filter(({ outcome }) => outcome === 'passed').length, 100)
    assert.equal(graded.filter(({ outcome }) => outcome === 'wrong').length, 50)
    assert.equal((await verdicts(db, 'r8')).length, 150)
  })

  it('leaves everything as it was when it is killed half way', async () => {
    const { db } = await get()
    await givenReplay(db, { id: 'r9', graders: [FOUND] })
    await givenTrial(db, { replay_id: 'r9', trial: 1, status: 'completed', output: 'x' })
    const dying = makeGrade({ db, clock: { now: () => assert.fail('killed') } })
    await assert.rejects(dying(), /killed/)
    assert.equal((await outcomes(db, 'r9'))[0]?.outcome, null)
    await grade(db)
    assert.equal((await outcomes(db, 'r9'))[0]?.outcome, 'wrong')
  })
})
