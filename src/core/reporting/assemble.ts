/**
 * Builds a report from what was measured, and freezes it. Nothing is read here and nothing is random: the same evidence,
 * id, seed and time give the same bytes, and so the same hash.
 *
 * Invariants are checked on the way, not assumed: trials add up in each case row, traces in each census row.
 */

import { SLOTS_MAX } from '../schedule/due-slots.ts'
import { canonicalJson, sha256 } from './canonical-json.ts'
import { changesSince } from './changes.ts'
import { compareVersions } from './comparison.ts'
import { coverage, type KeptTraces, leftOut, productionRates, type StratumCensus } from './production.ts'
import { type ReliabilityInput, reliability } from './reliability.ts'
import type { ModeRow, Report } from './report.ts'
import { localTime, plural } from './wording.ts'

const HOUR_MS = 3_600_000

export type ReplayEvidence = {
  readonly input: ReliabilityInput
  /** The graders' definitions as they were in force. */
  readonly graders: readonly unknown[]
}

export type ReportEvidence = {
  readonly id: string
  readonly title: string
  readonly schedule: string | null
  readonly window: { readonly from: string; readonly to: string; readonly timezone: string } | null
  readonly late: boolean
  readonly createdAt: string
  readonly seed: string
  readonly level: number
  readonly replays: readonly ReplayEvidence[]
  readonly kept: readonly KeptTraces[]
  readonly census: readonly StratumCensus[]
  readonly modes: readonly ModeRow[]
  /** Failures whose mode people dismissed. */
  readonly dismissedFailures: number
  /** How long after its end an hour of traffic can still grow, in milliseconds. */
  readonly finalAfterMs: number
  /** Slots that fell due since the last report and were not taken up. */
  readonly missed: readonly { readonly from: string; readonly to: string }[]
  /** Said by earlier steps: why nothing could be replayed, what could not be drawn. */
  readonly remarks: readonly string[]
  readonly previous: Report | null
}

export function assembleReport(evidence: ReportEvidence): Report {
  const { id, title, schedule, window, late, createdAt, seed, level } = evidence
  const replays = evidence.replays.map((one) => reliability(one.input))
  const failureModes = evidence.modes.toSorted((a, b) => b.count - a.count || (a.mode < b.mode ? -1 : 1))
  return {
    schema: 'assay.report/1',
    id,
    title,
    schedule,
    window,
    late,
    createdAt,
    seed,
    level,
    replays,
    comparison: comparisonOf(evidence, replays),
    since: changesSince(evidence.previous, { replays, failureModes }),
    production:
      window === null ? [] : productionRates({ kept: evidence.kept, census: evidence.census, level: evidence.level }),
    failureModes,
    coverage: coverage(evidence.census),
    notMeasured: notMeasured(evidence),
  }
}

export type FrozenReport = { readonly report: Report; readonly body: string; readonly sha256: string }

/** The bytes that are stored, and their hash. */
export function freeze(report: Report): FrozenReport {
  const body = canonicalJson(report)
  return { report, body, sha256: sha256(body) }
}

/** The first replay is the one to compare with; the second is compared. */
function comparisonOf({ replays, level, seed }: ReportEvidence, [a, b]: Report['replays']): Report['comparison'] {
  if (a === undefined || b === undefined) return null
  const graders = { a: replays[0]?.graders ?? [], b: replays[1]?.graders ?? [] }
  return compareVersions({ a, b, level, seed, graders })
}

function notMeasured(evidence: ReportEvidence): readonly string[] {
  const { window, replays, kept, census, remarks, dismissedFailures } = evidence
  const beyond = replays.slice(2).map(({ input }) => `${input.target} ${input.version}`)
  return [
    ...remarks,
    ...missedSlots(evidence),
    ...(window === null
      ? ['Production traffic: this report was asked for by hand and speaks of its replays only.']
      : [...emptyWindow(census), ...openHours(evidence), ...unalignedHours(window), ...leftOut(kept, census)]),
    ...(beyond.length > 0 ? [`Only the first two replays are compared; not ${beyond.join(', ')}.`] : []),
    ...(dismissedFailures > 0
      ? [
          `${plural(dismissedFailures, 'failure')} of dismissed failure modes ${dismissedFailures === 1 ? 'is' : 'are'} not listed.`,
        ]
      : []),
  ]
}

function missedSlots({ missed, window }: ReportEvidence): readonly string[] {
  const [first] = missed
  const last = missed.at(-1)
  if (first === undefined || last === undefined) return []
  const zone = window?.timezone ?? 'UTC'
  return [
    `${missed.length >= SLOTS_MAX - 1 ? 'At least ' : ''}${plural(missed.length, 'earlier window')}, from ${localTime(first.from, zone)} to ${localTime(last.to, zone)}, fell due ` +
      'while the service was down; only the latest was caught up.',
  ]
}

function emptyWindow(census: readonly StratumCensus[]): readonly string[] {
  return census.some((row) => row.received > 0) ? [] : ['No trace arrived in the window.']
}

/** Hours that can still grow when the report is made: those that ended less than `finalAfterMs` ago. */
function openHours({ window, createdAt, finalAfterMs }: ReportEvidence): readonly string[] {
  if (window === null) return []
  const firstOpen = floorHour(Date.parse(createdAt) - finalAfterMs)
  const from = Math.max(firstOpen, ceilHour(Date.parse(window.from)))
  const hours = Math.ceil((Date.parse(window.to) - from) / HOUR_MS)
  if (hours <= 0) return []
  return [
    `Traffic since ${localTime(new Date(from).toISOString(), window.timezone)} (${plural(hours, 'hour')}) was not final: ` +
      'traces that were still open are not counted.',
  ]
}

function unalignedHours({ from, to }: { readonly from: string; readonly to: string }): readonly string[] {
  const whole = [from, to].every((time) => Date.parse(time) % HOUR_MS === 0)
  return whole
    ? []
    : ['Traffic is counted by whole hours: the rates and the census hold the hours that start in the window.']
}

function floorHour(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS
}

function ceilHour(ms: number): number {
  return Math.ceil(ms / HOUR_MS) * HOUR_MS
}
