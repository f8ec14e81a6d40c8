import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  passAtK,
  passAtKVarianceEstimate,
  passHatK,
  passHatKVariance,
  passHatKVarianceEstimate,
} from '../../../src/core/statistics/pass-at-k.ts'
import { assertClose, assertRelative, rowsOf } from './reference.ts'

describe('pass@k and pass^k', () => {
  it('meet every exact rational of the reference grid to 1e-12, relative', () => {
    const rows = rowsOf('passk')
    assert.ok(rows.length > 500)
    for (const { n, c, k, ...row } of rows) {
      const what = `n ${n}, c ${c}, k ${k}`
      assertRelative(passAtK({ n, c, k }), row.pass_at_k, 1e-12, `pass@k, ${what}`)
      assertRelative(passHatK({ n, c, k }), row.pass_hat_k, 1e-12, `pass^k, ${what}`)
      assert.equal(passHatK({ n, c, k: n }) === 1, row.all_passed, what)
    }
  })

  it('have no value when k is more than n, not even 1', () => {
    assert.equal(passAtK({ n: 4, c: 4, k: 5 }), null)
    assert.equal(passHatK({ n: 4, c: 4, k: 5 }), null)
    assert.equal(passAtK({ n: 0, c: 0, k: 1 }), null)
    assert.equal(passHatK({ n: 0, c: 0, k: 1 }), null)
  })

  it('are the pass rate at k = 1 and all or nothing at k = n', () => {
    for (let c = 0; c <= 7; c += 1) {
      assertClose(passAtK({ n: 7, c, k: 1 }), c / 7, 1e-15, `c ${c}`)
      assertClose(passHatK({ n: 7, c, k: 1 }), c / 7, 1e-15, `c ${c}`)
      assert.equal(passHatK({ n: 7, c, k: 7 }), c === 7 ? 1 : 0)
      assert.equal(passAtK({ n: 7, c, k: 7 }), c === 0 ? 0 : 1)
    }
  })

  it('rise with c, stay in [0, 1], and mirror each other', () => {
    const counts = fc
      .integer({ min: 1, max: 400 })
      .chain((n) =>
        fc.record({ n: fc.constant(n), c: fc.integer({ min: 0, max: n }), k: fc.integer({ min: 1, max: n }) }),
      )
    fc.assert(
      fc.property(counts, ({ n, c, k }) => {
        const at = passAtK({ n, c, k }) as number
        const hat = passHatK({ n, c, k }) as number
        assert.ok(hat >= 0 && hat <= at + 1e-12 && at <= 1)
        assertClose(hat, 1 - (passAtK({ n, c: n - c, k }) as number), 1e-12, 'mirror')
        if (c === n) return
        assert.ok((passAtK({ n, c: c + 1, k }) as number) >= at - 1e-15)
        assert.ok((passHatK({ n, c: c + 1, k }) as number) >= hat)
      }),
    )
  })

  it('refuse counts that are not counts, by name', () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5]) {
      assert.throws(() => passAtK({ n: bad, c: 0, k: 1 }), /^InputError: n: /)
      assert.throws(() => passHatK({ n: 5, c: bad, k: 1 }), /^InputError: c: /)
      assert.throws(() => passHatK({ n: 5, c: 2, k: bad }), /^InputError: k: /)
    }
    assert.throws(() => passAtK({ n: 5, c: 6, k: 1 }), /c: 6 is not allowed, expected a whole number of 0 to 5/)
    assert.throws(() => passAtK({ n: 5, c: 5, k: 0 }), /k: 0/)
  })
})

describe('variance of pass^k and pass@k', () => {
  it('meets every exact value of the reference grid', () => {
    const rows = rowsOf('passk_variance')
    assert.ok(rows.length > 150)
    for (const { n, k, p, ...row } of rows) {
      assertClose(passHatKVariance({ n, k, p }), row.var_hat, 1e-12, `pass^k n ${n} k ${k} p ${p}`)
      assertClose(passHatKVariance({ n, k, p: 1 - p }), row.var_at, 1e-12, `pass@k n ${n} k ${k} p ${p}`)
    }
  })

  it('has an unbiased estimate that meets every reference row', () => {
    for (const { n, c, k, ...row } of rowsOf('passk_unbiased_var')) {
      assertClose(passHatKVarianceEstimate({ n, c, k }), row.unbiased_var, 1e-12, `n ${n} c ${c} k ${k}`)
      assertClose(passAtKVarianceEstimate({ n, c: n - c, k }), row.unbiased_var, 1e-12, `pass@k n ${n} k ${k}`)
    }
  })

  it('has no estimate under n = 2k and none at all for k > n', () => {
    assert.equal(passHatKVarianceEstimate({ n: 5, c: 3, k: 3 }), null)
    assert.equal(passAtKVarianceEstimate({ n: 1, c: 1, k: 1 }), null)
    assert.equal(passHatKVariance({ n: 2, k: 3, p: 0.5 }), null)
  })

  it('stays finite and positive for a hundred thousand trials', () => {
    for (const k of [1, 1000, 50_000, 99_999]) {
      const variance = passHatKVariance({ n: 100_000, k, p: 0.9999 }) as number
      assert.ok(variance > 0 && variance <= 0.25, `k ${k}: ${variance}`)
    }
    assertRelative(passHatKVariance({ n: 100_000, k: 1, p: 0.3 }), 0.21 / 100_000, 1e-12, 'k = 1')
  })
})
