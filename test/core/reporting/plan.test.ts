import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type PlanWish, planOf } from '../../../src/core/reporting/plan.ts'
import { pairedInterval } from '../../../src/core/statistics/compare.ts'
import { passHatK } from '../../../src/core/statistics/pass-at-k.ts'
import { seededRandom } from '../../../src/core/statistics/random.ts'
import { populationInterval, rerunInterval } from '../../../src/core/statistics/suite.ts'
import { drawPasses, POPULATIONS } from '../statistics/populations.ts'

const WISH: PlanWish = {
  cases: 40,
  trials: 5,
  k: 3,
  level: 0.95,
  power: 0.8,
  population: { rate: 0.8, icc: 0.6 },
  from: 'a test',
  correlation: 0.8,
  sd: null,
  width: null,
  difference: null,
  margin: null,
  require: null,
  requireAllK: null,
  zeroFailures: null,
}

/** beta(2, 1): mean 2/3, icc 1/4. */
const BETA = POPULATIONS.find(({ name }) => name === 'beta(2, 1)')

function drawSuite(cases: number, random: ReturnType<typeof seededRandom>) {
  return Array.from({ length: cases }, () => {
    const p = BETA?.draw(random) ?? 0
    return { p, n: 5, c: drawPasses(5, p, random) }
  })
}

