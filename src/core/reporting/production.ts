/**
 * Rates over production traffic in a window, from the traces that were kept of it and the census of all that came.
 *
 * A stratum is what one policy's rule kept at one rate; its size is what the census counted, over all hours of the window
 * together, since its rate did not change in between. Where a rule's traces were kept at several rates (a sampler upstream
 * had its own) the sizes are estimated from 1/p instead. Traces whose p is unknown speak for nobody but themselves: they are
 * in no rate, and counted. Rules that drop are declared out of scope by the team and named.
 * Invariant: kept + dropped + shed = received in every row of the census, and no more traces are stored than were kept.
 */
import { invariant } from '../errors.ts'
import { ESTIMANDS, type Figure } from '../statistics/figure.ts'
import { type TrafficStratum, trafficRate } from '../statistics/traffic.ts'
import type { CensusRow, Report, SuiteFigure } from './report.ts'
import { count, plural } from './wording.ts'

/** Kept traces of the window, counted by how they were sampled. */
export type KeptTraces = {
  readonly policy: string
  readonly rule: string
  readonly stratum: string
  readonly p: number | null
  readonly traces: number
  readonly errors: number
  /** Traces of which people said anything, and of which somebody turned the thumb down. */
  readonly withFeedback: number
  readonly thumbsDown: number
}

export type StratumCensus = CensusRow & { readonly policy: string; readonly stratum: string }

const DROP = 'drop'

type Group = { readonly key: string; readonly received: number; readonly kept: readonly KeptTraces[] }

/** Error rate and thumbs-down rate, in that order. */
export function productionRates({
  kept,
  census,
  level,
}: {
  kept: readonly KeptTraces[]
  census: readonly StratumCensus[]
  level: number
}): Report['production'] {
  for (const row of census) requireWholeRow(row)
  const groups = groupsOf(kept, census)
  const errors = trafficRate({ strata: groups.flatMap((group) => errorStrata(group)), level })
  const feedback = groups.flatMap((group) => feedbackStrata(group))
  const thumbs = trafficRate({ strata: feedback, level })
  const traces = groups.reduce((sum, group) => sum + total(group.kept, (one) => one.traces), 0)
  const said = feedback.reduce((sum, stratum) => sum + stratum.sampled, 0)
  return [
    {
      name: 'error rate',
      figure: figureOf(errors, level, `share of ${ESTIMANDS.window} that ended in an error`),
    },
    {
      name: 'thumbs-down rate',
      figure: {
        ...figureOf(thumbs, level, `share that got a thumb down, of ${ESTIMANDS.window} with feedback`),
        reason:
          said === 0
            ? 'no kept trace has feedback'
            : `feedback covers ${said} of ${plural(traces, 'kept trace')}; who gives it need not be like who does not`,
      },
    },
  ]
}

/** What the rates leave out, one sentence each. */
export function leftOut(kept: readonly KeptTraces[], census: readonly StratumCensus[]): readonly string[] {
  const dropped = census.filter((row) => row.sampler === DROP && row.received > 0)
  const byRule = [...Map.groupBy(dropped, (row) => row.rule)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const unknown = total(
    kept.filter((one) => one.p === null),
    (one) => one.traces,
  )
  const shed = total(census, (row) => row.shed)
  return [
    ...byRule.map(
      ([rule, rows]) =>
        `Rule ${rule} drops what it matches: ${plural(
          total(rows, (row) => row.received),
          'trace',
        )} in no rate.`,
    ),
    ...(unknown > 0
      ? [
          `${plural(unknown, 'kept trace')} with an unknown sampling probability ${unknown === 1 ? 'is' : 'are'} in no rate.`,
        ]
      : []),
    ...(shed > 0
      ? [
          `${plural(shed, 'trace')} ${shed === 1 ? 'was' : 'were'} shed under load: counted, and spoken for by what was kept.`,
        ]
      : []),
  ]
}

/** The census by rule, the busiest first. */
export function coverage(census: readonly StratumCensus[]): Report['coverage'] {
  const sums = (rows: readonly StratumCensus[]) => ({
    received: total(rows, (row) => row.received),
    kept: total(rows, (row) => row.kept),
    dropped: total(rows, (row) => row.dropped),
    shed: total(rows, (row) => row.shed),
  })
  const byRule = Map.groupBy(census, (row) => JSON.stringify([row.rule, row.sampler]))
  const rows = [...byRule.values()].map((group) => ({
    rule: group[0]?.rule ?? '',
    sampler: group[0]?.sampler ?? '',
    ...sums(group),
    incomplete: total(group, (row) => row.incomplete),
  }))
  return {
    rows: rows.toSorted((a, b) => b.received - a.received || (a.rule < b.rule ? -1 : 1)),
    ...sums(census),
  }
}

function groupsOf(kept: readonly KeptTraces[], census: readonly StratumCensus[]): readonly Group[] {
  const keyOf = (one: { policy: string; rule: string; stratum: string }) =>
    JSON.stringify([one.policy, one.rule, one.stratum])
  const inScope = Map.groupBy(
    census.filter((row) => row.sampler !== DROP),
    keyOf,
  )
  const keptBy = Map.groupBy(kept, keyOf)
  return [...new Set([...inScope.keys(), ...keptBy.keys()])].toSorted().map((key) => {
    const rows = inScope.get(key) ?? []
    const traces = keptBy.get(key) ?? []
    const stored = total(traces, (one) => one.traces)
    const counted = total(rows, (row) => row.kept)
    invariant(
      stored <= counted,
      `${stored} traces are stored for ${key}, of which the census counted ${counted} as kept`,
    )
    return { key, received: total(rows, (row) => row.received), kept: traces }
  })
}

function errorStrata({ received, kept }: Group): readonly TrafficStratum[] {
  const known = kept.flatMap(({ p, traces, errors }) => (p === null ? [] : [{ p, sampled: traces, successes: errors }]))
  const oneRate = known.length === kept.length && known.length <= 1
  if (!oneRate) return known.map((one) => ({ ...one, received: null }))
  return [{ received, p: known[0]?.p ?? null, sampled: known[0]?.sampled ?? 0, successes: known[0]?.successes ?? 0 }]
}

/** How much of the traffic has feedback nobody counted: the weights are 1/p. */
function feedbackStrata({ kept }: Group): readonly TrafficStratum[] {
  return kept.flatMap(({ p, withFeedback, thumbsDown }) =>
    p === null || withFeedback === 0 ? [] : [{ received: null, p, sampled: withFeedback, successes: thumbsDown }],
  )
}

function figureOf(figure: Figure, level: number, estimand: string): SuiteFigure {
  return {
    estimate: figure.estimate,
    low: figure.interval?.low ?? null,
    high: figure.interval?.high ?? null,
    level,
    method: figure.interval?.method ?? 'none',
    estimand,
    n: figure.n,
    ...(figure.reason === undefined ? {} : { reason: figure.reason }),
  }
}

function requireWholeRow({ rule, stratum, received, kept, dropped, shed }: StratumCensus): void {
  invariant(
    kept + dropped + shed === received,
    `census of rule ${rule}, stratum ${stratum}: kept ${count(kept)} + dropped ${count(dropped)} + shed ${count(shed)} is not received ${count(received)}`,
  )
}

function total<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0)
}
