/** Every kind of grader, row by row: what passes, what fails and with which words, and what nobody can know. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compileGraders, graderFingerprint } from '../../../src/core/grading/judge.ts'
import type { Judgement } from '../../../src/core/grading/verdict.ts'
import { call, evidence, type Given, grader, verdict } from './judging.ts'

type Row = readonly [
  what: string,
  definition: Readonly<Record<string, unknown>>,
  given: Given,
  expected: Judgement,
  explanation?: RegExp,
]

const LONG = 'x'.repeat(200_001)
const DEEP = JSON.parse(`${'{"a":'.repeat(90)}1${'}'.repeat(90)}`)

const exact: readonly Row[] = [
  ['the same text', { value: 'Paris' }, { output: 'Paris' }, 'pass'],
  ['other spaces', { value: 'to  be' }, { output: ' to\n be ' }, 'pass'],
  ['spaces that count', { value: 'to be', normalizeWhitespace: false }, { output: 'to be ' }, 'fail'],
  ['another case', { value: 'Paris' }, { output: 'paris' }, 'fail', /expected "Paris", got "paris"/],
  ['a case that does not count', { value: 'STRASSE é', caseSensitive: false }, { output: 'strasse E\u0301' }, 'pass'],
  ['any of several', { values: ['yes', 'ja'] }, { output: 'ja' }, 'pass'],
  ['none of several', { values: ['yes', 'ja'] }, { output: 'si' }, 'fail', /one of "yes", "ja", got "si"/],
  ['the reference', { reference: true }, { output: 'Paris', reference: 'Paris' }, 'pass'],
  ['no reference', { reference: true }, { output: 'Paris' }, 'unknown', /no reference/],
  ['no output', { value: 'Paris' }, { output: null }, 'unknown', /no output/],
  ['an object in another order', { value: { a: 1, b: [2] } }, { output: { b: [2], a: 1 } }, 'pass'],
  ['an object as text', { value: { a: 1 } }, { output: '{"a": 1}' }, 'pass'],
  ['a number as text', { value: 42 }, { output: '42' }, 'pass'],
  ['a number beside words', { value: 42 }, { output: 'it is 42' }, 'fail'],
  ['a list in another order', { value: [1, 2] }, { output: [2, 1] }, 'fail'],
  ['false for null', { value: false }, { output: { ok: null }, reference: null }, 'fail'],
  ['a path', { value: 'x', path: 'a.0.b' }, { output: { a: [{ b: 'x' }] } }, 'pass'],
  ['a path into text that is JSON', { value: '3', path: 'n' }, { output: '{"n":3}' }, 'pass'],
  ['a path to nothing', { value: 'x', path: 'a.b' }, { output: { a: {} } }, 'fail', /a value at a\.b/],
  ['a path to what all objects have', { value: 'x', path: 'constructor.name' }, { output: {} }, 'fail', /a value at/],
  ['a path into a text', { value: 'x', path: 'length' }, { output: 'abc' }, 'fail', /a value at length/],
  ['a very long answer', { value: 'x' }, { output: LONG }, 'fail', /^.{0,300}$/s],
  ['a deep answer', { value: DEEP }, { output: DEEP }, 'pass'],
]

const contains: readonly Row[] = [
  ['a part', { value: '5 days' }, { output: 'It takes 5\u00a0days.' }, 'pass'],
  ['not a part', { value: '6 days' }, { output: 'It takes 5 days.' }, 'fail', /contain "6 days", got "It takes/],
  ['all of several', { values: ['a', 'b'] }, { output: 'b a' }, 'pass'],
  ['not all of several', { values: ['a', 'b', 'c'] }, { output: 'a' }, 'fail', /contain "b" and "c"/],
  ['any of several', { values: ['a', 'b'], match: 'any' }, { output: 'b' }, 'pass'],
  ['none of several', { values: ['a', 'b'], match: 'any' }, { output: 'c' }, 'fail', /one of "a", "b"/],
  ['what must be absent and is', { value: 'promise', absent: true }, { output: 'We may.' }, 'pass'],
  ['what must be absent and is not', { value: 'promise', absent: true }, { output: 'We promise.' }, 'fail', /none of/],
  ['the reference', { reference: true, caseSensitive: false }, { output: 'In PARIS.', reference: 'Paris' }, 'pass'],
  ['a reference like JSON', { reference: true }, { output: 'see { "a": 1 } there', reference: '{ "a": 1 }' }, 'pass'],
  ['a number as reference', { reference: true }, { output: 'it is 42', reference: 42 }, 'pass'],
  ['no reference', { reference: true }, {}, 'unknown'],
  ['no output', { value: 'a' }, { output: null }, 'unknown'],
  ['an object', { value: '"total":5' }, { output: { total: 5 } }, 'pass'],
  ['a special character of patterns', { value: '.*' }, { output: 'abc' }, 'fail'],
]

const regex: readonly Row[] = [
  ['a match', { pattern: '^ORD-\\d+$' }, { output: 'ORD-17' }, 'pass'],
  ['no match', { pattern: '^ORD-\\d+$' }, { output: 'ORD-x' }, 'fail', /a match of "\^ORD/],
  ['case that does not count', { pattern: 'ord', caseSensitive: false }, { output: 'ORD' }, 'pass'],
  ['what must be absent and is not', { pattern: 'sorry', absent: true }, { output: 'so sorry' }, 'fail', /no match of/],
  ['the reference', { reference: true }, { output: 'abc', reference: 'b.' }, 'pass'],
  [
    'a reference that is no pattern',
    { reference: true },
    { output: 'abc', reference: '(' },
    'unknown',
    /reference "\("/,
  ],
  ['a reference that is a number', { reference: true }, { output: 'abc', reference: 4 }, 'unknown', /not a pattern/],
  ['a text that is too long', { pattern: 'y' }, { output: LONG }, 'unknown', /200001 characters/],
  ['a text that hangs others', { pattern: '^(a+)+$' }, { output: `${'a'.repeat(50_000)}!` }, 'fail'],
]

const numeric: readonly Row[] = [
  ['the number', { value: 42 }, { output: 'The answer is 42.' }, 'pass'],
  ['another number', { value: 42 }, { output: 'It is 41' }, 'fail', /the number 42, got 41/],
  ['the last of several', { value: 3 }, { output: '1 + 2 = 3' }, 'pass'],
  ['the first of several', { value: 1, take: 'first' }, { output: '1 + 2 = 3' }, 'pass'],
  ['any of several', { value: 2, take: 'any' }, { output: '1 + 2 = 3' }, 'pass'],
  ['none', { value: 2 }, { output: 'two' }, 'fail', /got none in "two"/],
  ['within the absolute tolerance', { value: 10, tolerance: { absolute: 0.1 } }, { output: '10.1' }, 'pass'],
  ['beyond it', { value: 10, tolerance: { absolute: 0.1 } }, { output: '10.11' }, 'fail', /10 ± 0\.1, got 10\.11/],
  ['within the relative tolerance', { value: -200, tolerance: { relative: 0.01 } }, { output: '-202' }, 'pass'],
  ['beyond it', { value: -200, tolerance: { relative: 0.01 } }, { output: '-203' }, 'fail'],
  ['within the larger of both', { value: 1, tolerance: { absolute: 1, relative: 0 } }, { output: '2' }, 'pass'],
  ['nothing between them', { value: 0.3 }, { output: String(0.1 + 0.2) }, 'fail'],
  ['a number as output', { value: 7 }, { output: 7 }, 'pass'],
  ['a number in an object', { value: 7, path: 'total' }, { output: { total: '7 €' } }, 'pass'],
  ['a number as reference', { reference: true }, { output: '1,234.50 EUR', reference: 1234.5 }, 'pass'],
  ['a text as reference', { reference: true }, { output: '1234.5', reference: 'EUR 1,234.50' }, 'pass'],
  ['a reference with two numbers', { reference: true }, { output: '1', reference: '1 or 2' }, 'unknown', /states 2/],
  ['an object as reference', { reference: true }, { output: '1', reference: { a: 1 } }, 'unknown'],
  ['no reference', { reference: true }, { output: '1' }, 'unknown'],
  ['no output', { value: 1 }, { output: null }, 'unknown'],
  ['a text that is too long', { value: 1 }, { output: LONG }, 'unknown'],
]

const ORDER = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] }
const jsonSchema: readonly Row[] = [
  ['an object', { schema: ORDER }, { output: { order: '17' } }, 'pass'],
  ['an object as text', { schema: ORDER }, { output: '{"order":"17"}' }, 'pass'],
  ['a missing key', { schema: ORDER }, { output: {} }, 'fail', /must have required property 'order'/],
  ['another type below', { schema: ORDER }, { output: { order: 17 } }, 'fail', /in which order must be string/],
  ['text that is not JSON', { schema: ORDER }, { output: 'Sure! {"order":"17"}' }, 'fail', /must be object/],
  [
    'an unwanted key',
    { schema: { type: 'object', properties: {}, additionalProperties: false } },
    { output: { x: 1 } },
    'fail',
    /\(x\)/,
  ],
  ['2020-12', { schema: { prefixItems: [{ const: 1 }], unevaluatedItems: false } }, { output: [1, 2] }, 'fail'],
  ['a path', { schema: { type: 'integer' }, path: 'n' }, { output: { n: 1 } }, 'pass'],
  ['no output', { schema: true }, { output: null }, 'unknown'],
  ['nothing is allowed', { schema: false }, { output: 1 }, 'fail'],
  [
    'a pattern on hostile text',
    { schema: { type: 'string', pattern: '^(a+)+$' } },
    { output: `${'a'.repeat(9000)}!` },
    'fail',
  ],
  [
    'two patterns apart',
    { schema: { properties: { a: { pattern: '^x$' }, b: { pattern: '^y$' } } } },
    { output: { a: 'x', b: 'x' } },
    'fail',
    /in which b must/,
  ],
  ['a format', { schema: { type: 'string', format: 'date' } }, { output: '2026-02-30' }, 'fail'],
  [
    'a format on a long text',
    { schema: { type: 'string', format: 'uri' } },
    { output: `http://${'a'.repeat(3000)}` },
    'fail',
  ],
  ['an answer that is too long', { schema: true }, { output: [LONG] }, 'unknown'],
  [
    'a recursive schema',
    {
      schema: {
        $defs: { n: { type: ['object', 'number'], additionalProperties: { $ref: '#/$defs/n' } } },
        $ref: '#/$defs/n',
      },
    },
    { output: DEEP },
    'pass',
  ],
]

const called = (...names: readonly string[]): Given => ({ tools: names.map((name) => call(name)) })
const tools: readonly Row[] = [
  ['called', { kind: 'tool-called', tool: 'find' }, called('find'), 'pass'],
  [
    'never called',
    { kind: 'tool-called', tool: 'find' },
    called('refund', 'send'),
    'fail',
    /got no call of it; called "refund", "send"/,
  ],
  ['no tool called', { kind: 'tool-called', tool: 'find' }, called(), 'fail', /called no tool/],
  [
    'called too often',
    { kind: 'tool-called', tool: 'find', times: { max: 1 } },
    called('find', 'find'),
    'fail',
    /exactly 1 times, got 2 times/,
  ],
  ['called never, as is fine', { kind: 'tool-called', tool: 'find', times: { min: 0, max: 2 } }, called(), 'pass'],
  ['a name that is only alike', { kind: 'tool-called', tool: 'find' }, called('Find'), 'fail'],
  ['not called', { kind: 'tool-not-called', tool: 'refund' }, called('find'), 'pass'],
  [
    'called though not wanted',
    { kind: 'tool-not-called', tool: 'refund' },
    called('refund'),
    'fail',
    /no call of refund/,
  ],
  ['no forbidden one', { kind: 'forbidden-tool', tools: ['drop', 'wipe'] }, called('find'), 'pass'],
  [
    'a forbidden one',
    { kind: 'forbidden-tool', tools: ['drop', 'wipe'] },
    called('find', 'wipe'),
    'fail',
    /wipe, which is forbidden/,
  ],
]

const withArguments = (args: unknown): Given => ({ tools: [call('refund', { order: '0' }), call('refund', args)] })
const refund = { kind: 'tool-called-with', tool: 'refund' }
const toolArguments: readonly Row[] = [
  ['all of them', { ...refund, arguments: { order: '17' } }, withArguments({ order: '17', note: 'x' }), 'pass'],
  ['as JSON text', { ...refund, arguments: { order: '17' } }, withArguments('{"order":"17"}'), 'pass'],
  [
    'a part of an object',
    { ...refund, arguments: { to: { city: 'X' } } },
    withArguments({ to: { city: 'X', zip: 1 } }),
    'pass',
  ],
  [
    'a part of a list',
    { ...refund, arguments: { ids: [1] } },
    withArguments({ ids: [1, 2] }),
    'fail',
    /ids to be \[1\], got \[1,2\]/,
  ],
  [
    'another value',
    { ...refund, arguments: { order: '17', sum: 1 } },
    withArguments({ order: '18', sum: 1 }),
    'fail',
    /in the call of refund: expected order to be "17", got "18"$/,
  ],
  ['another type', { ...refund, arguments: { order: 17 } }, withArguments({ order: '17' }), 'fail'],
  [
    'an argument that all objects have',
    { ...refund, arguments: { toString: 'x' } },
    withArguments({}),
    'fail',
    /got nothing/,
  ],
  ['a pattern', { ...refund, argumentRules: { order: { regex: '^\\d+$' } } }, withArguments({ order: '17' }), 'pass'],
  [
    'a pattern on a number',
    { ...refund, argumentRules: { order: { regex: '^1\\d$' } } },
    withArguments({ order: 17 }),
    'pass',
  ],
  [
    'a pattern that does not match',
    { ...refund, argumentRules: { order: { regex: '^1\\d$' } } },
    withArguments({ order: 'x' }),
    'fail',
    /order to match/,
  ],
  [
    'a schema',
    { ...refund, argumentRules: { sum: { schema: { maximum: 10 } } } },
    withArguments({ sum: 11 }),
    'fail',
    /<= 10/,
  ],
  [
    'a schema on nothing',
    { ...refund, argumentRules: { sum: { schema: true } } },
    withArguments({}),
    'fail',
    /missing/,
  ],
  ['an equal value', { ...refund, argumentRules: { sum: { equals: 5 } } }, withArguments({ sum: 5 }), 'pass'],
  ['no arguments at all', { ...refund, arguments: { order: '17' } }, withArguments(null), 'fail'],
  [
    'a call of another tool',
    { ...refund, arguments: { order: '17' } },
    { tools: [call('find', { order: '17' })] },
    'fail',
    /no call of it/,
  ],
]

const limits: readonly Row[] = [
  ['quick enough', { kind: 'latency', maxMs: 100 }, { latencyMs: 100 }, 'pass'],
  ['too slow', { kind: 'latency', maxMs: 100 }, { latencyMs: 100.04 }, 'fail', /at most 100 ms, got 100\.04 ms/],
  ['no latency', { kind: 'latency', maxMs: 100 }, {}, 'unknown'],
  ['cheap enough', { kind: 'cost', maxUsd: 0.1 }, { costUsd: 0 }, 'pass'],
  ['too dear', { kind: 'cost', maxUsd: 0.1 }, { costUsd: 0.2 }, 'fail', /at most 0\.1 US\$, got 0\.2/],
  ['no cost', { kind: 'cost', maxUsd: 0.1 }, {}, 'unknown'],
  ['completed', { kind: 'completion' }, { output: null }, 'pass'],
  ['timed out', { kind: 'completion' }, { status: 'timed_out' }, 'fail', /timed_out/],
]

function table(kind: string | null, rows: readonly Row[]): void {
  for (const [what, definition, given, expected, explanation] of rows) {
    it(`says ${expected}: ${what}`, () => {
      const got = verdict(kind === null ? definition : { kind, ...definition }, given)
      assert.equal(got.verdict, expected, got.explanation)
      assert.match(got.explanation, explanation ?? /./)
      assert.ok(got.explanation.length <= 601)
    })
  }
}

describe('the exact grader', () => table('exact', exact))
describe('the contains grader', () => table('contains', contains))
describe('the regex grader', () => table('regex', regex))
describe('the numeric grader', () => table('numeric', numeric))
describe('the json-schema grader', () => table('json-schema', jsonSchema))
describe('the graders of tools', () => table(null, tools))
describe('the tool-called-with grader', () => table(null, toolArguments))
describe('the graders of limits', () => table(null, limits))

describe('a verdict', () => {
  it('carries the tool and the category that are sensible for its kind', () => {
    const wrongTool = verdict({ kind: 'tool-called', tool: 'find' }, called('refund'))
    assert.deepEqual([wrongTool.category, wrongTool.tool], ['wrong tool', 'find'])
    const badArguments = verdict({ ...refund, arguments: { order: '17' } }, withArguments({}))
    assert.deepEqual([badArguments.category, badArguments.tool], ['bad arguments', 'refund'])
    assert.equal(verdict({ ...refund, arguments: { order: '17' } }, called('find')).category, 'wrong tool')
    assert.equal(verdict({ kind: 'forbidden-tool', tools: ['x'] }, called('x')).category, 'policy violation')
    assert.equal(verdict({ kind: 'exact', value: 'a' }).category, null)
  })

  it('carries the category that its grader names, on a fail only', () => {
    const definition = { kind: 'tool-called', tool: 'find', category: 'retrieval miss' }
    assert.equal(verdict(definition, called()).category, 'retrieval miss')
    assert.equal(verdict(definition, called('find')).category, null)
  })

  it('is pass, fail or unknown with an explanation, whatever came', () => {
    const graders = compileGraders(
      [...exact, ...contains]
        .slice(0, 3)
        .map(([, definition]) => ({ name: 'a', kind: 'exact', ...definition }))
        .concat([
          { name: 'b', kind: 'regex', pattern: 'a|b' },
          { name: 'c', kind: 'numeric', reference: true },
          { name: 'd', kind: 'json-schema', schema: ORDER, path: 'a.b' },
          { name: 'e', kind: 'tool-called-with', tool: 't', argumentRules: { a: { regex: 'x' } } },
        ] as never[]),
    )
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (output, reference, args) => {
        for (const one of graders) {
          const given = { ...evidence(), trial: { ...evidence().trial, output, tools: [call('t', args)] } }
          const got = one.judge({ ...given, case: { ...given.case, reference } })
          assert.ok(['pass', 'fail', 'unknown'].includes(got.verdict))
          assert.ok(got.explanation.length > 0 && got.explanation.length <= 601)
        }
      }),
    )
  })

  it('is unknown where the grader breaks', () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const got = verdict({ kind: 'exact', value: 'a' }, { output: circular })
    assert.equal(got.verdict, 'unknown')
    assert.match(got.explanation, /the grader broke/)
  })

  it('is unknown, never a pass, where a stored definition cannot be read', () => {
    const [stored] = compileGraders([{ name: 'of tomorrow', kind: 'telepathy' }])
    const got = stored?.judge(evidence())
    assert.deepEqual([got?.grader, got?.verdict, stored?.required], ['of tomorrow', 'unknown', true])
    assert.match(got?.explanation ?? '', /cannot be read/)
  })
})

describe('the fingerprint of a grader', () => {
  it('is the same for the same meaning and another for another', () => {
    const one = graderFingerprint(grader({ kind: 'exact', value: 'a' }))
    assert.equal(graderFingerprint(grader({ value: 'a', caseSensitive: true, kind: 'exact' })), one)
    assert.notEqual(graderFingerprint(grader({ kind: 'exact', value: 'b' })), one)
    assert.notEqual(graderFingerprint(grader({ kind: 'exact', value: 'a', required: false })), one)
  })
})
