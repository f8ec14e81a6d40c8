/**
 * What a report says, in order, free of any form: headings, sentences, tables and lists. HTML, Markdown and text are made
 * from this and differ in dress only, so that no form can say more than another.
 *
 * Order: the result in words, each case, the suite, versions compared, production, failure modes, coverage, what was not
 * measured, and how it was computed.
 */
import { caseIntervals } from './case-intervals.ts'
import { worstFirst } from './case-row.ts'
import { headline } from './headline.ts'
import { comparisonSection, sinceSection, suiteSection } from './outline-figures.ts'
import {
  coverageSection,
  failureModesSection,
  methodSection,
  notMeasuredSection,
  productionSection,
} from './outline-rest.ts'
import { shortened } from './plain.ts'
import type { CaseRow, Reliability, Report } from './report.ts'
import { type Block, type Cell, type Column, type Section, WRITTEN_LETTERS_MAX } from './section.ts'
import { localTime, metricName, percent, plural, share } from './wording.ts'

export type Outline = {
  readonly title: string
  /** The window, or that the report was asked for by hand. */
  readonly subtitle: string
  readonly lead: readonly string[]
  readonly sections: readonly Section[]
}

export function outline(report: Report): Outline {
  return {
    title: report.title,
    subtitle: subtitle(report),
    lead: headline(report),
    sections: [
      ...report.replays.map((one) => caseSection(one, report.replays.length > 1)),
      ...report.replays.map((one) => suiteSection(one, report.replays.length > 1)),
      ...(report.comparison === null ? [] : [comparisonSection(report.comparison)]),
      ...sinceSection(report),
      ...productionSection(report),
      ...failureModesSection(report),
      ...coverageSection(report),
      ...notMeasuredSection(report),
      methodSection(report),
    ],
  }
}

function subtitle({ window, late, schedule, createdAt }: Report): string {
  if (window === null) return `Asked for by hand, ${localTime(createdAt, 'UTC')} UTC`
  const { from, to, timezone } = window
  const when = `${localTime(from, timezone)} to ${localTime(to, timezone)}, ${timezone}`
  return `Schedule ${schedule}: ${when}${late ? ' (late: the service was down when it fell due)' : ''}`
}

function caseSection(one: Reliability, several: boolean): Section {
  const { k, cases, level } = one
  const name = several ? `Cases of ${one.target} ${one.version}` : 'Cases'
  const { planned, passed, wrong, errored, ungraded } = one.trials
  const said =
    `${plural(cases.length, 'case')}, ${plural(planned, 'trial')}: ${passed} passed, ${wrong} wrong, ` +
    `${errored} errored, ${ungraded} ungraded. Worst first.`
  return {
    heading: name,
    blocks: [
      { kind: 'paragraph', text: said },
      {
        kind: 'table',
        columns: caseColumns(k, level),
        rows: worstFirst(cases, k).map((row) => caseCells(row, k)),
      },
      ...intervalBlocks(one),
    ],
  }
}

function intervalBlocks({ cases, k, level }: Reliability): readonly Block[] {
  const { said, header, rows } = caseIntervals(cases, { k, level })
  if (rows.length === 0) return []
  return [
    { kind: 'paragraph', text: said },
    {
      kind: 'table',
      columns: header.map((name, i): Column => ({ name, align: i === 0 ? 'right' : 'left', oneLine: true })),
      rows: rows.map((row) => row.map((text) => ({ text }))),
    },
  ]
}

function caseColumns(k: number, level: number): readonly Column[] {
  const number = (name: string): Column => ({ name, align: 'right' })
  return [
    { name: 'case', align: 'left' },
    ...['passed', 'wrong', 'errored', 'ungraded', 'pass@1'].map(number),
    ...(k === 1 ? [] : [number(metricName('passAtK', k)), number(metricName('passHatK', k))]),
    {
      name: `${percent(level)} interval of ${k === 1 ? 'pass@1' : metricName('passHatK', k)}`,
      align: 'left',
      only: 'drawn',
    },
    { name: 'all passed', align: 'left' },
    { name: 'input', align: 'left', only: 'written' },
  ]
}

function caseCells(row: CaseRow, k: number): readonly Cell[] {
  const key = String(k)
  const figure = (value: number | null | undefined): Cell => ({ text: share(value ?? null) })
  const some = (value: number): Cell => (value === 0 ? { text: '0', mark: 'quiet' } : { text: String(value) })
  const limits = row.intervals.passHatK[key]
  const estimate = row.passHatK[key]
  const drawn = limits != null && estimate != null
  return [
    { text: row.case, detail: row.title },
    { text: `${row.passed}/${row.n}`, ...(row.n > 0 && row.passed === 0 ? { mark: 'bad' as const } : {}) },
    some(row.wrong),
    some(row.errored),
    some(row.ungraded),
    figure(row.passAtK['1']),
    ...(k === 1 ? [] : [figure(row.passAtK[key]), figure(estimate)]),
    drawn
      ? {
          text: `${share(limits[0])} to ${share(limits[1])}`,
          bar: { low: limits[0], estimate, high: limits[1], from: 0 },
        }
      : { text: row.reason ?? '–', mark: 'quiet' },
    row.allPassed ? { text: 'yes' } : { text: 'no', mark: 'quiet' },
    { text: shortened(row.title, WRITTEN_LETTERS_MAX) },
  ]
}
