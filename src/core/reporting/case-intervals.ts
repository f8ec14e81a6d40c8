/**
 * What each count of passes says of its own case: pass@1, pass@k and pass^k with their intervals. They follow from c and n
 * alone, so cases with the same count share a line, and a table of fifty cases needs six lines and not fifty.
 */
import type { PassMetric } from '../statistics/pass-at-k.ts'
import type { CaseRow } from './report.ts'
import { metricName, percent, range, share } from './wording.ts'

export type CaseIntervals = {
  /** Of what the lines speak, and at which level. */
  readonly said: string
  readonly header: readonly string[]
  /** The worst count first; empty when no trial counts. */
  readonly rows: readonly (readonly string[])[]
}

export function caseIntervals(cases: readonly CaseRow[], { k, level }: { k: number; level: number }): CaseIntervals {
  const figures: readonly (readonly [PassMetric, number])[] = [
    ['passAtK', 1],
    ...(k === 1
      ? []
      : ([
          ['passAtK', k],
          ['passHatK', k],
        ] as const)),
  ]
  const byCount = new Map(cases.filter((row) => row.n > 0).map((row) => [`${row.passed}/${row.n}`, row]))
  const worstFirst = [...byCount].toSorted(([, a], [, b]) => a.passed / a.n - b.passed / b.n || a.n - b.n)
  return {
    said: `Each count of passes speaks of this case alone; intervals at ${percent(level)}.`,
    header: ['passed', ...figures.map(([metric, one]) => metricName(metric, one))],
    rows: worstFirst.map(([count, row]) => [count, ...figures.map(([metric, one]) => withLimits(row, metric, one))]),
  }
}

function withLimits(row: CaseRow, metric: PassMetric, k: number): string {
  const limits = row.intervals[metric][String(k)] ?? null
  const value = row[metric][String(k)] ?? null
  return limits === null ? '–' : `${share(value)} (${range({ low: limits[0], high: limits[1] })})`
}
