/**
 * How the intervals of a report were made, in one sentence for each kind of figure. The names come from the figures
 * themselves; nothing is said of a kind that has no interval.
 */
import type { Reliability, Report, SuiteFigure, VersionComparison } from './report.ts'

export function reportMethods({ replays, comparison, since, production }: Report): readonly string[] {
  return [
    ...reliabilityMethods(replays),
    ...(comparison === null ? [] : comparisonMethods(comparison)),
    ...sentence(
      'Since the last report',
      (since?.differences ?? []).map(({ figure }) => figure.method),
    ),
    ...sentence(
      'Of production',
      production.map(({ figure }) => figure.method),
    ),
  ]
}

export function reliabilityMethods(replays: readonly Reliability[]): readonly string[] {
  const suite = replays.flatMap(({ suite: { passAtK, passHatK, beside } }) =>
    [passAtK, passHatK, ...Object.values(beside)].flatMap((figures) => Object.values<SuiteFigure>(figures ?? {})),
  )
  const weighted = replays.flatMap(({ traffic }) => Object.values(traffic ?? {}))
  return [
    'Of one case: Jeffreys, mapped to pass@k and pass^k.',
    ...sentence(
      'Of the suite, traffic like this',
      suite.map(({ method }) => method),
    ),
    ...sentence(
      'Of the suite, these cases again',
      suite.flatMap(({ again }) => again?.method ?? []),
    ),
    ...sentence(
      'Weighted to traffic',
      weighted.map(({ method }) => method),
    ),
  ]
}

export function comparisonMethods({ differences }: VersionComparison): readonly string[] {
  return sentence(
    'Of versions compared',
    Object.values(differences).map(({ method }) => method),
  )
}

function sentence(name: string, methods: readonly string[]): readonly string[] {
  const named = new Set(methods.filter((method) => !method.startsWith('none')))
  return named.size === 0 ? [] : [`${name}: ${[...named].join(' or ')}.`]
}
