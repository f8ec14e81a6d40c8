import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { binomialCdf, chiSquareTail } from '../../../src/core/statistics/distribution.ts'
import { type Adjustment, adjustP, caseRegressions, everyCaseProves, holm } from '../../../src/core/statistics/many.ts'
import { mcNemar } from '../../../src/core/statistics/mcnemar.ts'
import { boschlooP, fisherP } from '../../../src/core/statistics/two-proportions.ts'
import { assertClose, assertRelative, type Row, readReference, rowsOf } from './reference.ts'

const NAMES: Record<string, Adjustment> = {
  bonferroni: 'bonferroni',
  holm: 'holm',
  hochberg: 'hochberg',
  bh: 'benjamini-hochberg',
  by: 'benjamini-yekutieli',
}
const R_NAMES = { ...NAMES, BH: 'benjamini-hochberg', BY: 'benjamini-yekutieli' } as Record<string, Adjustment>

describe('p-values adjusted for being many', () => {
  it('meet every reference list, adjusted values and decisions', () => {
    for (const { p, alpha, ...row } of rowsOf('multiple_testing'))
      for (const [name, method] of Object.entries(NAMES)) {
        const adjusted = adjustP({ p, method })
        row[name].adjusted.forEach((wanted: number, i: number) => {
          assertClose(adjusted[i], wanted, 1e-12, `${name} of ${p}`)
          if (Math.abs(wanted - alpha) > 1e-9) assert.equal((adjusted[i] as number) <= alpha, row[name].reject[i])
        })
      }
  })

  it('agree with R’s p.adjust', () => {
    for (const { p, ...row } of readReference('ref_R').p_adjust)
      for (const [name, wanted] of Object.entries(row as Record<string, number[]>)) {
        const adjusted = adjustP({ p, method: R_NAMES[name] as Adjustment })
        for (const [i, value] of wanted.entries()) assertClose(adjusted[i], value, 1e-9, `${name} of ${p}`)
      }
  })

  it('keep the order they were given in, and take an empty list', () => {
    assert.deepEqual(holm([0.5, 0.01]), [0.5, 0.02])
    assert.deepEqual(holm([]), [])
    assert.throws(() => holm([0.5, Number.NaN]), /p\[1\]: NaN/)
  })
})

describe('two sets of trials', () => {
  const counts = (row: Row) => ({ a: { n: row.n1, c: row.c1 }, b: { n: row.n2, c: row.c2 } })

  it('meet the reference p-values of Fisher, both alternatives', () => {
    for (const row of rowsOf('two_proportions')) {
      const what = `${row.c1}/${row.n1} against ${row.c2}/${row.n2}`
      assertClose(fisherP({ ...counts(row), alternative: 'different' }), row.fisher_two_sided_p, 1e-9, what)
      assertClose(fisherP({ ...counts(row), alternative: 'greater' }), row.fisher_greater_p, 1e-9, what)
    }
  })

  it('meet the reference p-values of Boschloo, read as scipy read the tables: with column totals fixed', () => {
    // The rows were made by boschloo_exact([[c1, n1 − c1], [c2, n2 − c2]]). scipy takes the columns as the two samples, so
    // what it answers is: of c1 + c2 passes c1 were of version 1, of the fails n1 − c1 were.
    for (const row of rowsOf('two_proportions')) {
      const what = `${row.c1}/${row.n1} against ${row.c2}/${row.n2}`
      if (row.boschloo_greater_p === null) continue
      const asRead = {
        a: { n: row.c1 + row.c2, c: row.c1 },
        b: { n: row.n1 + row.n2 - row.c1 - row.c2, c: row.n1 - row.c1 },
      }
      assertRelative(boschlooP({ ...asRead, alternative: 'greater' }), row.boschloo_greater_p, 1e-9, what)
      assertRelative(boschlooP({ ...asRead, alternative: 'different' }), row.boschloo_two_sided_p, 1e-9, what)
    }
  })

  it('Boschloo with fixed trials: 5/5 against 2/5 is the peak of its five tables, by hand', () => {
    // As extreme by Fisher's p (1/12): (5,0) (5,1) (5,2) (4,0) (3,0), x passes of a and y of b.
    const tables = [
      [5, 0, 1],
      [5, 1, 5],
      [5, 2, 10],
      [4, 0, 5],
      [3, 0, 10],
    ] as const
    let peak = 0
    for (let i = 1; i < 10_000; i += 1) {
      const p = i / 10_000
      const size = tables.reduce((sum, [x, y, ways]) => sum + ways * p ** (x + y) * (1 - p) ** (10 - x - y), 0)
      peak = Math.max(peak, size)
    }
    const got = boschlooP({ a: { n: 5, c: 5 }, b: { n: 5, c: 2 }, alternative: 'greater' })
    assertRelative(got, peak, 1e-6, 'by hand')
    assertRelative(got, 0.03092404517251121, 1e-9, 'pinned')
  })

  it('Boschloo is 1 for alike versions, where scipy has no answer', () => {
    for (const [n, c] of [
      [20, 20],
      [10, 0],
    ] as const) {
      const p = boschlooP({ a: { n, c }, b: { n, c }, alternative: 'different' })
      assertClose(p, 1, 1e-9, `${c}/${n}`)
    }
  })

  it('Boschloo is never above Fisher, and all against none is a quarter to the n', () => {
    for (let n = 1; n <= 8; n += 1) {
      const p = boschlooP({ a: { n, c: n }, b: { n, c: 0 }, alternative: 'greater' })
      assertRelative(p, 0.25 ** n, 1e-9, `n ${n}`)
      for (let c = 0; c <= n; c += 1) {
        const ask = { a: { n, c: n }, b: { n, c }, alternative: 'greater' as const }
        assert.ok(boschlooP(ask) <= fisherP(ask) + 1e-15)
      }
    }
  })

  it('Boschloo keeps its level: enumerated size at most 5 % whatever the common rate', () => {
    const n = 6
    for (const p of [0.1, 0.35, 0.5, 0.8, 0.95]) {
      const chance = (x: number) => binomialCdf(x, n, p) - binomialCdf(x - 1, n, p)
      let size = 0
      for (let a = 0; a <= n; a += 1)
        for (let b = 0; b <= n; b += 1)
          if (boschlooP({ a: { n, c: a }, b: { n, c: b }, alternative: 'greater' }) <= 0.05)
            size += chance(a) * chance(b)
      assert.ok(size <= 0.05 + 1e-9, `p ${p}: ${size}`)
    }
  })

  it('need the reference’s number of trials until all against none survives among many cases', () => {
    for (const row of rowsOf('min_attempts_gate')) {
      const n = row.min_attempts_per_version_all_pass_to_all_fail
      const p = (trials: number) => {
        const ask = { a: { n: trials, c: trials }, b: { n: trials, c: 0 } }
        if (row.test === 'boschloo') return boschlooP({ ...ask, alternative: 'greater' })
        return fisherP({ ...ask, alternative: row.side === 'greater' ? 'greater' : 'different' })
      }
      assertRelative(p(n), row.p, 1e-9, JSON.stringify(row))
      assert.ok(p(n) <= row.alpha / row.cases && p(n - 1) > row.alpha / row.cases, JSON.stringify(row))
    }
  })

  it('say nothing without trials and refuse impossible counts', () => {
    assert.equal(boschlooP({ a: { n: 0, c: 0 }, b: { n: 5, c: 0 }, alternative: 'greater' }), 1)
    assert.equal(fisherP({ a: { n: 0, c: 0 }, b: { n: 5, c: 3 }, alternative: 'different' }), 1)
    assert.throws(() => boschlooP({ a: { n: 5, c: 6 }, b: { n: 5, c: 0 }, alternative: 'less' }), /a\.c: 6|b\.c: 6/)
  })
})

