import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { normalQuantile } from '../../../src/core/statistics/distribution.ts'
import { wilson, wilsonLimits } from '../../../src/core/statistics/interval.ts'
import { judgeQuality, roganGladen, roganGladenError, twoPhaseRate } from '../../../src/core/statistics/judge.ts'
import {
  correctedPassHatK,
  correctedPassHatKVariance,
  judgedPassK,
} from '../../../src/core/statistics/judged-pass-k.ts'
import { moverSum } from '../../../src/core/statistics/mover.ts'
import { assertClose, assertInterval, type Row, readReference, rowsOf } from './reference.ts'

const labelsOf = (row: Row) => ({
  passes: { labelled: row.m1, agreed: row.tp },
  fails: { labelled: row.m0, agreed: row.tn },
})

const classesOf = (row: Row) => [
  {
    verdict: 'pass' as const,
    count: row.judge_pass,
    labelled: row.labelled_pass,
    passed: row.human_pass_in_pass,
  },
  { verdict: 'fail' as const, count: row.judge_fail, labelled: row.labelled_fail, passed: row.human_pass_in_fail },
]

describe('a rate corrected by labels from elsewhere (Rogan–Gladen)', () => {
  const rows = rowsOf('rogan_gladen').filter((row) => row.error_case === undefined)

  it('meets every reference row: point, delta error and Lang–Reiczigel interval', () => {
    assert.equal(rows.length, 7)
    for (const row of rows) {
      const ask = { judgedPass: row.judged_pass, judged: row.N, labels: labelsOf(row) }
      const got = roganGladen({ ...ask, level: 0.95 })
      assertClose(got.raw.estimate, row.p, 1e-12, 'raw')
      assertClose(got.corrected.estimate, row.theta_clipped, 1e-10, 'corrected')
      assertInterval(got.corrected.interval, row.lee_adjusted95, 1e-10, JSON.stringify(row))
      assertClose(roganGladenError(ask), row.se_delta, 1e-10, 'delta error')
      assertClose(got.quality.sensitivity?.estimate, row.sens, 1e-12, 'sensitivity')
      assertClose(got.quality.specificity?.estimate, row.spec, 1e-12, 'specificity')
      assertClose(got.quality.informedness?.estimate, row.youden, 1e-12, 'informedness')
    }
  })

  it('agrees with epiR’s points where the judge’s error is taken as known', () => {
    for (const { pos, tested, se, sp, method, ...row } of readReference('ref_R').rogan_gladen_epiR) {
      const correct = (q: number) => (q + sp - 1) / (se + sp - 1)
      assertClose(correct(pos / tested), row.est_formula, 1e-9, 'point')
      if (method !== 'wilson') continue
      const { low, high } = wilson({ successes: pos, trials: tested, level: 0.95 })
      assertInterval({ low: correct(low), high: correct(high) }, [row.true[1], row.true[2]], 1e-9, 'interval')
    }
  })

  it('refuses a judge that is, or may be, no better than chance, and keeps the raw rate', () => {
    const coin = { passes: { labelled: 50, agreed: 25 }, fails: { labelled: 50, agreed: 25 } }
    const barely = { passes: { labelled: 10, agreed: 6 }, fails: { labelled: 10, agreed: 6 } }
    for (const labels of [coin, barely]) {
      const got = roganGladen({ judgedPass: 80, judged: 100, labels, level: 0.95 })
      assert.equal(got.corrected.estimate, null)
      assert.match(got.corrected.reason ?? '', /no better than chance/)
      assert.equal(got.raw.estimate, 0.8)
    }
    assert.equal(roganGladenError({ judgedPass: 80, judged: 100, labels: coin }), null)
  })

  it('gives no figure without labels of both kinds or without verdicts', () => {
    const onlyPasses = { passes: { labelled: 50, agreed: 50 }, fails: { labelled: 0, agreed: 0 } }
    assert.equal(roganGladen({ judgedPass: 8, judged: 10, labels: onlyPasses, level: 0.95 }).corrected.estimate, null)
    assert.equal(judgeQuality({ labels: onlyPasses, level: 0.95 }).informedness, null)
    const good = { passes: { labelled: 50, agreed: 49 }, fails: { labelled: 50, agreed: 48 } }
    assert.equal(roganGladen({ judgedPass: 0, judged: 0, labels: good, level: 0.95 }).raw.estimate, null)
  })
})

