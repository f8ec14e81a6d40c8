/**
 * Figures as lines of text for the terminal: the reliability table, suite figures and what to know before using them.
 */
import { caseIntervals } from '../core/reporting/case-intervals.ts'
import { comparisonMethods, reliabilityMethods } from '../core/reporting/methods.ts'
import { suiteRows } from '../core/reporting/outline-figures.ts'
import { textTable } from '../core/reporting/render-text.ts'
import type { CaseRow, Reliability, SuiteFigure, VersionComparison } from '../core/reporting/report.ts'
import { difference, percent, pValue, range, share } from '../core/reporting/wording.ts'
import { ESTIMANDS } from '../core/statistics/figure.ts'

/** What every command that prints figures can be asked for. */
export type Shown = {
  /** How each interval was made. */
  readonly methods?: boolean
}

export function reliabilityText(reliability: Reliability, { methods = false }: Shown = {}): string {
  const { trials } = reliability
  const head = `Replay ${reliability.replay}: ${reliability.target} at version ${reliability.version}, ${reliability.cases.length} cases, ${trials.planned} trials`
  const lines = [head, '', caseTable(reliability.cases, reliability.k), ...intervalLines(reliability)]
  lines.push('', ...suiteLines(reliability))
  if (methods) lines.push('', ...reliabilityMethods([reliability]).map((method) => `Intervals. ${method}`))
  if (reliability.notes.length > 0) lines.push('', ...reliability.notes.map((note) => `Note: ${note}`))
  return `${lines.join('\n')}\n`
}

function caseTable(cases: readonly CaseRow[], k: number): string {
  const key = String(k)
  // With k = 1, pass@k and pass^k are pass@1: said once.
  const header = [
    'case',
    'passed',
    'wrong',
    'errored',
    'ungraded',
    'pass@1',
    ...(k > 1 ? [`pass@${k}`, `pass^${k}`] : []),
    'all passed',
  ]
  const rows = cases.map((row) => [
    row.case,
    `${row.passed}/${row.n}`,
    String(row.wrong),
    String(row.errored),
    String(row.ungraded),
    number(row.passAtK['1'] ?? null),
    ...(k > 1 ? [number(row.passAtK[key] ?? null), number(row.passHatK[key] ?? null)] : []),
    row.allPassed ? 'yes' : 'no',
  ])
  return textTable([header, ...rows])
}

/** Cases of the same count have the same intervals: each is said once. */
function intervalLines({ cases, k, level }: Reliability): string[] {
  const { said, header, rows } = caseIntervals(cases, { k, level })
  return rows.length === 0 ? [] : ['', said, textTable([header, ...rows])]
}

function suiteLines(reliability: Reliability): string[] {
  const { suite } = reliability
  return [
    `Cases: ${suite.casesAllPassed} all passed, ${suite.casesMixed} mixed, ${suite.casesAtZero} never passed`,
    ...suiteRows(reliability).map(({ name, figure }) => figureLine(name, figure)),
  ]
}

/** `pass^3 0.700, 95 % interval 0.488 to 0.851, again 0.605 to 0.779, n = 20: …`. */
export function figureLine(
  name: string,
  figure: SuiteFigure | undefined,
  say: (value: number | null) => string = share,
): string {
  if (figure === undefined || figure.estimate === null)
    return `${name}: no figure${figure?.reason === undefined ? '' : ` (${figure.reason})`}`
  const interval = range(figure, say)
  const limits = interval === null ? 'no interval' : `${percent(figure.level)} interval ${interval}`
  const reason = figure.reason === undefined ? '' : ` (${figure.reason})`
  const again = figure.again === undefined ? '' : `, for ${ESTIMANDS.rerun} ${range(figure.again)}`
  return `${name} ${say(figure.estimate)}, ${limits}${reason}${again}, n = ${figure.n}: ${figure.estimand}`
}

export function comparisonText(comparison: VersionComparison, { methods = false }: Shown = {}): string {
  const name = (side: VersionComparison['a']) => `${side.target} ${side.version} (${side.replay})`
  const lines = [`${name(comparison.b)} minus ${name(comparison.a)}, on ${comparison.pairs} shared cases`]
  for (const [metric, figure] of Object.entries(comparison.differences)) {
    lines.push(`${figureLine(metric, figure, difference)}${figure.p === null ? '' : `; sign-flip ${pValue(figure.p)}`}`)
  }
  if (comparison.moved.length > 0) {
    lines.push(
      '',
      textTable([['moved most', 'a', 'b', ''], ...comparison.moved.map((m) => [m.case, m.a, m.b, m.title])]),
    )
  }
  if (methods) lines.push('', ...comparisonMethods(comparison).map((method) => `Intervals. ${method}`))
  if (comparison.notes.length > 0) lines.push('', ...comparison.notes.map((note) => `Note: ${note}`))
  return `${lines.join('\n')}\n`
}

function number(value: number | null): string {
  return value === null ? 'n/a' : value.toFixed(3)
}
