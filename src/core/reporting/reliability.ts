/**
 * Reliability of one replay: the table of its cases, the figures of its suite, and what a reader must know before using
 * them. Made from counts alone, so that imported trials and our own give the same table.
 *
 * Invariants: cases are in the order of their ids; the trials of the rows add up to the trials of the replay.
 */
import { ESTIMANDS } from '../statistics/figure.ts'
import { byId, type CaseTrials, caseRow, countFigures } from './case-row.ts'
import type { CaseRow, Reliability } from './report.ts'
import { suiteFigures, trafficFigures } from './suite-figures.ts'
import { listed, percent, plural } from './wording.ts'

/** When more of the trials errored, the figures speak of the environment and not of the agent. */
const ERRORED_SHARE_MAX = 0.2
/** When more of the trials are ungraded, those that are left need not be like them. */
const UNGRADED_SHARE_MAX = 0.2
/** Relative: weights this near to each other are one weight and rounding. */
const WEIGHTS_ALIKE = 1e-9
const NOT_INTERPRETABLE = 'not interpretable'

/** `level` is 0.95 for 95 %; `graders` are names, none where completing was all that was asked. */
export type ReliabilityInput = {
  readonly replay: string
  readonly target: string
  readonly version: string
  readonly suiteName: string | null
  readonly k: number
  readonly level: number
  readonly graders: readonly string[]
  readonly cases: readonly CaseTrials[]
}

export function reliability({ cases, k, level, ...names }: ReliabilityInput): Reliability {
  const families = Map.groupBy(cases, (one) => one.family)
  const figures = countFigures({ k, level })
  const rows = cases
    .map((one) => caseRow(one, { k, figures, shared: (families.get(one.family)?.length ?? 0) > 1 }))
    .toSorted(byId)
  const total = (of: (row: CaseRow) => number) => rows.reduce((sum, row) => sum + of(row), 0)
  const trials = {
    planned: total((row) => row.planned),
    passed: total((row) => row.passed),
    wrong: total((row) => row.wrong),
    errored: total((row) => row.errored),
    ungraded: total((row) => row.ungraded),
  }
  return {
    ...names,
    k,
    level,
    trials,
    cases: rows,
    suite: suiteFigures(rows, { k, level, stands: standsFor(cases) }),
    traffic: trafficFigures(rows, cases, { k, level }),
    notes: [
      ...interpretability(trials),
      ...(names.graders.length === 0
        ? ['No grader of ours was in force: a trial passes by completing, or by the verdict that it was imported with.']
        : []),
      ...erroredNotes(rows, trials.errored),
      ...ungradedNotes(trials.ungraded),
      ...shortCases(rows, k),
      ...samplingNotes(rows, cases),
    ],
  }
}

/** What the figures that count each case once stand for, in words; differences of such figures stand for the same. */
export function standsIn({ suite }: Pick<Reliability, 'suite'>): string {
  return suite.passAtK['1']?.estimand.endsWith(ESTIMANDS.drawn) ? ESTIMANDS.drawn : ESTIMANDS.population
}

/** Cases drawn out of proportion to traffic, counted once each, stand for a draw like theirs and not for traffic. */
function standsFor(cases: readonly CaseTrials[]): string {
  const weights = cases.flatMap(({ weight }) => (weight === null ? [] : [weight]))
  const inProportion = Math.max(...weights) <= Math.min(...weights) * (1 + WEIGHTS_ALIKE)
  return weights.length === 0 || inProportion ? ESTIMANDS.population : ESTIMANDS.drawn
}

/** False when a note says that the figures must not be used. */
export function isInterpretable(one: Reliability): boolean {
  return !one.notes.some((note) => note.startsWith(NOT_INTERPRETABLE))
}

function interpretability({ planned, errored, ungraded }: Reliability['trials']): readonly string[] {
  const too = (counted: number, what: string, limit: number, why: string) =>
    counted > planned * limit
      ? [
          `${NOT_INTERPRETABLE}: ${counted} of ${plural(planned, 'trial')} ${what} ` +
            `(${percent(counted / planned)}, the limit is ${percent(limit)}), so ${why}.`,
        ]
      : []
  return [
    ...too(errored, 'errored', ERRORED_SHARE_MAX, 'the figures speak of the environment as much as of the agent'),
    ...too(ungraded, 'are ungraded', UNGRADED_SHARE_MAX, 'the trials that count need not stand for those that do not'),
  ]
}

function erroredNotes(rows: readonly CaseRow[], errored: number): readonly string[] {
  if (errored === 0) return []
  const passing = rows.reduce((sum, row) => sum + row.erroredButPassing, 0)
  const checks = passing === 0 ? '' : ` The checks of ${passing} would have passed.`
  return [`${plural(errored, 'trial')} errored and ${errored === 1 ? 'counts' : 'count'} as not passing.${checks}`]
}

function ungradedNotes(ungraded: number): readonly string[] {
  if (ungraded === 0) return []
  return [`${plural(ungraded, 'trial')} ${ungraded === 1 ? 'is' : 'are'} ungraded and in no figure but the strict one.`]
}

function shortCases(rows: readonly CaseRow[], k: number): readonly string[] {
  const short = rows.filter((row) => row.n < k)
  if (short.length === 0) return []
  const names = short.map((row) => `${row.case} (${row.n})`)
  return [
    `${plural(short.length, 'case')} of ${rows.length} ${short.length === 1 ? 'has' : 'have'} fewer than ` +
      `${plural(k, 'trial')} that count and no pass@${k} or pass^${k}: ${listed(names)}.`,
  ]
}

function samplingNotes(rows: readonly CaseRow[], cases: readonly CaseTrials[]): readonly string[] {
  const related = rows.filter((row) => row.family !== undefined)
  const families = new Set(related.map((row) => row.family)).size
  const weighted = cases.filter((one) => one.weight !== null).length
  return [
    ...(related.length > 0
      ? [
          `${related.length} cases come from ${plural(families, 'session')}: cases of one session are one family, ` +
            'and the suite intervals count families.',
        ]
      : []),
    ...(standsFor(cases) === ESTIMANDS.drawn
      ? [
          'The cases were drawn out of proportion to traffic (of errors, more). The figures weighted to traffic make up for it; ' +
            'those that count each case once speak of cases drawn like these.',
        ]
      : []),
    ...(weighted > 0 && weighted < cases.length
      ? [
          `${plural(cases.length - weighted, 'case')} without a known sampling probability ` +
            'are in the suite figures and not in those weighted to traffic.',
        ]
      : []),
  ]
}
