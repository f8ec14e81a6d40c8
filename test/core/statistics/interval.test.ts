import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  allPassedBound,
  casePassAtK,
  casePassHatK,
  clopperPearson,
  clopperPearsonLower,
  clopperPearsonUpper,
  jeffreys,
  jeffreysLower,
  jeffreysUpper,
  wilson,
  wilsonLower,
  wilsonUpper,
} from '../../../src/core/statistics/interval.ts'
import { passAtK, passHatK } from '../../../src/core/statistics/pass-at-k.ts'
import { assertClose, assertInterval, readReference, rowsOf } from './reference.ts'

const METHODS = [jeffreys, wilson, clopperPearson]

describe('intervals of one probability', () => {
  it('meet every reference row to 1e-12, ends included', () => {
    const rows = rowsOf('binom_intervals')
    assert.ok(rows.length > 670)
    for (const row of rows) {
      const counts = { successes: row.c, trials: row.n, level: row.level }
      const what = JSON.stringify(counts)
      assertInterval(jeffreys(counts), row.jeffreys, 1e-12, `jeffreys ${what}`)
      assertInterval(wilson(counts), row.wilson, 1e-12, `wilson ${what}`)
      assertInterval(clopperPearson(counts), row.clopper_pearson, 1e-12, `clopper-pearson ${what}`)
      assertClose(clopperPearsonLower(counts), row.cp_lower_one_sided, 1e-12, `lower ${what}`)
      assertClose(clopperPearsonUpper(counts), row.cp_upper_one_sided, 1e-12, `upper ${what}`)
      assertClose(wilsonLower(counts), row.wilson_lower_one_sided, 1e-12, `wilson lower ${what}`)
      assertClose(wilsonUpper(counts), row.wilson_upper_one_sided, 1e-12, `wilson upper ${what}`)
    }
  })

  it('agree with R: binom.test and prop.test', () => {
    for (const row of readReference('ref_R').binom) {
      const counts = { successes: row.c, trials: row.n, level: row.level }
      assertInterval(clopperPearson(counts), row.binom_test_cp, 1e-9, JSON.stringify(counts))
      assertInterval(wilson(counts), row.prop_test_wilson, 1e-9, JSON.stringify(counts))
    }
  })

  it('hold the estimate, stay in [0, 1], are never empty, widen with the level, rise with the count', () => {
    const counts = fc.integer({ min: 1, max: 3000 }).chain((trials) =>
      fc.record({
        trials: fc.constant(trials),
        successes: fc.integer({ min: 0, max: trials }),
        level: fc.double({ min: 0.5, max: 0.998, noNaN: true }),
      }),
    )
    fc.assert(
      fc.property(counts, fc.constantFrom(...METHODS), (drawn, method) => {
        const { low, high } = method(drawn)
        const estimate = drawn.successes / drawn.trials
        assert.ok(low >= 0 && low <= estimate && estimate <= high && high <= 1 && low < high)
        const wider = method({ ...drawn, level: drawn.level + 0.001 })
        assert.ok(wider.low <= low && wider.high >= high)
        if (drawn.successes === drawn.trials) return
        const more = method({ ...drawn, successes: drawn.successes + 1 })
        assert.ok(more.low >= low && more.high >= high)
      }),
      { numRuns: 300 },
    )
  })

  it('say nothing without trials: [0, 1]', () => {
    for (const method of METHODS) {
      const { low, high } = method({ successes: 0, trials: 0, level: 0.95 })
      assert.deepEqual([low, high], [0, 1])
    }
    const none = { successes: 0, trials: 0, level: 0.95 }
    assert.deepEqual([clopperPearsonLower(none), clopperPearsonUpper(none)], [0, 1])
    assert.deepEqual([wilsonLower(none), wilsonUpper(none)], [0, 1])
    assert.deepEqual([jeffreysLower(none), jeffreysUpper(none)], [0, 1])
  })

  it('are exactly 0 and 1 at the ends', () => {
    for (const method of METHODS)
      for (const trials of [1, 7, 30, 100_000]) {
        assert.equal(method({ successes: 0, trials, level: 0.95 }).low, 0)
        assert.equal(method({ successes: trials, trials, level: 0.95 }).high, 1)
      }
  })

  it('one-sided Jeffreys limits are the two-sided ones of twice the tail', () => {
    const two = jeffreys({ successes: 7, trials: 9, level: 0.9 })
    assertClose(jeffreysLower({ successes: 7, trials: 9, level: 0.95 }), two.low, 1e-13, 'low')
    assertClose(jeffreysUpper({ successes: 7, trials: 9, level: 0.95 }), two.high, 1e-13, 'high')
  })

  it('refuse what is not a count or a level, by name', () => {
    for (const method of METHODS) {
      assert.throws(() => method({ successes: 3, trials: 2, level: 0.95 }), /successes: 3 is not allowed/)
      assert.throws(() => method({ successes: Number.NaN, trials: 2, level: 0.95 }), /successes: NaN/)
      assert.throws(() => method({ successes: 1, trials: Number.POSITIVE_INFINITY, level: 0.95 }), /trials: Infinity/)
      for (const level of [0, 1, 95, -0.1, Number.NaN])
        assert.throws(() => method({ successes: 1, trials: 2, level }), /^InputError: level: /)
    }
  })
})

