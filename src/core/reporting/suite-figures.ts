/**
 * The figures of a suite from its case rows: the mean over cases with the interval for traffic like this and the one for
 * these cases again, the same weighted to the traffic that the cases were drawn from, and what stands beside them when
 * trials errored or are ungraded. Cases count once each; trials are never pooled over cases.
 *
 * Cases with fewer than k trials have no value at k and are left out of that figure: its n says how many were in.
 */
import { ESTIMANDS, type Figure } from '../statistics/figure.ts'
import { type CaseCounts, caseValue, type PassMetric } from '../statistics/pass-at-k.ts'
import {
  familyInterval,
  meanOf,
  populationInterval,
  rerunInterval,
  SUITE_CASES_MEASURED_MIN,
} from '../statistics/suite.ts'
import { suiteTrafficRate } from '../statistics/traffic.ts'
import { type CaseTrials, kValues } from './case-row.ts'
import type { BesideFigures, CaseRow, SuiteFigure, SuiteFigures } from './report.ts'
import { metricName, passInWords, plural } from './wording.ts'

/** With one case, "these cases again" is "this case", and its row says it. */
const AGAIN_CASES_MIN = 2

type Asked = {
  readonly k: number
  readonly level: number
}
/** `stands` says what cases that count once each stand for. */
type AskedSuite = Asked & { readonly stands: string }
/** Which of a case's trials count, and which of them as passed. */
type Counting = (row: CaseRow) => CaseCounts

const asMeasured: Counting = ({ n, passed }) => ({ n, c: passed })

export function suiteFigures(rows: readonly CaseRow[], { k, level, stands }: AskedSuite): SuiteFigures {
  const byK = (metric: PassMetric) =>
    Object.fromEntries(
      kValues(k).map((one) => {
        return [String(one), suiteFigure(rows, { metric, k: one, level, stands, counting: asMeasured, said: '' })]
      }),
    )
  const counted = rows.filter((row) => row.n > 0)
  return {
    passAtK: byK('passAtK'),
    passHatK: byK('passHatK'),
    casesAtZero: counted.filter((row) => row.passed === 0).length,
    casesMixed: counted.filter((row) => row.passed > 0 && row.passed < row.n).length,
    casesAllPassed: counted.filter((row) => row.allPassed).length,
    beside: besideFigures(rows, { k, level, stands }),
  }
}

/** Nothing stands beside the figures where nothing is in doubt. */
function besideFigures(rows: readonly CaseRow[], { k, level, stands }: AskedSuite): BesideFigures {
  const byK = (present: boolean, said: string, counting: Counting) =>
    present
      ? Object.fromEntries(
          kValues(k).map((one) => {
            return [String(one), suiteFigure(rows, { metric: 'passHatK', k: one, level, stands, counting, said })]
          }),
        )
      : null
  const errored = rows.some((row) => row.errored > 0)
  const ungraded = rows.some((row) => row.ungraded > 0)
  return {
    completedOnly: byK(errored, ' where only completed trials count', (row) => ({
      n: row.n - row.errored,
      c: row.passed,
    })),
    erroredAsFailed: byK(errored, ' if every errored trial had failed', asMeasured),
    erroredAsPassed: byK(errored, ' if every errored trial had passed', (row) => ({
      n: row.n,
      c: row.passed + row.errored,
    })),
    ungradedAsFailed: byK(ungraded, ' if every ungraded trial had failed', (row) => ({
      n: row.planned,
      c: row.passed,
    })),
  }
}

type Metric = AskedSuite & {
  readonly metric: PassMetric
  readonly counting: Counting
  /** Said of the trials in doubt, after what the figure is. */
  readonly said: string
}

