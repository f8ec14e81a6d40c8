/**
 * The figures of a suite and of a comparison as rows: estimate, interval, n, and of what it speaks.
 */
import type { Reliability, SuiteFigure, VersionComparison } from './report.ts'
import type { Cell, Column, Section } from './section.ts'
import { difference, metricName, percent, plural, pValue, range, share } from './wording.ts'

export const FIGURE_COLUMNS: readonly Column[] = [
  { name: 'figure', align: 'left' },
  { name: 'estimate', align: 'right' },
  { name: 'interval', align: 'left' },
  { name: 'drawn', align: 'left', only: 'drawn' },
  { name: 'n', align: 'right' },
  { name: 'speaks of', align: 'left' },
]

/** A figure's row; differences are drawn around zero. */
export function figureCells(
  name: string,
  figure: SuiteFigure,
  { signed = false, beside = '' }: { signed?: boolean; beside?: string } = {},
): readonly Cell[] {
  const say = signed ? difference : share
  const { low, high, estimate } = figure
  const interval = range(figure, say)
  const bar: Cell =
    low === null || high === null || estimate === null
      ? { text: '' }
      : { text: '', bar: { low, estimate, high, from: signed ? -1 : 0 } }
  return [
    { text: name },
    { text: say(estimate) },
    interval === null
      ? { text: `none: ${figure.reason ?? 'not known'}`, mark: 'quiet' }
      : { text: `${interval}${beside}`, ...(figure.reason === undefined ? {} : { detail: figure.reason }) },
    bar,
    { text: String(figure.n) },
    { text: figure.estimand, mark: 'quiet' },
  ]
}

export function suiteSection(one: Reliability, several: boolean): Section {
  const { suite, traffic, k, level, notes } = one
  const rows = [
    figureCells('pass@1', suite.passAtK['1'] as SuiteFigure),
    ...(k === 1
      ? []
      : [
          figureCells(metricName('passAtK', k), suite.passAtK[String(k)] as SuiteFigure),
          figureCells(metricName('passHatK', k), suite.passHatK[String(k)] as SuiteFigure),
        ]),
    ...Object.entries(traffic ?? {}).map(([key, figure]) =>
      figureCells(`${metricName('passHatK', key)}, weighted`, figure),
    ),
  ]
  const spread =
    `${plural(suite.casesAllPassed, 'case')} passed in every trial, ${suite.casesMixed} in some, ` +
    `${suite.casesAtZero} in none. Intervals at ${percent(level)}.`
  return {
    heading: several ? `Suite figures of ${one.target} ${one.version}` : 'Suite figures',
    blocks: [
      { kind: 'paragraph', text: spread },
      { kind: 'table', columns: FIGURE_COLUMNS, rows },
      ...(notes.length > 0 ? [{ kind: 'list', entries: notes } as const] : []),
    ],
  }
}

export function comparisonSection(comparison: VersionComparison): Section {
  const { a, b, differences, moved, notes, pairs, verdict } = comparison
  const name = (side: VersionComparison['a']) => `${side.target} ${side.version}`
  const rows = Object.entries(differences).map(([metric, figure]) =>
    figureCells(metric, figure, {
      signed: true,
      beside: figure.p === null ? '' : `, ${pValue(figure.p)}`,
    }),
  )
  return {
    heading: 'Versions compared',
    blocks: [
      { kind: 'paragraph', text: `${name(b)} minus ${name(a)} on ${plural(pairs, 'shared case')}. ${verdict}.` },
      { kind: 'table', columns: FIGURE_COLUMNS, rows },
      ...(moved.length === 0
        ? []
        : [
            {
              kind: 'table',
              columns: [
                { name: 'moved most', align: 'left' },
                { name: a.version, align: 'right' },
                { name: b.version, align: 'right' },
                { name: 'input', align: 'left', only: 'written' },
              ],
              rows: moved.map((row) => [
                { text: row.case, detail: row.title },
                { text: row.a },
                { text: row.b },
                { text: row.title },
              ]),
            } as const,
          ]),
      ...(notes.length > 0 ? [{ kind: 'list', entries: notes } as const] : []),
    ],
  }
}
