import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  failureRateLeft,
  gateAdmits,
  gateErrors,
  passesNeeded,
  trialsForCaseGate,
  trialsWithoutFailure,
} from '../../../src/core/statistics/gate-plan.ts'
import {
  casesForDifference,
  casesForNonInferiority,
  minimumDetectableDifference,
  nonInferiorityPower,
  pairedPower,
  suiteErrors,
  suitesForWidth,
  trialsForWidth,
  varianceSplit,
} from '../../../src/core/statistics/plan.ts'
import { populationInterval } from '../../../src/core/statistics/suite.ts'
import { assertClose, assertRelative, readReference, rowsOf } from './reference.ts'

describe('planning a comparison', () => {
  it('meets the reference number of cases (statsmodels, whose solver stops at about 1e-7)', () => {
    for (const { sd_diff: sd, delta: difference, alpha, power, ...row } of rowsOf('power', 'paired_t_tasks_needed')) {
      const got = casesForDifference({ difference, sd, level: 1 - alpha, power })
      assertRelative(got, row.tasks_t, 2e-7, `sd ${sd}, difference ${difference}`)
    }
    assertRelative(
      casesForDifference({ difference: 0.1, sd: 0.3, level: 0.95, power: 0.8 }),
      readReference('ref_R').power.paired_t,
      5e-6,
      'R, whose solver stops there too',
    )
  })

  it('meets the reference minimum detectable difference (its solver stops at about 1e-6)', () => {
    for (const { tasks: cases, sd_diff: sd, alpha, power, ...row } of rowsOf('power', 'paired_t_mde')) {
      const got = minimumDetectableDifference({ cases, sd, level: 1 - alpha, power })
      assertRelative(got, row.mde_t, 5e-6, `${cases} cases, sd ${sd}`)
    }
  })

  it('has the power that 30-digit quadrature gives (mpmath), to 1e-12', () => {
    const rows = [
      [3, 0.5, 0.4, 0.244071829125686],
      [10, 0.2, 0.4, 0.293175606514077],
      [30, 0.1, 0.3, 0.4229057894446802],
      [100, 0.05, 0.2, 0.696980274054786],
      [500, 0.03, 0.3, 0.60712554227358],
    ] as const
    for (const [cases, difference, sd, wanted] of rows)
      assertRelative(pairedPower({ cases, difference, sd, level: 0.95 }), wanted, 1e-12, `${cases} cases`)
  })

  it('notices nothing more often than its error when nothing is there, and everything with cases enough', () => {
    assertClose(pairedPower({ cases: 30, difference: 0, sd: 0.3, level: 0.95 }), 0.05, 1e-12, 'size')
    assert.ok(pairedPower({ cases: 3000, difference: 0.1, sd: 0.3, level: 0.95 }) > 0.9999)
    assert.equal(casesForDifference({ difference: 1e-9, sd: 0.3, level: 0.95, power: 0.8 }), null)
  })

  it('says that thirty cases seldom show a margin of .05', () => {
    const ask = { difference: 0, margin: 0.05, sd: 0.3, level: 0.95 }
    assert.ok(nonInferiorityPower({ cases: 30, ...ask }) < 0.15)
    const cases = casesForNonInferiority({ power: 0.8, ...ask })
    assert.ok(cases !== null && cases > 280 && cases < 290)
    assertClose(nonInferiorityPower({ cases, ...ask }), 0.8, 1e-9, 'power')
    assert.equal(casesForNonInferiority({ ...ask, difference: -0.05, power: 0.8 }), null)
  })

  it('refuses plans that ask for nothing or for NaN', () => {
    const ask = { sd: 0.3, level: 0.95, power: 0.8 }
    assert.throws(() => minimumDetectableDifference({ ...ask, cases: 30, sd: 0 }), /sd: 0 .* above 0/)
    assert.throws(() => minimumDetectableDifference({ ...ask, cases: 30, power: 0.04 }), /power: 0.04/)
    assert.throws(() => casesForDifference({ ...ask, difference: Number.NaN }), /difference: NaN/)
  })
})

