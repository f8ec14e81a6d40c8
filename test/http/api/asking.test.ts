import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ReviewAct } from '../../../src/core/taxonomy/failure-mode.ts'
import type { DrawWish, ReplayWish } from '../../../src/http/use-cases.ts'
import type { Database } from '../../../src/store/database.ts'
import { freshDatabase } from '../../support/databases.ts'
import { MODE_ID, NOW, REPLAY_ID, seed } from '../seed.ts'
import { bodyOf, postJson, serverOver, useCasesOf } from '../serving.ts'

const MODE = {
  id: MODE_ID,
  state: 'accepted',
  name: 'n',
  definition: null,
  category: null,
  mergedInto: null,
  createdAt: NOW.toISOString(),
  updatedAt: NOW.toISOString(),
} as const

describe('asking through the API', () => {
  let database: Database
  before(async () => {
    database = await freshDatabase('pglite')
    await seed(database.db)
  })
  after(() => database.close())
  const serving = (given: Parameters<typeof useCasesOf>[0]) => serverOver(database.db, { useCases: useCasesOf(given) })
  const lines = (text: string | Uint8Array<ArrayBuffer>, type = 'application/x-ndjson') => ({
    method: 'POST',
    body: text,
    headers: { 'content-type': type },
  })

  it('draws cases with what was given and nulls for what was not', async () => {
    const wishes: DrawWish[] = []
    const drawn = {
      drawId: 'draw_2',
      suite: 'support',
      seed: 's',
      cases: 5,
      strata: [{ stratum: 'ok', population: 9, drawn: 5 }],
    }
    const server = serving({
      drawCases: async (wish) => {
        wishes.push(wish)
        return drawn
      },
    })
    const response = await server.request('/api/v1/suites/support/draws', postJson({ from: '2026-09-28', count: 5 }))
    assert.equal(response.status, 201)
    assert.deepEqual(await response.json(), drawn)
    assert.equal((await server.request('/api/v1/suites/a%2Fb/draws', postJson({}))).status, 201)
    assert.deepEqual(wishes, [
      { suite: 'support', from: new Date('2026-09-28T00:00:00Z'), to: null, count: 5, seed: null },
      { suite: 'a/b', from: null, to: null, count: null, seed: null },
    ])
  })

  it('plans a replay with the defaults of the contract', async () => {
    const wishes: ReplayWish[] = []
    const server = serving({
      startReplay: async (wish) => {
        wishes.push(wish)
        return { id: 'replay_2', name: 'n', draw: null }
      },
    })
    const response = await server.request('/api/v1/replays', postJson({ target: 'support-agent', version: '2.1.0' }))
    assert.equal(response.status, 201)
    assert.deepEqual(wishes, [
      {
        suite: null,
        drawId: null,
        caseIds: null,
        fresh: false,
        target: 'support-agent',
        version: '2.1.0',
        trials: 5,
        k: 3,
        completionOnly: null,
        name: null,
      },
    ])
  })

  it('refuses wishes for a replay that say too little, too much or two things', async () => {
    const server = serving({})
    const wrong: readonly (readonly [body: unknown, pattern: RegExp])[] = [
      [{}, /body\.target/],
      [{ target: 't', trials: 0 }, /body\.trials 0: .*>=1/],
      [{ target: 't', trials: 1.5 }, /body\.trials 1\.5/],
      [{ target: 't', trials: 100000 }, /1000/],
      [{ target: 't', attemps: 5 }, /attemps/],
      [{ target: 't', draw: 'd', cases: ['c'] }, /at most one of draw, cases and fresh/],
      [{ target: 't', draw: 'd', fresh: true }, /at most one/],
      [[], /expected object/],
      ['x'.repeat(500), /…/],
    ]
    for (const [body, pattern] of wrong) {
      const response = await server.request('/api/v1/replays', postJson(body))
      assert.equal(response.status, 400, JSON.stringify(body))
      assert.match((await bodyOf(response)).error.message, pattern)
    }
    const malformed = await server.request('/api/v1/replays', { ...postJson({}), body: '{"target":' })
    assert.equal(malformed.status, 400)
    assert.equal((await bodyOf(malformed)).error.code, 'malformed_request')
  })

  it('takes lines of cases and trials as text, and nothing else', async () => {
    const texts: string[] = []
    const server = serving({
      importCases: async ({ suite, text }) => {
        texts.push(text)
        return { suite: suite ?? 'support', cases: 1, caseIds: ['a'] }
      },
      importTrials: async ({ name, k, text }) => {
        texts.push(`${name} ${k} ${text}`)
        return { id: 'replay_3', name, trials: 1, cases: 1 }
      },
    })
    const taken = await server.request('/api/v1/cases/import?suite=s', lines('{"input":"ä"}\n'))
    assert.equal(taken.status, 201)
    assert.deepEqual(await taken.json(), { suite: 's', cases: 1, caseIds: ['a'] })
    assert.equal(
      (await server.request('/api/v1/replays/import?name=n&k=4', lines('{}', 'text/plain; charset=utf-8'))).status,
      201,
    )
    assert.deepEqual(texts, ['{"input":"ä"}\n', 'n 4 {}'])
    assert.equal((await server.request('/api/v1/replays/import', lines('{}'))).status, 400)
    const json = await server.request('/api/v1/cases/import', postJson({}))
    assert.equal(json.status, 415)
    const latin1 = await server.request('/api/v1/cases/import', lines(new Uint8Array([0x7b, 0xe4, 0x7d])))
    assert.equal((await bodyOf(latin1)).error.code, 'not_utf8')
  })

  it('hands the replay’s id to cancel and reliability, whichever way it was named', async () => {
    const asked: unknown[] = []
    const server = serving({
      cancelReplay: async (wish) => {
        asked.push(wish)
      },
      reliability: async (wish) => {
        asked.push(wish)
        throw new Error('enough')
      },
      compare: async (wish) => {
        asked.push(wish)
        throw new Error('enough')
      },
    })
    const name = encodeURIComponent('weekly 2026-10-05')
    const cancelled = await server.request(`/api/v1/replays/${name}/cancel`, { method: 'POST' })
    assert.equal(cancelled.status, 200)
    assert.equal((await bodyOf(cancelled)).id, REPLAY_ID)
    await server.request(`/api/v1/replays/${name}/reliability?k=2&level=0.9`)
    await server.request('/api/v1/compare?a=x&b=y')
    assert.deepEqual(asked, [
      { replayId: REPLAY_ID },
      { replayId: REPLAY_ID, k: 2, level: 0.9 },
      { a: 'x', b: 'y', k: null, level: 0.95 },
    ])
    assert.equal((await server.request('/api/v1/replays/none/cancel', { method: 'POST' })).status, 404)
    assert.equal((await server.request('/api/v1/replays/none/reliability')).status, 404)
  })

  it('passes each act of review with who and why, and refuses one without a name', async () => {
    const acts: { modeId: string; who: string; why: string | null; act: ReviewAct }[] = []
    const server = serving({
      review: async (wish) => {
        acts.push(wish)
        return MODE
      },
    })
    const post = (act: string, body: unknown) =>
      server.request(`/api/v1/failure-modes/${MODE_ID}/${act}`, postJson(body))
    assert.equal((await post('accept', { who: ' Ada ', name: 'n', category: 'bad arguments' })).status, 200)
    assert.equal((await post('rename', { who: 'Ada', why: 'clearer', name: 'm' })).status, 200)
    assert.equal((await post('merge', { who: 'Ada', into: 'mode_2' })).status, 200)
    assert.equal((await post('dismiss', { who: 'Ada' })).status, 200)
    assert.deepEqual(acts, [
      { modeId: MODE_ID, who: 'Ada', why: null, act: { act: 'accept', name: 'n', category: 'bad arguments' } },
      { modeId: MODE_ID, who: 'Ada', why: 'clearer', act: { act: 'rename', name: 'm' } },
      { modeId: MODE_ID, who: 'Ada', why: null, act: { act: 'merge', into: 'mode_2' } },
      { modeId: MODE_ID, who: 'Ada', why: null, act: { act: 'dismiss' } },
    ])
    for (const body of [{}, { who: '  ' }, { who: 'Ada', state: 'merged' }]) {
      assert.equal((await post('dismiss', body)).status, 400, JSON.stringify(body))
    }
    assert.equal((await post('rename', { who: 'Ada' })).status, 400)
    assert.equal((await post('split', { who: 'Ada' })).status, 404)
  })

  it('makes a report of replays, each named once', async () => {
    const server = serving({ makeReport: async () => ({ id: 'report_2' }) })
    const made = await server.request('/api/v1/reports', postJson({ replays: ['a', 'b'] }))
    assert.equal(made.status, 201)
    assert.deepEqual(await made.json(), { id: 'report_2' })
    assert.equal((await server.request('/api/v1/reports', postJson({ replays: ['a', 'a'] }))).status, 400)
    assert.equal((await server.request('/api/v1/reports', postJson({ replays: [] }))).status, 400)
  })
})
