/**
 * The figures of a suite and of a comparison as rows: estimate, interval, n, and of what it speaks.
 */
import { ESTIMANDS } from '../statistics/figure.ts'
import { shortened } from './plain.ts'
import type { Reliability, Report, SuiteFigure, VersionComparison } from './report.ts'
import { type Block, type Cell, type Column, type Section, WRITTEN_LETTERS_MAX } from './section.ts'
import { difference, metricName, pDigits, percent, plural, range, share } from './wording.ts'

export type NamedFigure = {
  readonly name: string
  readonly figure: SuiteFigure
  /** Of a test beside the interval. */
  readonly p?: number | null
}

type Dress = {
  /** Differences: said with their sign, drawn around zero. */
  readonly signed?: boolean
  readonly withP?: boolean
  /** Figures of a suite: with the interval for these cases again beside the one for traffic like this. */
  readonly withAgain?: boolean
}

/** A table of figures; where a form has no room for a column of words, a list says of what each speaks. */
export function figureBlocks(figures: readonly NamedFigure[], dress: Dress = {}): readonly Block[] {
  return [
    { kind: 'table', columns: figureColumns(dress), rows: figures.map((one) => figureCells(one, dress)) },
    { kind: 'list', only: 'written', entries: estimands(figures) },
  ]
}

function figureColumns({ signed, withP, withAgain }: Dress): readonly Column[] {
  return [
    { name: 'figure', align: 'left', oneLine: true },
    { name: 'estimate', align: 'right' },
    { name: withAgain ? ESTIMANDS.population : 'interval', align: 'left', oneLine: true },
    ...(withAgain ? [{ name: ESTIMANDS.rerun, align: 'left', oneLine: true } as const] : []),
    { name: signed ? '−1 to +1' : '0 to 1', align: 'left', only: 'drawn' },
    ...(withP ? [{ name: 'p', align: 'right' } as const] : []),
    { name: 'n', align: 'right' },
    { name: 'speaks of', align: 'left', words: true, only: 'drawn' },
  ]
}

function figureCells({ name, figure, p }: NamedFigure, { signed, withP, withAgain }: Dress): readonly Cell[] {
  const say = signed ? difference : share
  const { low, high, estimate, reason } = figure
  const bar: Cell =
    low === null || high === null || estimate === null
      ? { text: '' }
      : { text: '', bar: { low, estimate, high, from: signed ? -1 : 0 } }
  const detail = reason === undefined ? {} : { detail: reason }
  return [
    { text: name },
    { text: say(estimate) },
    { text: range(figure, say) ?? 'none', ...detail },
    ...(withAgain ? [{ text: figure.again === undefined ? '–' : (range(figure.again) ?? '–') }] : []),
    bar,
    ...(withP ? [{ text: p === null || p === undefined ? '–' : pDigits(p) }] : []),
    { text: String(figure.n) },
    { text: figure.estimand, mark: 'quiet' },
  ]
}

/** Figures that speak of the same are named together; a reason stands with what it is a reason for. */
function estimands(figures: readonly NamedFigure[]): readonly string[] {
  const words = ({ figure: { estimand, reason, low } }: NamedFigure) => {
    if (reason === undefined) return estimand
    return low === null ? `${estimand}; no interval: ${reason}` : `${estimand}; ${reason}`
  }
  return [...Map.groupBy(figures, words)].map(
    ([said, group]) => `${group.map(({ name }) => name).join('; ')}: ${said}.`,
  )
}

/** The figures of a suite in the order in which they are shown. */
export function suiteRows({ suite, traffic, k }: Reliability): readonly NamedFigure[] {
  const name = (key: string) => metricName(key === '1' ? 'passAtK' : 'passHatK', key)
  const named = (figures: Readonly<Record<string, SuiteFigure>> | null, said: string, keys: readonly string[]) =>
    keys.flatMap((key) => {
      const figure = figures?.[key]
      return figure === undefined ? [] : [{ name: `${name(key)}${said}`, figure }]
    })
  const primary = String(k)
  const { completedOnly, erroredAsFailed, erroredAsPassed, ungradedAsFailed } = suite.beside
  return [
    { name: metricName('passAtK', 1), figure: suite.passAtK['1'] as SuiteFigure },
    ...(k === 1
      ? []
      : [
          { name: metricName('passAtK', k), figure: suite.passAtK[primary] as SuiteFigure },
          { name: metricName('passHatK', k), figure: suite.passHatK[primary] as SuiteFigure },
        ]),
    ...named(completedOnly, ', completed only', [primary]),
    ...named(erroredAsFailed, ', errored as failed', [primary]),
    ...named(erroredAsPassed, ', errored as passed', [primary]),
    ...named(ungradedAsFailed, ', strict', [primary]),
    ...named(traffic, ', weighted', Object.keys(traffic ?? {})),
  ]
}

export function suiteSection(one: Reliability, several: boolean): Section {
  const { suite, level, notes } = one
  const spread =
    `${plural(suite.casesAllPassed, 'case')} passed in every trial, ${suite.casesMixed} in some, ` +
    `${suite.casesAtZero} in none. Intervals at ${percent(level)}, n in cases.`
  return {
    heading: several ? `Suite figures of ${one.target} ${one.version}` : 'Suite figures',
    blocks: [
      { kind: 'paragraph', text: spread },
      ...figureBlocks(suiteRows(one), { withAgain: true }),
      ...(notes.length > 0 ? [{ kind: 'list', entries: notes } as const] : []),
    ],
  }
}

export function comparisonSection(comparison: VersionComparison): Section {
  const { a, b, differences, moved, notes, pairs } = comparison
  const name = (side: VersionComparison['a']) => `${side.target} ${side.version}`
  const figures = Object.entries(differences).map(([metric, figure]) => ({
    name: metric,
    figure,
    p: figure.p,
  }))
  return {
    heading: 'Versions compared',
    blocks: [
      { kind: 'paragraph', text: `${name(b)} minus ${name(a)}, on ${plural(pairs, 'shared case')}, n in cases.` },
      ...figureBlocks(figures, { signed: true, withP: true }),
      ...(moved.length === 0 ? [] : [movedTable(comparison)]),
      ...(notes.length > 0 ? [{ kind: 'list', entries: notes } as const] : []),
    ],
  }
}

function movedTable({ a, b, moved }: VersionComparison): Block {
  return {
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
      { text: shortened(row.title, WRITTEN_LETTERS_MAX) },
    ]),
  }
}

export function sinceSection({ since }: Report): readonly Section[] {
  if (since === null) return []
  const figures = since.differences.map(({ target, fromVersion, toVersion, metric, figure }) => ({
    name: `${metric}, ${target} ${fromVersion === toVersion ? toVersion : `${fromVersion} to ${toVersion}`}`,
    figure,
  }))
  const said =
    `This window minus the one of report ${since.report}. The cases are others, so the intervals are wide: ` +
    'a change that they do not show may still be there.'
  return [
    {
      heading: 'Since the last report',
      blocks: [
        { kind: 'paragraph', text: figures.length === 0 ? 'No figure is comparable to the last report.' : said },
        ...(figures.length === 0 ? [] : figureBlocks(figures, { signed: true })),
      ],
    },
  ]
}