function suiteFigure(rows: readonly CaseRow[], { metric, k, level, stands, counting, said }: Metric): SuiteFigure {
  const values: number[] = []
  const counts: CaseCounts[] = []
  const families: string[] = []
  for (const row of rows) {
    const one = counting(row)
    const value = caseValue({ n: one.n, c: one.c, k, metric })
    if (value === null) continue
    values.push(value)
    counts.push(one)
    families.push(row.family ?? `case ${row.case}`)
  }
  const groups = rows.some((row) => row.family !== undefined) ? new Set(families).size : values.length
  const estimand = `${passInWords(metric, k)}${said}, averaged over cases, each counted once; for ${stands}`
  const base = { estimate: meanOf(values), level, estimand, n: values.length }
  if (values.length === 0)
    return {
      ...base,
      ...NO_LIMITS,
      reason: `no case has the ${plural(k, 'trial')} that ${metricName(metric, k)} needs`,
    }
  const again = againOf(counts, { metric, k, level })
  if (groups < SUITE_CASES_MEASURED_MIN)
    return { ...base, ...NO_LIMITS, ...again, reason: tooFew(values.length, groups) }
  const interval =
    groups < values.length ? familyInterval({ values, families, level }) : populationInterval({ values, level })
  return {
    ...base,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    method: interval?.method ?? 'none',
    ...again,
  }
}

/** Families do not enter: only the trials are drawn again. */
function againOf(
  counts: readonly CaseCounts[],
  asked: Asked & { readonly metric: PassMetric },
): Pick<SuiteFigure, 'again'> {
  const interval = counts.length < AGAIN_CASES_MIN ? null : rerunInterval({ counts, ...asked })
  return interval === null ? {} : { again: { low: interval.low, high: interval.high, method: interval.method } }
}

const NO_LIMITS = { low: null, high: null, method: 'none' } as const

/** Under eight the interval was never measured to cover what it claims: the estimate stays, the interval does not. */
export function tooFew(cases: number, groups: number): string {
  const what = groups < cases ? plural(groups, 'family of cases', 'families of cases') : plural(cases, 'case')
  return `${what}: an interval for traffic like this needs ${SUITE_CASES_MEASURED_MIN} or more`
}

/**
 * pass^1 and pass^k of the traffic that the cases were drawn from: each case weighs 1/(p · pDraw). Null when no case has a
 * known weight (imported, or p unknown).
 */
export function trafficFigures(
  rows: readonly CaseRow[],
  cases: readonly CaseTrials[],
  { k, level }: Asked,
): Readonly<Record<string, SuiteFigure>> | null {
  const caseOf = new Map(cases.map((one) => [one.id, one]))
  const known = rows.flatMap((row) => {
    const { weight = null, stratumKey = '' } = caseOf.get(row.case) ?? {}
    return weight === null ? [] : [{ row, weight, stratumKey }]
  })
  if (known.length === 0) return null
  // A heap whose traces were kept at several rates is as many strata: within one, every case must speak for as much.
  const groups = [...Map.groupBy(known, ({ stratumKey, weight }) => JSON.stringify([stratumKey, weight])).entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, members]) => members)
  return Object.fromEntries(
    kValues(k).map((one) => {
      const strata = groups.map((members) => ({
        weight: members.reduce((sum, member) => sum + member.weight, 0),
        values: members.flatMap(({ row }) => row.passHatK[String(one)] ?? []),
      }))
      return [String(one), trafficFigure(suiteTrafficRate({ strata, level }), { k: one, level })]
    }),
  )
}

function trafficFigure(figure: Figure, { k, level }: Asked): SuiteFigure {
  const few = figure.n < SUITE_CASES_MEASURED_MIN
  const interval = few ? null : figure.interval
  const reason = few && figure.estimate !== null ? tooFew(figure.n, figure.n) : figure.reason
  return {
    estimate: figure.estimate,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    level,
    method: interval?.method ?? 'none',
    estimand:
      `${passInWords('passHatK', k)}, averaged over the traffic that the cases were drawn from ` +
      `(weights 1/p); for ${ESTIMANDS.population}`,
    n: figure.n,
    ...(reason === undefined ? {} : { reason }),
  }
}
