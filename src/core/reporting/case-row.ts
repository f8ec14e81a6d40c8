/**
 * One case's row: its counts, pass@k and pass^k with their intervals, and why a figure is missing where one is.
 *
 * Errored trials are in n as not passing; ungraded ones are not in n. Where n < k there is no figure: k is never cut to fit.
 * Invariant: planned = passed + wrong + errored + ungraded.
 */
import { invariant } from '../errors.ts'
import type { TrialCounts } from '../replay/trial.ts'
import { casePassAtK, casePassHatK } from '../statistics/interval.ts'
import { passAtK, passHatK } from '../statistics/pass-at-k.ts'
import type { CaseRow } from './report.ts'

/** What is known of one case's trials and of how the case was drawn. */
export type CaseTrials = {
  readonly id: string
  /** The input in one line. */
  readonly title: string
  readonly stratum: string
  readonly counts: TrialCounts
  /** Errored trials whose checks would have passed. */
  readonly erroredButPassing: number
  /** 1 / (p · pDraw): how many traces of the traffic the case speaks for. Null when unknown. */
  readonly weight: number | null
  /** Cases with the same key were drawn from one heap. */
  readonly stratumKey: string
  /** Cases of one session are one family; null when the session is unknown. */
  readonly family: string | null
}

/** The k values of a table: 1, and k where it is more. */
export function kValues(k: number): readonly number[] {
  return k === 1 ? [1] : [1, k]
}

/** pass@k and pass^k of a count, with their limits: they follow from n and the passes alone. */
export type CountFigures = Pick<CaseRow, 'passAtK' | 'passHatK' | 'intervals'>

/** Computed once for each count: thousands of cases share a few, and rows share what is never changed. */
export function countFigures({ k, level }: { k: number; level: number }): (n: number, passed: number) => CountFigures {
  const known = new Map<number, Map<number, CountFigures>>()
  return (n, passed) => {
    const ofN = known.get(n) ?? new Map<number, CountFigures>()
    if (ofN.size === 0) known.set(n, ofN)
    const found = ofN.get(passed) ?? figuresOfCount({ n, c: passed, level }, k)
    ofN.set(passed, found)
    return found
  }
}

function figuresOfCount(count: { n: number; c: number; level: number }, k: number): CountFigures {
  const byK = <T>(figure: (counts: { n: number; c: number; k: number; level: number }) => T) =>
    Object.fromEntries(kValues(k).map((one) => [String(one), figure({ ...count, k: one })]))
  const limits = (of: typeof casePassAtK) =>
    byK((counts): readonly [number, number] | null => {
      const interval = of(counts)
      return interval === null ? null : [interval.low, interval.high]
    })
  return {
    passAtK: byK(passAtK),
    passHatK: byK(passHatK),
    intervals: { passAtK: limits(casePassAtK), passHatK: limits(casePassHatK) },
  }
}

export function caseRow(
  given: CaseTrials,
  { k, shared, figures }: { k: number; shared: boolean; figures: (n: number, passed: number) => CountFigures },
): CaseRow {
  const { planned, passed, wrong, errored, ungraded } = given.counts
  invariant(
    planned === passed + wrong + errored + ungraded,
    `case ${given.id}: planned ${planned} is not passed ${passed} + wrong ${wrong} + errored ${errored} + ungraded ${ungraded}`,
  )
  const n = passed + wrong + errored
  return {
    case: given.id,
    title: given.title,
    stratum: given.stratum,
    planned,
    n,
    passed,
    wrong,
    errored,
    ungraded,
    erroredButPassing: given.erroredButPassing,
    allPassed: n > 0 && passed === n,
    ...figures(n, passed),
    ...(n < k ? { reason: shortOfTrials(n, k, ungraded) } : {}),
    ...(shared && given.family !== null ? { family: given.family } : {}),
  }
}

function shortOfTrials(n: number, k: number, ungraded: number): string {
  const left = ungraded > 0 ? `, ${ungraded} ungraded` : ''
  return n === 0 ? `no trial counts${left}` : `${n} of the ${k} trials that pass^${k} needs${left}`
}

/** Worst first: what a reader looks for. Cases without a figure come after those that have one; ids break ties. */
export function worstFirst(rows: readonly CaseRow[], k: number): readonly CaseRow[] {
  const value = (row: CaseRow, key: number) => row.passHatK[String(key)] ?? 2
  return rows.toSorted((a, b) => value(a, k) - value(b, k) || value(a, 1) - value(b, 1) || byId(a, b))
}

/** By code unit: no locale of a machine decides the order of a frozen report. */
export function byId(a: { readonly case: string }, b: { readonly case: string }): number {
  return a.case < b.case ? -1 : a.case > b.case ? 1 : 0
}
