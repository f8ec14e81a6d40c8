import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { censusOf, keptTraces, modesOf, replayEvidence, replaysSettled } from '../../src/store/report-evidence.ts'
import { type Db, json, type NewRow } from '../../src/store/schema.ts'
import { onBothEngines } from '../support/databases.ts'
import { clear, givenTraffic } from '../support/reporting.ts'

const NOW = new Date('2026-11-30T08:00:00Z')
const PERIOD = { from: new Date('2026-11-25T10:00:00Z'), to: new Date('2026-11-25T11:00:00Z') }

onBothEngines('report evidence', (get) => {
  let db: Db
  beforeEach(async () => {
    db = (await get()).db
    await clear(db)
  })

  async function givenReplay(id: string, cases: readonly Partial<NewRow<'cases'>>[]): Promise<void> {
    await db
      .insertInto('draws')
      .values({ id: `draw_${id}`, suite: 's', seed: 'x', strata: '[]', created_at: NOW })
      .execute()
    const rows = cases.map((given, i) => ({
      ...{ id: `${id}_case_${i}`, suite: 's', draw_id: `draw_${id}`, origin: 'trace' as const, stratum: 'all' },
      ...{ input: json({ system: null, userInput: 'hello', messages: [] }), fingerprint: `f${i}`, created_at: NOW },
      ...given,
    }))
    await db.insertInto('cases').values(rows).execute()
    await db
      .insertInto('replays')
      .values({
        ...{
          id,
          name: `name of ${id}`,
          origin: 'run',
          suite: 's',
          target: 't',
          version: '1',
          trials: 2,
          k: 2,
          seed: 'x',
        },
        ...{ completion_only: false, graders: json([{ name: 'policy' }, { name: 'schema' }]), manifest: '{}' },
        ...{ state: 'finished', created_at: NOW },
      })
      .execute()
    const trials = rows.flatMap((row) =>
      [1, 2].map((trial) => ({
        ...{ replay_id: id, case_id: row.id, trial, idempotency_key: `${row.id}_${trial}`, trace_id: 'x' },
        ...{ status: 'completed' as const, outcome: 'passed' as const, classified: true },
      })),
    )
    await db.insertInto('trials').values(trials).execute()
  }

  async function givenMode(id: string, given: Partial<NewRow<'failure_modes'>> = {}): Promise<void> {
    const row = { id, state: 'proposed' as const, name: `name of ${id}`, created_at: NOW, updated_at: NOW }
    await db
      .insertInto('failure_modes')
      .values({ ...row, ...given })
      .execute()
  }

  async function givenFailure(id: string, mode: string, given: Partial<NewRow<'failures'>>): Promise<void> {
    const row = { id, source: 'trial' as const, error_kind: 'verdict', message: 'm', excerpt: `excerpt ${id}` }
    await db
      .insertInto('failures')
      .values({ ...row, fingerprint: id, mode_id: mode, created_at: NOW, ...given })
      .execute()
  }

  it('weighs a case by its trace and its draw, and not at all when one is unknown', async () => {
    await givenReplay('r1', [
      { p: 0.1, p_draw: 0.5, family: 'session' },
      { p: null, p_draw: 0.5 },
    ])
    const { input, graders } = await replayEvidence(db, 'name of r1', { k: null, level: 0.95 })
    assert.deepEqual(
      input.cases.map(({ weight, family }) => [weight, family]),
      [
        [20, 'session'],
        [null, null],
      ],
    )
    assert.deepEqual([input.replay, input.k, input.graders], ['r1', 2, ['policy', 'schema']])
    assert.equal(graders.length, 2)
  })

  it('titles a case by its input, whatever it is', async () => {
    const inputs = ['Where\nis it?', { question: 'why?' }, null, 'x'.repeat(100_000)]
    await givenReplay(
      'r1',
      inputs.map((userInput) => ({ input: json({ system: null, userInput, messages: [] }) })),
    )
    const { input } = await replayEvidence(db, 'r1', { k: null, level: 0.95 })
    const titles = input.cases.map(({ title }) => title)
    assert.deepEqual(titles.slice(0, 3), ['Where is it?', '{"question": "why?"}', ''])
    assert.equal(titles[3]?.length, 100)
  })

  it('knows when nothing is left to do', async () => {
    await givenReplay('r1', [{}])
    assert.deepEqual([await replaysSettled(db, []), await replaysSettled(db, ['r1'])], [true, true])
    await db.updateTable('trials').set({ classified: false }).where('trial', '=', 2).execute()
    assert.equal(await replaysSettled(db, ['r1']), false)
  })

  it('counts kept traces with what people said of them', async () => {
    await givenTraffic(db, '2026-11-25T10:00:00Z', { kept: 5 })
    await givenTraffic(db, '2026-11-25T11:00:00Z', { kept: 3, prefix: 'b' })
    const traces = (await db.selectFrom('traces').select('trace_id').orderBy('trace_id').execute()).map(
      (t) => t.trace_id,
    )
    const said = [
      { trace_id: traces[0], label: 'Thumbs-Down' },
      { trace_id: traces[0], label: 'thumbs-up' },
      { trace_id: traces[1], score: 1 },
      { trace_id: traces[2], score: -1 },
      { trace_id: traces[3], comment: 'no judgement' },
      { trace_id: 'of a dropped trace', score: 0 },
    ]
    const feedback = said.map((one, i) => ({ ...{ source: 's', event_id: String(i), name: 'n', at: NOW }, ...one }))
    await db
      .insertInto('feedback')
      .values(feedback as NewRow<'feedback'>[])
      .execute()
    assert.deepEqual(await keptTraces(db, PERIOD), [
      { policy: 'p1', rule: 'rest', stratum: 'all', p: 0.1, traces: 5, errors: 1, withFeedback: 3, thumbsDown: 2 },
    ])
    assert.deepEqual(
      (await censusOf(db, PERIOD)).map(({ rule, received, kept }) => [rule, received, kept]),
      [
        ['health', 7, 0],
        ['rest', 50, 5],
      ],
    )
  })

  it('counts failures under the mode that theirs was merged into, and not under dismissed ones', async () => {
    await givenReplay('r1', [{}, {}])
    await givenTraffic(db, '2026-11-25T10:00:00Z', { kept: 2 })
    const [inside, other] = (await db.selectFrom('traces').select('trace_id').execute()).map((t) => t.trace_id)
    await givenMode('root', { state: 'accepted', category: 'policy violation' })
    await givenMode('middle', { state: 'merged', merged_into: 'root' })
    await givenMode('leaf', { state: 'merged', merged_into: 'middle' })
    await givenMode('noise', { state: 'dismissed' })
    await givenFailure('f1', 'leaf', { replay_id: 'r1', case_id: 'r1_case_0', trial: 1 })
    await givenFailure('f2', 'root', { replay_id: 'r1', case_id: 'r1_case_0', trial: 2 })
    await givenFailure('f3', 'middle', { replay_id: 'r1', case_id: 'r1_case_1', trial: 1 })
    await givenFailure('f4', 'noise', { replay_id: 'r1', case_id: 'r1_case_1', trial: 2 })
    await givenFailure('f5', 'root', { source: 'trace', trace_id: inside ?? '' })
    await givenFailure('f6', 'noise', { source: 'trace', trace_id: other ?? '' })
    const root = { mode: 'root', name: 'name of root', state: 'accepted', category: 'policy violation' }
    assert.deepEqual(await modesOf(db, { replayIds: ['r1'], period: PERIOD }), {
      modes: [{ ...root, count: 4, perReplay: [3], production: 1, cases: 2, example: 'excerpt f1' }],
      dismissedFailures: 2,
    })
    assert.deepEqual(await modesOf(db, { replayIds: ['r1'], period: null }), {
      modes: [{ ...root, count: 3, perReplay: [3], production: 0, cases: 2, example: 'excerpt f1' }],
      dismissedFailures: 1,
    })
    assert.deepEqual(await modesOf(db, { replayIds: [], period: null }), { modes: [], dismissedFailures: 0 })
  })
})
