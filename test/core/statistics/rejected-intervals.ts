/**
 * Intervals and tests that the product does not offer, written down so that comparisons with them are fair: the references vouch
 * that these are what others compute. None of them may be imported from src.
 */

import {
  betaQuantile,
  logBeta,
  logGamma,
  normalCdf,
  normalQuantile,
  tQuantile,
} from '../../../src/core/statistics/distribution.ts'
import { wilsonLimits } from '../../../src/core/statistics/interval.ts'

export type Limits = { readonly low: number; readonly high: number }

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]) => sum(values) / values.length
const around = (centre: number, half: number): Limits => ({ low: centre - half, high: centre + half })
const clip = ({ low, high }: Limits): Limits => ({ low: Math.max(0, low), high: Math.min(1, high) })

export function wald(c: number, n: number, level: number): Limits {
  return clip(around(c / n, normalQuantile((1 + level) / 2) * Math.sqrt(((c / n) * (1 - c / n)) / n)))
}

export function agrestiCoull(c: number, n: number, level: number): Limits {
  const z2 = normalQuantile((1 + level) / 2) ** 2
  const p = (c + z2 / 2) / (n + z2)
  return clip(around(p, Math.sqrt((z2 * p * (1 - p)) / (n + z2))))
}

type Two = { c1: number; n1: number; c2: number; n2: number }

export function waldDifference({ c1, n1, c2, n2 }: Two): Limits {
  const [p, q] = [c1 / n1, c2 / n2]
  return around(p - q, normalQuantile(0.975) * Math.sqrt((p * (1 - p)) / n1 + (q * (1 - q)) / n2))
}

export function agrestiCaffo({ c1, n1, c2, n2 }: Two): Limits {
  return waldDifference({ c1: c1 + 1, n1: n1 + 2, c2: c2 + 1, n2: n2 + 2 })
}

/** Barnard's test with the pooled z statistic, two-sided. */
export function barnard({ c1, n1, c2, n2 }: Two): number {
  const statistic = (x: number, y: number) => {
    const pooled = (x + y) / (n1 + n2)
    const variance = pooled * (1 - pooled) * (1 / n1 + 1 / n2)
    return variance === 0 ? 0 : Math.abs(x / n1 - y / n2) / Math.sqrt(variance)
  }
  const seen = statistic(c1, c2)
  const choose = (n: number, k: number) => -Math.log(n + 1) - logBeta(k + 1, n - k + 1)
  const ways = new Map<number, number>()
  for (let x = 0; x <= n1; x += 1)
    for (let y = 0; y <= n2; y += 1)
      if (statistic(x, y) >= seen * (1 - 1e-9))
        ways.set(x + y, (ways.get(x + y) ?? 0) + Math.exp(choose(n1, x) + choose(n2, y)))
  let most = 0
  for (let i = 1; i < 2000; i += 1) {
    let size = 0
    for (const [total, count] of ways) size += count * (i / 2000) ** total * (1 - i / 2000) ** (n1 + n2 - total)
    most = Math.max(most, size)
  }
  return Math.min(1, most)
}

/** The bootstrap of a mean without chance: every resample with its probability. */
export function idealBootstrap(values: readonly number[]) {
  const n = values.length
  const chances = new Map<number, number>()
  const walk = (i: number, left: number, total: number, logWays: number) => {
    if (i === n - 1) {
      const at = Number(((total + left * (values[i] as number)) / n).toFixed(12))
      const chance = Math.exp(logWays - logGamma(left + 1) + logGamma(n + 1) - n * Math.log(n))
      chances.set(at, (chances.get(at) ?? 0) + chance)
      return
    }
    for (let take = 0; take <= left; take += 1)
      walk(i + 1, left - take, total + take * (values[i] as number), logWays - logGamma(take + 1))
  }
  walk(0, n, 0, 0)
  const support = [...chances].sort(([a], [b]) => a - b)
  const quantile = (share: number) => {
    let below = 0
    for (const [at, chance] of support) {
      below += chance
      if (below >= share - 1e-12) return at
    }
    return Number.NaN
  }
  const centre = mean(values)
  const rounded = Number(centre.toFixed(12))
  const z0 = normalQuantile(
    sum(support.map(([at, chance]) => (at < rounded ? chance : at === rounded ? chance / 2 : 0))),
  )
  const pulls = values.map((value) => (value - centre) / (n - 1))
  const accel = sum(pulls.map((pull) => pull ** 3)) / (6 * sum(pulls.map((pull) => pull ** 2)) ** 1.5)
  const adjusted = (z: number) => normalCdf(z0 + (z0 + z) / (1 - accel * (z0 + z)))
  const alphas = [normalQuantile(0.025), normalQuantile(0.975)].map(adjusted)
  const sd = Math.sqrt(sum(support.map(([at, chance]) => chance * (at - centre) ** 2)))
  return {
    sd,
    percentile: [quantile(0.025), quantile(0.975)],
    z0,
    accel,
    alphas,
    bca: alphas.map(quantile),
    support: support.length,
  }
}

