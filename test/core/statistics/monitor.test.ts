import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wilson } from '../../../src/core/statistics/interval.ts'
import {
  alwaysValidInterval,
  mixtureLogE,
  monitorWorsening,
  worseningLogE,
} from '../../../src/core/statistics/monitor.ts'
import { seededRandom } from '../../../src/core/statistics/random.ts'
import { binomialChances } from '../../../src/core/statistics/two-proportions.ts'
import { assertClose, assertInterval, rowsOf } from './reference.ts'

describe('the always-valid interval', () => {
  it('meets every reference row to 1e-9', () => {
    const rows = rowsOf('confseq', 'beta_binomial_mixture_cs')
    assert.equal(rows.length, 33)
    for (const { t: trials, S: successes, alpha, prior, ...row } of rows) {
      const got = alwaysValidInterval({ successes, trials, level: 1 - alpha, prior: { a: prior[0], b: prior[1] } })
      assertInterval(got, row.cs, 1e-9, `${successes}/${trials} at ${alpha}`)
    }
  })

  it('meets the reference e-values', () => {
    for (const { t: trials, S: successes, p0: p, prior, ...row } of rowsOf('confseq', 'e_value_mixture_vs_p0'))
      assertClose(mixtureLogE({ successes, trials, p, prior: { a: prior[0], b: prior[1] } }), row.log_e, 1e-9, 'log e')
  })

  it('holds the truth at every one of 400 looks in 95 of 100 runs, where a 95 % interval is left by half', () => {
    const random = seededRandom('always valid')
    let [left, plainLeft] = [0, 0]
    for (let run = 0; run < 100; run += 1) {
      let [successes, out, plainOut] = [0, false, false]
      for (let trials = 1; trials <= 400; trials += 1) {
        if (random.next() < 0.8) successes += 1
        const { low, high } = alwaysValidInterval({ successes, trials, level: 0.95 })
        if (low > 0.8 || high < 0.8) out = true
        const plain = wilson({ successes, trials, level: 0.95 })
        if (plain.low > 0.8 || plain.high < 0.8) plainOut = true
      }
      if (out) left += 1
      if (plainOut) plainLeft += 1
    }
    assert.ok(left <= 8, `left in ${left} of 100`)
    assert.ok(plainLeft >= 30, `plain left in ${plainLeft} of 100`)
  })

  it('says nothing before the first trial', () => {
    const got = alwaysValidInterval({ successes: 0, trials: 0, level: 0.95 })
    assert.deepEqual([got.low, got.high], [0, 1])
  })

  it('refuses impossible counts and priors', () => {
    assert.throws(() => alwaysValidInterval({ successes: 2, trials: 1, level: 0.95 }), /successes: 2/)
    const prior = { a: 0, b: 1 }
    assert.throws(() => alwaysValidInterval({ successes: 0, trials: 1, level: 0.95, prior }), /prior\.a: 0/)
  })
})

describe('the worsening detector', () => {
  it('has e-values of mean one at the baseline and less above it, by enumeration', () => {
    for (const baseline of [0.5, 0.9, 0.99])
      for (const p of [baseline, (1 + baseline) / 2]) {
        const trials = 60
        const mean = binomialChances(trials, p).reduce(
          (sum, chance, successes) => sum + chance * Math.exp(worseningLogE({ successes, trials, baseline })),
          0,
        )
        if (p === baseline) assertClose(mean, 1, 1e-9, `mean at ${baseline}`)
        else assert.ok(mean < 1)
      }
  })

  const halfYears = (name: string, rate: (week: number) => number, count: number) => {
    const random = seededRandom(name)
    return Array.from({ length: count }, () => {
      const looks = Array.from({ length: 26 }, (_, week) => {
        let successes = 0
        for (let i = 0; i < 200; i += 1) if (random.next() < rate(week)) successes += 1
        return { successes, trials: 200 }
      })
      return monitorWorsening({ looks, baseline: 0.9, plannedLooks: 26, error: 0.05 }).alarmAt
    })
  }

  it('alarms in at most 5 % of healthy half-years of weekly looks', () => {
    const alarms = halfYears('healthy', () => 0.9, 400).filter((at) => at !== null)
    assert.ok(alarms.length <= 0.05 * 400, `${alarms.length} of 400`)
  })

  it('finds a fall of ten points that comes late, within weeks', () => {
    const alarms = halfYears('fallen', (week) => (week < 13 ? 0.9 : 0.8), 60)
    const found = alarms.filter((at) => at !== null && at > 13 && at <= 17)
    assert.ok(found.length >= 55, `${found.length} of 60`)
  })

  it('keeps still while there are no counts, and refuses a baseline that nothing can fall from', () => {
    const still = monitorWorsening({
      looks: [{ successes: 0, trials: 0 }],
      baseline: 0.9,
      plannedLooks: 26,
      error: 0.05,
    })
    assertClose(still.looks[0]?.logStatistic, 0, 1e-12, 'statistic')
    assert.equal(still.alarmAt, null)
    for (const baseline of [0, 1, Number.NaN])
      assert.throws(() => worseningLogE({ successes: 1, trials: 1, baseline }), /baseline: /)
  })
})
