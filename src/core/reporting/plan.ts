/**
 * What a plan says before anything is run: what a design of cases × trials is expected to show, how many cases a question
 * takes, and how often the answer will be wrong. It speaks of what would be measured, never of what was.
 *
 * Everything rests on an assumed population of cases, which the plan names. Where no number of cases answers a question
 * there is null, not a large number.
 */
import { InputError } from '../errors.ts'
import { type CasePopulation, type CaseValueSpread, pairedSd, passHatKSpread } from '../statistics/case-population.ts'
import { trialsForCaseGate, trialsWithoutFailure } from '../statistics/gate-plan.ts'
import {
  casesForDifference,
  casesForNonInferiority,
  casesForWidth,
  expectedInterval,
  expectedRerun,
  minimumDetectableDifference,
  nonInferiorityPower,
  pairedPower,
} from '../statistics/plan.ts'
import { SUITE_CASES_MEASURED_MIN } from '../statistics/suite.ts'
import { kValues } from './case-row.ts'
import { type PlannedGate, plannedGate } from './plan-gate.ts'
import { metricName } from './wording.ts'

/** Numbers of trials that are offered beside the one asked for. */
const TRIALS_OFFERED = [1, 2, 3, 5, 10, 20] as const

export type PlanWish = {
  readonly cases: number
  readonly trials: number
  readonly k: number
  /** 0.95 for 95 %. */
  readonly level: number
  /** Chance to notice what is there. */
  readonly power: number
  readonly population: CasePopulation
  /** Where the population is from, in words. */
  readonly from: string
  /** Of the true pass^k of the cases under two versions. */
  readonly correlation: number
  /** Standard deviation of the case differences of pass^k, where it is known: then nothing is computed for other trials. */
  readonly sd: number | null
  /** From low to high. */
  readonly width: number | null
  readonly difference: number | null
  readonly margin: number | null
  /** Least pass@k and least pass^k of every case. */
  readonly require: number | null
  readonly requireAllK: number | null
  readonly zeroFailures: number | null
}

export type Plan = {
  readonly design: { readonly cases: number; readonly trials: number; readonly k: number; readonly total: number }
  readonly level: number
  readonly power: number
  readonly assumed: CasePopulation & {
    readonly from: string
    readonly correlation: number
    readonly sd: number | null
  }
  readonly expected: readonly ExpectedFigure[]
  /** Trials a version until a case that falls from all passed to none can be told, among so many cases. */
  readonly trialsToSeeOneCaseFall: number
  readonly width: (Answers & { readonly width: number }) | null
  readonly difference: (Answers & { readonly difference: number; readonly powerOfDesign: number }) | null
  readonly margin: (Answers & { readonly margin: number; readonly powerOfDesign: number }) | null
  readonly gates: readonly PlannedGate[]
  readonly zeroFailures: { readonly failureRate: number; readonly trials: number } | null
}

export type ExpectedFigure = {
  readonly metric: string
  readonly expected: number
  /** Traffic like this; null under the number of cases at which it was measured. */
  readonly population: Limits | null
  /** These cases again. */
  readonly again: Limits
  /** Standard deviation of the case differences of two versions. */
  readonly sd: number
  readonly differenceNoticed: number
}

type Limits = { readonly low: number; readonly high: number }

/** How many cases a question takes, for several numbers of trials, the cheapest first. */
export type Answers = {
  readonly metric: string
  /** `cases` and `total` are null where no number of cases answers it. */
  readonly suites: readonly {
    readonly trials: number
    readonly cases: number | null
    readonly total: number | null
  }[]
}

/** Throws InputError where k is more than the trials: there is no pass^k to plan for. */
export function planOf(wish: PlanWish): Plan {
  const { cases, trials, k, level, power, population, from, correlation, sd } = wish
  if (k > trials) {
    throw new InputError('wrong_use', `${k} is more than ${trials} trials: there would be no pass^${k}`, 'k')
  }
  const gates = [
    ...(wish.require === null ? [] : [plannedGate(wish, 'passAtK', wish.require)]),
    ...(wish.requireAllK === null ? [] : [plannedGate(wish, 'passHatK', wish.requireAllK)]),
  ]
  return {
    design: { cases, trials, k, total: cases * trials },
    level,
    power,
    assumed: { ...population, from, correlation, sd },
    expected: kValues(k).map((one) => expectedFigure(wish, one)),
    trialsToSeeOneCaseFall: trialsForCaseGate({ cases, error: 1 - level }),
    width: widthAnswers(wish),
    difference: differenceAnswers(wish),
    margin: marginAnswers(wish),
    gates,
    zeroFailures:
      wish.zeroFailures === null
        ? null
        : {
            failureRate: wish.zeroFailures,
            trials: trialsWithoutFailure({ failureRate: wish.zeroFailures, level }),
          },
  }
}

