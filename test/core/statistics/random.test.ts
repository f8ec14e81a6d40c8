import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom, xoshiro128 } from '../../../src/core/statistics/random.ts'

describe('seeded random numbers', () => {
  it('follow the published xoshiro128** recurrence (values of its Rust port, state 1 2 3 4)', () => {
    const next = xoshiro128([1, 2, 3, 4])
    const drawn = Array.from({ length: 6 }, () => next())
    assert.deepEqual(drawn, [11520, 0, 5927040, 70819200, 2031721883, 1637235492])
  })

  it('repeat for the same seed and differ for seeds one letter apart', () => {
    const draw = (seed: string) => {
      const random = seededRandom(seed)
      return Array.from({ length: 20 }, () => random.next())
    }
    assert.deepEqual(draw('weekly'), draw('weekly'))
    const seen = new Set(['weekly', 'weekl', 'Weekly', '', 'weekly ', 'wéekly'].flatMap(draw))
    assert.equal(seen.size, 120)
  })

  it('name generator and seed', () => {
    assert.equal(seededRandom('a "b"').name, 'xoshiro128**/1 seed "a \\"b\\""')
  })

  it('are pinned: reports of last year must still recompute', () => {
    const random = seededRandom('assay')
    assert.deepEqual([random.next(), random.next(), random.next()], PINNED)
  })

  it('fill [0, 1) evenly, neighbours unrelated', () => {
    const random = seededRandom('even')
    const bins = new Array<number>(100).fill(0)
    let previous = random.next()
    let products = 0
    const draws = 200_000
    for (let i = 0; i < draws; i += 1) {
      const value = random.next()
      assert.ok(value >= 0 && value < 1)
      const bin = Math.floor(value * 100)
      bins[bin] = (bins[bin] as number) + 1
      products += (value - 0.5) * (previous - 0.5)
      previous = value
    }
    const expected = draws / 100
    const chiSquare = bins.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    assert.ok(chiSquare > 60 && chiSquare < 150, `chi-square ${chiSquare} with 99 degrees of freedom`)
    assert.ok(Math.abs(products / draws) < 4 / 12 / Math.sqrt(draws))
  })
})

const PINNED = [0.24537319976076188, 0.9098700155398343, 0.04129136500575348]