/** Standard errors of a pooled mean with clustered trials, by the names others give them. */
export function clusteredErrors(clusters: readonly (readonly number[])[]) {
  const all = clusters.flat()
  const [n, groups, centre] = [all.length, clusters.length, mean(all)]
  const residuals = clusters.map((cluster) => sum(cluster) - cluster.length * centre)
  const cr0 = Math.sqrt(sum(residuals.map((value) => value ** 2))) / n
  const weights = clusters.map((cluster) => (1 - cluster.length / n) ** -0.5)
  const cr2 = Math.sqrt(sum(residuals.map((value, g) => (value * (weights[g] as number)) ** 2))) / n
  const sizes = clusters.map((cluster) => cluster.length)
  const form = sizes.map((size, g) =>
    sizes.map(
      (other, h) => (weights[g] as number) * (weights[h] as number) * ((g === h ? size : 0) - (size * other) / n),
    ),
  )
  const trace = sum(form.map((row, g) => row[g] as number))
  const df = trace ** 2 / sum(form.flat().map((value) => value ** 2))
  const between = sum(clusters.map((cluster) => cluster.length * (mean(cluster) - centre) ** 2)) / (groups - 1)
  const within = sum(clusters.flatMap((cluster) => cluster.map((y) => (y - mean(cluster)) ** 2))) / (n - groups)
  const size = (n - sum(sizes.map((one) => one ** 2)) / n) / (groups - 1)
  const naive = Math.sqrt(sum(all.map((y) => (y - centre) ** 2)) / (n - 1) / n)
  const cr1 = cr0 * Math.sqrt(groups / (groups - 1))
  return {
    pooled: centre,
    naive,
    cr0,
    cr1,
    cr2,
    df,
    between,
    within,
    size,
    icc: (between - within) / (between + (size - 1) * within),
    deff: (cr1 / naive) ** 2,
  }
}

export type Sampled = { readonly stratum: string; readonly y: number; readonly w: number; readonly N: number }

/** Stratified and linearised, with replacement or with a finite population correction. */
export function surveyMean(units: readonly Sampled[], by: (unit: Sampled) => string, finite: boolean) {
  const total = sum(units.map(({ w }) => w))
  const estimate = sum(units.map(({ y, w }) => y * w)) / total
  let variance = 0
  for (const stratum of Map.groupBy(units, by).values()) {
    const scores = stratum.map(({ y, w }) => (w * (y - estimate)) / total)
    const m = scores.length
    const factor = finite ? 1 - m / (stratum[0] as Sampled).N : 1
    variance += (factor * m * sum(scores.map((score) => (score - mean(scores)) ** 2))) / (m - 1)
  }
  return { estimate, se: Math.sqrt(variance) }
}

/** svyciprop's ways to an interval from an estimate, its error and its degrees of freedom. */
export function surveyIntervals({ estimate: p, se }: { estimate: number; se: number }, df: number, n: number) {
  const t = tQuantile(0.975, df)
  const effective = (p * (1 - p)) / se ** 2
  const adjusted = effective * (tQuantile(0.975, n - 1) / t) ** 2
  const counts = Math.min(n, adjusted)
  const logit = Math.log(p / (1 - p))
  const pull = (t * se) / (p * (1 - p))
  const angle = Math.asin(Math.sqrt(p))
  const turn = (t * se) / (2 * Math.sqrt(p * (1 - p)))
  return {
    effective,
    adjusted,
    mean: around(p, t * se),
    logit: { low: 1 / (1 + Math.exp(pull - logit)), high: 1 / (1 + Math.exp(-pull - logit)) },
    asin: { low: Math.sin(angle - turn) ** 2, high: Math.sin(angle + turn) ** 2 },
    beta: {
      low: betaQuantile(0.025, p * counts, counts - p * counts + 1),
      high: betaQuantile(0.975, p * counts + 1, counts - p * counts),
    },
    wilsonT: wilsonLimits({ share: p, trials: effective, quantile: t }),
    wilsonZ: wilsonLimits({ share: p, trials: effective, quantile: normalQuantile(0.975) }),
  }
}
