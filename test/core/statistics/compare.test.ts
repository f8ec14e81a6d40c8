import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { pairedDifference, pairedInterval, periodDifference } from '../../../src/core/statistics/compare.ts'
import { tCdf, tQuantile } from '../../../src/core/statistics/distribution.ts'
import { jeffreys } from '../../../src/core/statistics/interval.ts'
import { seededRandom } from '../../../src/core/statistics/random.ts'
import { signFlip } from '../../../src/core/statistics/sign-flip.ts'
import { assertClose, assertInterval, readReference, rowsOf } from './reference.ts'

const random = () => seededRandom('compare.test')

describe('version against version on the same cases', () => {
  it('meets every reference row to 1e-12, saturated versions included', () => {
    for (const { a, b, ...row } of rowsOf('default_intervals', 'paired_mover')) {
      const got = pairedDifference({ a, b, level: 0.95, random: random() })
      assertClose(got.difference, row.diff, 1e-12, 'difference')
      assertClose(got.correlation, row.rho, 1e-12, 'correlation')
      assertInterval(got.interval, row.ci, 1e-12, 'interval')
      assert.deepEqual(pairedInterval({ a, b, level: 0.95 }), got.interval)
    }
  })

  it('finds the difference of R’s paired example', () => {
    const { a, b, paired } = readReference('ref_R').paired_example
    assertClose(pairedDifference({ a, b, level: 0.95, random: random() }).difference, paired.diff, 1e-12, 'difference')
  })

  it('changes sign when the versions change places', () => {
    const a = [1, 0.8, 0.4, 0, 1, 0.6]
    const b = [0.6, 0.8, 0.2, 0.2, 1, 0]
    const forth = pairedDifference({ a, b, level: 0.95, random: random() })
    const back = pairedDifference({ a: b, b: a, level: 0.95, random: random() })
    assert.ok(forth.interval && back.interval)
    assertClose(back.difference, -(forth.difference as number), 1e-12, 'difference')
    assertInterval(back.interval, [-forth.interval.high, -forth.interval.low], 1e-12, 'interval')
    assert.equal(forth.p, back.p)
  })

  it('leaves width where no case moved at all, though the correlation is 1', () => {
    const half = [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]
    const got = pairedDifference({ a: half, b: half, level: 0.95, random: random() })
    assert.equal(got.correlation, 1)
    assertInterval(got.interval, [-0.3175058823192949, 0.3175058823192949], 1e-12, 'as ten alike cases')
    assert.equal(got.p, 1)
  })

  it('holds its difference within [-1, 1], has width, and ignores the order of cases', () => {
    const share = fc.integer({ min: 0, max: 5 }).map((c) => c / 5)
    fc.assert(
      fc.property(fc.array(fc.tuple(share, share), { minLength: 2, maxLength: 40 }), (pairs) => {
        const a = pairs.map(([before]) => before)
        const b = pairs.map(([, after]) => after)
        const got = pairedDifference({ a, b, level: 0.95, random: random() })
        assert.ok(got.interval && got.difference !== null && got.p !== null)
        assert.ok(got.interval.low >= -1 && got.interval.high <= 1 && got.interval.low < got.interval.high)
        assert.ok(got.interval.low <= got.difference && got.difference <= got.interval.high)
        assert.ok(got.p > 0 && got.p <= 1)
        const wider = pairedDifference({ a, b, level: 0.99, random: random() }).interval
        assert.ok(wider && wider.low <= got.interval.low && wider.high >= got.interval.high)
        const turned = pairedDifference({
          a: a.toReversed(),
          b: b.toReversed(),
          level: 0.95,
          random: random(),
        })
        assertInterval(turned.interval, [got.interval.low, got.interval.high], 1e-10, 'order')
      }),
      { numRuns: 100 },
    )
  })

  it('gives what it can for no case and for one', () => {
    const none = pairedDifference({ a: [], b: [], level: 0.95, random: random() })
    assert.deepEqual([none.difference, none.interval, none.p, none.n], [null, null, null, 0])
    const one = pairedDifference({ a: [1], b: [0], level: 0.95, random: random() })
    assert.deepEqual([one.difference, one.interval, one.p, one.n], [-1, null, 1, 1])
  })

  it('refuses lists that do not match and values that are not shares', () => {
    const ask = { level: 0.95, random: random() }
    assert.throws(() => pairedDifference({ a: [1, 1], b: [1], ...ask }), /b: 1 entries/)
    assert.throws(() => pairedDifference({ a: [1, Number.NaN], b: [1, 1], ...ask }), /a\[1\]: NaN/)
  })
})

