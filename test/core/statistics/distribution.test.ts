import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  betaCdf,
  betaQuantile,
  binomialCdf,
  binomialUpperTail,
  chiSquareQuantile,
  chiSquareTail,
  logBeta,
  logGamma,
  normalCdf,
  normalQuantile,
  tCdf,
  tQuantile,
} from '../../../src/core/statistics/distribution.ts'
import { assertRelative, rowsOf } from './reference.ts'

const FUNCTIONS: Record<string, (...args: number[]) => number> = {
  betainc_reg: (a, b, x) => betaCdf(x as number, a as number, b as number),
  betaincinv: (a, b, p) => betaQuantile(p as number, a as number, b as number),
  norm_ppf: (p) => normalQuantile(p as number),
  norm_cdf: (x) => normalCdf(x as number),
  t_ppf: (p, df) => tQuantile(p as number, df as number),
  chi2_sf: (x, df) => chiSquareTail(x as number, df as number),
  chi2_ppf: (p, df) => chiSquareQuantile(p as number, df as number),
  lgamma: (x) => logGamma(x as number),
}

describe('distribution functions', () => {
  for (const fn of Object.keys(FUNCTIONS)) {
    it(`${fn} meets every reference row to 1e-12, relative`, () => {
      const rows = rowsOf('special_functions').filter((row) => row.fn === fn)
      assert.ok(rows.length > 0)
      for (const row of rows)
        assertRelative(FUNCTIONS[fn]?.(...row.args), row.value, 1e-12, `${fn}(${row.args.join(', ')})`)
    })
  }

  it('leaves no function of the reference file untested', () => {
    const untested = rowsOf('special_functions').filter((row) => FUNCTIONS[row.fn] === undefined)
    assert.deepEqual(untested, [])
  })

  it('t cumulative is the inverse of its quantile, in both tails', () => {
    for (const df of [1, 2, 4.5, 29, 400])
      for (const p of [0.001, 0.025, 0.3, 0.5, 0.9, 0.975])
        assertRelative(tCdf(tQuantile(p, df), df), p, 1e-13, `df ${df}`)
  })

  it('binomial tails are sums of the probabilities', () => {
    const pmf = (i: number) =>
      Math.exp(-logBeta(i + 1, 13 - i) - Math.log(13) + i * Math.log(0.3) + (12 - i) * Math.log(0.7))
    const sum = (from: number, to: number) => {
      let total = 0
      for (let i = from; i <= to; i += 1) total += pmf(i)
      return total
    }
    for (let i = 0; i <= 12; i += 1) {
      assertRelative(binomialCdf(i, 12, 0.3), sum(0, i), 1e-12, `at most ${i}`)
      assertRelative(binomialUpperTail(i, 12, 0.3), sum(i, 12), 1e-12, `at least ${i}`)
    }
    assert.equal(binomialCdf(-1, 12, 0.3), 0)
    assert.equal(binomialUpperTail(13, 12, 0.3), 0)
  })
})
