import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pairedDifference } from '../../../src/core/statistics/compare.ts'
import { nonInferiority, trialNoise } from '../../../src/core/statistics/non-inferiority.ts'
import { seededRandom } from '../../../src/core/statistics/random.ts'
import { assertClose } from './reference.ts'

describe('non-inferiority', () => {
  const at = (low: number, difference: number, high: number) =>
    nonInferiority({ difference, interval: { low, high }, margin: 0.05, n: 30 })

  it('holds when the whole interval is above the margin, fails when it is below, else is inconclusive', () => {
    assert.equal(at(-0.04, 0.01, 0.06).answer, 'holds')
    assert.equal(at(-0.2, -0.12, -0.06).answer, 'fails')
    assert.equal(at(-0.2, -0.02, 0.1).answer, 'inconclusive')
    assert.equal(at(-0.05, 0, 0.05).answer, 'inconclusive')
  })

  it('asks for the cases that would shrink the half-width to the gap', () => {
    // Half-width .15 towards a margin that is .05 away: nine times the cases.
    assert.equal(at(-0.15, 0, 0.15).furtherCases, 8 * 30)
    // Under the margin it is the upper side that has to come down.
    assert.equal(at(-0.3, -0.15, 0).furtherCases, Math.ceil(30 * 2.25) - 30)
    assert.equal(at(-0.01, 0.05, 0.1).furtherCases, null)
  })

  it('promises nothing when the estimate sits on the margin', () => {
    const got = at(-0.15, -0.05, 0.05)
    assert.deepEqual([got.answer, got.furtherCases, got.furtherTrialsPerCase], ['inconclusive', null, null])
  })

  it('says how many trials would do, or that none would', () => {
    const ask = { difference: 0, interval: { low: -0.075, high: 0.075 }, margin: 0.05, n: 30 }
    const allNoise = nonInferiority({ ...ask, noise: { variance: 0.1, spread: 0.1, trials: 8 } })
    assert.equal(allNoise.furtherTrialsPerCase, 10)
    const allCases = nonInferiority({ ...ask, noise: { variance: 0, spread: 0.1, trials: 8 } })
    assert.equal(allCases.furtherTrialsPerCase, null)
    assert.equal(nonInferiority(ask).furtherTrialsPerCase, null)
  })

  it('measures the trials’ own noise: at k = 1 the mean of p(1 − p)/(n − 1) of both sides', () => {
    const a = [
      { n: 5, c: 5 },
      { n: 5, c: 3 },
    ]
    const b = [
      { n: 5, c: 4 },
      { n: 5, c: 3 },
    ]
    const wanted = (0.24 / 4 + 0.16 / 4 + 0.24 / 4) / 2
    assertClose(trialNoise({ a, b, k: 1, metric: 'passHatK' }), wanted, 1e-15, 'noise')
    assert.equal(trialNoise({ a, b, k: 3, metric: 'passAtK' }), null)
  })

  it('the outlook comes true: with the cases it asked for, the same data decide', () => {
    const a = Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? 0.6 : 1))
    const b = a.map((value, i) => (i % 10 === 3 ? value - 0.2 : value))
    const judge = (times: number) => {
      const grow = (values: number[]) => Array.from({ length: times }, () => values).flat()
      const got = pairedDifference({ a: grow(a), b: grow(b), level: 0.95, random: seededRandom('plan') })
      assert.ok(got.interval && got.difference !== null)
      return nonInferiority({ difference: got.difference, interval: got.interval, margin: 0.05, n: got.n })
    }
    const today = judge(1)
    assert.equal(today.answer, 'inconclusive')
    assert.ok(today.furtherCases)
    assert.equal(judge(1 + Math.ceil(today.furtherCases / 40)).answer, 'holds')
  })

  it('refuses NaN by name', () => {
    assert.throws(() => at(-1, Number.NaN, 1), /difference: NaN/)
  })
})