describe('a rate corrected by labels from the same window (two-phase)', () => {
  it('meets the reference points, and its limits are those of MOVER', () => {
    for (const row of rowsOf('two_phase_judge')) {
      const got = twoPhaseRate({ classes: classesOf(row), scope: 'window', level: 0.95 })
      assertClose(got.corrected.estimate, row.theta, 1e-10, 'corrected')
      const total = row.judge_pass + row.judge_fail
      assertClose(got.raw.estimate, row.judge_pass / total, 1e-12, 'raw')
      const pieces = classesOf(row).map(({ count, labelled, passed }) => ({
        weight: count / total,
        estimate: passed / labelled,
        ...wilsonLimits({ share: passed / labelled, trials: labelled, quantile: normalQuantile(0.975) }),
      }))
      assertInterval(moverSum(pieces), row.mover_wilson_finite_nofpc, 1e-10, 'MOVER of Wilson limits')
    }
  })

  it('is exact once everything is labelled, for the window and not for traffic like it', () => {
    const classes = [
      { verdict: 'pass' as const, count: 80, labelled: 80, passed: 76 },
      { verdict: 'fail' as const, count: 20, labelled: 20, passed: 4 },
    ]
    const window = twoPhaseRate({ classes, scope: 'window', level: 0.95 }).corrected
    assertInterval(window.interval, [0.8, 0.8], 1e-12, 'window')
    const population = twoPhaseRate({ classes, scope: 'population', level: 0.95 }).corrected
    assert.ok(population.interval && population.interval.low < 0.75 && population.interval.high > 0.84)
    assert.deepEqual([window.estimand, population.estimand], ['all traffic in the window', 'traffic like this'])
  })

  it('gives about the same limits when a class is split into label strata', () => {
    const whole = [
      { verdict: 'pass' as const, count: 400, labelled: 80, passed: 72 },
      { verdict: 'fail' as const, count: 100, labelled: 40, passed: 8 },
    ]
    const split = whole.flatMap((one) => [
      { ...one, count: one.count / 2, labelled: one.labelled / 2, passed: one.passed / 2 },
      { ...one, count: one.count / 2, labelled: one.labelled / 2, passed: one.passed / 2 },
    ])
    const a = twoPhaseRate({ classes: whole, scope: 'population', level: 0.95 }).corrected.interval
    const b = twoPhaseRate({ classes: split, scope: 'population', level: 0.95 }).corrected.interval
    assert.ok(a && b && Math.abs(a.low - b.low) < 0.01 && Math.abs(a.high - b.high) < 0.01)
  })

  it('gives no figure where a class has no label, and says which', () => {
    const classes = [
      { verdict: 'pass' as const, count: 80, labelled: 20, passed: 19 },
      { verdict: 'fail' as const, count: 20, labelled: 0, passed: 0 },
    ]
    const got = twoPhaseRate({ classes, scope: 'window', level: 0.95 })
    assert.deepEqual([got.raw.estimate, got.corrected.estimate], [0.8, null])
    assert.match(got.corrected.reason ?? '', /judge said fail to/)
    const empty = twoPhaseRate({ classes: [], scope: 'window', level: 0.95 })
    assert.deepEqual([empty.raw.estimate, empty.corrected.estimate], [null, null])
  })

  it('holds its estimate in [0, 1] and widens with the level', () => {
    const oneClass = (verdict: 'pass' | 'fail') =>
      fc.integer({ min: 1, max: 50 }).chain((labelled) =>
        fc.record({
          verdict: fc.constant(verdict),
          labelled: fc.constant(labelled),
          count: fc.integer({ min: labelled, max: 500 }),
          passed: fc.integer({ min: 0, max: labelled }),
        }),
      )
    fc.assert(
      fc.property(oneClass('pass'), oneClass('fail'), fc.constantFrom('window', 'population'), (a, b, scope) => {
        const got = twoPhaseRate({ classes: [a, b], scope, level: 0.9 }).corrected
        assert.ok(got.interval && got.estimate !== null)
        assert.ok(0 <= got.interval.low && got.interval.low <= got.estimate)
        assert.ok(got.estimate <= got.interval.high && got.interval.high <= 1)
        const wider = twoPhaseRate({ classes: [a, b], scope, level: 0.95 }).corrected.interval
        assert.ok(wider && wider.low <= got.interval.low && wider.high >= got.interval.high)
      }),
      { numRuns: 60 },
    )
  })

  it('refuses more labels than verdicts, by place', () => {
    const classes = [{ verdict: 'pass' as const, count: 3, labelled: 4, passed: 0 }]
    assert.throws(() => twoPhaseRate({ classes, scope: 'window', level: 0.95 }), /classes\[0\].labelled: 4/)
  })
})

describe('pass@k and pass^k through a judge', () => {
  it('meet the reference: errors multiply', () => {
    for (const { sens, k, ...row } of rowsOf('judge_passk', 'attenuation_perfect_agent'))
      assertClose(
        judgedPassK({ p: 1, k, sensitivity: sens, specificity: 0.9 }).passHatK,
        row.observed_pass_hat_k,
        1e-10,
        `sensitivity ${sens}, k ${k}`,
      )
    for (const { spec, k, ...row } of rowsOf('judge_passk', 'inflation_hopeless_agent_pass_at_k'))
      assertClose(
        judgedPassK({ p: 0, k, sensitivity: 0.9, specificity: spec }).passAtK,
        row.observed_pass_at_k,
        1e-10,
        `specificity ${spec}, k ${k}`,
      )
  })

  it('have an unbiased correction that meets every reference row, and its variance', () => {
    for (const { n, k, sens: sensitivity, spec: specificity, ...row } of rowsOf(
      'judge_passk',
      'corrected_pass_hat_k',
    )) {
      const judge = { sensitivity, specificity }
      row.estimate_by_c.forEach((wanted: number, c: number) => {
        assertClose(correctedPassHatK({ n, c, k, ...judge }), wanted, 1e-10, `n ${n}, c ${c}, k ${k}`)
      })
      const variance = correctedPassHatKVariance({ n, k, p: 0.9, ...judge })
      assertClose(variance, row.var_at_p_0_9, 1e-10, `variance, n ${n}, k ${k}`)
    }
  })

  it('have no correction for k over n or a judge no better than chance', () => {
    assert.equal(correctedPassHatK({ n: 3, c: 3, k: 4, sensitivity: 0.9, specificity: 0.9 }), null)
    assert.equal(correctedPassHatK({ n: 3, c: 3, k: 2, sensitivity: 0.5, specificity: 0.5 }), null)
    assert.equal(correctedPassHatKVariance({ n: 3, k: 4, p: 0.5, sensitivity: 0.9, specificity: 0.9 }), null)
  })
})
