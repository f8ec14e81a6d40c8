/**
 * The shape in which every number leaves the statistics: an estimate, its interval, how many it rests on, and of what it
 * speaks. A number that the data cannot give is null and says why; nothing here ever stands in for it.
 *
 * Invariant: where both exist, low ≤ estimate ≤ high.
 */

/** A range that holds the true value with confidence `level`. `method` names how it was made. */
export type Interval = {
  readonly low: number
  readonly high: number
  /** 0.95 for 95 %. */
  readonly level: number
  readonly method: string
}

/**
 * What a figure speaks of: one case under repeated trials; exactly these cases tried again; the traffic that the cases
 * were drawn to stand for; every trace received in the window, sampled or not.
 */
export const ESTIMANDS = {
  case: 'this case',
  rerun: 'these cases again',
  population: 'traffic like this',
  /** Cases whose chances of being drawn differ, not weighted. */
  drawn: 'cases drawn like these',
  window: 'all traffic in the window',
} as const

/** One number of a report. */
export type Figure = {
  /** Null when the data cannot give it. */
  readonly estimate: number | null
  readonly interval: Interval | null
  /** How many independent units (trials, cases, traces, sessions: the function says which) it rests on. */
  readonly n: number
  /** One of ESTIMANDS, in words. */
  readonly estimand: string
  /** Why there is no estimate or interval, or what to hold against the ones there are. */
  readonly reason?: string
}

/** A figure that cannot be given. */
export function noFigure({ n, estimand, reason }: { n: number; estimand: string; reason: string }): Figure {
  return { estimate: null, interval: null, n, estimand, reason }
}

/** A number with its limits and nothing else: what intervals are composed from (see mover.ts). */
export type Piece = { readonly estimate: number; readonly low: number; readonly high: number }
