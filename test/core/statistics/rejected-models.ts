/**
 * Models, divergences and sequences that the product does not offer: see rejected-intervals.ts for why they are here.
 */

import {
  betaQuantile,
  logBeta,
  logGamma,
  normalCdf,
  normalQuantile,
} from '../../../src/core/statistics/distribution.ts'

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]) => sum(values) / values.length

export function betaBinomialLog(c: number, n: number, a: number, b: number): number {
  return -Math.log(n + 1) - logBeta(c + 1, n - c + 1) + logBeta(a + c, b + n - c) - logBeta(a, b)
}

/** E[p^k] for p ~ Beta(a, b). */
export function betaMoment(a: number, b: number, k: number): number {
  let moment = 1
  for (let i = 0; i < k; i += 1) moment *= (a + i) / (a + b + i)
  return moment
}

/** Posterior of E[p^k] with the mean and the intra-class correlation uniform, on a grid of midpoints. */
export function hierarchicalPosterior(data: readonly (readonly [number, number])[], k: number, steps = [240, 120]) {
  const seen = Map.groupBy(data, ([c, n]) => `${c} ${n}`)
  const points: { at: number; log: number }[] = []
  for (let i = 0; i < (steps[0] as number); i += 1)
    for (let j = 0; j < (steps[1] as number); j += 1) {
      const mu = (i + 0.5) / (steps[0] as number)
      const rho = (j + 0.5) / (steps[1] as number)
      const [a, b] = [(mu * (1 - rho)) / rho, ((1 - mu) * (1 - rho)) / rho]
      let log = 0
      for (const same of seen.values()) {
        const [c, n] = same[0] as readonly [number, number]
        log += same.length * betaBinomialLog(c, n, a, b)
      }
      points.push({ at: betaMoment(a, b, k), log })
    }
  const most = points.reduce((top, { log }) => Math.max(top, log), Number.NEGATIVE_INFINITY)
  const weighed = points.map(({ at, log }) => ({ at, weight: Math.exp(log - most) })).sort((x, y) => x.at - y.at)
  const total = sum(weighed.map(({ weight }) => weight))
  const quantile = (share: number) => {
    let below = 0
    for (const { at, weight } of weighed) {
      below += weight / total
      if (below >= share) return at
    }
    return 1
  }
  return {
    mean: sum(weighed.map(({ at, weight }) => at * weight)) / total,
    low: quantile(0.025),
    high: quantile(0.975),
  }
}

export const credible = (a: number, b: number) => ({ low: betaQuantile(0.025, a, b), high: betaQuantile(0.975, a, b) })

/** Prediction-powered inference (Angelopoulos et al.) with weight λ on the judge; variances with divisor n. */
export function predictionPowered(
  y: readonly number[],
  judged: readonly number[],
  passes: number,
  N: number,
  lambda: number,
) {
  const rate = passes / N
  const rest = y.map((value, i) => value - lambda * (judged[i] as number))
  const centre = mean(rest)
  const variance = (lambda ** 2 * rate * (1 - rate)) / N + mean(rest.map((value) => (value - centre) ** 2)) / y.length
  const half = normalQuantile(0.975) * Math.sqrt(variance)
  return {
    point: lambda * rate + centre,
    low: lambda * rate + centre - half,
    high: lambda * rate + centre + half,
    error: Math.sqrt(variance),
  }
}

/** Wilcoxon's signed-rank test, normal approximation, ties averaged, zeros dropped. */
export function wilcoxon(differences: readonly number[]): { w: number; p: number } {
  const moved = differences.filter((d) => d !== 0)
  const sizes = moved.map((d) => Math.abs(d))
  const rank = (size: number) => {
    const same = sizes.filter((other) => Math.abs(other - size) < 1e-12).length
    return sizes.filter((other) => other < size - 1e-12).length + (same + 1) / 2
  }
  const up = sum(moved.map((d, i) => (d > 0 ? rank(sizes[i] as number) : 0)))
  const n = moved.length
  const w = Math.min(up, (n * (n + 1)) / 2 - up)
  const ties = new Map<number, number>()
  for (const size of sizes) ties.set(rank(size), (ties.get(rank(size)) ?? 0) + 1)
  const correction = sum([...ties.values()].map((t) => t ** 3 - t)) / 48
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - correction
  return { w, p: 2 * normalCdf((w - (n * (n + 1)) / 4) / Math.sqrt(variance)) }
}

/** Measures of how far two mixes lie apart. PSI is null where a category is empty in one of them. */
export function divergences(before: readonly number[], after: readonly number[]) {
  const p = before.map((count) => count / sum(before))
  const q = after.map((count) => count / sum(after))
  const pairs = p.map((share, i) => [share, q[i] as number] as const)
  const relative = (x: number, y: number) => (x === 0 ? 0 : x * Math.log(x / y))
  const all = sum(before) + sum(after)
  const g = sum(
    [before, after].flatMap((row) =>
      row.map((count, i) => 2 * relative(count, (sum(row) * ((before[i] as number) + (after[i] as number))) / all)),
    ),
  )
  return {
    g,
    tv: sum(pairs.map(([x, y]) => Math.abs(x - y))) / 2,
    js: sum(pairs.map(([x, y]) => relative(x, (x + y) / 2) + relative(y, (x + y) / 2))) / 2,
    hellinger: Math.sqrt(sum(pairs.map(([x, y]) => (Math.sqrt(x) - Math.sqrt(y)) ** 2)) / 2),
    psi: pairs.some(([x, y]) => x === 0 || y === 0) ? null : sum(pairs.map(([x, y]) => (x - y) * Math.log(x / y))),
  }
}