function expectedFigure(wish: PlanWish, k: number): ExpectedFigure {
  const { cases, level, power } = wish
  const spread = spreadOf(wish, wish.trials, k)
  const { rate, between, within } = spread
  // A deviation that was given speaks of pass^k, the figure that decides.
  const sd = k === wish.k ? sdOf(wish, spread) : pairedSd({ spread, correlation: wish.correlation })
  return {
    metric: nameOf(k),
    expected: rate,
    population:
      cases < SUITE_CASES_MEASURED_MIN ? null : expectedInterval({ cases, rate, spread: between + within, level }),
    again: expectedRerun({ cases, rate, noise: within, level }),
    sd,
    differenceNoticed: minimumDetectableDifference({ cases, power, sd, level }),
  }
}

function widthAnswers(wish: PlanWish): Plan['width'] {
  const { width, level, k } = wish
  if (width === null) return null
  const suites = suitesBy(wish, trialsOffered(wish), ({ rate, between, within }) =>
    casesForWidth({ rate, spread: between + within, halfWidth: width / 2, level }),
  )
  return { metric: nameOf(k), width, suites }
}

function differenceAnswers(wish: PlanWish): Plan['difference'] {
  const { difference, power, level, k, cases } = wish
  if (difference === null) return null
  const suites = suitesBy(wish, trialsForPairs(wish), (spread) =>
    casesForDifference({ difference, sd: sdOf(wish, spread), level, power }),
  )
  const sd = sdOf(wish, spreadOf(wish, wish.trials, k))
  return { metric: nameOf(k), difference, suites, powerOfDesign: pairedPower({ cases, difference, sd, level }) }
}

/** Planned for versions that are alike: then "not worse by more than the margin" is true. */
function marginAnswers(wish: PlanWish): Plan['margin'] {
  const { margin, power, level, k, cases } = wish
  if (margin === null) return null
  const alike = { difference: 0, margin, level }
  const suites = suitesBy(wish, trialsForPairs(wish), (spread) =>
    casesForNonInferiority({ ...alike, sd: sdOf(wish, spread), power }),
  )
  const sd = sdOf(wish, spreadOf(wish, wish.trials, k))
  return { metric: nameOf(k), margin, suites, powerOfDesign: nonInferiorityPower({ ...alike, cases, sd }) }
}

function suitesBy(
  wish: PlanWish,
  offered: readonly number[],
  casesFor: (spread: CaseValueSpread) => number | null,
): Answers['suites'] {
  const suites = offered.map((trials) => {
    const cases = casesFor(spreadOf(wish, trials, wish.k))
    // Fewer than so many cases would have no interval to answer with.
    const whole = cases === null ? null : Math.max(SUITE_CASES_MEASURED_MIN, Math.ceil(cases - 1e-6))
    return { trials, cases: whole, total: whole === null ? null : whole * trials }
  })
  const cost = ({ total }: (typeof suites)[number]) => total ?? Number.POSITIVE_INFINITY
  return suites.toSorted((a, b) => (cost(a) === cost(b) ? a.trials - b.trials : cost(a) - cost(b)))
}

function trialsOffered({ k, trials }: PlanWish): readonly number[] {
  return [...new Set([...TRIALS_OFFERED, trials])].filter((each) => each >= k)
}

function trialsForPairs(wish: PlanWish): readonly number[] {
  return wish.sd === null ? trialsOffered(wish) : [wish.trials]
}

function spreadOf({ population }: PlanWish, trials: number, k: number): CaseValueSpread {
  // Never null: planOf refuses k over the trials, and no fewer trials than k are offered.
  return passHatKSpread({ population, trials, k }) as CaseValueSpread
}

function sdOf({ sd, correlation }: PlanWish, spread: CaseValueSpread): number {
  return sd ?? pairedSd({ spread, correlation })
}

function nameOf(k: number): string {
  return metricName(k === 1 ? 'passAtK' : 'passHatK', k)
}
