/**
 * The second-stage draw: cases out of the kept traces, stratum by stratum, each with the probability of being drawn.
 *
 * Within a stratum it is simple random sampling without replacement: the n traces with the smallest seeded hash. The hash
 * knows nothing of the first stage's `r`, so that the two probabilities multiply (Särndal, Swensson, Wretman 1992,
 * chapter 9: two-phase sampling). Given the same candidates and seed it always draws the same.
 *
 * Invariants: pDraw = drawn / population of the stratum, above 0; so the weights 1 / pDraw of a stratum's cases sum to
 * its population. Every stratum is represented: those too small to get a case of their own are drawn from together.
 */
import { hashText } from '../replay/fingerprint.ts'

export const DRAW_KEYS = ['outcome', 'agent', 'version', 'rule'] as const
export type DrawKey = (typeof DRAW_KEYS)[number]

/** `outcome` of production: its error, else what people said of it. */
export type Candidate = {
  readonly traceId: string
  readonly outcome: 'error' | 'thumbs-down' | 'ok'
  readonly agent: string | null
  readonly version: string | null
  readonly rule: string
}

export type DrawnTrace = { readonly traceId: string; readonly stratum: string; readonly pDraw: number }

/** Of each stratum: how many traces could be drawn, and how many were. */
export type DrawnStratum = { readonly stratum: string; readonly population: number; readonly drawn: number }

export type Draw = { readonly strata: readonly DrawnStratum[]; readonly traces: readonly DrawnTrace[] }

export type DrawPlan = { readonly count: number; readonly stratifyBy: readonly DrawKey[]; readonly seed: string }

/** Two a stratum, so that its variance can be estimated. */
const STRATUM_CASES_MIN = 2
const WHOLE = 'all'
const FOLDED = 'other'

/** Draws min(count, candidates) traces; count is 1 or more. */
export function draw(candidates: readonly Candidate[], { count, stratifyBy, seed }: DrawPlan): Draw {
  const named = Map.groupBy(candidates, (candidate) => stratumOf(candidate, stratifyBy))
  const strata = fold(named, count)
  const drawn = allocate(
    strata.map(({ traces }) => traces.length),
    count,
  )
  return {
    strata: strata.map(({ stratum, traces }, i) => ({ stratum, population: traces.length, drawn: drawn[i] ?? 0 })),
    traces: strata.flatMap(({ stratum, traces }, i) => {
      const n = drawn[i] ?? 0
      return smallestHashes(traces, n, seed).map((traceId) => ({ traceId, stratum, pDraw: n / traces.length }))
    }),
  }
}

export function stratumOf(candidate: Candidate, keys: readonly DrawKey[]): string {
  if (keys.length === 0) return WHOLE
  return keys.map((key) => `${key}=${candidate[key] ?? 'unknown'}`).join(' ')
}

/**
 * Cases per stratum: min(2, population) each, the rest in proportion to what is left of each, by largest remainder.
 * Never more than the population. When even the minima exceed `count` (one stratum only, see `fold`) it is `count`.
 */
export function allocate(populations: readonly number[], count: number): readonly number[] {
  const minima = populations.map((population) => Math.min(STRATUM_CASES_MIN, population, count))
  const left = populations.map((population, i) => population - (minima[i] ?? 0))
  const leftAll = sum(left)
  const rest = Math.max(0, Math.min(count, sum(populations)) - sum(minima))
  const shares = left.map((n) => (leftAll === 0 ? 0 : (rest * n) / leftAll))
  const floors = shares.map(Math.floor)
  const byRemainder = shares
    .map((share, i) => ({ i, remainder: share - Math.floor(share) }))
    .sort((a, b) => b.remainder - a.remainder || a.i - b.i)
  const topped = new Set(byRemainder.slice(0, Math.round(rest - sum(floors))).map(({ i }) => i))
  return floors.map((floor, i) => (minima[i] ?? 0) + floor + (topped.has(i) ? 1 : 0))
}

type Stratum = { readonly stratum: string; readonly traces: readonly string[] }

/**
 * Largest first. Where the strata ask for more cases than there are, the smallest become one stratum together: dropping
 * them would leave traffic that no case speaks for, and no weight could mend that.
 */
function fold(named: ReadonlyMap<string, readonly Candidate[]>, count: number): readonly Stratum[] {
  const strata = [...named]
    .map(([stratum, candidates]) => ({ stratum, traces: candidates.map(({ traceId }) => traceId) }))
    .sort((a, b) => b.traces.length - a.traces.length || (a.stratum < b.stratum ? -1 : 1))
  const own = ownStrata(
    strata.map(({ traces }) => traces.length),
    count,
  )
  const rest = strata.slice(own).flatMap(({ traces }) => traces)
  if (rest.length === 0) return strata
  return [...strata.slice(0, own), { stratum: own === 0 ? WHOLE : FOLDED, traces: rest }]
}

/** How many of the largest strata get cases of their own, beside one for all others. */
function ownStrata(populations: readonly number[], count: number): number {
  const needs = populations.map((population) => Math.min(STRATUM_CASES_MIN, population))
  if (sum(needs) <= count) return populations.length
  let own = 0
  let need = STRATUM_CASES_MIN
  while (own < populations.length && need + (needs[own] ?? 0) <= count) {
    need += needs[own] ?? 0
    own += 1
  }
  return own
}

function smallestHashes(traceIds: readonly string[], n: number, seed: string): readonly string[] {
  return traceIds
    .map((traceId) => ({ traceId, hash: hashText(`assay.draw/1\n${seed}\n${traceId}`) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .slice(0, n)
    .map(({ traceId }) => traceId)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
