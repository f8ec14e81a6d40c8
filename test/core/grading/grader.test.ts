/** What a definition may say, what is refused when it is read, and to which cases it applies. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applies, isCheck } from '../../../src/core/grading/applies.ts'
import { graderSchema } from '../../../src/core/grading/grader.ts'
import { call, evidence, grader } from './judging.ts'

describe('a definition of a grader', () => {
  for (const [what, definition, expected] of [
    ['an unknown key', { kind: 'exact', value: 'a', valeu: 'b' }, /valeu/],
    ['an unknown kind', { kind: 'exactly', value: 'a' }, /Invalid discriminator|Invalid input/],
    ['nothing to compare with', { kind: 'exact' }, /exactly one of value, values, reference, got none/],
    ['two things to compare with', { kind: 'contains', value: 'a', reference: true }, /got value and reference/],
    ['reference: false', { kind: 'exact', reference: false }, /true/],
    ['an empty text', { kind: 'contains', value: '' }, /./],
    ['a pattern with a back reference', { kind: 'regex', pattern: '(a)\\1' }, /back reference/],
    ['a broken pattern', { kind: 'regex', pattern: '(' }, /Unterminated group/],
    ['a negative tolerance', { kind: 'numeric', value: 1, tolerance: { absolute: -1 } }, /./],
    ['a misspelt tolerance', { kind: 'numeric', value: 1, tolerance: { abs: 1 } }, /abs/],
    [
      'a schema with a misspelt keyword',
      { kind: 'json-schema', schema: { requried: ['a'] } },
      /unknown keyword: ."requried/,
    ],
    ['a schema with an unknown type', { kind: 'json-schema', schema: { type: 'text' } }, /cannot be used/],
    ['a schema that lies elsewhere', { kind: 'json-schema', schema: { $ref: 'http://x/y.json' } }, /can't resolve/],
    ['a schema with a lookahead', { kind: 'json-schema', schema: { pattern: '(?=a)' } }, /lookahead/],
    ['min above max', { kind: 'tool-called', tool: 't', times: { min: 2, max: 1 } }, /min is above max/],
    ['no arguments to call with', { kind: 'tool-called-with', tool: 't' }, /arguments or argumentRules/],
    ['an empty rule', { kind: 'tool-called-with', tool: 't', argumentRules: { a: {} } }, /exactly one of equals/],
    ['no forbidden tool', { kind: 'forbidden-tool', tools: [] }, /./],
    ['an empty condition', { kind: 'completion', when: {} }, /userInput or tool/],
    ['a latency of zero', { kind: 'latency', maxMs: 0 }, /./],
    ['an empty path', { kind: 'exact', value: 'a', path: 'a..b' }, /a path is keys/],
    ['no name', { name: undefined, kind: 'completion' }, /./],
  ] as const) {
    it(`refuses ${what}`, () => {
      const parsed = graderSchema.safeParse({ name: 'it', ...definition })
      assert.equal(parsed.success, false)
      assert.match(parsed.error?.message ?? '', expected)
    })
  }

  it('says where in the definition a pattern is wrong', () => {
    const parsed = graderSchema.safeParse({ name: 'it', kind: 'completion', when: { userInput: '(' } })
    assert.deepEqual(parsed.error?.issues[0]?.path, ['when', 'userInput'])
  })

  it('is required unless it says otherwise, and comes through a second reading unchanged', () => {
    for (const definition of [
      { kind: 'exact', value: null },
      { kind: 'contains', values: ['a'], match: 'any' },
      { kind: 'numeric', reference: true, tolerance: { relative: 0.1 } },
      { kind: 'tool-called', tool: 't' },
      { kind: 'tool-called-with', tool: 't', argumentRules: { a: { equals: null } } },
    ]) {
      const once = grader(definition)
      assert.equal(once.required, true)
      assert.deepEqual(graderSchema.parse(JSON.parse(JSON.stringify(once))), once)
    }
  })
})

describe('a condition', () => {
  const asked = (userInput: unknown) => evidence({ userInput, observedTools: [call('find')] }).case

  it('chooses cases by their user input', () => {
    const refunds = grader({ kind: 'completion', when: { userInput: '[Rr]efund' } })
    assert.equal(applies(refunds, asked('Refund please')), true)
    assert.equal(applies(refunds, asked('Where is it?')), false)
    assert.equal(applies(refunds, asked({ question: 'a refund' })), true)
    assert.equal(applies(refunds, asked(null)), false)
  })

  it('chooses cases by a tool that production called', () => {
    const finds = grader({ kind: 'completion', when: { tool: 'find' } })
    assert.equal(applies(finds, asked('x')), true)
    assert.equal(applies(finds, evidence().case), false)
  })

  it('joins both by "and"', () => {
    const both = grader({ kind: 'completion', when: { tool: 'find', userInput: 'x' } })
    assert.equal(applies(both, asked('x')), true)
    assert.equal(applies(both, asked('y')), false)
  })

  it('leaves a case without check where the only grader is not required', () => {
    assert.equal(isCheck(grader({ kind: 'completion' }), asked('x')), true)
    assert.equal(isCheck(grader({ kind: 'completion', required: false }), asked('x')), false)
    assert.equal(isCheck(grader({ kind: 'completion', when: { userInput: 'y' } }), asked('x')), false)
  })
})
