import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { categoryDrift, sameMix, simultaneousShares } from '../../../src/core/statistics/categories.ts'
import { seededRandom } from '../../../src/core/statistics/random.ts'
import { assertClose, assertInterval, type Row, rowsOf } from './reference.ts'

const tables = rowsOf('drift_categories').filter((row) => row.table !== undefined)
const random = () => seededRandom('categories.test')

describe('the mix of categories in two periods', () => {
  it('meets the reference χ², its degrees of freedom, its asymptotic p and Cramér’s V', () => {
    assert.equal(tables.length, 4)
    for (const { table, ...row } of tables) {
      const got = sameMix({ before: table[0], after: table[1], random: random(), permutations: 200 })
      assertClose(got?.chiSquare, row.chi2, 1e-9, row.name)
      assert.equal(got?.degreesOfFreedom, row.df)
      assertClose(got?.asymptoticP, row.chi2_p, 1e-9, row.name)
      assertClose(got?.cramersV, row.cramers_v, 1e-9, row.name)
    }
  })

  it('has a permutation p near the asymptotic one where counts are large, and repeats for a seed', () => {
    const { table, chi2_p } = tables[0] as Row
    const ask = () => sameMix({ before: table[0], after: table[1], random: random() })
    assert.ok(Math.abs((ask()?.p ?? 0) - chi2_p) < 0.015, `${ask()?.p}`)
    assert.deepEqual(ask(), ask())
  })

  it('calls drift in about 5 % of periods in which nothing changed', () => {
    const draw = seededRandom('no drift')
    const shares = [0.3, 0.25, 0.2, 0.1, 0.1, 0.05]
    const period = () => {
      const counts = shares.map(() => 0)
      for (let i = 0; i < 100; i += 1) {
        let left = draw.next()
        const category = shares.findIndex((share) => {
          left -= share
          return left < 0
        })
        const at = category === -1 ? 5 : category
        counts[at] = (counts[at] as number) + 1
      }
      return counts
    }
    let called = 0
    for (let i = 0; i < 300; i += 1) {
      const got = sameMix({ before: period(), after: period(), random: draw, permutations: 199 })
      if ((got?.p ?? 1) <= 0.05) called += 1
    }
    assert.ok(called <= 27 && called >= 4, `${called} of 300`)
  })

  it('has nothing to compare in an empty period or with one category', () => {
    assert.equal(sameMix({ before: [0, 0], after: [3, 4], random: random() }), null)
    assert.equal(sameMix({ before: [5, 0], after: [3, 0], random: random() }), null)
    assert.equal(sameMix({ before: [], after: [], random: random() }), null)
    assert.throws(() => sameMix({ before: [1], after: [1, 2], random: random() }), /after: 2 entries/)
    assert.throws(() => sameMix({ before: [Number.NaN], after: [1], random: random() }), /before\[0\]: NaN/)
  })
})

describe('the drift of each category', () => {
  const before = { counts: [40, 5, 5], total: 1000 }
  const after = { counts: [42, 30, 5], total: 1000 }

  it('finds the one that grew, and p agrees with the interval', () => {
    const drifts = categoryDrift({ before, after, level: 0.95 })
    assert.ok(
      (drifts[1]?.adjusted ?? 1) < 0.001 && (drifts[0]?.adjusted ?? 0) > 0.5 && (drifts[2]?.adjusted ?? 0) > 0.9,
    )
    assertClose(drifts[1]?.difference, 0.025, 1e-12, 'difference')
    for (const [i, { p }] of drifts.entries()) {
      assert.ok(p !== null)
      const at = (level: number) => categoryDrift({ before, after, level })[i]?.interval
      const isOut = (interval: { low: number; high: number } | null | undefined) =>
        interval ? interval.low > 0 || interval.high < 0 : false
      if (p < 0.99) assert.ok(!isOut(at(Math.min(0.999999, 1 - p + 1e-6))))
      if (p > 1e-4 && p < 0.99) assert.ok(isOut(at(1 - p - 1e-6)))
    }
  })

  it('swaps sign with the periods, and has no figure for an empty one', () => {
    const there = categoryDrift({ before, after, level: 0.95 })[1]
    const back = categoryDrift({ before: after, after: before, level: 0.95 })[1]
    assertClose(back?.difference, -(there?.difference as number), 1e-15, 'difference')
    assertClose(back?.interval?.low, -(there?.interval?.high as number), 1e-12, 'limit')
    const none = categoryDrift({ before: { counts: [0], total: 0 }, after: { counts: [1], total: 5 }, level: 0.95 })
    assert.deepEqual(none, [{ difference: null, interval: null, p: null, adjusted: null }])
  })

  it('refuses more in a category than there are units', () => {
    const wrong = { counts: [6], total: 5 }
    assert.throws(() => categoryDrift({ before: wrong, after: wrong, level: 0.95 }), /before\.counts\[0\]: 6/)
  })
})

describe('shares of one period that hold together', () => {
  it('meet the reference (Goodman)', () => {
    for (const { counts, method, ci } of rowsOf('drift_categories')) {
      if (method !== 'goodman') continue
      const got = simultaneousShares({ counts, level: 0.95 })
      ci.forEach((wanted: [number, number], i: number) => {
        assertInterval(got?.[i], wanted, 1e-9, `${counts}, category ${i}`)
      })
    }
    assert.equal(simultaneousShares({ counts: [0, 0], level: 0.95 }), null)
  })
})
