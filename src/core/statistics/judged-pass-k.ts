/**
 * What a judge's errors do to pass@k and pass^k, and what it would cost to undo them.
 *
 * Errors multiply: a perfect agent under a judge of sensitivity .95 shows pass^5 = .774, a hopeless one under specificity
 * .9 shows pass@5 = .41. The correction is exactly unbiased and not to be quoted for one case: its spread explodes with k
 * (n = k = 5, .9 and .8: standard deviation 1.1). Correct pass@1, and make the judge better before quoting pass^k.
 */

import { requireCount, requireShare } from './argument.ts'
import { logBeta } from './distribution.ts'
import { type CaseCounts, passHatK } from './pass-at-k.ts'

type JudgeError = { readonly sensitivity: number; readonly specificity: number }

function requireJudge({ sensitivity, specificity }: JudgeError): void {
  requireShare('sensitivity', sensitivity)
  requireShare('specificity', specificity)
}

/** The share of trials that the judge passes, of an agent that passes with probability p. */
export function judgedPassRate({ p, sensitivity, specificity }: JudgeError & { readonly p: number }): number {
  requireShare('p', p)
  requireJudge({ sensitivity, specificity })
  return p * sensitivity + (1 - p) * (1 - specificity)
}

/** pass@k and pass^k as the judge would show them, of an agent that passes with probability p. */
export function judgedPassK({ k, ...ask }: JudgeError & { readonly p: number; readonly k: number }): {
  passAtK: number
  passHatK: number
} {
  requireCount('k', k, { min: 1 })
  const rate = judgedPassRate(ask)
  return { passAtK: rate === 1 ? 1 : -Math.expm1(k * Math.log1p(-rate)), passHatK: rate ** k }
}

/**
 * Unbiased estimate of a case's true p^k from judged counts, the judge's error known:
 * J^−k Σ_j C(k,j) (sp−1)^(k−j) C(c,j)/C(n,j), J = se + sp − 1. Leaves [0, 1] freely: only means over many cases make sense.
 * Null when k > n or the judge is no better than chance.
 */
export function correctedPassHatK({
  n,
  c,
  k,
  ...judge
}: CaseCounts & JudgeError & { readonly k: number }): number | null {
  requireJudge(judge)
  const informedness = judge.sensitivity + judge.specificity - 1
  if (passHatK({ n, c, k }) === null || informedness <= 0) return null
  let sum = 0
  let choose = 1
  for (let j = 0; j <= k; j += 1) {
    const share = j === 0 ? 1 : (passHatK({ n, c, k: j }) as number)
    sum += choose * (judge.specificity - 1) ** (k - j) * share
    choose *= (k - j) / (j + 1)
  }
  return sum / informedness ** k
}

/** Variance of that estimate for a case that truly passes with probability p, by adding up all counts. Null as above. */
export function correctedPassHatKVariance({
  n,
  k,
  p,
  ...judge
}: JudgeError & { readonly n: number; readonly k: number; readonly p: number }): number | null {
  const rate = judgedPassRate({ p, ...judge })
  let mean = 0
  let square = 0
  for (let c = 0; c <= n; c += 1) {
    const estimate = correctedPassHatK({ n, c, k, ...judge })
    if (estimate === null) return null
    const chance = binomialChance(c, n, rate)
    mean += chance * estimate
    square += chance * estimate * estimate
  }
  return Math.max(0, square - mean * mean)
}

function binomialChance(c: number, n: number, p: number): number {
  if (p === 0 || p === 1) return c === n * p ? 1 : 0
  const logChoose = -Math.log(n + 1) - logBeta(c + 1, n - c + 1)
  return Math.exp(logChoose + c * Math.log(p) + (n - c) * Math.log1p(-p))
}
