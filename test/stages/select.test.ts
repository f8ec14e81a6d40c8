import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fingerprintOf } from '../../src/core/replay/fingerprint.ts'
import { type DrawRequest, makeSelect } from '../../src/stages/select.ts'
import { casesOfDraw } from '../../src/store/cases.ts'
import { onBothEngines } from '../support/databases.ts'
import { giveFeedback, type KeptTrace, keepTraces } from '../support/kept-traces.ts'
import { NOW, unique } from '../support/replaying.ts'

const WINDOW = { from: new Date('2026-12-01T07:00:00Z'), to: new Date('2026-12-01T08:00:00Z') }

onBothEngines('select', (get) => {
  /** Traces of an agent of the test's own, and the stage. */
  async function given(traces: readonly Omit<KeptTrace, 'agent'>[]) {
    const { db } = await get()
    const agent = unique('agent')
    const ids = traces.map(({ id }) => `${agent}-${id}`)
    await keepTraces(
      db,
      traces.map((trace, i) => ({ ...trace, id: ids[i] ?? '', agent })),
    )
    let made = 0
    const random = { id: (prefix: string) => `${prefix}_${agent}-${made++}`, seed: () => 'seed' }
    const select = makeSelect({ db, clock: { now: () => NOW }, random })
    const request: DrawRequest = { suite: 'support', from: { agent }, window: WINDOW, count: 100, stratifyBy: [] }
    return { db, agent, ids, draw: (more: Partial<DrawRequest> = {}) => select({ ...request, ...more }) }
  }

  const many = (n: number, more: Partial<KeptTrace> = {}) =>
    Array.from({ length: n }, (_, i) => ({ ...more, id: `${more.error ?? 'ok'}${i}` }))

  it('makes a case of a kept trace, with both probabilities, its family and what production did', async () => {
    const { db, ids, draw } = await given([{ id: 'one', session: 's7', p: 0.125 }, { id: 'two' }])
    const { drawId, caseIds, kept } = await draw()
    const cases = await casesOfDraw(db, drawId)
    assert.deepEqual(
      caseIds,
      cases.map(({ id }) => id),
    )
    assert.equal(kept, 2)
    const one = cases.find(({ traceId }) => traceId === ids[0])
    const input = {
      system: 'You help.',
      userInput: `question ${ids[0]}`,
      messages: [{ role: 'user', parts: [{ type: 'text', text: `question ${ids[0]}` }] }],
    }
    assert.deepEqual(one, {
      id: one?.id,
      suite: 'support',
      drawId,
      origin: 'trace',
      traceId: ids[0],
      stratum: 'all',
      p: 0.125,
      pDraw: 1,
      family: 's7',
      input,
      reference: null,
      observed: {
        output: `answer ${ids[0]}`,
        tools: [{ name: 'look', id: null, args: { q: 1 }, result: 'found', error: null }],
        retrieved: [],
        error: null,
        agentVersion: '1.0.0',
      },
      fingerprint: fingerprintOf(input),
    })
  })

  it('stratifies by what became of the trace, error before feedback', async () => {
    const traces = [...many(10), ...many(4, { error: 'boom' }), { id: 'sad' }, { id: 'down' }, { id: 'glad' }]
    const { db, agent, draw } = await given(traces)
    await giveFeedback(db, `${agent}-sad`, { label: 'Thumbs_Down' })
    await giveFeedback(db, `${agent}-down`, { score: 0 })
    await giveFeedback(db, `${agent}-glad`, { label: 'thumbs-up', score: 1 })
    await giveFeedback(db, `${agent}-boom0`, { score: -1 })
    const { strata, caseIds } = await draw({ stratifyBy: ['outcome'], count: 9 })
    assert.deepEqual(
      strata.map(({ stratum, population }) => [stratum, population]),
      [
        ['outcome=ok', 11],
        ['outcome=error', 4],
        ['outcome=thumbs-down', 2],
      ],
    )
    assert.equal(caseIds.length, 9)
  })

  it('stores probabilities whose weights give back the population', async () => {
    const { db, draw } = await given([...many(40), ...many(7, { error: 'boom' })])
    const { drawId, strata } = await draw({ stratifyBy: ['outcome'], count: 12 })
    const cases = await casesOfDraw(db, drawId)
    for (const { stratum, population, drawn } of strata) {
      const inIt = cases.filter((aCase) => aCase.stratum === stratum)
      assert.equal(inIt.length, drawn)
      const weights = inIt.reduce((total, { pDraw }) => total + 1 / (pDraw ?? 0), 0)
      assert.ok(Math.abs(weights - population) < 1e-9)
    }
    const stored = await db.selectFrom('draws').selectAll().where('id', '=', drawId).executeTakeFirstOrThrow()
    assert.deepEqual([stored.seed, stored.strata], ['seed', strata])
  })

  it('takes only whole, replayable traces of its agent and window, and counts the others by reason', async () => {
    const { draw } = await given([
      { id: 'good' },
      { id: 'early', arrivedAt: '2026-12-01T06:59:59.999Z' },
      { id: 'first', arrivedAt: '2026-12-01T07:00:00Z' },
      { id: 'late', arrivedAt: '2026-12-01T08:00:00Z' },
      { id: 'torn', whole: false },
      { id: 'cut', lacks: ['user input truncated'] },
      { id: 'both', whole: false, lacks: ['user input truncated'] },
    ])
    const { caseIds, kept, notReplayable } = await draw()
    assert.deepEqual([caseIds.length, kept], [2, 5])
    assert.deepEqual(notReplayable, {
      traces: 3,
      reasons: [
        { reason: 'spans of the trace are missing', traces: 2 },
        { reason: 'user input truncated', traces: 2 },
      ],
    })
    assert.equal((await draw({ window: { from: null, to: null } })).caseIds.length, 4)
  })

  it('keeps apart what cannot be weighted', async () => {
    const { db, draw } = await given([{ id: 'a', p: null }])
    const { drawId } = await draw()
    assert.deepEqual(
      (await casesOfDraw(db, drawId)).map(({ p, pDraw }) => [p, pDraw]),
      [[null, 1]],
    )
  })

  it('draws the same again for the same seed, and once for the same draw', async () => {
    const { db, draw } = await given(many(30))
    const traces = async (drawId: string) => (await casesOfDraw(db, drawId)).map(({ traceId }) => traceId).sort()
    const [one, two] = [await draw({ count: 5, seed: 'x' }), await draw({ count: 5, seed: 'x' })]
    assert.notEqual(one.drawId, two.drawId)
    assert.deepEqual(await traces(one.drawId), await traces(two.drawId))
    const again = await draw({ count: 5, seed: 'y', drawId: one.drawId })
    assert.deepEqual(again, one)
  })

  it('says why there is no case', async () => {
    const none = await given([])
    await assert.rejects(none.draw(), {
      code: 'no_replayable_trace',
      message: /suite "support" has no case: no trace was kept, from agent .* in \[2026-12-01T07:00:00.000Z, /,
    })
    const torn = await given([{ id: 'torn', whole: false }])
    await assert.rejects(torn.draw(), /1 kept, none replayable: spans of the trace are missing \(1\)/)
    await assert.rejects(torn.draw({ count: 0 }), { code: 'bad_cases' })
  })
})
