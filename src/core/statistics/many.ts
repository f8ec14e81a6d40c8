/**
 * Many questions at once: how to ask them of every case and still be wrong as seldom as promised.
 *
 * "No case regressed" may be broken by any one case: Holm keeps the chance of a single false alarm. A list of cases worth a
 * look may hold some that are not: Benjamini–Hochberg keeps their share. "Every case proves x" needs no correction: all
 * must pass, and that is harder than any one (intersection–union, Berger 1982). Flagged cases are re-run on fresh trials;
 * the trials that chose them prove nothing.
 */

import { requireLevel, requireShare, requireShares } from './argument.ts'
import { clopperPearsonLower } from './interval.ts'
import type { CaseCounts } from './pass-at-k.ts'
import { boschlooP } from './two-proportions.ts'

export type Adjustment = 'bonferroni' | 'holm' | 'hochberg' | 'benjamini-hochberg' | 'benjamini-yekutieli'

/** p-values adjusted for being many, in the order given: compare each with the level as it is. */
export function adjustP({ p, method }: { p: readonly number[]; method: Adjustment }): number[] {
  requireShares('p', p)
  const m = p.length
  const order = [...p.keys()].sort((i, j) => (p[i] as number) - (p[j] as number))
  const sorted = order.map((i) => p[i] as number)
  const adjusted = STEPS[method](sorted, m)
  const result = new Array<number>(m)
  for (const [rank, i] of order.entries()) result[i] = Math.min(1, adjusted[rank] as number)
  return result
}

/** Holm: no false alarm among all, with probability 1 − level of p. */
export function holm(p: readonly number[]): number[] {
  return adjustP({ p, method: 'holm' })
}

/** Benjamini–Hochberg: of those called, the expected share of false alarms. */
export function benjaminiHochberg(p: readonly number[]): number[] {
  return adjustP({ p, method: 'benjamini-hochberg' })
}

const STEPS: Readonly<Record<Adjustment, (sorted: readonly number[], m: number) => number[]>> = {
  bonferroni: (sorted, m) => sorted.map((p) => p * m),
  holm: (sorted, m) => runningMost(sorted.map((p, rank) => p * (m - rank))),
  hochberg: (sorted, m) => runningLeastFromEnd(sorted.map((p, rank) => p * (m - rank))),
  'benjamini-hochberg': (sorted, m) => runningLeastFromEnd(sorted.map((p, rank) => (p * m) / (rank + 1))),
  'benjamini-yekutieli': (sorted, m) => {
    let harmonic = 0
    for (let i = 1; i <= m; i += 1) harmonic += 1 / i
    return runningLeastFromEnd(sorted.map((p, rank) => (p * m * harmonic) / (rank + 1)))
  },
}

export type CaseRegression = {
  /** One-sided Boschloo p that this case passes less often under b. */
  readonly p: number
  /** Holm-adjusted: what a gate compares with its error. */
  readonly gated: number
  /** Benjamini–Hochberg-adjusted: what a list of suspects is cut by. */
  readonly flagged: number
}

/**
 * Has any case got worse from version a to b? `regressed` is true when one has, with at most the chance `error` of saying so
 * while none has. Under n trials all → none a case shows p = ¼ⁿ and nothing smaller: see plan.ts for how many it takes.
 */
export function caseRegressions({
  cases,
  error,
}: {
  cases: readonly { readonly a: CaseCounts; readonly b: CaseCounts }[]
  error: number
}): { readonly regressed: boolean; readonly cases: readonly CaseRegression[] } {
  requireLevel(error)
  // Few trials a case mean few different tables: each is worked out once.
  const known = new Map<string, number>()
  const p = cases.map(({ a, b }) => {
    const table = `${a.n} ${a.c} ${b.n} ${b.c}`
    const value = known.get(table) ?? boschlooP({ a, b, alternative: 'greater' })
    known.set(table, value)
    return value
  })
  const gated = holm(p)
  const flagged = benjaminiHochberg(p)
  return {
    regressed: gated.some((value) => value <= error),
    cases: p.map((value, i) => ({ p: value, gated: gated[i] as number, flagged: flagged[i] as number })),
  }
}

/**
 * Does every case prove a pass probability of at least `share`? Each by its own one-sided Clopper–Pearson limit at `level`;
 * no correction is due. At .95 and all passed it takes 59 trials a case to prove .95. Null without cases.
 */
export function everyCaseProves({
  cases,
  share,
  level,
}: {
  cases: readonly CaseCounts[]
  share: number
  level: number
}): { readonly holds: boolean; readonly lowest: number; readonly limits: readonly number[] } | null {
  requireShare('share', share)
  if (cases.length === 0) return null
  const limits = cases.map(({ n, c }) => clopperPearsonLower({ successes: c, trials: n, level }))
  const lowest = Math.min(...limits)
  return { holds: lowest >= share, lowest, limits }
}

function runningMost(values: readonly number[]): number[] {
  let most = 0
  return values.map((value) => {
    most = Math.max(most, value)
    return most
  })
}

function runningLeastFromEnd(values: readonly number[]): number[] {
  let least = Number.POSITIVE_INFINITY
  return values
    .toReversed()
    .map((value) => {
      least = Math.min(least, value)
      return least
    })
    .reverse()
}