describe('planning a suite', () => {
  it('meets the reference allocation of a fixed number of trials', () => {
    for (const row of rowsOf('power', 'allocation_fixed_total_trials')) {
      const split = { between: row.omega2_between, within: row.sigma2_within }
      const got = suiteErrors({ split, cases: row.tasks, trials: row.attempts })
      assertClose(got.population, row.se_pop, 1e-12, row.F)
      assertClose(got.rerun, row.se_suite, 1e-12, row.F)
    }
  })

  it('splits variance as the analysis of variance in R does, on the balanced fixture', () => {
    const row = readReference('ref_R').clustered_se[0]
    const trials = Object.values(row.trials) as number[][]
    const split = varianceSplit(trials.map((all) => ({ n: all.length, c: all.reduce((sum, x) => sum + x, 0) })))
    assertClose(split?.within, row.msw, 1e-12, 'within')
    assertClose(split?.icc, row.anova_icc, 1e-9, 'icc')
    const errors = suiteErrors({ split: split as NonNullable<typeof split>, cases: 8, trials: 5 })
    assertClose(errors.population, row.se_task_means, 1e-9, 'error of the mean')
  })

  it('has no split of one case or of single trials, and none below zero', () => {
    assert.equal(varianceSplit([{ n: 5, c: 3 }]), null)
    assert.equal(
      varianceSplit([
        { n: 1, c: 1 },
        { n: 1, c: 0 },
      ]),
      null,
    )
    assert.equal(
      varianceSplit([
        { n: 4, c: 2 },
        { n: 4, c: 2 },
      ])?.between,
      0,
    )
    assert.equal(
      varianceSplit([
        { n: 4, c: 4 },
        { n: 4, c: 4 },
      ])?.icc,
      0,
    )
  })

  it('meets the reference number of trials for a width', () => {
    for (const { p: rate, half_width: halfWidth, n } of rowsOf('power', 'n_for_wald_halfwidth'))
      assertRelative(trialsForWidth({ rate, halfWidth, level: 0.95 }), n, 1e-9, `${rate} ± ${halfWidth}`)
  })

  it('finds cases whose interval has the width, and puts the cheapest suite first', () => {
    const split = { between: 0.05, within: 0.15 }
    const plans = suitesForWidth({ split, rate: 0.8, halfWidth: 0.1, level: 0.95, trials: [1, 3, 5, 10] })
    assert.equal(plans.length, 4)
    assert.equal(plans[0]?.trials, 1)
    for (const { cases, total, trials } of plans) assert.equal(total, cases * trials)
    // Values with exactly that mean and spread have about that interval.
    const one = plans.find(({ trials }) => trials === 5)
    assert.ok(one)
    const sd = Math.sqrt((0.05 + 0.15 / 5) * ((one.cases - 1) / one.cases))
    const values = Array.from({ length: one.cases }, (_, i) => (i % 5 < 4 ? 0.8 + sd / 2 : 0.8 - 2 * sd))
    const interval = populationInterval({ values, level: 0.95 })
    assert.ok(interval && Math.abs(0.8 - interval.low - 0.1) < 0.005, `${interval?.low}`)
  })
})

describe('the two errors of a gate', () => {
  it('all of 30 × 5 lets .99 through 22 % of the time and .98 5 %', () => {
    const gate = { cases: 30, trials: 5, passes: 5 }
    assertClose(gateAdmits({ ...gate, p: 0.99 }), 0.99 ** 150, 1e-12, '.99')
    assert.ok(Math.abs(gateAdmits({ ...gate, p: 0.98 }) - 0.048) < 0.001)
    assert.equal(gateAdmits({ ...gate, p: 1 }), 1)
    assert.equal(gateAdmits({ ...gate, p: 0 }), 0)
  })

  it('pass@3 ≥ .8 of five is two passes, which .4 reaches 66 % of the time', () => {
    assert.equal(passesNeeded({ n: 5, k: 3, metric: 'passAtK', threshold: 0.8 }), 2)
    assertClose(gateAdmits({ cases: 1, trials: 5, passes: 2, p: 0.4 }), 0.66304, 1e-12, '.4')
    assert.equal(passesNeeded({ n: 10, k: 1, metric: 'passHatK', threshold: 0.3 }), 3)
    assert.equal(passesNeeded({ n: 2, k: 3, metric: 'passAtK', threshold: 0.8 }), null)
  })

  it('counts the false block of a good agent and the false pass of one bad case', () => {
    const got = gateErrors({ cases: 30, trials: 5, passes: 4, good: 0.99, bad: 0.5, badCases: 1 })
    const each = 0.99 ** 5 + 5 * 0.99 ** 4 * 0.01
    assertClose(got.falseBlock, 1 - each ** 30, 1e-12, 'false block')
    assertClose(got.falsePass, each ** 29 * (6 / 32), 1e-12, 'false pass')
    const all = gateErrors({ cases: 3, trials: 5, passes: 4, good: 0.99, bad: 0.5, badCases: 3 })
    assertClose(all.falsePass, (6 / 32) ** 3, 1e-12, 'all bad')
  })

  it('needs the reference number of trials without failure', () => {
    for (const row of rowsOf('power', 'zero_failures_needed_one_sided95')) {
      const n = trialsWithoutFailure({ failureRate: row.max_fail_rate, level: 0.95 })
      assert.equal(n, row.n)
      assert.ok(failureRateLeft({ n, level: 0.95 }) <= row.max_fail_rate)
      assert.ok(failureRateLeft({ n: n - 1, level: 0.95 }) > row.max_fail_rate)
    }
    assert.equal(failureRateLeft({ n: 0, level: 0.95 }), 1)
  })

  it('needs the reference number of trials before a per-case gate can block at all', () => {
    for (const row of rowsOf('min_attempts_gate'))
      if (row.test === 'boschloo')
        assert.equal(
          trialsForCaseGate({ cases: row.cases, error: row.alpha }),
          row.min_attempts_per_version_all_pass_to_all_fail,
        )
  })
})
