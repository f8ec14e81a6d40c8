import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { drawnCaseId, unreplayable } from '../../../src/core/replay/case.ts'
import { canonicalJson, fingerprintOf } from '../../../src/core/replay/fingerprint.ts'
import { parseTrialLine } from '../../../src/core/replay/import-line.ts'
import { DEPTH_MAX, storable, storableText } from '../../../src/core/replay/storable.ts'
import { readAnswer } from '../../../src/core/replay/target-protocol.ts'

describe('a fingerprint', () => {
  it('does not depend on the order of keys, at any depth', () => {
    assert.equal(fingerprintOf({ a: [{ b: 1, c: 2 }], d: 3 }), fingerprintOf({ d: 3, a: [{ c: 2, b: 1 }] }))
    assert.notEqual(fingerprintOf([1, 2]), fingerprintOf([2, 1]))
    assert.notEqual(fingerprintOf('1'), fingerprintOf(1))
    assert.match(fingerprintOf(undefined), /^[0-9a-f]{32}$/)
  })

  it('is made of JSON that means the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

describe('a storable value', () => {
  it('has no NUL, no half of a surrogate pair and no depth without end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const clean = storableText(text)
        assert.ok(!clean.includes('\0') && clean.isWellFormed())
        assert.equal(storableText(clean), clean)
      }),
    )
    assert.deepEqual(storable({ 'a\0': ['\ud800', 1, null, true] }), { 'a\uFFFD': ['\uFFFD', 1, null, true] })
    let deep: unknown = 'bottom'
    for (let i = 0; i < 50_000; i++) deep = [deep]
    assert.ok(JSON.stringify(storable(deep)).includes('nested too deep'))
    let shallow: unknown = 'bottom'
    for (let i = 0; i < DEPTH_MAX; i++) shallow = { inner: shallow }
    assert.deepEqual(storable(shallow), shallow)
  })
})

describe('a drawn case', () => {
  it('has the same id each time, which begins with the time of its draw', () => {
    const id = drawnCaseId('draw_01j00000zzabcdefghij', 'suite', 'trace')
    assert.equal(id, drawnCaseId('draw_01j00000zzabcdefghij', 'suite', 'trace'))
    assert.match(id, /^case_01j00000zz[0-9a-f]{16}$/)
    assert.notEqual(id, drawnCaseId('draw_01j00000zzabcdefghij', 'suite', 'other'))
    assert.notEqual(id, drawnCaseId('draw_01j00000zzabcdefghij', 'other', 'trace'))
  })

  it('comes from a whole trace that lacks nothing', () => {
    assert.deepEqual(unreplayable([], true), [])
    assert.deepEqual(unreplayable(['user input truncated'], false), [
      'spans of the trace are missing',
      'user input truncated',
    ])
  })
})

describe('a line of an import', () => {
  it('is read or refused with its number, whatever it holds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseTrialLine(text, 7)
        } catch (error) {
          assert.match(String(error), /^InputError: line 7: /)
        }
      }),
    )
  })
})

describe('an answer', () => {
  const read = (body: unknown) =>
    readAnswer(typeof body === 'string' ? body : JSON.stringify(body), { version: '1', latencyMs: 5 })

  it('is read with all that a target may report', () => {
    const tools = [
      { name: 'look', arguments: { q: 1 }, result: [2] },
      { name: 'send', error: 'refused' },
    ]
    const usage = { input: 10, output: 5, cacheRead: 2 }
    const answer = read({ output: 'yes', version: '1', model: 'm', tools, usage, costUsd: 0.5, more: 'ignored' })
    assert.deepEqual(answer, {
      status: 'completed',
      output: 'yes',
      tools: [
        { name: 'look', id: null, args: { q: 1 }, result: [2], error: null },
        { name: 'send', id: null, args: null, result: null, error: 'refused' },
      ],
      usage: { input: 10, output: 5, cacheRead: 2, cacheWrite: null, reasoning: null },
      costUsd: 0.5,
      latencyMs: 5,
      reportedVersion: '1',
      model: 'm',
      error: null,
    })
  })

  it('is failed when the agent says so, and keeps what came with it', () => {
    const answer = read({ output: 'half', error: { kind: 'step_limit', message: 'stopped at 30 steps' } })
    assert.deepEqual(
      [answer.status, answer.output, answer.error],
      ['failed', 'half', { kind: 'step_limit', message: 'stopped at 30 steps' }],
    )
    assert.deepEqual(read({ error: 'no' }).error, { kind: 'agent_error', message: 'no' })
    assert.equal(read({ error: { kind: 'Not A Word', message: 'no' } }).error?.kind, 'agent_error')
  })

  it('of another version is failed and names both', () => {
    assert.deepEqual(read({ output: 'yes', version: '2' }).error, {
      kind: 'version_mismatch',
      message: 'asked version 1, version 2 answered',
    })
  })

  it('may be null, but not absent', () => {
    assert.equal(read({ output: null }).status, 'completed')
    assert.match(read({ answer: 'yes' }).error?.message ?? '', /neither output nor error: \{"answer":"yes"\}/)
  })

  it('that is not as documented says where', () => {
    assert.match(read({ output: 1, tools: [{ nam: 'x' }] }).error?.message ?? '', /tools\.0\.name/)
    assert.match(read('<html>').error?.message ?? '', /not JSON: <html>/)
    assert.match(read('').error?.message ?? '', /not JSON: \(empty\)/)
  })

  it('ends the trial one way, whatever it holds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        const { status, error } = read(text)
        assert.ok(status === 'completed' ? error === null : status === 'failed' && error !== null)
      }),
    )
  })
})
