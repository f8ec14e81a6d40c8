/**
 * Coverage by simulation: how often each default interval holds the truth, in worlds where the truth is known.
 *
 * Every cell has its own seed, so a table can be recomputed. coverage.ts lists the cells by figure.
 */

import { pairedInterval } from '../../../src/core/statistics/compare.ts'
import { jeffreys } from '../../../src/core/statistics/interval.ts'
import { roganGladen, twoPhaseRate } from '../../../src/core/statistics/judge.ts'
import { passHatK } from '../../../src/core/statistics/pass-at-k.ts'
import { type SeededRandom, seededRandom } from '../../../src/core/statistics/random.ts'
import { familyInterval, populationInterval, rerunInterval } from '../../../src/core/statistics/suite.ts'
import { sessionTrafficRate, suiteTrafficRate, trafficRate } from '../../../src/core/statistics/traffic.ts'
import { binomialChances } from '../../../src/core/statistics/two-proportions.ts'
import { drawPasses, POPULATIONS, type Population } from './populations.ts'

export type Cell = { readonly name: string; readonly coverage: number; readonly width: number }
export type Trial = {
  readonly truth: number
  readonly interval: { readonly low: number; readonly high: number } | null
}

const LEVEL = 0.95
const TRIALS = 5
/** Rounding of the limits must not count as a miss when the truth is exactly 0 or 1. */
const ROUNDING = 1e-12

/** Repeats one world and counts how often the interval held the truth. A missing interval counts as a miss. */
export function cover(name: string, reps: number, one: (random: SeededRandom) => Trial): Cell {
  const random = seededRandom(`coverage/${name}`)
  let held = 0
  let width = 0
  for (let i = 0; i < reps; i += 1) {
    const { truth, interval } = one(random)
    if (interval === null) continue
    if (interval.low <= truth + ROUNDING && truth <= interval.high + ROUNDING) held += 1
    width += interval.high - interval.low
  }
  return { name, coverage: held / reps, width: width / reps }
}

export function summary(cells: readonly Cell[]): { mean: number; worst: Cell; width: number } {
  const mean = cells.reduce((sum, cell) => sum + cell.coverage, 0) / cells.length
  const width = cells.reduce((sum, cell) => sum + cell.width, 0) / cells.length
  const worst = cells.reduce((least, cell) => (cell.coverage < least.coverage ? cell : least))
  return { mean, worst, width }
}

function drawSuite(population: Population, cases: number, random: SeededRandom) {
  return Array.from({ length: cases }, () => {
    const p = population.draw(random)
    return { p, n: TRIALS, c: drawPasses(TRIALS, p, random) }
  })
}

const hatValue = (counts: { n: number; c: number }, k: number) => passHatK({ ...counts, k }) as number

/** Jeffreys for one case: exact, by adding up binomial chances over a grid of p. */
export function caseCells(n: number): Cell[] {
  const intervals = Array.from({ length: n + 1 }, (_, c) => jeffreys({ successes: c, trials: n, level: LEVEL }))
  return Array.from({ length: 999 }, (_, i) => {
    const p = (i + 1) / 1000
    const chances = binomialChances(n, p)
    let coverage = 0
    let width = 0
    for (const [c, { low, high }] of intervals.entries()) {
      if (low <= p && p <= high) coverage += chances[c] as number
      width += (chances[c] as number) * (high - low)
    }
    return { name: `n ${n}, p ${p}`, coverage, width }
  })
}

export function populationCells(reps: number): Cell[] {
  return grid([20, 30, 50], [1, 3, 5]).flatMap(([cases, k]) =>
    POPULATIONS.map((population) =>
      cover(`${population.name}, ${cases} cases, pass^${k}`, reps, (random) => {
        const values = drawSuite(population, cases, random).map((counts) => hatValue(counts, k))
        return { truth: population.truth(k), interval: populationInterval({ values, level: LEVEL }) }
      }),
    ),
  )
}

export function rerunCells(reps: number): Cell[] {
  return rerunCellsOf([20, 50], reps)
}

/** Where there is no interval for traffic yet. */
export function fewCasesAgainCells(reps: number): Cell[] {
  return rerunCellsOf([2, 4, 7], reps)
}

function rerunCellsOf(sizes: readonly number[], reps: number): Cell[] {
  return grid(sizes, [1, 3, 5]).flatMap(([cases, k]) =>
    POPULATIONS.map((population) =>
      cover(`${population.name}, ${cases} cases, pass^${k}, again`, reps, (random) => {
        const counts = drawSuite(population, cases, random)
        const truth = counts.reduce((sum, { p }) => sum + p ** k, 0) / cases
        return { truth, interval: rerunInterval({ counts, k, metric: 'passHatK', level: LEVEL }) }
      }),
    ),
  )
}

