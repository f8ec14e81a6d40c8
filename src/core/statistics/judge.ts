/**
 * What a judge's verdicts are worth: its sensitivity and specificity, and the pass rate corrected for both.
 *
 * Positive means pass: sensitivity = P(judge passes | a person passes), specificity = P(judge fails | a person fails).
 * Labels drawn from the same window correct best (two-phase); labels from elsewhere only allow Rogan–Gladen, and only while
 * the judge errs as it did there. The raw rate always stands beside the corrected one: correction buys less bias
 * with more width. A judge that may be no better than chance corrects nothing, and then there is no figure.
 */

import { requireCount, requireLevel } from './argument.ts'
import { normalQuantile } from './distribution.ts'
import { ESTIMANDS, type Figure, type Interval, noFigure, type Piece } from './figure.ts'
import { jeffreys, wilson } from './interval.ts'
import { moverSum, type WeightedPiece } from './mover.ts'

/** Labelled trials or traces, counted by what the person said and whether the judge agreed. */
export type JudgeLabels = {
  /** A person says pass: how many, and how many of them the judge passed. */
  readonly passes: { readonly labelled: number; readonly agreed: number }
  /** A person says fail: how many, and how many of them the judge failed. */
  readonly fails: { readonly labelled: number; readonly agreed: number }
}

export type JudgeQuality = {
  readonly sensitivity: Piece | null
  readonly specificity: Piece | null
  /** sensitivity + specificity − 1: 0 is a coin, 1 a perfect judge. Null without labels of both kinds. */
  readonly informedness: Piece | null
  readonly level: number
}

/** Wilson interval each, MOVER for their sum. */
export function judgeQuality({ labels, level }: { labels: JudgeLabels; level: number }): JudgeQuality {
  requireLevel(level)
  const sensitivity = agreedShare('passes', labels.passes, level)
  const specificity = agreedShare('fails', labels.fails, level)
  if (sensitivity === null || specificity === null) return { sensitivity, specificity, informedness: null, level }
  const { estimate, low, high } = moverSum([
    { weight: 1, ...sensitivity },
    { weight: 1, ...specificity },
  ])
  return { sensitivity, specificity, informedness: { estimate: estimate - 1, low: low - 1, high: high - 1 }, level }
}

/** One class of verdicts (and label stratum): how many there are, how many got a label, how many of those a person passed. */
export type VerdictClass = {
  readonly verdict: 'pass' | 'fail'
  readonly count: number
  readonly labelled: number
  readonly passed: number
}

/** A judge's own rate and what is left of it after correction. */
export type JudgedRate = { readonly raw: Figure; readonly corrected: Figure }

/**
 * Pass rate by double sampling: a judge saw everything, a person a random part of each class, with probability
 * labelled/count. Σ W·(share that the person passed), MOVER of Jeffreys limits. `scope` window: of these verdicts, so
 * limits shrink by what was labelled; population: of traffic like this, so the classes' own sizes vary too.
 * Labels must come from this window: with older ones the measured coverage is 0 to .06. Otherwise .941–.970.
 */
export function twoPhaseRate({
  classes,
  scope,
  level,
}: {
  classes: readonly VerdictClass[]
  scope: 'window' | 'population'
  level: number
}): JudgedRate {
  requireLevel(level)
  for (const [i, { count, labelled, passed }] of classes.entries()) {
    requireCount(`classes[${i}].count`, count)
    requireCount(`classes[${i}].labelled`, labelled, { max: count })
    requireCount(`classes[${i}].passed`, passed, { max: labelled })
  }
  const present = classes.filter(({ count }) => count > 0)
  const total = present.reduce((sum, { count }) => sum + count, 0)
  const labelled = present.reduce((sum, one) => sum + one.labelled, 0)
  const estimand = ESTIMANDS[scope]
  const raw = rawRate(present, total, level, estimand)
  const unlabelled = present.find((one) => one.labelled === 0)
  if (total === 0) return { raw, corrected: noFigure({ n: 0, estimand, reason: 'no verdicts' }) }
  if (unlabelled !== undefined) {
    const reason = `no labels among those that the judge said ${unlabelled.verdict} to`
    return { raw, corrected: noFigure({ n: labelled, estimand, reason }) }
  }
  const pieces = present.map((one) => classPiece(one, total, scope, level))
  const { extra, variance } = scope === 'population' ? sizesVary(present, pieces, total, level) : NO_SIZES_VARY
  const sum = moverSum([...pieces, ...extra], variance)
  return { raw, corrected: bounded(sum, labelled, estimand, level, `two-phase, mover of jeffreys`) }
}

/**
 * Pass rate from a judge whose error is known from labels elsewhere: (q + sp − 1)/(se + sp − 1), with the interval of Lang
 * and Reiczigel (2014), which counts the labels' own uncertainty. No figure when the informedness interval reaches 0.
 * Coverage .967 where the judge errs alike in both places.
 */
export function roganGladen({
  judgedPass,
  judged,
  labels,
  level,
}: {
  judgedPass: number
  judged: number
  labels: JudgeLabels
  level: number
}): JudgedRate & { readonly quality: JudgeQuality } {
  requireCount('judged', judged)
  requireCount('judgedPass', judgedPass, { max: judged })
  const quality = judgeQuality({ labels, level })
  const estimand = ESTIMANDS.population
  const pass: VerdictClass = { verdict: 'pass', count: judgedPass, labelled: 0, passed: 0 }
  const raw = rawRate([pass], judged, level, estimand)
  const refuse = (reason: string) => ({ raw, quality, corrected: noFigure({ n: judged, estimand, reason }) })
  const { sensitivity, specificity, informedness } = quality
  if (judged === 0) return refuse('no verdicts')
  if (sensitivity === null || specificity === null || informedness === null)
    return refuse('the judge was not labelled on both passes and fails')
  if (informedness.low <= 0) return refuse('the judge may be no better than chance')

  const rate = judgedPass / judged
  const estimate = (rate + specificity.estimate - 1) / informedness.estimate
  const limits = langReiczigel({ rate, judged, labels, level })
  const corrected = bounded({ estimate, ...limits }, judged, estimand, level, 'rogan-gladen, lang-reiczigel')
  return { raw, quality, corrected }
}

