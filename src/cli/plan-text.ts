/**
 * A plan as lines of text for the terminal: the design and what is assumed, what it is expected to show, then an answer for
 * each question.
 */
import type { Answers, ExpectedFigure, Plan } from '../core/reporting/plan.ts'
import type { PlannedGate } from '../core/reporting/plan-gate.ts'
import { textTable } from '../core/reporting/render-text.ts'
import { count, percent, plural, range, share } from '../core/reporting/wording.ts'
import { ESTIMANDS } from '../core/statistics/figure.ts'
import { SUITE_CASES_MEASURED_MIN } from '../core/statistics/suite.ts'

export function planText(plan: Plan): string {
  const { design, level, assumed, trialsToSeeOneCaseFall } = plan
  const lines = [
    `Plan: ${plural(design.cases, 'case')} × ${plural(design.trials, 'trial')} = ${plural(design.total, 'trial')}, k = ${design.k}, intervals at ${percent(level)}`,
    `Assumed: a trial passes with a chance of ${share(assumed.rate)}; ${percent(assumed.icc)} of the spread of single trials lies between cases`,
    `  from ${assumed.from}`,
    `  ${pairsInWords(plan)}`,
    '',
    expectedTable(plan.expected),
    '',
    `A case that falls from all passed to none can be told among ${plural(design.cases, 'case')} from ${plural(trialsToSeeOneCaseFall, 'trial')} a version.`,
    ...(design.cases < SUITE_CASES_MEASURED_MIN
      ? [`Under ${SUITE_CASES_MEASURED_MIN} cases there is no interval for ${ESTIMANDS.population}.`]
      : []),
    ...widthLines(plan),
    ...differenceLines(plan),
    ...marginLines(plan),
    ...plan.gates.flatMap((gate) => gateLines(gate, plan)),
    ...zeroFailureLines(plan),
  ]
  return `${lines.join('\n')}\n`
}

function pairsInWords({ assumed }: Plan): string {
  return assumed.sd === null
    ? `versions are tried on the same cases, whose true pass^k correlate at ${assumed.correlation}`
    : `the case differences of pass^k of two versions have a standard deviation of ${share(assumed.sd)}`
}

function expectedTable(figures: readonly ExpectedFigure[]): string {
  const header = ['figure', 'expected', ESTIMANDS.population, ESTIMANDS.rerun, 'smallest difference noticed']
  const rows = figures.map(({ metric, expected, population, again, differenceNoticed }) => [
    metric,
    share(expected),
    population === null ? '–' : (range(population) ?? '–'),
    range(again) ?? '–',
    differenceNoticed > 1 ? 'none' : share(differenceNoticed),
  ])
  return textTable([header, ...rows])
}

function widthLines({ width, level }: Plan): readonly string[] {
  if (width === null) return []
  return [
    ...heading(`An interval of ${width.metric}, for ${ESTIMANDS.population}, that is ${asked(width.width)} wide`),
    `Expected to reach no further than ${asked(width.width / 2)} to either side; it misses the truth ${percent(1 - level)} of the time.`,
    answersTable(width),
  ]
}

function differenceLines({ difference, level, power, design }: Plan): readonly string[] {
  if (difference === null) return []
  const { metric, powerOfDesign } = difference
  return [
    ...heading(`A difference of ${asked(difference.difference)} in ${metric} between two versions on the same cases`),
    `Noticed with a chance of ${percent(power)} (missed ${percent(1 - power)} of the time); versions that are alike are called different ${percent(1 - level)} of the time.`,
    `The ${plural(design.cases, 'case')} × ${plural(design.trials, 'trial')} of this design notice it with a chance of ${percent(powerOfDesign)}.`,
    answersTable(difference),
  ]
}

function marginLines({ margin, level, power, design }: Plan): readonly string[] {
  if (margin === null) return []
  return [
    ...heading(`Not worse by more than ${asked(margin.margin)} in ${margin.metric}, on the same cases`),
    `Shown of a version that is alike with a chance of ${percent(power)} (else inconclusive); of one that is worse by just that much ${percent((1 - level) / 2)} of the time.`,
    `The ${plural(design.cases, 'case')} × ${plural(design.trials, 'trial')} of this design show it with a chance of ${percent(margin.powerOfDesign)}.`,
    answersTable(margin),
  ]
}

function answersTable({ suites }: Answers): string {
  const cell = (value: number | null) => (value === null ? 'no number is enough' : count(value))
  const rows = suites.map(({ trials, cases, total }) => [
    String(trials),
    cell(cases),
    total === null ? '' : count(total),
  ])
  return textTable([['trials a case', 'cases', 'trials in all'], ...rows])
}

function gateLines(gate: PlannedGate, { design }: Plan): readonly string[] {
  const { metric, required, passes, agents, good, broken, falseBlock, falsePass } = gate
  return [
    ...heading(`The gate "${metric} of every case at least ${required}"`),
    `It means ${passes} passes or more of ${plural(design.trials, 'trial')}, in each of ${plural(design.cases, 'case')}.`,
    textTable([
      ['true p of a trial', 'one case reaches it', 'let through', 'blocked'],
      ...agents.map(({ p, oneCase, allCases, blocked }) => [String(p), ...[oneCase, allCases, blocked].map(chance)]),
    ]),
    `An agent of p = ${good} is blocked with a chance of ${chance(falseBlock)}; one of which a single case fell to ${broken} is let through with ${chance(falsePass)}.`,
  ]
}

function zeroFailureLines({ zeroFailures, level }: Plan): readonly string[] {
  if (zeroFailures === null) return []
  const { failureRate, trials } = zeroFailures
  return [
    ...heading(`No failure, to prove that at most ${failureRate} of trials fail`),
    `${plural(trials, 'trial')} without a failure, at ${percent(level)} one-sided: that many trials of one case prove it of ${ESTIMANDS.case},`,
    `one trial each of that many independent cases of ${ESTIMANDS.population}. More trials of fewer cases do not.`,
  ]
}

/** What was asked for, as it was typed. */
function asked(value: number): string {
  return String(Number(value.toPrecision(6)))
}

/** As a share, without making a chance that is small into none. */
function chance(value: number): string {
  if (value > 0 && value < 0.0005) return '< 0.001'
  return value < 1 && value > 0.9995 ? '> 0.999' : share(value)
}

function heading(text: string): readonly string[] {
  return ['', text, '-'.repeat(text.length)]
}