/** Fisher–Freeman–Halton: every two-row table with these margins, those as unlikely as the one seen. */
export function fisherTwoRows(before: readonly number[], after: readonly number[]): number {
  const both = before.map((count, i) => count + (after[i] as number))
  const choose = (n: number, k: number) => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1)
  const whole = choose(sum(both), sum(before))
  const seen = sum(before.map((count, i) => choose(both[i] as number, count))) - whole
  let p = 0
  const walk = (i: number, left: number, log: number) => {
    if (i === both.length - 1) {
      if (left > (both[i] as number)) return
      const chance = log + choose(both[i] as number, left) - whole
      if (chance <= seen + 1e-7) p += Math.exp(chance)
      return
    }
    for (let take = 0; take <= Math.min(left, both[i] as number); take += 1)
      walk(i + 1, left - take, log + choose(both[i] as number, take))
  }
  walk(0, sum(before), 0)
  return Math.min(1, p)
}

/** Sison and Glaz 1995: joint intervals of multinomial shares. */
export function sisonGlaz(counts: readonly number[], error: number): { low: number; high: number }[] {
  const n = sum(counts)
  const covers = (c: number) => sisonGlazCoverage(counts, c)
  let c = 0
  while (covers(c + 1) < 1 - error) c += 1
  const part = (1 - error - covers(c)) / (covers(c + 1) - covers(c))
  return counts.map((count) => ({
    low: Math.max(0, (count - c) / n),
    high: Math.min(1, (count + c + 2 * part) / n),
  }))
}

function sisonGlazCoverage(counts: readonly number[], c: number): number {
  const n = sum(counts)
  const poisson = (k: number, rate: number) => Math.exp(k * Math.log(rate) - rate - logGamma(k + 1))
  const within = (from: number, to: number, rate: number) => {
    if (rate === 0) return from <= 0 && to >= 0 ? 1 : 0
    let chance = 0
    for (let k = Math.max(0, from); k <= to; k += 1) chance += poisson(k, rate)
    return chance
  }
  let product = 1
  const moments = counts.map((count) => {
    const [low, high] = [Math.max(count - c, 0), Math.min(count + c, n)]
    const inside = within(low, high, count)
    product *= inside
    const m = [1, 2, 3, 4].map((r) => {
      return count ** r * (1 + (within(low - r, low - 1, count) - within(high - r + 1, high, count)) / inside)
    }) as [number, number, number, number]
    const [a, b, d, e] = m
    return {
      m1: a,
      m2: b + a - a * a,
      m3: d + b * (3 - 3 * a) + a - 3 * a ** 2 + 2 * a ** 3,
      m4: e + d * (6 - 4 * a) + b * (7 - 12 * a + 6 * a ** 2) + a - 4 * a ** 2 + 6 * a ** 3 - 3 * a ** 4,
    }
  })
  const s2 = sum(moments.map(({ m2 }) => m2))
  const g1 = sum(moments.map(({ m3 }) => m3)) / s2 ** 1.5
  const g2 = sum(moments.map(({ m2, m4 }) => m4 - 3 * m2 ** 2)) / s2 ** 2
  const x = (n - sum(moments.map(({ m1 }) => m1))) / Math.sqrt(s2)
  const series =
    1 +
    (g1 * (x ** 3 - 3 * x)) / 6 +
    (g2 * (x ** 4 - 6 * x ** 2 + 3)) / 24 +
    (g1 ** 2 * (x ** 6 - 15 * x ** 4 + 45 * x ** 2 - 15)) / 72
  const density = (Math.exp(-(x ** 2) / 2) / Math.sqrt(2 * Math.PI)) * series
  return (product * density) / Math.sqrt(s2) / poisson(n, n)
}

/** Hedged betting sequence with predictable plug-in bets (Waudby-Smith, Ramdas), on a grid of means. */
export function hedgedBetting(x: readonly number[], error: number, breaks: number) {
  const bets: number[] = []
  let [total, squares] = [0.5, 0.25]
  for (let t = 1; t <= x.length; t += 1) {
    bets.push(Math.sqrt((2 * Math.log(2 / error)) / ((squares / t) * t * Math.log(1 + t))))
    total += x[t - 1] as number
    squares += ((x[t - 1] as number) - total / (t + 1)) ** 2
  }
  const grid = Array.from({ length: breaks + 1 }, (_, i) => i / breaks)
  const up = grid.map(() => 0)
  const down = grid.map(() => 0)
  return x.map((value, t) => {
    const inside: number[] = []
    for (const [i, m] of grid.entries()) {
      const bet = bets[t] as number
      up[i] = (up[i] as number) + Math.log(Math.max(0, 1 + Math.min(bet, 0.5 / m) * (value - m)))
      down[i] = (down[i] as number) + Math.log(Math.max(0, 1 - Math.min(bet, 0.5 / (1 - m)) * (value - m)))
      if (Math.log(0.5) + Math.max(up[i] as number, down[i] as number) < -Math.log(error)) inside.push(m)
    }
    return { low: inside[0] as number, high: inside.at(-1) as number }
  })
}
