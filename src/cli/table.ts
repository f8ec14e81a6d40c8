/**
 * Figures as lines of text for the terminal: the reliability table, suite figures and what to know before using them.
 */
import { textTable } from '../core/reporting/render-text.ts'
import type { CaseRow, Reliability, SuiteFigure, VersionComparison } from '../core/reporting/report.ts'

export function reliabilityText(reliability: Reliability): string {
  const { trials } = reliability
  const head = `Replay ${reliability.replay}: ${reliability.target} at version ${reliability.version}, ${reliability.cases.length} cases, ${trials.planned} trials`
  const lines = [head, '', caseTable(reliability.cases, reliability.k), '', ...suiteLines(reliability)]
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

function suiteLines({ suite, traffic, k }: Reliability): string[] {
  const lines = [
    `Cases: ${suite.casesAllPassed} all passed, ${suite.casesMixed} mixed, ${suite.casesAtZero} never passed`,
    figureLine('pass@1', suite.passAtK['1']),
    ...(k > 1
      ? [figureLine(`pass@${k}`, suite.passAtK[String(k)]), figureLine(`pass^${k}`, suite.passHatK[String(k)])]
      : []),
  ]
  for (const [of, figure] of Object.entries(traffic ?? {})) {
    lines.push(figureLine(of === '1' ? 'pass@1, weighted to traffic' : `pass^${of}, weighted to traffic`, figure))
  }
  return lines
}

export function figureLine(name: string, figure: SuiteFigure | undefined): string {
  if (figure === undefined || figure.estimate === null)
    return `${name}: no figure${figure?.reason === undefined ? '' : ` (${figure.reason})`}`
  const interval =
    figure.low === null || figure.high === null
      ? `no interval${figure.reason === undefined ? '' : ` (${figure.reason})`}`
      : `${percent(figure.level)} interval ${number(figure.low)} to ${number(figure.high)}`
  return `${name} ${number(figure.estimate)}, ${interval}, n = ${figure.n}: ${figure.estimand}`
}

export function comparisonText(comparison: VersionComparison): string {
  const name = (side: VersionComparison['a']) => `${side.target} ${side.version} (${side.replay})`
  const lines = [`${name(comparison.b)} minus ${name(comparison.a)}, on ${comparison.pairs} shared cases`]
  for (const [metric, figure] of Object.entries(comparison.differences)) {
    lines.push(`${figureLine(metric, figure)}${figure.p === null ? '' : `; sign-flip p = ${figure.p.toPrecision(2)}`}`)
  }
  if (comparison.moved.length > 0) {
    lines.push(
      '',
      textTable([['moved most', 'a', 'b', ''], ...comparison.moved.map((m) => [m.case, m.a, m.b, m.title])]),
    )
  }
  if (comparison.notes.length > 0) lines.push('', ...comparison.notes.map((note) => `Note: ${note}`))
  return `${lines.join('\n')}\n`
}

function number(value: number | null): string {
  return value === null ? 'n/a' : value.toFixed(3)
}

function percent(level: number): string {
  return `${Number((level * 100).toFixed(4))} %`
}