/** Families of one to five cases that share their pass probability. */
export function familyCells(reps: number): Cell[] {
  return grid([10, 20, 40], [1, 3]).flatMap(([families, k]) =>
    POPULATIONS.map((population) =>
      cover(`${population.name}, ${families} families, pass^${k}`, reps, (random) => {
        const cases = Array.from({ length: families }, (_, family) => {
          const p = population.draw(random)
          const size = 1 + Math.floor(random.next() * 5)
          return Array.from({ length: size }, () => ({
            family: `${family}`,
            value: hatValue({ n: TRIALS, c: drawPasses(TRIALS, p, random) }, k),
          }))
        }).flat()
        const values = cases.map(({ value }) => value)
        const names = cases.map(({ family }) => family)
        return { truth: population.truth(k), interval: familyInterval({ values, families: names, level: LEVEL }) }
      }),
    ),
  )
}

/** Version b passes `factor` times as often as a on every case, or on a share of the cases not at all. */
export function pairedCells(reps: number): Cell[] {
  const changes = [
    { name: 'alike', after: (p: number) => p },
    { name: '× .85', after: (p: number) => 0.85 * p },
    { name: '10 % broken', after: (p: number, random: SeededRandom) => (random.next() < 0.1 ? 0 : p) },
  ]
  const truths = [() => 0, (before: number) => before * (0.85 - 1), (before: number) => -0.1 * before]
  return grid([20, 50], [0, 1, 2]).flatMap(([cases, change]) =>
    POPULATIONS.map((population) => {
      const { name, after } = changes[change] as (typeof changes)[number]
      return cover(`${population.name}, ${cases} cases, ${name}`, reps, (random) => {
        const suite = drawSuite(population, cases, random)
        const a = suite.map(({ c }) => c / TRIALS)
        const b = suite.map(({ p }) => drawPasses(TRIALS, after(p, random), random) / TRIALS)
        const truth = (truths[change] as (before: number) => number)(population.truth(1))
        return { truth, interval: pairedInterval({ a, b, level: LEVEL }) }
      })
    }),
  )
}

/** Trials without end: case values are the p themselves, and the versions correlate almost perfectly. */
export function steadyPairedCells(reps: number): Cell[] {
  return grid([10, 30, 100], [0.85, 0.5]).flatMap(([cases, factor]) =>
    POPULATIONS.slice(0, 6).map((population) =>
      cover(`${population.name}, ${cases} cases, × ${factor}, steady`, reps, (random) => {
        const a = Array.from({ length: cases }, () => population.draw(random))
        const b = a.map((p) => factor * p)
        const truth = population.truth(1) * (factor - 1)
        return { truth, interval: pairedInterval({ a, b, level: LEVEL }) }
      }),
    ),
  )
}

const TRAFFIC_RATES = [
  [0.3, 0.7, 0.95],
  [0.2, 0.9, 0.99],
  [0.5, 0.95, 0.999],
] as const
const TRAFFIC_SHARES = [0.03, 0.07, 0.9] as const
const TRAFFIC_TRACES = 20_000

/** Three strata of 3, 7 and 90 % of the traffic, kept at 1, .2 and .02 times a scale; counted or not. */
export function trafficCells(reps: number, counted: boolean): Cell[] {
  return grid([0.25, 1], [0, 1, 2]).map(([scale, design]) =>
    cover(`design ${design}, keep × ${scale}, ${counted ? 'counted' : 'not counted'}`, reps, (random) => {
      let passedInAll = 0
      const strata = TRAFFIC_SHARES.map((share, h) => {
        const received = Math.round(share * TRAFFIC_TRACES)
        const p = scale * ([1, 0.2, 0.02][h] as number)
        let [sampled, successes] = [0, 0]
        for (let i = 0; i < received; i += 1) {
          const passed = random.next() < (TRAFFIC_RATES[design]?.[h] as number)
          if (passed) passedInAll += 1
          if (random.next() >= p) continue
          sampled += 1
          if (passed) successes += 1
        }
        return { received: counted ? received : null, sampled, successes, p }
      })
      return { truth: passedInAll / TRAFFIC_TRACES, interval: trafficRate({ strata, level: LEVEL }).interval }
    }),
  )
}

