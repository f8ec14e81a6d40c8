/** A report with something in every section, for tests of what is made from one. */
import { assembleReport, type ReportEvidence } from '../../../src/core/reporting/assemble.ts'
import type { CaseTrials } from '../../../src/core/reporting/case-row.ts'
import type { Report } from '../../../src/core/reporting/report.ts'
import { makeCase } from './trials.ts'

const INPUTS = [
  'Where is my order 10482?',
  'I was charged twice for the blue kettle, please refund one of them',
  'Can I change the delivery address after it has shipped?',
  'The discount code SPRING does not work',
  'How long is the warranty on the stand mixer?',
  'Cancel my subscription and confirm in writing',
]
const STRATA = ['outcome=ok', 'outcome=error'] as const

function casesOf(passes: readonly number[]): readonly CaseTrials[] {
  return passes.map((passed, i) => {
    const errored = i === 3 ? 1 : 0
    const ungraded = i === 7 ? 1 : 0
    const stratum = STRATA[i % 5 === 0 ? 1 : 0] as string
    return makeCase(
      `case_01jf${String(i).padStart(2, '0')}`,
      { passed, wrong: 5 - passed - errored - ungraded, errored, ungraded },
      {
        title: INPUTS[i % INPUTS.length] as string,
        stratum,
        stratumKey: stratum,
        weight: i % 5 === 0 ? 1 : 22.5,
        erroredButPassing: errored,
      },
    )
  })
}

const FIRST = [5, 5, 4, 3, 5, 0, 5, 4, 5, 2, 5, 5, 3, 5, 1, 5, 5, 4, 5, 5]
const SECOND = [5, 5, 5, 4, 5, 2, 5, 4, 5, 5, 5, 5, 2, 5, 3, 5, 5, 5, 5, 5]

export function sampleEvidence(given: Partial<ReportEvidence> = {}): ReportEvidence {
  const replay = (id: string, version: string, passes: readonly number[]) => ({
    input: {
      replay: id,
      target: 'support-agent',
      version,
      suiteName: 'support',
      k: 3,
      level: 0.95,
      graders: ['no-refund-without-order', 'answers-in-schema'],
      cases: casesOf(passes),
    },
    graders: [{ name: 'no-refund-without-order' }],
  })
  return {
    id: 'rep_01jfk8m2q9x4',
    title: 'weekly',
    schedule: 'weekly',
    window: { from: '2026-11-23T08:00:00.000Z', to: '2026-11-30T08:00:00.000Z', timezone: 'Europe/Berlin' },
    late: false,
    createdAt: '2026-11-30T08:00:41.000Z',
    seed: '5f2c9a01b7e3d846',
    level: 0.95,
    replays: [replay('rpl_01jfk8a', '1.4.0', FIRST), replay('rpl_01jfk8b', '1.5.0', SECOND)],
    kept: [
      { policy: 'p1', rule: 'errors', stratum: 'all', p: 1, traces: 212, errors: 212, withFeedback: 9, thumbsDown: 8 },
      { policy: 'p1', rule: 'rest', stratum: 'all', p: 0.05, traces: 391, errors: 3, withFeedback: 24, thumbsDown: 5 },
    ],
    census: [
      { ...row('errors', 'always', 212, 212), incomplete: 2 },
      { ...row('rest', 'probabilistic', 7903, 391), incomplete: 11 },
      row('health', 'drop', 20160, 0),
    ],
    modes: [
      {
        mode: 'mode_1',
        name: 'Refund promised without an order',
        state: 'accepted',
        category: 'policy violation',
        count: 14,
        perReplay: [4, 9],
        production: 1,
        cases: 5,
        example: 'refund_order was called before get_order returned anything',
      },
      {
        mode: 'mode_2',
        name: 'get_order: timeout after # ms',
        state: 'proposed',
        category: 'environment failure',
        count: 6,
        perReplay: [3, 3],
        production: 0,
        cases: 3,
        example: 'get_order: timeout after 5000 ms',
      },
    ],
    dismissedFailures: 1,
    finalAfterMs: 1_800_000,
    missed: [],
    remarks: ['12 kept traces of the suite lack what a replay needs: user input not captured (12).'],
    previous: null,
    ...given,
  }
}

function row(rule: string, sampler: string, received: number, kept: number) {
  return {
    policy: 'p1',
    rule,
    sampler,
    stratum: 'all',
    received,
    kept,
    dropped: received - kept,
    shed: 0,
    incomplete: 0,
  }
}

/** With the report of the week before as what it is compared to. */
export function sampleReport(given: Partial<ReportEvidence> = {}): Report {
  const before = sampleEvidence({
    id: 'rep_01jf1aaaaaaa',
    window: { from: '2026-11-16T08:00:00.000Z', to: '2026-11-23T08:00:00.000Z', timezone: 'Europe/Berlin' },
    modes: [],
  })
  return assembleReport(sampleEvidence({ previous: assembleReport(before), ...given }))
}