describe('a plan', () => {
  it('expects the intervals that suites drawn from the assumed cases have on average', () => {
    const random = seededRandom('plan')
    const widths = { population: 0, again: 0 }
    for (let i = 0; i < 400; i += 1) {
      const counts = drawSuite(40, random)
      const values = counts.map((one) => passHatK({ ...one, k: 3 }) as number)
      const population = populationInterval({ values, level: 0.95 })
      const again = rerunInterval({ counts, k: 3, metric: 'passHatK', level: 0.95 })
      assert.ok(population && again)
      widths.population += (population.high - population.low) / 400
      widths.again += (again.high - again.low) / 400
    }
    const figure = planOf({ ...WISH, population: { rate: 2 / 3, icc: 0.25 } }).expected[1]
    assert.ok(figure?.population)
    assert.ok(Math.abs(figure.population.high - figure.population.low - widths.population) < 0.01)
    assert.ok(Math.abs(figure.again.high - figure.again.low - widths.again) < 0.015)
  })

  it('promises about the power that the comparison then has', () => {
    const difference = 0.15
    const plan = planOf({
      ...WISH,
      k: 1,
      population: { rate: 2 / 3, icc: 0.25 },
      // The second version passes a share less of everything: the true values correlate at 1.
      correlation: 1,
      difference,
    })
    const random = seededRandom('plan, power')
    let noticed = 0
    for (let i = 0; i < 400; i += 1) {
      const suite = drawSuite(40, random)
      const a = suite.map(({ c }) => c / 5)
      const b = suite.map(({ p }) => drawPasses(5, p * (1 - difference * 1.5), random) / 5)
      const interval = pairedInterval({ a, b, level: 0.95 })
      if (interval !== null && interval.high < 0) noticed += 1
    }
    const promised = plan.difference?.powerOfDesign ?? 0
    assert.ok(promised > 0.8, `${promised}`)
    assert.ok(Math.abs(noticed / 400 - promised) < 0.1, `${noticed / 400} for ${promised}`)
  })

  it('answers each question with designs that then meet it', () => {
    const asked = { ...WISH, width: 0.2, difference: 0.1, margin: 0.1 }
    const plan = planOf(asked)
    for (const { trials, cases } of plan.width?.suites ?? []) {
      const limits = planOf({ ...asked, trials, cases: cases ?? 0 }).expected[1]
      assert.ok(limits?.population)
      const { low, high } = limits.population
      assert.ok(Math.max(limits.expected - low, high - limits.expected) <= 0.1 + 1e-9)
    }
    for (const question of ['difference', 'margin'] as const)
      for (const { trials, cases } of plan[question]?.suites ?? []) {
        assert.ok((planOf({ ...asked, trials, cases: cases ?? 0 })[question]?.powerOfDesign ?? 0) >= 0.8 - 1e-6)
        assert.ok((planOf({ ...asked, trials, cases: (cases ?? 0) - 1 })[question]?.powerOfDesign ?? 1) < 0.8)
      }
  })

  it('puts the cheapest first, offers no fewer trials than k, and no fewer cases than have an interval', () => {
    const plan = planOf({ ...WISH, trials: 7, width: 0.9, difference: 0.1 })
    for (const answers of [plan.width, plan.difference]) {
      const totals = (answers?.suites ?? []).map(({ total }) => total ?? 0)
      assert.deepEqual(
        totals,
        totals.toSorted((a, b) => a - b),
      )
      const offered = answers?.suites.map(({ trials }) => trials) ?? []
      assert.ok(offered.includes(7) && offered.every((trials) => trials >= 3))
      for (const { cases } of answers?.suites ?? []) assert.ok((cases ?? 0) >= 8)
    }
  })

  it('has null where no number of cases is enough', () => {
    const plan = planOf({ ...WISH, width: 0.0001 })
    assert.ok(plan.width?.suites.every(({ cases, total }) => cases === null && total === null))
  })

  it('says what a gate does with agents of known worth, and both of its errors', () => {
    const [gate, all] = planOf({ ...WISH, cases: 30, require: 0.8, requireAllK: 1 }).gates
    // pass@3 ≥ .8 of five trials is two passes, which p = .4 still reaches 66 % of the time.
    assert.deepEqual([gate?.metric, gate?.passes], ['pass@3', 2])
    assert.deepEqual(
      gate?.agents.map(({ p }) => p),
      [0.5, 0.8, 0.9, 0.95, 0.99],
    )
    assert.deepEqual([all?.metric, all?.passes], ['pass^3', 5])
    const good = all?.agents.at(-1)
    assert.ok(Math.abs((good?.allCases ?? 0) - 0.99 ** 150) < 1e-12)
    assert.ok(Math.abs((all?.falseBlock ?? 0) - (1 - 0.99 ** 150)) < 1e-12)
    assert.ok(Math.abs((all?.falsePass ?? 0) - 0.99 ** 145 / 32) < 1e-12)
  })

  it('counts the trials without a failure that prove a failure rate', () => {
    assert.deepEqual(planOf({ ...WISH, zeroFailures: 0.01 }).zeroFailures, { failureRate: 0.01, trials: 299 })
  })

  it('plans with a given deviation of the differences for the trials asked for only', () => {
    const { difference, expected } = planOf({ ...WISH, sd: 0.3, difference: 0.1 })
    assert.deepEqual(
      difference?.suites.map(({ trials, cases }) => [trials, cases]),
      [[5, 73]],
    )
    assert.equal(expected[1]?.sd, 0.3)
    assert.ok((expected[0]?.sd ?? 1) < 0.3)
  })

  it('has no interval for traffic under eight cases, and refuses k over the trials by name', () => {
    assert.equal(planOf({ ...WISH, cases: 7 }).expected[0]?.population, null)
    assert.throws(() => planOf({ ...WISH, trials: 2 }), /3 is more than 2 trials/)
  })

  it('gives shares in order, whatever is assumed', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        fc.integer({ min: 2, max: 300 }),
        fc.integer({ min: 1, max: 12 }),
        (rate, icc, cases, trials) => {
          const k = Math.ceil(trials / 2)
          const { expected } = planOf({ ...WISH, population: { rate, icc }, cases, trials, k, require: rate })
          for (const { expected: value, again, population } of expected)
            for (const { low, high } of [again, ...(population === null ? [] : [population])])
              assert.ok(0 <= low && low <= value + 1e-12 && value - 1e-12 <= high && high <= 1 && low < high)
        },
      ),
      { numRuns: 60 },
    )
  })
})
