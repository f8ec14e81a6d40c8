/** Numbers in text: the notations of the world read back, and what is not a number left alone. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { numbersIn } from '../../../src/core/grading/numbers.ts'

const LOCALES = ['en-US', 'de-DE', 'fr-FR', 'de-CH', 'en-IN', 'sv-SE', 'es-ES', 'pl-PL', 'pt-BR', 'en-GB', 'nb-NO']

describe('numbers in text', () => {
  for (const [text, expected] of [
    ['', []],
    ['none', []],
    ['42', [42]],
    ['It costs $1,234.56 today.', [1234.56]],
    ['1.234,56 €', [1234.56]],
    ['1 234,56 kr', [1234.56]],
    ['10 000 people', [10000]],
    ["1'234.50 CHF", [1234.5]],
    ['₹12,34,567.8', [1234567.8]],
    ['1,234', [1234]],
    ['1.234', [1.234]],
    ['0,123', [0.123]],
    ['1.234.567', [1234567]],
    ['-5 and −6 and –7', [-5, -6, -7]],
    ['-$5, -€ 6, EUR -7, (EUR8)', [-5, -6, -7, 8]],
    ['US$25, Rs.500 and £3', [25, 500, 3]],
    ['50 % or 12.5%', [50, 12.5]],
    ['1.5e3, 2E-2 and 6.02e+23', [1500, 0.02, 6.02e23]],
    ['.5 and 0.5, costs -.25', [0.5, 0.5, -0.25]],
    ['5-10 days', [5, 10]],
    ['total - 5', [5]],
    ['25kg, 3 items', [25, 3]],
    ['1,2,3', [1, 2, 3]],
    ['in 2024 100 came', [2024, 100]],
    ['ORD-1001 of GPT4 costs 7', [7]],
    ['#4711, item_12, 7f3a9, 10.0.0.1, v1.2.3', []],
    ['on 2026-12-01T09:00:00Z at 10:30, 1/2 of it', []],
    ['1e999', []],
    ['end. 5.', [5]],
  ] as const) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.deepEqual(numbersIn(text), expected)
    })
  }

  it('reads back what any of eleven locales writes, with currency, minus and percent', () => {
    const styles = [
      { style: 'decimal' },
      { style: 'currency', currency: 'EUR' },
      { style: 'currency', currency: 'USD' },
    ] as const
    fc.assert(
      fc.property(
        fc.integer({ min: -99_999_999_999, max: 99_999_999_999 }),
        fc.constantFrom(...LOCALES),
        fc.constantFrom(...styles),
        fc.constantFrom('', 'The total is ', 'so: ', '= '),
        fc.constantFrom('', '.', ' in all', '%', ')'),
        (cents, locale, style, before, after) => {
          const value = cents / 100
          const written = new Intl.NumberFormat(locale, {
            ...style,
            minimumFractionDigits: 2,
            maximumFractionDigits: 2,
          }).format(value)
          assert.deepEqual(numbersIn(`${before}${written}${after}`), [value], `${before}${written}${after}`)
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('reads back any number that JavaScript writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        assert.equal(numbersIn(`is ${value} so`)[0], value === 0 ? numbersIn(`is ${value} so`)[0] : value)
      }),
    )
  })

  it('gives finite numbers, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."0123456789.,'’ -−–eE+%$€:/aK_#()") }), (text) => {
        for (const number of numbersIn(text)) assert.ok(Number.isFinite(number), text)
      }),
      { numRuns: 3000 },
    )
  })

  for (const [what, unit] of Object.entries({
    digits: '1',
    groups: '1,',
    spaces: '1 ',
    dashes: '-1',
    times: '1:',
    words: 'a1-',
  })) {
    it(`takes linear time on a megabyte of ${what}`, () => {
      const started = process.cpuUsage()
      numbersIn(unit.repeat(Math.floor(1_000_000 / unit.length)))
      const spent = process.cpuUsage(started)
      assert.ok(spent.user + spent.system < 10_000_000, `${spent.user} µs`)
    })
  }
})
