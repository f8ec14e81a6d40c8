import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readAnswer } from '../../../src/core/replay/target-protocol.ts'

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
