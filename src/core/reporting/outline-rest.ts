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

export function failureModesSection({ failureModes, replays, window }: Report): readonly Section[] {
  const heading = 'Failure modes'
  if (failureModes.length === 0) return [{ heading, blocks: [{ kind: 'paragraph', text: 'No failure to explain.' }] }]
  const columns: readonly Column[] = [
    { name: 'failure mode', align: 'left' },
    { name: 'category', align: 'left' },
    // Beside each other, so that a version that is better in one way and worse in another shows both.
    ...replays.map(({ target, version }): Column => ({ name: `${target} ${version}`, align: 'right' })),
    ...(window === null ? [] : [{ name: 'kept traces', align: 'right' } as const]),
    { name: 'cases', align: 'right' },
    { name: 'state', align: 'left' },
    { name: 'example', align: 'left', only: 'written' },
  ]
  const rows = failureModes.map((mode) => [
    { text: mode.name, detail: mode.example },
    { text: mode.category ?? '–' },
    ...replays.map((_, i) => ({ text: count(mode.perReplay[i] ?? 0) })),
    ...(window === null ? [] : [{ text: count(mode.production) }]),
    { text: count(mode.cases) },
    // A proposal is the machine's and not yet the team's: it must not look like a finding.
    mode.state === 'accepted' ? { text: 'accepted' } : { text: 'proposed', mark: 'quiet' as const },
    { text: shortened(mode.example, WRITTEN_LETTERS_MAX) },
  ])
  const says = `Failed trials of each replay${window === null ? '' : ', and failed traces among the kept ones of the window'}; a trial can fail in several ways and is counted once, under the likeliest cause.`
  return [
    {
      heading,
      blocks: [
        { kind: 'paragraph', text: says },
        { kind: 'table', columns, rows },
      ],
    },
  ]
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
