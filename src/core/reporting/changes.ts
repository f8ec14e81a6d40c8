/**
 * What changed since the schedule's last report: the same figures of the same target then and now. The cases are others, so
 * the difference is unpaired and its interval wide; a change that it does not show may still be there.
 */
import { periodDifference } from '../statistics/compare.ts'
import { ESTIMANDS, type Piece } from '../statistics/figure.ts'
import type { PassMetric } from '../statistics/pass-at-k.ts'
import { kValues } from './case-row.ts'
import { isInterpretable, standsIn } from './reliability.ts'
import type { ModeRow, PeriodChange, Reliability, Report, SuiteFigure } from './report.ts'
import { metricName } from './wording.ts'

/** Null when there is no report before, or it has no window. */
export function changesSince(
  before: Report | null,
  now: { readonly replays: readonly Reliability[]; readonly failureModes: readonly ModeRow[] },
): PeriodChange | null {
  if (before === null || before.window === null) return null
  const known = new Set(before.failureModes.map((mode) => mode.mode))
  return {
    report: before.id,
    window: { from: before.window.from, to: before.window.to },
    differences: now.replays.flatMap((after, i) => {
      const same = counterpart(after, before.replays, i)
      return same === undefined ? [] : differencesOf(same, after)
    }),
    newModes: now.failureModes.filter((mode) => !known.has(mode.mode)).map((mode) => mode.name),
  }
}

/** The same target at the same version, else at the same place in the schedule: that one was moved to a new version. */
function counterpart(after: Reliability, before: readonly Reliability[], place: number): Reliability | undefined {
  const exact = before.find((one) => one.target === after.target && one.version === after.version)
  if (exact !== undefined) return exact
  return before[place]?.target === after.target ? before[place] : undefined
}

function differencesOf(before: Reliability, after: Reliability): PeriodChange['differences'] {
  const comparable =
    before.k === after.k && before.level === after.level && isInterpretable(before) && isInterpretable(after)
  if (!comparable) return []
  return kValues(after.k).flatMap((k) => {
    const metric: PassMetric = k === 1 ? 'passAtK' : 'passHatK'
    // Weighted where both are: two draws of another make-up would differ with the traffic unchanged.
    const weighted = [before, after].map((one) => piece(one.traffic?.[String(k)]))
    const counted = [before, after].map((one) => piece(one.suite[metric][String(k)]))
    const isWeighted = weighted.every((one) => one !== null)
    const stands = isWeighted ? ESTIMANDS.population : standsIn(after)
    const [then, now] = isWeighted ? weighted : counted
    if (then === undefined || then === null || now === undefined || now === null) return []
    const { difference, interval } = periodDifference({ before: then, after: now, level: after.level })
    return [
      {
        target: after.target,
        fromVersion: before.version,
        toVersion: after.version,
        metric: metricName(metric, k),
        figure: {
          estimate: difference,
          ...interval,
          estimand: `${metricName(metric, k)} of this window minus the window before, on other cases; for ${stands}`,
          n: after.suite[metric][String(k)]?.n ?? 0,
        },
      },
    ]
  })
}

function piece(figure: SuiteFigure | undefined): Piece | null {
  if (figure === undefined || figure.estimate === null || figure.low === null || figure.high === null) return null
  return { estimate: figure.estimate, low: figure.low, high: figure.high }
}
