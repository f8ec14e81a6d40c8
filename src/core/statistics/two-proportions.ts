/**
 * Exact tests of two independent sets of trials: did the second pass less often than the first?
 *
 * Boschloo's test is the default for one case under two versions: as exact as Fisher's, and never weaker (5/5 against 2/5:
 * p = .031 where Fisher says .083). What is fixed are the trials of each version: scipy's boschloo_exact fixes the column
 * totals, so a table with versions as rows gives another number there (.035). Not for suites: for many cases compare case values, see compare.ts.
 */

import { requireCount } from './argument.ts'
import { logBeta } from './distribution.ts'

export type TwoCounts = {
  /** Passes and trials of the first. */
  readonly a: { readonly n: number; readonly c: number }
  readonly b: { readonly n: number; readonly c: number }
}

/** Probabilities within this relative distance count as equal: they are sums in different order. */
const TIE = 1e-7
/** Where the nuisance probability is tried; the best is then refined. */
const NUISANCE_STEPS = 200
const REFINE_STEPS = 40
const GOLDEN = (Math.sqrt(5) - 1) / 2

/** Fisher's exact test. `greater`: a passes more often than b. */
export function fisherP({
  a,
  b,
  alternative,
}: TwoCounts & { readonly alternative: 'greater' | 'less' | 'different' }): number {
  requireTwo({ a, b })
  const { chances, least } = hypergeometric(a.n, b.n, a.c + b.c)
  const seen = chances[a.c - least] as number
  const counts = (x: number, chance: number) => {
    if (alternative === 'greater') return x >= a.c
    return alternative === 'less' ? x <= a.c : chance <= seen * (1 + TIE)
  }
  let p = 0
  for (const [i, chance] of chances.entries()) if (counts(least + i, chance)) p += chance
  return Math.min(1, p)
}

/**
 * Boschloo's exact unconditional test: Fisher's one-sided p as the statistic, its size maximised over the common pass
 * probability. `greater`: a passes more often than b. `different` doubles the smaller side. 1 without trials on a side.
 */
export function boschlooP({
  a,
  b,
  alternative,
}: TwoCounts & { readonly alternative: 'greater' | 'less' | 'different' }): number {
  requireTwo({ a, b })
  if (alternative === 'less') return boschlooP({ a: b, b: a, alternative: 'greater' })
  const greater = boschlooGreater({ a, b })
  if (alternative === 'greater') return greater
  return Math.min(1, 2 * Math.min(greater, boschlooGreater({ a: b, b: a })))
}

function boschlooGreater({ a, b }: TwoCounts): number {
  if (a.n === 0 || b.n === 0) return 1
  const seen = fisherP({ a, b, alternative: 'greater' })
  const worst = rejectedUpTo({ a, b }, seen)
  const size = (p: number) => regionChance(p, a.n, b.n, worst)
  let best = 0
  let at = 0
  for (let i = 1; i < NUISANCE_STEPS; i += 1) {
    // Evenly in the angle: the size changes fastest near 0 and 1.
    const p = Math.sin((Math.PI / 2) * (i / NUISANCE_STEPS)) ** 2
    const chance = size(p)
    if (chance > best) [best, at] = [chance, i]
  }
  const angle = (i: number) => Math.sin((Math.PI / 2) * (i / NUISANCE_STEPS)) ** 2
  return Math.min(1, seen, Math.max(best, peak(size, angle(at - 1), angle(at + 1))))
}

/** For each count x of a the largest count y of b that is as extreme as what was seen, −1 where none is; y grows with x. */
function rejectedUpTo({ a, b }: TwoCounts, seen: number): number[] {
  const factorials = logFactorials(a.n + b.n)
  const worst: number[] = []
  let y = -1
  for (let x = 0; x <= a.n; x += 1) {
    while (y < b.n && greaterTail(x, a.n, y + 1, b.n, factorials) <= seen * (1 + TIE)) y += 1
    worst.push(y)
  }
  return worst
}

/** Fisher's one-sided p by ratios from the chance of what was seen: many are needed, so no logarithm a term. */
function greaterTail(x: number, n: number, y: number, m: number, factorials: Float64Array): number {
  const choose = (of: number, from: number) =>
    (factorials[of] as number) - (factorials[from] as number) - (factorials[of - from] as number)
  const total = x + y
  let chance = Math.exp(choose(n, x) + choose(m, y) - choose(n + m, total))
  let tail = chance
  for (let i = x; i < Math.min(n, total); i += 1) {
    chance *= ((n - i) * (total - i)) / ((i + 1) * (m - total + i + 1))
    tail += chance
    if (chance < tail * 1e-18) break
  }
  return tail
}

function logFactorials(n: number): Float64Array {
  const logs = new Float64Array(n + 1)
  for (let i = 1; i <= n; i += 1) logs[i] = (logs[i - 1] as number) + Math.log(i)
  return logs
}

function regionChance(p: number, n: number, m: number, worst: readonly number[]): number {
  const first = binomialChances(n, p)
  const second = binomialChances(m, p)
  let chance = 0
  let below = 0
  let y = -1
  for (const [x, upTo] of worst.entries()) {
    while (y < upTo) {
      y += 1
      below += second[y] as number
    }
    chance += (first[x] as number) * below
  }
  return chance
}

/** Golden-section search for the highest value between two points. */
function peak(of: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to]
  let best = 0
  for (let i = 0; i < REFINE_STEPS; i += 1) {
    const left = high - GOLDEN * (high - low)
    const right = low + GOLDEN * (high - low)
    const [atLeft, atRight] = [of(left), of(right)]
    best = Math.max(best, atLeft, atRight)
    if (atLeft > atRight) high = right
    else low = left
  }
  return best
}

/** P(X = 0 … n) for X ~ Binomial(n, p), 0 < p < 1. */
export function binomialChances(n: number, p: number): Float64Array {
  const chances = new Float64Array(n + 1)
  const mode = Math.min(n, Math.floor((n + 1) * p))
  const odds = p / (1 - p)
  chances[mode] = Math.exp(logChoose(n, mode) + mode * Math.log(p) + (n - mode) * Math.log1p(-p))
  for (let x = mode; x < n; x += 1) chances[x + 1] = ((chances[x] as number) * odds * (n - x)) / (x + 1)
  for (let x = mode; x > 0; x -= 1) chances[x - 1] = ((chances[x] as number) * x) / (odds * (n - x + 1))
  return chances
}

/** Chances of x passes among a's trials given that a and b have `total` passes together, from the least possible x on. */
function hypergeometric(n: number, m: number, total: number): { chances: number[]; least: number } {
  const least = Math.max(0, total - m)
  const most = Math.min(n, total)
  const whole = logChoose(n + m, total)
  const chances: number[] = []
  for (let x = least; x <= most; x += 1) chances.push(Math.exp(logChoose(n, x) + logChoose(m, total - x) - whole))
  return { chances, least }
}

function logChoose(n: number, k: number): number {
  return -Math.log(n + 1) - logBeta(k + 1, n - k + 1)
}

function requireTwo({ a, b }: TwoCounts): void {
  requireCount('a.n', a.n)
  requireCount('a.c', a.c, { max: a.n })
  requireCount('b.n', b.n)
  requireCount('b.c', b.c, { max: b.n })
}
