/**
 * The linear matcher against JavaScript's own engine, and against the texts that hang that engine.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compilePattern, PATTERN_TEXT_MAX, patternProblem } from '../../../src/core/grading/pattern.ts'

const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    '.',
    '\\d',
    '\\w',
    '\\s',
    '[a-c]',
    '[^ab]',
    '[\\]b-]',
    '\\.',
    '\\u0061',
    '\\u{1F600}',
    '\\p{Lu}',
    'é',
    '😀',
  ],
  ...['\\uD83D\\uDE00', '\\x62', '[]', '[^]', 'K', '\\-'.slice(1), '\\/', '^', '$', '\\b', '\\B'],
)
const expression = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => a + b),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '*?', '+?', '{2}', '{1,}', '{0,2}', '{1,3}?'))
      .map(([a, quantifier]) => `(${a})${quantifier}`),
    tie('node').map((a) => `(?<n${a.length}>${a})`),
  ),
})).node
const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'A', 'K', '1', ' ', '\n', '.', '-', 'é', '😀', '\ud83d', 'ſ'),
})

function native(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(source, flags)
  } catch {
    return null
  }
}

describe('a pattern', () => {
  it('finds what JavaScript finds', () => {
    let compared = 0
    fc.assert(
      fc.property(expression, text, fc.boolean(), (source, given, caseSensitive) => {
        const expected = native(source, caseSensitive ? 'u' : 'iu')
        if (expected === null) {
          assert.notEqual(patternProblem(source), null)
          return
        }
        if (patternProblem(source) !== null) return
        compared += 1
        assert.equal(compilePattern(source, { caseSensitive }).found(given), expected.test(given), source)
      }),
      { numRuns: 4000 },
    )
    assert.ok(compared > 2000, `only ${compared} were compared`)
  })

  for (const [source, given, expected] of [
    ['^order \\d+$', 'order 12', true],
    ['^order \\d+$', 'order 12 ', false],
    ['refund(ed)?\\b', 'it was refunded', true],
    ['', '', true],
    ['^$', '', true],
    ['(a*)*b', 'aab', true],
    ['a{0}b', 'b', true],
    ['(?:(?:(?:(?:){400}){400}){0,400}){400,}b', 'b', true],
    ['(?:\\bfoo|bar\\b)+', 'xbar foo', true],
    ['[\\u{1F600}-\\u{1F64F}]', 'so 😀', true],
  ] as const) {
    it(`${expected ? 'finds' : 'does not find'} ${source} in ${JSON.stringify(given)}`, () => {
      assert.equal(compilePattern(source, { caseSensitive: true }).found(given), expected)
    })
  }

  for (const [source, expected] of [
    ['(a)\\1', /back reference/],
    ['(?<x>a)\\k<x>', /back reference/],
    ['a(?=b)', /lookahead/],
    ['(?<!a)b', /lookbehind/],
    ['(?i:a)', /caseSensitive/],
    ['(', /Unterminated group/],
    ['a{1001}', /repeats too much/],
    ['(?:a{100}){100}', /repeats too much/],
    [`${'('.repeat(60)}a${')'.repeat(60)}`, /nested deeper/],
    ['a'.repeat(2001), /2001 characters long/],
  ] as const) {
    it(`refuses ${source.slice(0, 40)}`, () => {
      assert.match(patternProblem(source) ?? '', expected)
    })
  }

  for (const source of ['(a+)+$', '(a|a)*b', '(.*)*x', '.*a.*a.*b', '(a?){50}a{50}b', '([a-z]+)*\\d']) {
    it(`answers ${source} on the longest text in linear time`, () => {
      const pattern = compilePattern(source, { caseSensitive: true })
      const started = process.cpuUsage()
      assert.equal(pattern.found(`${'a'.repeat(PATTERN_TEXT_MAX - 1)}!`), false)
      const spent = process.cpuUsage(started)
      // Going back and forth would take hours; the bound leaves room for a slow machine.
      assert.ok(spent.user + spent.system < 20_000_000, `${spent.user} µs`)
    })
  }
})