describe('the sign-flip test', () => {
  it('meets the fully enumerated reference p-values, both alternatives', () => {
    for (const { d: differences, ...row } of rowsOf('paired_tests')) {
      const two = signFlip({ differences, random: random() })
      const one = signFlip({ differences, random: random(), alternative: 'greater' })
      assert.equal(two.exact, true)
      assertClose(two.p, row.signflip_two_sided, 1e-12, 'two-sided')
      assertClose(one.p, row.signflip_greater, 1e-12, 'greater')
    }
  })

  it('draws patterns above 16 differences, close to the exact answer, and repeats for a seed', () => {
    const differences = Array.from({ length: 20 }, (_, i) => (i < 14 ? 0.2 : -0.2))
    const got = signFlip({ differences, random: random(), flips: 40_000 })
    assert.equal(got.exact, false)
    // Exactly: P(|B − 10| ≥ 4), B ~ Binomial(20, ½) = 0.11531829833984375.
    assert.ok(Math.abs(got.p - 0.11531829833984375) < 0.007, `${got.p}`)
    assert.deepEqual(signFlip({ differences, random: random(), flips: 40_000 }), got)
  })

  it('is never zero when patterns are drawn', () => {
    const differences = new Array<number>(200).fill(0.4)
    assertClose(signFlip({ differences, random: random(), flips: 999 }).p, 0.001, 1e-15, 'one of a thousand')
  })

  it('refuses NaN and infinities by place', () => {
    assert.throws(() => signFlip({ differences: [0.1, Number.NaN], random: random() }), /differences\[1\]: NaN/)
  })
})

describe('the paired t test, as a check of the t distribution', () => {
  it('meets the reference t, p and interval', () => {
    for (const { d, ...row } of rowsOf('paired_tests')) {
      if (row.t === null) continue
      const n = d.length
      const mean = d.reduce((sum: number, x: number) => sum + x, 0) / n
      const se = Math.sqrt(d.reduce((sum: number, x: number) => sum + (x - mean) ** 2, 0) / (n - 1) / n)
      const q = tQuantile(0.975, n - 1)
      assertClose(mean / se, row.t, 1e-12, 't')
      assertClose(2 * tCdf(-Math.abs(mean / se), n - 1), row.t_p, 1e-12, 'p')
      // scipy 1.10's own t quantile is off by up to 1e-8; ours is checked against 40 digits elsewhere.
      assertInterval({ low: mean - q * se, high: mean + q * se }, row.t_ci, 1e-9, 'interval')
    }
  })
})

describe('period against period', () => {
  it('is MOVER of independent parts, clamped', () => {
    const before = { estimate: 1, ...jeffreys({ successes: 3, trials: 3, level: 0.95 }) }
    const after = { estimate: 0, ...jeffreys({ successes: 0, trials: 3, level: 0.95 }) }
    const got = periodDifference({ before, after, level: 0.95 })
    assert.equal(got.difference, -1)
    assert.equal(got.interval.low, -1)
    assert.ok(got.interval.high > -1)
    const same = periodDifference({ before, after: before, level: 0.95 })
    assertClose(same.interval.low, -same.interval.high, 1e-15, 'symmetric')
  })
})