describe('intervals of one case', () => {
  it('meet every mapped and hulled reference row to 1e-12', () => {
    const rows = rowsOf('passk_task_intervals')
    assert.ok(rows.length > 160)
    for (const { n, c, k, level, jeffreys: wanted } of rows) {
      const what = JSON.stringify({ n, c, k, level })
      assertInterval(casePassHatK({ n, c, k, level }), wanted.hull_hat, 1e-12, `pass^k ${what}`)
      assertInterval(casePassAtK({ n, c, k, level }), wanted.hull_at, 1e-12, `pass@k ${what}`)
    }
  })

  it('hold a point that the mapped limits leave out', () => {
    const interval = casePassHatK({ n: 5, c: 4, k: 5, level: 0.95 })
    assert.equal(interval?.low, 0)
    assertClose(interval?.high, 0.8924, 5e-5, 'high')
  })

  it('have no value when k is more than n', () => {
    assert.equal(casePassHatK({ n: 3, c: 3, k: 4, level: 0.95 }), null)
    assert.equal(casePassAtK({ n: 0, c: 0, k: 1, level: 0.95 }), null)
  })

  it('hold their point and never have zero width', () => {
    for (const n of [1, 2, 5, 12])
      for (let c = 0; c <= n; c += 1)
        for (let k = 1; k <= n; k += 1) {
          const hat = casePassHatK({ n, c, k, level: 0.95 })
          const at = casePassAtK({ n, c, k, level: 0.95 })
          assert.ok(hat && at && hat.low < hat.high && at.low < at.high)
          assert.ok(hat.low <= (passHatK({ n, c, k }) as number) && (passHatK({ n, c, k }) as number) <= hat.high)
          assert.ok(at.low <= (passAtK({ n, c, k }) as number) && (passAtK({ n, c, k }) as number) <= at.high)
          const wider = casePassHatK({ n, c, k, level: 0.99 })
          assert.ok(wider && wider.low <= hat.low && wider.high >= hat.high)
          if (c === n) continue
          const more = [casePassHatK, casePassAtK].map((of) => of({ n, c: c + 1, k, level: 0.95 }))
          assert.ok(more[0] && more[0].low >= hat.low && more[0].high >= hat.high)
          assert.ok(more[1] && more[1].low >= at.low && more[1].high >= at.high)
        }
  })

  it('all passed proves p at the n-th root of the error and no more', () => {
    assertClose(allPassedBound({ n: 5, level: 0.95 })?.low, 0.05 ** 0.2, 1e-15, 'low')
    assertClose(clopperPearsonLower({ successes: 5, trials: 5, level: 0.95 }), 0.05 ** 0.2, 1e-15, 'same')
    assertClose(allPassedBound({ n: 5, level: 0.95 })?.allLow, 0.05, 1e-15, 'all')
    assert.equal(allPassedBound({ n: 0, level: 0.95 }), null)
  })
})
