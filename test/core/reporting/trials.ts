/** Cases with counts, for tests of what is computed from them. */
import type { CaseTrials } from '../../../src/core/reporting/case-row.ts'
import { type ReliabilityInput, reliability } from '../../../src/core/reporting/reliability.ts'
import type { Reliability } from '../../../src/core/reporting/report.ts'

type Counts = {
  readonly passed?: number
  readonly wrong?: number
  readonly errored?: number
  readonly ungraded?: number
}

export function makeCase(id: string, counts: Counts, given: Partial<CaseTrials> = {}): CaseTrials {
  const { passed = 0, wrong = 0, errored = 0, ungraded = 0 } = counts
  return {
    id,
    title: `What about ${id}?`,
    stratum: 'all',
    counts: { planned: passed + wrong + errored + ungraded, passed, wrong, errored, ungraded },
    erroredButPassing: 0,
    weight: null,
    stratumKey: 'all',
    family: null,
    ...given,
  }
}

/** One case for each number of passes out of `n`. */
export function casesPassing(passes: readonly number[], n: number, given: Partial<CaseTrials> = {}): CaseTrials[] {
  return passes.map((passed, i) =>
    makeCase(`case-${String(i + 1).padStart(3, '0')}`, { passed, wrong: n - passed }, given),
  )
}

export function makeReliability(
  cases: readonly CaseTrials[],
  given: Partial<Omit<ReliabilityInput, 'cases'>> = {},
): Reliability {
  return reliability({
    replay: 'rpl_1',
    target: 'support-agent',
    version: '1.0.0',
    suiteName: 'support',
    k: 3,
    level: 0.95,
    graders: ['policy'],
    cases,
    ...given,
  })
}