/** Standard error of the Rogan–Gladen rate by the delta method; null for a judge no better than chance or without labels. */
export function roganGladenError(ask: { judgedPass: number; judged: number; labels: JudgeLabels }): number | null {
  const { passes, fails } = ask.labels
  if (passes.labelled === 0 || fails.labelled === 0 || ask.judged === 0) return null
  const se = passes.agreed / passes.labelled
  const sp = fails.agreed / fails.labelled
  const rate = ask.judgedPass / ask.judged
  if (se + sp <= 1) return null
  const theta = (rate + sp - 1) / (se + sp - 1)
  const variance =
    (rate * (1 - rate)) / ask.judged +
    ((1 - theta) ** 2 * sp * (1 - sp)) / fails.labelled +
    (theta ** 2 * se * (1 - se)) / passes.labelled
  return Math.sqrt(variance) / (se + sp - 1)
}

/** The rate and the two error rates each pulled towards ½ before the delta method, and the point moved by its bias. */
function langReiczigel({
  rate,
  judged,
  labels,
  level,
}: {
  rate: number
  judged: number
  labels: JudgeLabels
  level: number
}): { low: number; high: number } {
  const z = normalQuantile((1 + level) / 2)
  const n = judged + z * z
  const [n1, n0] = [labels.passes.labelled + 2, labels.fails.labelled + 2]
  const q = (judged * rate + (z * z) / 2) / n
  const se = (labels.passes.agreed + 1) / n1
  const sp = (labels.fails.agreed + 1) / n0
  const informedness = se + sp - 1
  const theta = (q + sp - 1) / informedness
  const errSp = (sp * (1 - sp)) / n0
  const errSe = (se * (1 - se)) / n1
  const shift = 2 * z * z * (theta * errSe - (1 - theta) * errSp)
  const error = Math.sqrt((q * (1 - q)) / n + (1 - theta) ** 2 * errSp + theta ** 2 * errSe) / informedness
  return { low: theta + shift - z * error, high: theta + shift + z * error }
}

function agreedShare(
  name: string,
  { labelled, agreed }: { labelled: number; agreed: number },
  level: number,
): Piece | null {
  requireCount(`labels.${name}.labelled`, labelled)
  requireCount(`labels.${name}.agreed`, agreed, { max: labelled })
  if (labelled === 0) return null
  const { low, high } = wilson({ successes: agreed, trials: labelled, level })
  return { estimate: agreed / labelled, low, high }
}

function rawRate(classes: readonly VerdictClass[], total: number, level: number, estimand: string): Figure {
  if (total === 0) return noFigure({ n: 0, estimand, reason: 'no verdicts' })
  const passed = classes.reduce((sum, one) => sum + (one.verdict === 'pass' ? one.count : 0), 0)
  const interval = jeffreys({ successes: passed, trials: total, level })
  const reason = 'the judge’s own verdicts, its errors included'
  return { estimate: passed / total, interval, n: total, estimand, reason }
}

function classPiece(one: VerdictClass, total: number, scope: 'window' | 'population', level: number): WeightedPiece {
  const estimate = one.passed / one.labelled
  const { low, high } = jeffreys({ successes: one.passed, trials: one.labelled, level })
  const factor = scope === 'window' ? Math.sqrt(1 - one.labelled / one.count) : 1
  return {
    weight: one.count / total,
    estimate,
    low: estimate - factor * (estimate - low),
    high: estimate + factor * (high - estimate),
  }
}

const NO_SIZES_VARY = { extra: [] as WeightedPiece[], variance: 0 }

/** How the shares of the classes vary: for two classes the limits of one share, for more the multinomial variance. */
function sizesVary(classes: readonly VerdictClass[], pieces: readonly WeightedPiece[], total: number, level: number) {
  const [first, second] = pieces
  if (first !== undefined && second !== undefined && pieces.length === 2) {
    const { low, high } = jeffreys({ successes: (classes[0] as VerdictClass).count, trials: total, level })
    const difference = first.estimate - second.estimate
    const share = { weight: difference, estimate: 0, low: low - first.weight, high: high - first.weight }
    return { extra: [share], variance: 0 }
  }
  const mean = pieces.reduce((sum, piece) => sum + piece.weight * piece.estimate, 0)
  const spread = pieces.reduce((sum, piece) => sum + piece.weight * (piece.estimate - mean) ** 2, 0)
  return { extra: [], variance: (normalQuantile((1 + level) / 2) ** 2 * spread) / total }
}

/** Cut to [0, 1], and made to hold the point where cutting the point moved it out. */
function bounded(piece: Piece, n: number, estimand: string, level: number, method: string): Figure {
  const cut = (value: number) => Math.min(1, Math.max(0, value))
  const estimate = cut(piece.estimate)
  const interval: Interval = {
    low: Math.min(estimate, cut(piece.low)),
    high: Math.max(estimate, cut(piece.high)),
    level,
    method,
  }
  return { estimate, interval, n, estimand }
}
