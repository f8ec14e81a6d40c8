/**
 * The figures of a suite from its case rows: the mean over cases with the interval for traffic like this, and the same
 * weighted to the traffic that the cases were drawn from. Cases count once each; trials are never pooled over cases.
 *
 * Cases with fewer than k trials have no value at k and are left out of that figure: its n says how many were in.
 */
import type { Figure } from '../statistics/figure.ts'
import type { PassMetric } from '../statistics/pass-at-k.ts'
import { familyInterval, meanOf, populationInterval, SUITE_CASES_MEASURED_MIN } from '../statistics/suite.ts'
import { suiteTrafficRate } from '../statistics/traffic.ts'
import { type CaseTrials, kValues } from './case-row.ts'
import type { CaseRow, SuiteFigure, SuiteFigures } from './report.ts'
import { metricName, passInWords, plural } from './wording.ts'

type Asked = { readonly k: number; readonly level: number }

export function suiteFigures(rows: readonly CaseRow[], { k, level }: Asked): SuiteFigures {
  const byK = (metric: PassMetric) =>
    Object.fromEntries(kValues(k).map((one) => [String(one), suiteFigure(rows, { metric, k: one, level })]))
  const counted = rows.filter((row) => row.n > 0)
  return {
    passAtK: byK('passAtK'),
    passHatK: byK('passHatK'),
    casesAtZero: counted.filter((row) => row.passed === 0).length,
    casesMixed: counted.filter((row) => row.passed > 0 && row.passed < row.n).length,
    casesAllPassed: counted.filter((row) => row.allPassed).length,
  }
}

type Metric = { readonly metric: PassMetric; readonly k: number; readonly level: number }

function suiteFigure(rows: readonly CaseRow[], { metric, k, level }: Metric): SuiteFigure {
  const valued = rows.flatMap((row) => {
    const value = row[metric][String(k)] ?? null
    return value === null ? [] : [{ value, family: row.family ?? `case ${row.case}` }]
  })
  const values = valued.map((one) => one.value)
  const families = valued.map((one) => one.family)
  const groups = new Set(families).size
  const estimand = `${passInWords(metric, k)}, averaged over cases, each counted once; for traffic like this`
  const base = { estimate: meanOf(values), level, estimand, n: values.length }
  if (values.length === 0)
    return {
      ...base,
      ...NO_LIMITS,
      reason: `no case has the ${plural(k, 'trial')} that ${metricName(metric, k)} needs`,
    }
  if (groups < SUITE_CASES_MEASURED_MIN) return { ...base, ...NO_LIMITS, reason: tooFew(values.length, groups) }
  const interval =
    groups < values.length ? familyInterval({ values, families, level }) : populationInterval({ values, level })
  return { ...base, low: interval?.low ?? null, high: interval?.high ?? null, method: interval?.method ?? 'none' }
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
    estimand: `${passInWords('passHatK', k)}, averaged over the traffic that the cases were drawn from (weights 1/p)`,
    n: figure.n,
    ...(reason === undefined ? {} : { reason }),
  }
}
