import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { pairedSd, passHatKSpread } from '../../../src/core/statistics/case-population.ts'
import { passHatK, passHatKVariance } from '../../../src/core/statistics/pass-at-k.ts'
import { seededRandom } from '../../../src/core/statistics/random.ts'
import { meanOf } from '../../../src/core/statistics/suite.ts'
import { drawPasses, POPULATIONS } from './populations.ts'
import { assertClose } from './reference.ts'

describe('a population of cases to plan with', () => {
  it('of equal cases has no spread between and the exact variance of one case within', () => {
    for (const k of [1, 2, 3, 5]) {
      const got = passHatKSpread({ population: { rate: 0.8, icc: 0 }, trials: 5, k })
      assertClose(got?.rate, 0.8 ** k, 1e-12, 'rate')
      assertClose(got?.between, 0, 1e-12, 'between')
      assertClose(got?.within, passHatKVariance({ n: 5, k, p: 0.8 }) as number, 1e-12, 'within')
    }
  })

  it('of cases that always answer alike has all of its spread between them', () => {
    const got = passHatKSpread({ population: { rate: 0.7, icc: 1 }, trials: 5, k: 3 })
    assertClose(got?.rate, 0.7, 1e-12, 'rate')
    assertClose(got?.between, 0.21, 1e-12, 'between')
    assertClose(got?.within, 0, 1e-12, 'within')
  })

  it('at k = 1 splits rate·(1 − rate) by the icc', () => {
    const got = passHatKSpread({ population: { rate: 0.8, icc: 0.6 }, trials: 4, k: 1 })
    assertClose(got?.between, 0.16 * 0.6, 1e-12, 'between')
    assertClose(got?.within, (0.16 * 0.4) / 4, 1e-12, 'within')
  })

  it('spreads as cases drawn from that beta do', () => {
    // beta(8, 2) has mean .8 and icc 1/(8 + 2 + 1).
    const population = POPULATIONS.find(({ name }) => name === 'beta(8, 2)')
    assert.ok(population)
    const random = seededRandom('case population')
    const values = Array.from({ length: 40_000 }, () => {
      return passHatK({ n: 5, c: drawPasses(5, population.draw(random), random), k: 3 }) as number
    })
    const got = passHatKSpread({ population: { rate: 0.8, icc: 1 / 11 }, trials: 5, k: 3 })
    assert.ok(got)
    assertClose(got.rate, population.truth(3), 1e-12, 'rate')
    const mean = meanOf(values) as number
    const variance = meanOf(values.map((value) => (value - mean) ** 2)) as number
    assert.ok(Math.abs(variance - got.between - got.within) < 0.003, `${variance} for ${got.between + got.within}`)
  })

  it('has none for k over the trials, and refuses what is no share', () => {
    assert.equal(passHatKSpread({ population: { rate: 0.8, icc: 0.5 }, trials: 2, k: 3 }), null)
    assert.throws(
      () => passHatKSpread({ population: { rate: 80, icc: 0.5 }, trials: 5, k: 3 }),
      /rate: 80 .* from 0 to 1/,
    )
  })

  it('is never below nothing, falls within with trials, and differs more the less versions correlate', () => {
    const shares = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        shares,
        shares,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 30 }),
        (rate, icc, n, k) => {
          const got = passHatKSpread({ population: { rate, icc }, trials: Math.max(n, k), k })
          const more = passHatKSpread({ population: { rate, icc }, trials: Math.max(n, k) + 1, k })
          assert.ok(got && more && got.between >= 0 && got.within >= 0 && more.within <= got.within + 1e-9)
          assert.ok(pairedSd({ spread: got, correlation: 0.5 }) >= pairedSd({ spread: got, correlation: 0.9 }))
        },
      ),
    )
  })
})
