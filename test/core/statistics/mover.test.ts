import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { normalQuantile } from '../../../src/core/statistics/distribution.ts'
import { wilson, wilsonLimits } from '../../../src/core/statistics/interval.ts'
import { moverDifference, moverSum } from '../../../src/core/statistics/mover.ts'
import { assertClose, assertInterval, readReference, rowsOf } from './reference.ts'

describe('MOVER', () => {
  it('of two Wilson intervals is Newcombe’s interval (statsmodels, method newcomb)', () => {
    for (const { c1, n1, c2, n2, ci_newcomb: wanted } of rowsOf('two_proportions')) {
      const first = { estimate: c1 / n1, ...wilson({ successes: c1, trials: n1, level: 0.95 }) }
      const second = { estimate: c2 / n2, ...wilson({ successes: c2, trials: n2, level: 0.95 }) }
      const what = `${c1}/${n1} against ${c2}/${n2}`
      assertInterval(moverDifference({ a: second, b: first, correlation: 0 }), wanted, 1e-9, what)
      const sum = moverSum([
        { ...first, weight: 1 },
        { ...second, weight: -1 },
      ])
      assertInterval(sum, wanted, 1e-9, `${what}, as a sum`)
    }
  })

  it('of weighted Wilson strata agrees with R', () => {
    const { W, p, n, N, ...row } = readReference('ref_R').mover_wilson
    const pieces = p.map((share: number, h: number) => {
      const census = n[h] === N[h]
      const limits = wilsonLimits({ share, trials: n[h] / (1 - n[h] / N[h]), quantile: normalQuantile(0.975) })
      const piece = census ? { low: share, high: share } : limits
      assertClose(piece.low, row.lower_h[h], 1e-12, `stratum ${h}`)
      assertClose(piece.high, row.upper_h[h], 1e-12, `stratum ${h}`)
      return { weight: W[h], estimate: share, ...piece }
    })
    const sum = moverSum(pieces)
    assertClose(sum.estimate, row.est, 1e-12, 'estimate')
    assertInterval(sum, row.ci, 1e-12, 'limits')
  })

  it('a correlation of one cancels equal parts and of minus one adds them', () => {
    const part = { estimate: 0.5, low: 0.4, high: 0.6 }
    assertInterval(moverDifference({ a: part, b: part, correlation: 1 }), [0, 0], 1e-9, 'cancels')
    assertInterval(moverDifference({ a: part, b: part, correlation: -1 }), [-0.2, 0.2], 1e-9, 'adds')
  })

  it('refuses a part whose limits do not hold it', () => {
    assert.throws(() => moverSum([{ weight: 1, estimate: 0.5, low: 0.6, high: 0.7 }]), /Broken invariant/)
    assert.throws(() => moverSum([{ weight: 1, estimate: Number.NaN, low: 0, high: 1 }]), /Broken invariant/)
  })
})
