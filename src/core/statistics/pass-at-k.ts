/**
 * pass@k and pass^k of one case from n trials of which c passed, and how much they vary.
 *
 * pass^k is the chance that k fresh trials all pass, pass@k that at least one does. Both are the unbiased estimators
 * (Chen et al. 2021, Yao et al. 2024): the share of the k-subsets of the n trials seen. They are never formed as p̂^k, which
 * is biased upwards, nor as 1 for k > n, where no subset exists and the answer is null.
 * Stable for n to 100,000: products and logarithms of ratios, no factorials.
 */

import { requireCount, requireShare } from './argument.ts'

export type CaseCounts = {
  /** Trials that count: passed, wrong and errored. */
  readonly n: number
  /** Trials that passed. */
  readonly c: number
}

/** Which of the two a figure is about. */
export type PassMetric = 'passAtK' | 'passHatK'

type CountsAndK = CaseCounts & { readonly k: number }

function requireCounts({ n, c, k }: CountsAndK): void {
  requireCount('n', n)
  requireCount('c', c, { max: n })
  requireCount('k', k, { min: 1 })
}

/** C(c, k) / C(n, k): the share of k-subsets of the trials that passed as a whole. Null when k > n. */
export function passHatK({ n, c, k }: CountsAndK): number | null {
  requireCounts({ n, c, k })
  if (k > n) return null
  return allInSubset(n, c, k)
}

/** 1 − C(n−c, k) / C(n, k): the share of k-subsets of the trials with at least one pass. Null when k > n. */
export function passAtK({ n, c, k }: CountsAndK): number | null {
  requireCounts({ n, c, k })
  if (k > n) return null
  if (n - c < k) return 1
  if (c === 0) return 0
  // C(n−c, k)/C(n, k) is also C(n−k, c)/C(n, c): loop over the shorter. Logarithms keep a tiny pass@k exact.
  const [steps, other] = k <= c ? [k, c] : [c, k]
  let logNone = 0
  for (let i = 0; i < steps; i += 1) logNone += Math.log1p(-other / (n - i))
  return -Math.expm1(logNone)
}

/** The value of one case under the metric asked for. Null when k > n. */
export function caseValue({ metric, ...counts }: CountsAndK & { readonly metric: PassMetric }): number | null {
  return metric === 'passAtK' ? passAtK(counts) : passHatK(counts)
}

/**
 * Variance of the pass^k estimate of a case with pass probability p and n trials:
 * Σ_j C(k,j) C(n−k,k−j) / C(n,k) · p^(2k−j) − p^(2k). Null when k > n. For pass@k give 1 − p.
 */
export function passHatKVariance({ n, k, p }: { n: number; k: number; p: number }): number | null {
  requireCount('n', n)
  requireCount('k', k, { min: 1 })
  requireShare('p', p)
  if (k > n) return null
  if (p === 0 || p === 1) return 0
  // Two random k-subsets share j trials with hypergeometric chance; written as p^(2k−j)(1 − p^j) nothing cancels.
  const logP = Math.log(p)
  let variance = 0
  for (const { shared, chance } of sharedTrials(n, k))
    variance -= chance * Math.exp((2 * k - shared) * logP) * Math.expm1(shared * logP)
  return variance
}

/**
 * Unbiased estimate of that variance from the counts: U² − C(c,2k)/C(n,2k), U the pass^k estimate. Null when n < 2k.
 * Like every unbiased variance of a U-statistic it can be negative for one case: average it over cases.
 */
export function passHatKVarianceEstimate({ n, c, k }: CountsAndK): number | null {
  requireCounts({ n, c, k })
  if (n < 2 * k) return null
  if (c < k) return 0
  const first = allInSubset(n, c, k)
  return first * (first - allInSubset(n - k, c - k, k))
}

/** The same for pass@k: failures take the place of passes. Null when n < 2k. */
export function passAtKVarianceEstimate({ n, c, k }: CountsAndK): number | null {
  requireCounts({ n, c, k })
  return passHatKVarianceEstimate({ n, c: n - c, k })
}

function allInSubset(n: number, c: number, k: number): number {
  if (c < k) return 0
  // C(c, k)/C(n, k) = Π (c−i)/(n−i) over k, or Π (n−k−i)/(n−i) over n−c: the shorter product has the smaller error.
  const [steps, top] = k <= n - c ? [k, c] : [n - c, n - k]
  let share = 1
  for (let i = 0; i < steps; i += 1) share *= (top - i) / (n - i)
  return share
}

/** Chances that two random k-subsets of n ≥ k share j trials, made by ratios outward from the likeliest j. */
export function sharedTrials(n: number, k: number): { shared: number; chance: number }[] {
  const least = Math.max(0, 2 * k - n)
  const mode = Math.min(k, Math.max(least, Math.floor(((k + 1) * (k + 1)) / (n + 2))))
  const weights = new Map([[mode, 1]])
  let weight = 1
  for (let j = mode; j < k && weight > 0; j += 1) {
    weight *= ((k - j) * (k - j)) / ((j + 1) * (n - 2 * k + j + 1))
    weights.set(j + 1, weight)
  }
  weight = 1
  for (let j = mode; j > least && weight > 0; j -= 1) {
    weight *= (j * (n - 2 * k + j)) / ((k - j + 1) * (k - j + 1))
    weights.set(j - 1, weight)
  }
  let total = 0
  for (const one of weights.values()) total += one
  return [...weights].map(([shared, one]) => ({ shared, chance: one / total }))
}
