/** Evidence: which fault explains a failure, what tells failures apart, and what the environment is to blame for. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isEnvironmentFailure } from '../../../src/core/taxonomy/environment.ts'
import { type FailedTrial, traceEvidence, trialEvidence } from '../../../src/core/taxonomy/evidence.ts'
import { isComplaint } from '../../../src/core/taxonomy/feedback.ts'
import { proposeMode } from '../../../src/core/taxonomy/proposal.ts'
import type { ToolCall } from '../../../src/core/trace/summary.ts'

type Failed = FailedTrial['failed'][number]

function failed(grader: string, kind: Failed['kind'], given: Partial<Failed> = {}): Failed {
  const plain = { verdict: 'fail', score: null, explanation: `${grader} failed`, category: null, tool: null } as const
  return { ...plain, grader, kind, ...given }
}

function call(name: string, error: string | null = null): ToolCall {
  return { name, id: null, args: {}, result: null, error }
}

function trial(given: Partial<FailedTrial>): FailedTrial {
  return { outcome: 'wrong', output: 'an answer', tools: [], error: null, failed: [], ...given }
}

const errored = (kind: string, message: string, tools: readonly ToolCall[] = []) =>
  trialEvidence(trial({ outcome: 'errored', output: null, error: { kind, message }, tools }))

describe('evidence of a wrong trial', () => {
  it('is the fault nearest to the cause, then the first of the suite', () => {
    const slow = failed('slow', 'latency')
    const says = failed('says', 'contains')
    const also = failed('also', 'exact')
    const finds = failed('finds', 'tool-called', { tool: 'find', category: 'wrong tool' })
    assert.equal(trialEvidence(trial({ failed: [slow, says, finds] })).grader, 'finds')
    assert.equal(trialEvidence(trial({ failed: [slow, says, also] })).grader, 'says')
    assert.equal(trialEvidence(trial({ failed: [also, says] })).grader, 'also')
    assert.equal(trialEvidence(trial({ failed: [slow, failed('imported', null)] })).grader, 'imported')
  })

  it('is the environment where a tool was cut off and the grader does not say why it failed', () => {
    const cut = [call('pay', 'connect ECONNREFUSED 10.0.0.1:443')]
    const unexplained = trialEvidence(trial({ failed: [failed('says', 'contains')], tools: cut }))
    assert.deepEqual(
      [unexplained.category, unexplained.tool, unexplained.grader],
      ['environment failure', 'pay', 'says'],
    )
    const explained = failed('says', 'contains', { category: 'unsupported claim' })
    assert.equal(trialEvidence(trial({ failed: [explained], tools: cut })).category, 'unsupported claim')
    const declined = [call('pay', 'card declined')]
    assert.equal(trialEvidence(trial({ failed: [failed('says', 'contains')], tools: declined })).category, null)
  })

  it('takes what an importer said where the verdict says nothing', () => {
    const imported = failed('imported', null, { explanation: '' })
    const evidence = trialEvidence(trial({ failed: [imported], error: { kind: 'e', message: 'lost order 17' } }))
    assert.equal(evidence.message, 'lost order <n>')
  })

  it('has one fingerprint for the same fault with other values, another for another grader, tool or argument', () => {
    const of = (grader: string, tool: string, explanation: string) =>
      trialEvidence(trial({ failed: [failed(grader, 'tool-called-with', { tool, explanation })] })).fingerprint
    const one = of('g', 'pay', 'in the call of pay: expected sum to be 17, got "18"')
    assert.equal(of('g', 'pay', 'in the call of pay: expected sum to be 4, got "seven of them"'), one)
    assert.notEqual(of('h', 'pay', 'in the call of pay: expected sum to be 17, got "18"'), one)
    assert.notEqual(of('g', 'send', 'in the call of pay: expected sum to be 17, got "18"'), one)
    assert.notEqual(of('g', 'pay', 'in the call of pay: expected order to be 17, got "18"'), one)
  })
})

describe('evidence of an errored trial', () => {
  it('names the tool where the error is that of its call', () => {
    assert.equal(errored('agent_error', 'tool failed: no such order', [call('find', 'no such order')]).tool, 'find')
    assert.equal(errored('agent_error', 'out of steps', [call('find', 'no such order')]).tool, null)
  })

  it('never merges a failure of the environment with one of the agent', () => {
    const agent = errored('agent_error', 'no such order')
    const environment = errored('http_503', 'no such order')
    assert.deepEqual([agent.category, environment.category], [null, 'environment failure'])
    assert.notEqual(agent.fingerprint, environment.fingerprint)
  })

  it('keeps other kinds of error apart though they say the same', () => {
    assert.notEqual(errored('http_502', 'x').fingerprint, errored('http_503', 'x').fingerprint)
  })
})

describe('evidence of a trace', () => {
  const said = { name: 'user', label: 'thumbs-down', score: null, comment: null }
  const trace = { error: null, tools: [], output: 'an answer', said: [] }

  it('is nothing where nothing speaks against it', () => {
    assert.equal(traceEvidence(trace), null)
    assert.equal(traceEvidence({ ...trace, said: [{ ...said, label: 'thumbs-up' }] }), null)
  })

  it('is its error before what people said', () => {
    assert.equal(traceEvidence({ ...trace, error: 'boom', said: [said] })?.errorKind, 'trace_error')
  })

  it('groups by a short reason, and not by a person’s own words', () => {
    const of = (comment: string) => traceEvidence({ ...trace, said: [{ ...said, comment }] })
    const reason = of('Wrong answer')
    assert.equal(of('wrong answer')?.fingerprint, reason?.fingerprint)
    assert.notEqual(of('Too slow')?.fingerprint, reason?.fingerprint)
    const words = of('I asked for a refund three times now and you still tell me about the weather in Rome.')
    assert.equal(words?.message, 'thumbs-down')
    assert.match(words?.excerpt ?? '', /weather in Rome/)
  })
})

describe('feedback', () => {
  for (const [label, score, expected] of [
    ['thumbs-down', null, true],
    ['Thumbs_Down', 1, true],
    ['thumbs-up', 0, false],
    [null, 0, true],
    [null, -1, true],
    [null, 0.3, false],
    [null, null, false],
  ] as const) {
    it(`${expected ? 'complains' : 'does not complain'} with label ${label} and score ${score}`, () => {
      assert.equal(isComplaint({ label, score }), expected)
    })
  }
})

describe('the environment', () => {
  for (const [kind, message] of [
    ['timeout', null],
    ['connection_refused', null],
    ['connection_reset', null],
    ['host_not_found', null],
    ['http_500', 'oops'],
    ['http_429', null],
    [null, 'connect ECONNREFUSED 127.0.0.1:5432'],
    [null, 'HTTP 503 Service Unavailable'],
    [null, 'AxiosError: Request failed with status code 502'],
    [null, 'MCP error -32001: Request timed out'],
    [null, 'requests.exceptions.ConnectionError: broken'],
    [null, 'Rate limit reached: rate_limited'],
    [null, 'curl: (7) Failed to connect to 127.0.0.1 port 1'],
  ] as const) {
    it(`is to blame for ${kind ?? message}`, () => assert.equal(isEnvironmentFailure(kind, message), true))
  }

  for (const [kind, message] of [
    ['version_mismatch', null],
    ['http_404', 'no such route'],
    ['http_400', 'invalid schema'],
    ['agent_error', 'KeyError: order'],
    [null, 'order 503 was not found'],
    [null, 'expected a call of connect_account'],
    [null, 'value is out of range'],
  ] as const) {
    it(`is not to blame for ${kind ?? message}`, () => assert.equal(isEnvironmentFailure(kind, message), false))
  }
})

describe('a proposal', () => {
  it('has a readable name of bounded length', () => {
    const now = new Date(0)
    const evidence = trialEvidence(
      trial({
        failed: [
          failed('pays-once', 'tool-called', { tool: 'pay', category: 'wrong tool', explanation: 'expected 1, got 2' }),
        ],
      }),
    )
    const mode = proposeMode('m', evidence, now)
    assert.equal(mode.name, 'pays-once: expected <n>, got <n>')
    assert.deepEqual([mode.state, mode.category, mode.createdAt], ['proposed', 'wrong tool', now.toISOString()])
    fc.assert(
      fc.property(
        fc.string({ maxLength: 80, minLength: 1 }),
        fc.string({ maxLength: 300 }),
        fc.string({ unit: 'binary', maxLength: 400 }),
        (grader, tool, explanation) => {
          const any = trialEvidence(trial({ failed: [failed(grader, 'exact', { tool, explanation })] }))
          const { name } = proposeMode('m', any, now)
          assert.ok(name.length > 0 && name.length <= 120, name)
        },
      ),
    )
  })
})
