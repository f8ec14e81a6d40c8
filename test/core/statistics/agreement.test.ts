import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cohenKappa, gwetAc1, pairAgreement, scottPi } from '../../../src/core/statistics/agreement.ts'
import { fleissKappa, krippendorffAlpha, randolphKappa } from '../../../src/core/statistics/rater-agreement.ts'
import { assertClose, assertInterval, type Row, readReference, rowsOf } from './reference.ts'

/** A null in the reference must be a null here: undefined is neither 1 nor 0. */
function assertSame(got: number | null | undefined, wanted: number | null, what: string): void {
  if (wanted === null) assert.equal(got, null, what)
  else assertClose(got, wanted, 1e-10, what)
}

describe('agreement of two raters', () => {
  const rows = rowsOf('agreement', 'cohen')

  it('meets every reference row: κ, its error and interval, AC1, its error, Scott’s π, the highest κ', () => {
    assert.equal(rows.length, 8)
    for (const row of rows) {
      const got = pairAgreement({ table: row.table, level: 0.95 })
      assertClose(got.raw?.estimate, row.po, 1e-12, row.name)
      assertSame(got.kappa.estimate, row.kappa, row.name)
      assertClose(got.ac1.estimate, row.gwet_ac1, 1e-10, row.name)
      assertSame(scottPi(row.table), row.scott_pi, row.name)
      if (row.se !== undefined) assertClose(got.kappa.standardError, row.se, 1e-10, `${row.name}, error`)
      if (row.se > 0) assertInterval(got.kappa.interval, row.ci95, 1e-10, row.name)
      if (row.gwet_ac1_se !== undefined) assertClose(got.ac1.standardError, row.gwet_ac1_se, 1e-10, row.name)
      if (row.kappa_max !== undefined) assertClose(got.kappaMax, row.kappa_max, 1e-10, row.name)
    }
  })

  it('meets the weighted κ of ordered categories (statsmodels’ error; psych gives another for quadratic weights)', () => {
    const row = rows.find(({ name }) => name === '3x3') as Row
    const linear = cohenKappa({ table: row.table, level: 0.95, weights: 'linear' })
    const quadratic = cohenKappa({ table: row.table, level: 0.95, weights: 'quadratic' })
    assertClose(linear.estimate, row.weighted_linear, 1e-10, 'linear')
    assertClose(quadratic.estimate, row.weighted_quadratic, 1e-10, 'quadratic')
    assertClose(linear.standardError, row.weighted_linear_se, 1e-10, 'linear, error')
    assertClose(quadratic.standardError, row.weighted_quadratic_se, 1e-10, 'quadratic, error')
  })

  it('agrees with R: psych and epiR', () => {
    for (const row of readReference('ref_R').cohen) {
      const got = cohenKappa({ table: row.table, level: 0.95 })
      assertClose(got.estimate, row.kappa, 1e-9, row.name)
      if (row.se !== undefined) assertClose(got.standardError, row.se, 1e-9, row.name)
    }
  })

  it('is null with one category only: nothing to agree about', () => {
    const got = pairAgreement({
      table: [
        [50, 0],
        [0, 0],
      ],
      level: 0.95,
    })
    assert.deepEqual([got.kappa.estimate, got.kappa.interval, got.kappaMax], [null, null, null])
    assert.match(got.kappa.reason ?? '', /one category only/)
    assert.equal(got.raw?.estimate, 1)
    assert.ok((got.raw?.interval.low ?? 1) < 0.95)
  })

  it('gives perfect agreement no interval of zero width', () => {
    const got = pairAgreement({
      table: [
        [10, 0],
        [0, 20],
      ],
      level: 0.95,
    })
    assert.deepEqual([got.kappa.estimate, got.kappa.interval, got.ac1.interval], [1, null, null])
    assert.match(got.kappa.reason ?? '', /no spread/)
  })

  it('has nothing to say of no units, and refuses tables that are not square or not counts', () => {
    const none = pairAgreement({
      table: [
        [0, 0],
        [0, 0],
      ],
      level: 0.95,
    })
    assert.deepEqual([none.raw, none.kappa.estimate, none.ac1.estimate], [null, null, null])
    assert.equal(
      gwetAc1({
        table: [
          [0, 0],
          [0, 0],
        ],
        level: 0.95,
      }).estimate,
      null,
    )
    assert.throws(() => cohenKappa({ table: [[1, 2]], level: 0.95 }), /table: 1 categories/)
    assert.throws(() => cohenKappa({ table: [[1, 2], [3]], level: 0.95 }), /table\[1\]: 1 columns/)
    assert.throws(
      () =>
        cohenKappa({
          table: [
            [1, 2],
            [3, Number.NaN],
          ],
          level: 0.95,
        }),
      /table\[1\]\[1\]: NaN/,
    )
  })
})

describe('agreement of many raters', () => {
  it('meets the reference for Fleiss’ and Randolph’s κ', () => {
    for (const row of rowsOf('agreement', 'fleiss')) {
      const got = fleissKappa({ counts: row.counts, level: 0.95 })
      assertClose(got.estimate, row.kappa, 1e-10, row.name)
      assertClose(randolphKappa(row.counts), row.randolph, 1e-10, row.name)
      assert.ok(got.interval && got.interval.low < row.kappa && row.kappa < got.interval.high)
    }
  })

  it('meets every reference row of Krippendorff’s α and its jackknife error, all four scales', () => {
    const rows = rowsOf('agreement', 'krippendorff')
    assert.equal(rows.length, 8)
    for (const row of rows) {
      const got = krippendorffAlpha({ units: row.units, scale: row.metric, level: 0.95 })
      assertSame(got.estimate, row.alpha, `${row.name}, ${row.metric}`)
      if (row.jackknife_se !== undefined)
        assertClose(got.standardError, row.jackknife_se, 1e-10, `${row.name}, ${row.metric}, error`)
    }
    const nltk = rowsOf('agreement', 'krippendorff_nltk_crosscheck')[0]
    assertClose(rows[0].alpha, nltk.alpha_nominal, 1e-10, 'nltk')
  })

  it('is null with one category only and with nothing to pair', () => {
    assert.equal(
      fleissKappa({
        counts: [
          [3, 0],
          [3, 0],
        ],
        level: 0.95,
      }).estimate,
      null,
    )
    assert.equal(krippendorffAlpha({ units: [['a', 'a']], scale: 'nominal', level: 0.95 }).estimate, null)
    assert.equal(krippendorffAlpha({ units: [['a', null]], scale: 'nominal', level: 0.95 }).estimate, null)
    assert.equal(krippendorffAlpha({ units: [], scale: 'nominal', level: 0.95 }).estimate, null)
  })

  it('refuses units with unequal ratings, and ratings that the scale does not know', () => {
    assert.throws(
      () =>
        fleissKappa({
          counts: [
            [3, 0],
            [2, 0],
          ],
          level: 0.95,
        }),
      /counts\[1\]: 2 ratings, expected 3/,
    )
    assert.throws(() => fleissKappa({ counts: [], level: 0.95 }), /no units/)
    const ask = { scale: 'interval', level: 0.95 } as const
    assert.throws(() => krippendorffAlpha({ units: [[1, Number.NaN]], ...ask }), /NaN is not a rating/)
    assert.throws(() => krippendorffAlpha({ units: [['a', 'b']], ...ask }), /a is not a rating on a interval scale/)
  })
})
