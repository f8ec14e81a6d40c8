import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { describe, it } from 'node:test'
import { openSpool } from '../../src/clients/spool-lmdb.ts'
import type { DecisionBatch, RememberedDecision } from '../../src/core/sampling/decision.ts'
import { decisionFor } from '../support/decisions.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const body = (text: string) => new TextEncoder().encode(text)
const entry = (text: string, arrivedAt = 1000) => ({ kind: 'otlp', arrivedAt, body: body(text) }) as const
const texts = (entries: readonly { body: Uint8Array }[]) => entries.map((one) => new TextDecoder().decode(one.body))
const work = (given: Partial<DecisionBatch> = {}) => ({ through: 0, decisions: [], late: [], feedback: [], ...given })

describe('the lmdb spool', () => {
  it('gives entries back in order, with their kind and time, also after it was reopened', async () => {
    const folder = await temporaryFolder()
    const first = await openSpool(folder)
    const appended = await Promise.all(['a', 'b', 'c'].map((text) => first.append(entry(text, 1234.5))))
    assert.deepEqual(
      appended.map((a) => !a.duplicate && a.seq),
      [1, 2, 3],
    )
    await first.append({ kind: 'feedback', arrivedAt: 5, body: body('{}') })
    const { id } = first
    await first.close()

    const again = await openSpool(folder)
    assert.equal(again.id, id)
    assert.deepEqual(texts(again.after(0, 10, 1e6)), ['a', 'b', 'c', '{}'])
    assert.deepEqual(
      again.after(3, 10, 1e6).map(({ seq, kind, arrivedAt }) => [seq, kind, arrivedAt]),
      [[4, 'feedback', 5]],
    )
    assert.equal(again.read(1)?.arrivedAt, 1234.5)
    assert.deepEqual(again.waiting(), { entries: 4, bytes: 5 })
    await again.close()
  })

  it('limits a read by entries and by bytes, and always gives one', async () => {
    const spool = await openSpool(await temporaryFolder())
    for (const text of ['aaaa', 'bbbb', 'cccc']) await spool.append(entry(text))
    assert.deepEqual(texts(spool.after(0, 2, 1e6)), ['aaaa', 'bbbb'])
    assert.deepEqual(texts(spool.after(0, 10, 8)), ['aaaa', 'bbbb'])
    assert.deepEqual(texts(spool.after(1, 10, 1)), ['bbbb'])
    await spool.close()
  })

  it('appends once per key, however many ask at the same moment, and after a restart', async () => {
    const folder = await temporaryFolder()
    const spool = await openSpool(folder)
    const asked = await Promise.all(Array.from({ length: 5 }, () => spool.append(entry('x'), 'source/id')))
    assert.equal(asked.filter((a) => !a.duplicate).length, 1)
    assert.deepEqual(spool.waiting(), { entries: 1, bytes: 1 })
    await spool.close()
    const again = await openSpool(folder)
    assert.deepEqual(await again.append(entry('x'), 'source/id'), { duplicate: true })
    assert.equal((await again.append(entry('y'), 'source/other')).duplicate, false)
    assert.deepEqual(texts(again.after(0, 10, 1e6)), ['x', 'y'])
    await again.close()
  })

  it('numbers batches, keeps a plan until it is settled, and remembers its decisions', async () => {
    const folder = await temporaryFolder()
    const spool = await openSpool(folder)
    await spool.append(entry('a'))
    await spool.append(entry('b'))
    const decision = decisionFor({ keep: true })
    const planned = await spool.plan(work({ through: 2, decisions: [{ decision, entries: [1] }] }))
    assert.equal(planned.batch, 1)
    await assert.rejects(spool.plan(work()), /settled before the next/)
    await spool.close()

    const again = await openSpool(folder)
    assert.deepEqual(again.planned(), planned)
    assert.equal(again.decision(decision.traceId), undefined)
    await again.settle(planned, [1])
    assert.equal(again.planned(), undefined)
    const found = again.decision(decision.traceId)
    assert.deepEqual(
      [found?.keep, found?.rule, found?.windowStart, found?.through],
      [true, decision.rule, decision.windowStart, 2],
    )
    assert.deepEqual(texts(again.after(0, 10, 1e6)), ['b'])
    assert.deepEqual(again.waiting(), { entries: 1, bytes: 1 })
    assert.equal((await again.plan(work())).batch, 2)
    await again.close()
  })

  it('moves the horizon of a decision when its late spans are settled', async () => {
    const spool = await openSpool(await temporaryFolder())
    const decision = decisionFor({})
    await spool.settle(await spool.plan(work({ through: 3, decisions: [{ decision, entries: [] }] })), [])
    const before = spool.decision(decision.traceId) as RememberedDecision
    const late = { traceId: decision.traceId, decision: before, entries: [5] }
    await spool.settle(await spool.plan(work({ through: 6, late: [late] })), [])
    assert.deepEqual(spool.decision(decision.traceId), { ...before, through: 6 })
    await spool.close()
  })

  it('never gives a sequence number twice, even when it is empty at a restart', async () => {
    const folder = await temporaryFolder()
    const spool = await openSpool(folder)
    await spool.append(entry('a'))
    await spool.remove([1])
    await spool.close()
    const again = await openSpool(folder)
    assert.deepEqual(await again.append(entry('b')), { duplicate: false, seq: 2 })
    await again.close()
  })

  it('forgets decisions and once-keys by their own ages', async () => {
    const spool = await openSpool(await temporaryFolder())
    const [old, young] = [
      decisionFor({ traceId: 'a'.repeat(32), decidedAt: 1000 }),
      decisionFor({ traceId: 'b'.repeat(32), decidedAt: 5000 }),
    ]
    await spool.settle(
      await spool.plan(work({ decisions: [old, young].map((decision) => ({ decision, entries: [] })) })),
      [],
    )
    await spool.append(entry('x', 1000), 'old')
    await spool.append(entry('y', 3000), 'young')
    await spool.forget({ decisions: 4000, onceKeys: 2000 })
    assert.equal(spool.decision(old.traceId), undefined)
    assert.notEqual(spool.decision(young.traceId), undefined)
    assert.equal((await spool.append(entry('x'), 'old')).duplicate, false)
    assert.equal((await spool.append(entry('y'), 'young')).duplicate, true)
    await spool.close()
  })

  it("is its user's alone", async () => {
    const folder = path.join(await temporaryFolder(), 'spool')
    const spool = await openSpool(folder)
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
    for (const file of ['data.mdb', 'lock.mdb']) assert.equal((await stat(path.join(folder, file))).mode & 0o777, 0o600)
    await spool.close()
  })
})
