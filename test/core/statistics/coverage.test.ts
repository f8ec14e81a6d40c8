import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../src/core/statistics/random.ts'
import { signFlip } from '../../../src/core/statistics/sign-flip.ts'
import { COVERAGE } from './coverage.ts'
import { drawPasses, POPULATIONS } from './populations.ts'
import { cover, summary } from './simulation.ts'

/** With 100 repetitions the standard error of one cell is .022 and that of a figure's mean under .005. */
const REPS = 100
const MEAN_LEAST = 0.93
const CELL_LEAST = 0.82

describe('coverage at nominal 95 %, with fixed seeds', () => {
  for (const { figure, cells } of COVERAGE)
    it(`${figure}: .93 or more on average, and no population in which it collapses`, () => {
      const { mean, worst, width } = summary(cells(REPS))
      assert.ok(mean >= MEAN_LEAST, `mean ${mean}`)
      assert.ok(worst.coverage >= CELL_LEAST, `${worst.name}: ${worst.coverage}`)
      assert.ok(width > 0 && width < 0.7, `width ${width}`)
    })

  it('the sign-flip test calls alike versions different in at most 5 % of comparisons', () => {
    for (const population of [POPULATIONS[0], POPULATIONS[1], POPULATIONS[4]]) {
      const cell = cover(`sign flip, ${population?.name}`, 400, (random) => {
        const differences = Array.from({ length: 20 }, () => {
          const p = population?.draw(random) ?? 0
          return (drawPasses(5, p, random) - drawPasses(5, p, random)) / 5
        })
        const { p } = signFlip({ differences, random: seededRandom('flips'), flips: 400 })
        return { truth: p, interval: { low: 0, high: 0.05 } }
      })
      assert.ok(cell.coverage <= 0.05 + 3 * 0.011, `${population?.name}: ${cell.coverage}`)
    }
  })

  it('tells a working interval from a broken one: the plain t interval fails on a saturated suite', () => {
    const saturated = POPULATIONS[5]
    assert.ok(saturated)
    const cell = cover('plain t', 300, (random) => {
      const values = Array.from({ length: 30 }, () => drawPasses(5, saturated.draw(random), random) / 5)
      const mean = values.reduce((sum, value) => sum + value, 0) / 30
      const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 29)
      const half = (2.045 * sd) / Math.sqrt(30)
      return { truth: saturated.truth(1), interval: { low: mean - half, high: mean + half } }
    })
    assert.ok(cell.coverage < 0.85, `${cell.coverage}`)
  })
})
