/** Review on both engines: acts, their history, and two reviewers at once. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { InputError, NotFoundError } from '../../src/core/errors.ts'
import type { FailureMode, ReviewAct } from '../../src/core/taxonomy/failure-mode.ts'
import { historyOf, modeById, modesFor, type Review, review } from '../../src/store/failure-modes.ts'
import { insertFailures } from '../../src/store/failures.ts'
import type { Db } from '../../src/store/schema.ts'
import { onBothEngines } from '../support/databases.ts'

const NOW = new Date('2026-12-01T09:00:00.000Z')
const BY_ADA = { who: 'Ada', why: 'seen often', clock: { now: () => NOW } }

async function givenModes(db: Db, ...ids: readonly string[]): Promise<void> {
  const at = NOW.toISOString()
  const given = { state: 'proposed', definition: null, category: null, mergedInto: null } as const
  const modes = ids.map((id): [string, FailureMode] => [
    `of ${id}`,
    { id, ...given, name: id, createdAt: at, updatedAt: at },
  ])
  await db.transaction().execute(async (tx) => {
    await modesFor(tx, new Map(modes))
    const evidence = { grader: null, errorKind: 'x', tool: null, message: 'm', excerpt: 'e', category: null }
    const failures = ids.map((id) => ({
      id: `failure ${id}`,
      source: { kind: 'trace' as const, traceId: `trace ${id}` },
      evidence: { ...evidence, fingerprint: `of ${id}` },
      modeId: id,
    }))
    await insertFailures(tx, failures, NOW)
  })
}

const act = (db: Db, modeId: string, given: ReviewAct, more: Partial<Review> = {}) =>
  review(db, { ...BY_ADA, modeId, act: given, ...more })

async function refusal(promise: Promise<unknown>): Promise<InputError> {
  const error = await promise.then(
    () => assert.fail('it was allowed'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof InputError, String(error))
  return error
}

onBothEngines('review', (get) => {
  it('keeps each act with who, when, why, before and after', async () => {
    const { db } = await get()
    await givenModes(db, 'a')
    await act(db, 'a', { act: 'accept', name: 'Refunds twice', category: 'policy violation' })
    await act(db, 'a', { act: 'rename', name: 'Refunds an order twice' }, { who: 'Bob', why: null })
    await act(db, 'a', { act: 'dismiss' })
    const back = await act(db, 'a', { act: 'accept' })
    assert.deepEqual([back.state, back.name, back.category], ['accepted', 'Refunds an order twice', 'policy violation'])
    const history = await historyOf(db, 'a')
    assert.deepEqual(
      history.map(({ act: what, who, why, before, after }) => [what, who, why, before?.state, after.state]),
      [
        ['propose', 'assay', null, undefined, 'proposed'],
        ['accept', 'Ada', 'seen often', 'proposed', 'accepted'],
        ['rename', 'Bob', null, 'accepted', 'accepted'],
        ['dismiss', 'Ada', 'seen often', 'accepted', 'dismissed'],
        ['accept', 'Ada', 'seen often', 'dismissed', 'accepted'],
      ],
    )
    for (const [index, event] of history.entries()) {
      if (index > 0) assert.deepEqual(event.before, history[index - 1]?.after)
    }
    assert.deepEqual(history.at(-1)?.after, await modeById(db, 'a'))
  })

  it('moves fingerprints and failures with a merge, and redirects for ever', async () => {
    const { db } = await get()
    await givenModes(db, 'b', 'c', 'd')
    await act(db, 'b', { act: 'merge', into: 'c' })
    await act(db, 'c', { act: 'merge', into: 'd' })
    for (const id of ['b', 'c', 'd']) assert.equal((await modeById(db, id))?.id, 'd')
    const failures = await db.selectFrom('failures').select('id').where('mode_id', '=', 'd').orderBy('id').execute()
    assert.deepEqual(
      failures.map(({ id }) => id),
      ['failure b', 'failure c', 'failure d'],
    )
    const fingerprints = await db
      .selectFrom('mode_fingerprints')
      .select('fingerprint')
      .where('mode_id', '=', 'd')
      .execute()
    assert.equal(fingerprints.length, 3)
    assert.equal(await modeById(db, 'nowhere'), undefined)
  })

  it('refuses what cannot be, says what can, and changes nothing', async () => {
    const { db } = await get()
    await givenModes(db, 'e', 'f')
    await act(db, 'f', { act: 'dismiss' })
    for (const [modeId, given, code, message] of [
      ['e', { act: 'merge', into: 'e' }, 'merge_into_itself', /into itself/],
      ['e', { act: 'merge', into: 'b' }, 'merge_into_merged', /itself merged into c/],
      ['e', { act: 'merge', into: 'f' }, 'merge_into_dismissed', /was dismissed/],
      ['e', { act: 'merge', into: 'nowhere' }, 'not_found', /"nowhere"/],
      ['nowhere', { act: 'dismiss' }, 'not_found', /"nowhere"/],
      ['b', { act: 'rename', name: 'x' }, 'changed_meanwhile', /merged into c: review that one/],
      [
        'f',
        { act: 'rename', name: 'x' },
        'changed_meanwhile',
        /is dismissed \(dismiss by Ada at 2026-12.*expected accept/,
      ],
      ['e', { act: 'rename', name: ' ' }, 'bad_name', /1 to 120/],
    ] as const) {
      const error = await refusal(act(db, modeId, given))
      assert.equal(error.code, code)
      assert.match(error.message, message)
    }
    assert.ok((await refusal(act(db, 'nowhere', { act: 'dismiss' }))) instanceof NotFoundError)
    assert.equal((await refusal(act(db, 'e', { act: 'dismiss' }, { who: ' ' }))).code, 'bad_who')
    assert.equal((await historyOf(db, 'e')).length, 1)
  })

  it('tells the second of two reviewers what changed, by whom and when', async () => {
    const { db } = await get()
    await givenModes(db, 'g')
    const expected = (await modeById(db, 'g'))?.updatedAt ?? ''
    const renamed = await act(db, 'g', { act: 'rename', name: 'by Bob' }, { who: 'Bob', expected })
    // In the same millisecond, and told apart all the same.
    assert.notEqual(renamed.updatedAt, expected)
    const error = await refusal(act(db, 'g', { act: 'dismiss' }, { expected }))
    assert.equal(error.code, 'changed_meanwhile')
    assert.match(error.message, /rename by Bob at 2026-12-01T09:00:00/)
    await act(db, 'g', { act: 'dismiss' }, { expected: renamed.updatedAt })
  })

  it('lets one of many acts at once win, and forms no circle of merges', async () => {
    const { db } = await get()
    await givenModes(db, 'h', 'i')
    const expected = (await modeById(db, 'h'))?.updatedAt ?? ''
    const renames = ['1', '2', '3', '4'].map((name) => act(db, 'h', { act: 'rename', name }, { expected }))
    const ended = await Promise.allSettled(renames)
    assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
    const merges = await Promise.allSettled([
      act(db, 'h', { act: 'merge', into: 'i' }),
      act(db, 'i', { act: 'merge', into: 'h' }),
    ])
    assert.equal(merges.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await modeById(db, 'h'))?.id, (await modeById(db, 'i'))?.id)
  })
})
