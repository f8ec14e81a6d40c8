/**
 * Looking again and again: figures that stay right however often and whenever they are looked at.
 *
 * Twenty-six weekly 95 % comparisons alarm in 69 % of healthy half-years. The band here holds at all times at once, and the
 * alarm's rate is set for the whole stretch of looks. Both are made for a fixed baseline: where the baseline is itself
 * an estimate, give its lower limit, or its error becomes false alarms.
 */

import { InputError } from '../errors.ts'
import { requireCount, requireFinite, requireLevel, requireShare } from './argument.ts'
import { betaCdf, logBeta } from './distribution.ts'
import type { Interval } from './figure.ts'

/** Halvings of [0, 1] until the limit stands still in double precision. */
const BISECTIONS = 60

export type BetaPrior = { readonly a: number; readonly b: number }
const UNIFORM: BetaPrior = { a: 1, b: 1 }

/**
 * Beta-mixture confidence sequence for one rate (Robbins 1970; Howard et al. 2021): all p whose mixture e-value is under
 * 1/(1 − level). Holds at every look at once with probability `level`, so cumulative counts may be looked at at will.
 */
export function alwaysValidInterval({
  successes,
  trials,
  level,
  prior = UNIFORM,
}: {
  successes: number
  trials: number
  level: number
  prior?: BetaPrior
}): Interval {
  requireLooked(successes, trials, prior)
  requireLevel(level)
  const limit = -Math.log(1 - level)
  const isOut = (p: number) => mixtureLogE({ successes, trials, p, prior }) >= limit
  const share = trials === 0 ? 0.5 : successes / trials
  const low = successes === 0 ? 0 : edge(0, share, isOut)
  const high = successes === trials ? 1 : edge(1, share, isOut)
  return { low, high, level, method: `beta-mixture sequence (${prior.a}, ${prior.b})` }
}

/** ln of the e-value against p: how many times better a Beta mixture explains the counts than p does. */
export function mixtureLogE({
  successes,
  trials,
  p,
  prior = UNIFORM,
}: {
  successes: number
  trials: number
  p: number
  prior?: BetaPrior
}): number {
  requireLooked(successes, trials, prior)
  requireShare('p', p)
  const failures = trials - successes
  const mixture = logBeta(prior.a + successes, prior.b + failures) - logBeta(prior.a, prior.b)
  return mixture - logLikelihood(successes, failures, p)
}

/**
 * ln of the e-value of one look against "the pass rate is still at least the baseline": the counts under a pass rate spread
 * evenly over [0, baseline], against the baseline. Its mean is at most 1 while the rate has not fallen.
 */
export function worseningLogE({
  successes,
  trials,
  baseline,
}: {
  successes: number
  trials: number
  baseline: number
}): number {
  requireLooked(successes, trials, UNIFORM)
  requireBaseline(baseline)
  const failures = trials - successes
  const below = betaCdf(baseline, successes + 1, failures + 1)
  const mixture = logBeta(successes + 1, failures + 1) + Math.log(below) - Math.log(baseline)
  return mixture - logLikelihood(successes, failures, baseline)
}

export type Look = { readonly successes: number; readonly trials: number }

export type Monitoring = {
  /** After each look: the detector's statistic, in ln, and whether it is at or over the threshold. */
  readonly looks: readonly { readonly logStatistic: number; readonly alarm: boolean }[]
  /** Number of the first look with an alarm, from 1; null without. */
  readonly alarmAt: number | null
  readonly logThreshold: number
}

/**
 * Shiryaev–Roberts e-detector (Shin, Ramdas, Rinaldo 2024): M ← (M + 1)·e at every look, alarm at M ≥ looks/error. While
 * nothing has changed, the chance of any alarm within `plannedLooks` is at most `error`. Unlike one test of everything
 * since the start it forgets nothing and still notices a change that comes late. Each look brings new, independent counts.
 */
export function monitorWorsening({
  looks,
  baseline,
  plannedLooks,
  error,
}: {
  looks: readonly Look[]
  baseline: number
  plannedLooks: number
  error: number
}): Monitoring {
  requireCount('plannedLooks', plannedLooks, { min: 1 })
  requireLevel(error)
  const logThreshold = Math.log(plannedLooks / error)
  let logStatistic = Number.NEGATIVE_INFINITY
  const after = looks.map((look) => {
    logStatistic = logOnePlus(logStatistic) + worseningLogE({ ...look, baseline })
    return { logStatistic, alarm: logStatistic >= logThreshold }
  })
  const first = after.findIndex(({ alarm }) => alarm)
  return { looks: after, alarmAt: first === -1 ? null : first + 1, logThreshold }
}

/** Where `isOut` turns, between an end that is out and a middle that is in. */
function edge(end: number, middle: number, isOut: (p: number) => boolean): number {
  let [out, inside] = [end, middle]
  for (let i = 0; i < BISECTIONS; i += 1) {
    const between = (out + inside) / 2
    if (isOut(between)) out = between
    else inside = between
  }
  return out
}

function logLikelihood(successes: number, failures: number, p: number): number {
  const passed = successes === 0 ? 0 : successes * Math.log(p)
  return passed + (failures === 0 ? 0 : failures * Math.log1p(-p))
}

/** ln(1 + eˣ) without overflow. */
function logOnePlus(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x))
}

function requireLooked(successes: number, trials: number, prior: BetaPrior): void {
  requireCount('trials', trials)
  requireCount('successes', successes, { max: trials })
  requireFinite('prior.a', prior.a, { above: 0 })
  requireFinite('prior.b', prior.b, { above: 0 })
}

function requireBaseline(baseline: number): void {
  if (!(baseline > 0 && baseline < 1))
    throw new InputError(
      'bad_statistic_input',
      `baseline: ${baseline} is not allowed, expected a number above 0 and under 1`,
      'baseline',
    )
}
