/**
 * The main results of a report in sentences: what a reader takes away who reads nothing else. Each number stands with its
 * interval and its n; where nothing is known, that is the headline.
 */
import { ESTIMANDS } from '../statistics/figure.ts'
import { direction } from './comparison.ts'
import { isInterpretable } from './reliability.ts'
import type { PeriodChange, Reliability, Report, SuiteFigure } from './report.ts'
import { allTrials, difference, listed, metricName, percent, plural, range, share } from './wording.ts'

/** One sentence a replay, then the comparison, then what changed since the last report. */
export function headline(report: Report): readonly string[] {
  if (report.replays.length === 0) return ['Nothing was replayed, so there is no reliability to report.']
  return [
    ...report.replays.map(replaySentence),
    ...(report.comparison === null ? [] : [`${capital(report.comparison.verdict)}.`]),
    ...(report.since === null ? [] : [changeSentence(report.since)]),
  ]
}

function replaySentence(one: Reliability): string {
  const { suite, target, version, cases } = one
  const who = `${target} ${version}`
  if (!isInterpretable(one)) return `${who}: ${one.notes[0]}`
  const spread =
    `Of ${plural(cases.length, 'case')}, ${who} passed ${suite.casesAllPassed} in every trial, ` +
    `${suite.casesMixed} in some and ${suite.casesAtZero} in none`
  return `${spread}: ${primaryInWords(one)}.`
}

function primaryInWords(one: Reliability): string {
  const { name, figure } = primary(one)
  const what = one.k === 1 ? 'a trial passes' : `${allTrials(one.k)} of a case pass`
  if (figure === undefined || figure.estimate === null)
    return `${name} has no figure (${figure?.reason ?? 'no trials'})`
  return `${what} with a chance of ${share(figure.estimate)} (${limitsInWords(figure)})`
}

function limitsInWords(figure: SuiteFigure): string {
  const interval = range(figure)
  const named = `${percent(figure.level)} interval`
  if (interval !== null) return `${named} ${interval}, for ${standsFor(figure)}`
  const again = figure.again === undefined ? '' : `; for ${ESTIMANDS.rerun}, ${named} ${range(figure.again)}`
  return `no interval: ${figure.reason}${again}`
}

function standsFor({ estimand }: SuiteFigure): string {
  return estimand.endsWith(ESTIMANDS.drawn) ? ESTIMANDS.drawn : ESTIMANDS.population
}

/**
 * The figure that a report leads with: pass^k, weighted to the traffic where the weights are known. Counted once each, cases
 * that were drawn out of proportion (errors, mostly) would speak louder than they do in traffic.
 */
export function primary({ suite, traffic, k }: Reliability): {
  readonly name: string
  readonly figure: SuiteFigure | undefined
} {
  const key = String(k)
  const weighted = traffic?.[key]
  const figure = weighted === undefined || weighted.low === null ? suite.passHatK[key] : weighted
  return { name: metricName('passHatK', k), figure }
}

/** What differs from the last report, or that nothing significant does. */
export function changeSentence(since: PeriodChange): string {
  const shown = since.differences.filter(({ figure }) => direction(figure) !== 'no difference shown')
  const modes =
    since.newModes.length === 0
      ? ''
      : `; new failure modes: ${listed(
          since.newModes.map((name) => `“${name}”`),
          3,
        )}`
  if (shown.length === 0) return `Nothing significant changed since the last report${modes}.`
  const changes = shown.map(({ target, metric, figure }) => {
    return `${target} is ${direction(figure)} on ${metric} (${difference(figure.estimate)}, ${range(figure, difference)}, n = ${figure.n})`
  })
  return `Since the last report, for ${ESTIMANDS.population}, ${changes.join('; ')}${modes}.`
}

/** The same in a line for a subject: `support-agent 2.0.0 pass^3 0.617 (0.480 to 0.741, 50 cases, traffic like this)`. */
export function mainResult(report: Report): string {
  const last = report.replays.at(-1)
  if (last === undefined) return 'nothing was replayed'
  const who = `${last.target} ${last.version}`
  if (!isInterpretable(last)) return `${who} not interpretable`
  const { name, figure } = primary(last)
  if (figure === undefined || figure.estimate === null) return `${who} ${name} without a figure`
  const said = [range(figure) ?? 'no interval', plural(figure.n, 'case'), standsFor(figure)]
  return `${who} ${name} ${share(figure.estimate)} (${said.join(', ')})`
}

/** `2.0.0 worse than 1.0.0`, `worse since the last report`, `nothing significant changed`; empty for a first report. */
export function mainChange({ comparison, since }: Report): string {
  const figures = comparison === null ? [] : Object.values(comparison.differences)
  const against = figures.at(-1)
  const compared = against === undefined ? 'no difference shown' : direction(against)
  const changed = (since?.differences ?? []).map(({ figure }) => direction(figure))
  const parts = [
    ...(comparison === null || compared === 'no difference shown'
      ? []
      : [
          `${compared} than ${comparison.a.target === comparison.b.target ? '' : `${comparison.a.target} `}${comparison.a.version}`,
        ]),
    ...(['worse', 'better'] as const)
      .filter((way) => changed.includes(way))
      .map((way) => `${way} since the last report`),
    ...(since !== null && since.newModes.length > 0 ? [plural(since.newModes.length, 'new failure mode')] : []),
  ]
  if (parts.length > 0) return parts.join(', ')
  return comparison === null && since === null ? '' : 'nothing significant changed'
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
