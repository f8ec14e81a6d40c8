/**
 * McNemar's test for two versions that tried every case once: only cases on which they differ count.
 *
 * Use it when n = 1. With more trials a case has a value between 0 and 1, and throwing that away costs power: use
 * compare.ts.
 */

import { requireCount } from './argument.ts'
import { binomialCdf, logBeta } from './distribution.ts'

export type McNemar = {
  /** Exact two-sided binomial p: conservative. */
  readonly exact: number
  /** Mid-p (Fagerland 2013): the exact p less the chance of what was seen; closer to its level, with more power. */
  readonly midP: number
}

/** `onlyA`: cases that only version a passed, `onlyB`: only version b. Without any, both are 1. */
export function mcNemar({ onlyA, onlyB }: { onlyA: number; onlyB: number }): McNemar {
  requireCount('onlyA', onlyA)
  requireCount('onlyB', onlyB)
  const n = onlyA + onlyB
  if (n === 0) return { exact: 1, midP: 1 }
  const fewer = Math.min(onlyA, onlyB)
  const tail = binomialCdf(fewer, n, 0.5)
  const seen = Math.exp(-Math.log(n + 1) - logBeta(fewer + 1, n - fewer + 1) - n * Math.LN2)
  const exact = Math.min(1, 2 * tail)
  return { exact, midP: exact - seen }
}
