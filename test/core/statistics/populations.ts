/**
 * The populations of cases in which intervals are tried out: from spread all over to nearly saturated, where products live and
 * where intervals made from a standard deviation fail. Beta draws are order statistics of uniform ones.
 */

import type { SeededRandom } from '../../../src/core/statistics/random.ts'

export type Population = {
  readonly name: string
  /** The pass probability of one case. */
  draw(random: SeededRandom): number
  /** E[p^k] over cases. */
  truth(k: number): number
}

function betaMoment(a: number, b: number, k: number): number {
  let moment = 1
  for (let i = 0; i < k; i += 1) moment *= (a + i) / (a + b + i)
  return moment
}

/** Beta(rank, of − rank + 1) for whole numbers. */
function orderStatistic(rank: number, of: number, random: SeededRandom): number {
  const drawn = Array.from({ length: of }, () => random.next()).sort((x, y) => x - y)
  return drawn[rank - 1] as number
}

export const POPULATIONS: readonly Population[] = [
  {
    name: 'beta(.5, .5)',
    draw: (random) => Math.sin((Math.PI / 2) * random.next()) ** 2,
    truth: (k) => betaMoment(0.5, 0.5, k),
  },
  { name: 'beta(2, 1)', draw: (random) => Math.sqrt(random.next()), truth: (k) => betaMoment(2, 1, k) },
  { name: 'beta(8, 2)', draw: (random) => orderStatistic(8, 9, random), truth: (k) => betaMoment(8, 2, k) },
  {
    name: '60 % 1, 10 % 0, 30 % beta(2, 2)',
    draw: (random) => {
      const kind = random.next()
      if (kind < 0.6) return 1
      return kind < 0.7 ? 0 : orderStatistic(2, 3, random)
    },
    truth: (k) => 0.6 + 0.3 * betaMoment(2, 2, k),
  },
  {
    name: '85 % .99, 15 % uniform',
    draw: (random) => (random.next() < 0.85 ? 0.99 : random.next()),
    truth: (k) => 0.85 * 0.99 ** k + 0.15 / (k + 1),
  },
  {
    name: '95 % 1, 5 % uniform',
    draw: (random) => (random.next() < 0.95 ? 1 : random.next()),
    truth: (k) => 0.95 + 0.05 / (k + 1),
  },
  { name: 'all .8', draw: () => 0.8, truth: (k) => 0.8 ** k },
  { name: 'all .97', draw: () => 0.97, truth: (k) => 0.97 ** k },
]

/** Passes of n trials. */
export function drawPasses(n: number, p: number, random: SeededRandom): number {
  let passes = 0
  for (let i = 0; i < n; i += 1) if (random.next() < p) passes += 1
  return passes
}
