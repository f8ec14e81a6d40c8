import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { caseValue, type PassMetric } from '../../../src/core/statistics/pass-at-k.ts'
import { familyInterval, meanOf, populationInterval, rerunInterval } from '../../../src/core/statistics/suite.ts'
import { assertClose, assertInterval, type Row, rowsOf } from './reference.ts'

const metricOf = (row: Row): PassMetric => (row.metric === 'pass^k' ? 'passHatK' : 'passAtK')
const caseCounts = (row: Row) => row.counts.map(([c, n]: [number, number]) => ({ n, c }))
const allPassed = (cases: number) => new Array<number>(cases).fill(1)

describe('the population interval', () => {
  it('meets every reference row to 1e-12, saturated and unbalanced suites included', () => {
    const rows = rowsOf('default_intervals', 'population_interval_wilson_t_plus2')
    assert.ok(rows.length > 30)
    for (const row of rows) {
      const values = caseCounts(row)
        .map((counts: { n: number; c: number }) => caseValue({ ...counts, k: row.k, metric: metricOf(row) }))
        .filter((value: number | null) => value !== null)
      const what = `${row.suite}, ${row.metric}, k ${row.k}`
      assert.equal(values.length, row.M, what)
      assertClose(meanOf(values), row.estimate, 1e-12, what)
      assertInterval(populationInterval({ values, level: 0.95 }), row.ci, 1e-12, what)
    }
  })

  it('of thirty cases that all passed reaches down to .881', () => {
    assertClose(populationInterval({ values: allPassed(30), level: 0.95 })?.low, 0.8811082473127726, 1e-12, 'low')
  })

  it('has no value for fewer than two cases', () => {
    assert.equal(populationInterval({ values: [], level: 0.95 }), null)
    assert.equal(populationInterval({ values: [1], level: 0.95 }), null)
  })

  it('holds the mean in [0, 1], has width, widens with the level, ignores order', () => {
    const suites = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 60 })
    fc.assert(
      fc.property(suites, fc.double({ min: 0.5, max: 0.99, noNaN: true }), (values, level) => {
        const got = populationInterval({ values, level })
        const mean = meanOf(values) as number
        assert.ok(got && got.low >= 0 && got.high <= 1 && got.low < got.high)
        assert.ok(got.low <= mean && mean <= got.high)
        const wider = populationInterval({ values, level: level + 0.005 })
        assert.ok(wider && wider.low <= got.low + 1e-12 && wider.high >= got.high - 1e-12)
        const turned = populationInterval({ values: values.toReversed(), level })
        assertInterval(turned, [got.low, got.high], 1e-12, 'order')
      }),
    )
  })

  it('refuses values that are not shares, by place', () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, -0.1, 1.1])
      assert.throws(() => populationInterval({ values: [1, bad], level: 0.95 }), /values\[1\]: .* from 0 to 1/)
    assert.throws(() => populationInterval({ values: [1, 1], level: 95 }), /level: 95/)
  })
})

describe('the family interval', () => {
  const values = [1, 0.8, 0.2, 0, 1, 1, 0.4, 0.6]

  it('is the population interval when every case is a family of its own', () => {
    const families = values.map((_, i) => `family ${i}`)
    const plain = populationInterval({ values, level: 0.95 })
    assert.ok(plain)
    assertInterval(familyInterval({ values, families, level: 0.95 }), [plain.low, plain.high], 1e-13, 'same')
  })

  it('of copies is about as wide as that of the originals: copies add nothing', () => {
    const families = values.flatMap((_, i) => [`${i}`, `${i}`, `${i}`])
    const tripled = values.flatMap((value) => [value, value, value])
    const plain = populationInterval({ values, level: 0.95 })
    assert.ok(plain)
    assertInterval(familyInterval({ values: tripled, families, level: 0.95 }), [plain.low, plain.high], 1e-12, 'copies')
  })

  it('has no value for one family, and refuses lists that do not match', () => {
    assert.equal(familyInterval({ values: [1, 1], families: ['a', 'a'], level: 0.95 }), null)
    assert.throws(() => familyInterval({ values: [1, 1], families: ['a'], level: 0.95 }), /families: 1 entries/)
  })
})

describe('the re-run interval', () => {
  it('meets every reference row to 1e-12', () => {
    const rows = rowsOf('default_intervals', 'suite_rerun_interval')
    assert.ok(rows.length > 35)
    for (const row of rows) {
      const got = rerunInterval({ counts: caseCounts(row), k: row.k, metric: metricOf(row), level: 0.95 })
      assertInterval(got, row.ci, 1e-12, `${row.suite}, ${row.metric}, k ${row.k}`)
    }
  })

  it('has no value when no case has k trials, and leaves out those that have fewer', () => {
    const ask = { k: 3, metric: 'passHatK', level: 0.95 } as const
    assert.equal(rerunInterval({ counts: [{ n: 2, c: 2 }], ...ask }), null)
    assert.equal(rerunInterval({ counts: [], ...ask }), null)
    const full = [
      { n: 5, c: 5 },
      { n: 5, c: 3 },
    ]
    assert.deepEqual(
      rerunInterval({ counts: [...full, { n: 2, c: 0 }], ...ask }),
      rerunInterval({ counts: full, ...ask }),
    )
  })

  it('holds where k is in the hundreds and nothing passed', () => {
    const got = rerunInterval({
      counts: [
        { n: 800, c: 0 },
        { n: 800, c: 1 },
      ],
      k: 800,
      metric: 'passHatK',
      level: 0.95,
    })
    assert.ok(got && got.low === 0 && got.high > 0.5 && got.high < 1)
  })

  it('never has zero width', () => {
    for (const c of [0, 3, 5]) {
      const got = rerunInterval({ counts: [{ n: 5, c }], k: 5, metric: 'passHatK', level: 0.95 })
      assert.ok(got && got.low < got.high)
    }
  })
})