describe('McNemar’s test', () => {
  it('meets every reference row, exact and mid-p, and R', () => {
    for (const row of rowsOf('mcnemar')) {
      const got = mcNemar({ onlyA: row.b, onlyB: row.c })
      assertRelative(got.exact, row.exact_p, 1e-9, `${row.b}, ${row.c}`)
      assertRelative(got.midP, row.midp, 1e-9, `${row.b}, ${row.c}`)
      if (row.chi2 !== undefined) assertRelative(chiSquareTail(row.chi2, 1), row.chi2_p, 1e-9, 'chi-square')
    }
    for (const row of readReference('ref_R').mcnemar)
      assertRelative(mcNemar({ onlyA: row.b, onlyB: row.c }).exact, row.exact, 1e-9, `R ${row.b}, ${row.c}`)
  })

  it('is the sign test of the paired reference', () => {
    for (const row of rowsOf('paired_tests')) {
      const onlyB = row.d.filter((d: number) => d > 0).length
      const onlyA = row.d.filter((d: number) => d < 0).length
      assertClose(mcNemar({ onlyA, onlyB }).exact, row.sign_test_p, 1e-12, 'sign test')
    }
  })
})

describe('gates over many cases', () => {
  const same = { a: { n: 5, c: 5 }, b: { n: 5, c: 5 } }

  it('see one case that broke among thirty with five trials, and not with four', () => {
    const broken = (n: number) => ({ a: { n, c: n }, b: { n, c: 0 } })
    const five = caseRegressions({ cases: [...new Array(29).fill(same), broken(5)], error: 0.05 })
    assert.equal(five.regressed, true)
    assertClose(five.cases[29]?.gated, 30 * 0.25 ** 5, 1e-9, 'gated')
    assert.equal(caseRegressions({ cases: [...new Array(29).fill(same), broken(4)], error: 0.05 }).regressed, false)
  })

  it('see nothing where nothing is', () => {
    assert.equal(caseRegressions({ cases: [], error: 0.05 }).regressed, false)
    assert.equal(caseRegressions({ cases: [same, same], error: 0.05 }).regressed, false)
  })

  it('prove .95 of a case with 59 passes and not with 58', () => {
    const proves = (n: number) =>
      everyCaseProves({
        cases: [
          { n: 80, c: 80 },
          { n, c: n },
        ],
        share: 0.95,
        level: 0.95,
      })
    assert.equal(proves(59)?.holds, true)
    assert.equal(proves(58)?.holds, false)
    assert.equal(everyCaseProves({ cases: [], share: 0.95, level: 0.95 }), null)
  })
})
