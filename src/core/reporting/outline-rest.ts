/**
 * What stands after the figures of the replays: production, failure modes, coverage, what was not measured, and how all of
 * it was computed.
 */

import { reportMethods } from './methods.ts'
import { figureBlocks } from './outline-figures.ts'
import { shortened } from './plain.ts'
import type { Report } from './report.ts'
import { type Column, type Section, WRITTEN_LETTERS_MAX } from './section.ts'
import { count, percent, plural } from './wording.ts'

export function productionSection({ production }: Report): readonly Section[] {
  if (production.length === 0) return []
  return [{ heading: 'Production in the window', blocks: figureBlocks(production) }]
}

export function failureModesSection({ failureModes }: Report): readonly Section[] {
  const heading = 'Failure modes'
  if (failureModes.length === 0) return [{ heading, blocks: [{ kind: 'paragraph', text: 'No failure to explain.' }] }]
  const columns: readonly Column[] = [
    { name: 'failure mode', align: 'left' },
    { name: 'failures', align: 'right' },
    { name: 'cases', align: 'right' },
    { name: 'category', align: 'left' },
    { name: 'state', align: 'left' },
    { name: 'example', align: 'left', only: 'written' },
  ]
  const rows = failureModes.map((mode) => [
    { text: mode.name, detail: mode.example },
    { text: count(mode.count) },
    { text: count(mode.cases) },
    { text: mode.category ?? '–' },
    // A proposal is the machine's and not yet the team's: it must not look like a finding.
    mode.state === 'accepted' ? { text: 'accepted' } : { text: 'proposed', mark: 'quiet' as const },
    { text: shortened(mode.example, WRITTEN_LETTERS_MAX) },
  ])
  return [{ heading, blocks: [{ kind: 'table', columns, rows }] }]
}

export function coverageSection({ coverage }: Report): readonly Section[] {
  if (coverage.rows.length === 0) return []
  const numbers = ['received', 'kept', 'dropped', 'shed', 'incomplete'] as const
  const columns: readonly Column[] = [
    { name: 'rule', align: 'left' },
    { name: 'sampler', align: 'left' },
    ...numbers.map((name): Column => ({ name, align: 'right' })),
  ]
  const rows = coverage.rows.map((row) => [
    { text: row.rule },
    { text: row.sampler },
    ...numbers.map((name) => ({ text: count(row[name]) })),
  ])
  const { received, kept, dropped, shed } = coverage
  const said = `${plural(received, 'trace')} received: ${count(kept)} kept, ${count(dropped)} dropped, ${count(shed)} shed.`
  return [
    {
      heading: 'Coverage',
      blocks: [
        { kind: 'paragraph', text: said },
        { kind: 'table', columns, rows },
      ],
    },
  ]
}

export function notMeasuredSection({ notMeasured }: Report): readonly Section[] {
  if (notMeasured.length === 0) return []
  return [{ heading: 'Not measured', blocks: [{ kind: 'list', entries: notMeasured }] }]
}

export function methodSection(report: Report): Section {
  const { seed, level, id, createdAt, replays } = report
  const judged = replays.map(({ target, version, replay, graders }) => {
    const by = graders.length === 0 ? 'completion only' : `judged by ${graders.join(', ')}`
    return `${target} ${version}: replay ${replay}, ${by}.`
  })
  return {
    heading: 'How it was computed',
    blocks: [
      {
        kind: 'list',
        entries: [
          'n = passed + wrong + errored: an errored trial counts as not passing, an ungraded one does not count.',
          'pass@k is the chance that at least one of k trials of a case passes, pass^k that all k do. ' +
            'Both are estimated without bias for each case and averaged over cases; trials of different cases are never pooled.',
          `Intervals at ${percent(level)}. ${reportMethods(report).join(' ')}`,
          ...judged,
          `Report ${id}, frozen ${createdAt}, seed ${seed}. The same rows give the same bytes.`,
        ],
      },
    ],
  }
}