/** Sessions of one to nine traces that share their pass probability, two strata, every twentieth and every second kept. */
export function sessionCells(reps: number): Cell[] {
  return grid([400, 1500], [0, 1, 4, 5]).map(([sessions, which]) => {
    const population = POPULATIONS[which] as Population
    return cover(`${population.name}, ${sessions} sessions`, reps, (random) => {
      let [passedInAll, all] = [0, 0]
      const strata = [0.05, 0.5].map((p, h) => {
        const kept: { traces: number; successes: number }[] = []
        let received = 0
        for (let i = 0; i < (h === 0 ? sessions : sessions / 10); i += 1) {
          const traces = 1 + Math.floor(random.next() * 9)
          const rate = population.draw(random) * (h === 0 ? 1 : 0.5)
          const successes = drawPasses(traces, rate, random)
          received += traces
          passedInAll += successes
          if (random.next() < p) kept.push({ traces, successes })
        }
        all += received
        return { received, p, sessions: kept }
      })
      return { truth: passedInAll / all, interval: sessionTrafficRate({ strata, level: LEVEL }).interval }
    })
  })
}

/** Replay suites of three strata with 10 to 20 cases each, standing for 3, 7 and 90 % of the traffic. */
export function suiteTrafficCells(reps: number): Cell[] {
  return grid([10, 20], [1, 3, 5]).flatMap(([cases, k]) =>
    POPULATIONS.map((population) =>
      cover(`${population.name}, 3 × ${cases} cases, pass^${k}`, reps, (random) => {
        const strata = TRAFFIC_SHARES.map((weight, h) => ({
          weight,
          // The rare strata are the bad ones: their cases pass half and three quarters as often.
          values: Array.from({ length: cases }, () => {
            const p = population.draw(random) * ([0.5, 0.75, 1][h] as number)
            return hatValue({ n: TRIALS, c: drawPasses(TRIALS, p, random) }, k)
          }),
        }))
        const scale = 0.03 * 0.5 ** k + 0.07 * 0.75 ** k + 0.9
        return { truth: scale * population.truth(k), interval: suiteTrafficRate({ strata, level: LEVEL }).interval }
      }),
    ),
  )
}

const JUDGES = [
  { sensitivity: 0.95, specificity: 0.8 },
  { sensitivity: 0.9, specificity: 0.9 },
  { sensitivity: 0.98, specificity: 0.6 },
] as const

/** A judge sees 500 traces, people label 60 or 200 of them at random within its verdicts. */
export function twoPhaseCells(reps: number): Cell[] {
  return grid([60, 200], [0, 1, 2]).flatMap(([labels, which]) =>
    [0.7, 0.9, 0.97].map((rate) =>
      cover(`judge ${which}, ${labels} labels, rate ${rate}`, reps, (random) => {
        const { sensitivity, specificity } = JUDGES[which] as (typeof JUDGES)[number]
        const passed = drawPasses(500, rate, random)
        const truePass = drawPasses(passed, sensitivity, random)
        const falsePass = drawPasses(500 - passed, 1 - specificity, random)
        const sizes = [truePass + falsePass, 500 - truePass - falsePass] as const
        const goods = [truePass, passed - truePass] as const
        const classes = (['pass', 'fail'] as const).map((verdict, i) => {
          const count = sizes[i] as number
          const labelled = Math.min(count, Math.max(Math.min(count, 10), Math.round((labels * count) / 500)))
          return { verdict, count, labelled, passed: drawWithout(labelled, goods[i] as number, count, random) }
        })
        const got = twoPhaseRate({ classes, scope: 'population', level: LEVEL })
        return { truth: rate, interval: got.corrected.interval }
      }),
    ),
  )
}

/** A judge labelled on 100 passes and 60 fails elsewhere, then used on 400 traces. Refusals are tried again. */
export function roganGladenCells(reps: number): Cell[] {
  return grid([0.7, 0.9, 0.97], [0, 1, 2]).map(([rate, which]) => {
    const { sensitivity, specificity } = JUDGES[which] as (typeof JUDGES)[number]
    return cover(`judge ${which}, rate ${rate}, labels elsewhere`, reps, (random) => {
      const labels = {
        passes: { labelled: 100, agreed: drawPasses(100, sensitivity, random) },
        fails: { labelled: 60, agreed: drawPasses(60, specificity, random) },
      }
      const passed = drawPasses(400, rate, random)
      const judgedPass = drawPasses(passed, sensitivity, random) + drawPasses(400 - passed, 1 - specificity, random)
      return {
        truth: rate,
        interval: roganGladen({ judgedPass, judged: 400, labels, level: LEVEL }).corrected.interval,
      }
    })
  })
}

/** Of `count` things, `good` of them good, draws `size` without putting back: how many good ones. */
function drawWithout(size: number, good: number, count: number, random: SeededRandom): number {
  let left = good
  for (let i = 0; i < size; i += 1) if (random.next() * (count - i) < left) left -= 1
  return good - left
}

function grid<A, B>(first: readonly A[], second: readonly B[]): [A, B][] {
  return first.flatMap((a) => second.map((b): [A, B] => [a, b]))
}
