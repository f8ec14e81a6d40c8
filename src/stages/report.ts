/**
 * Report: when a schedule falls due, replay cases of its window and freeze the figures.
 *
 * `tick` notices slots that have fallen due and writes each down once; it is called at start and at every firing, and is
 * harmless to call at any other time. The step takes a window one state further: due (draw cases, plan one replay for each
 * target) → replaying (wait until all trials are graded and classified) → reported (compute, freeze, and hand the digest to
 * the channels' deliveries, in one transaction). Draw and replays have ids that follow from the window, so that a step that
 * was killed half way finds what it had made. What cannot be replayed is said in the report, which is made all the same.
 */

import { ConfigError, InputError } from '../core/errors.ts'
import type { Clock, Log, Random, Step } from '../core/ports.ts'
import { assembleReport, freeze } from '../core/reporting/assemble.ts'
import { compareVersions } from '../core/reporting/comparison.ts'
import { reliability } from '../core/reporting/reliability.ts'
import type { Reliability, Report, VersionComparison } from '../core/reporting/report.ts'
import { dueSlots, lastSlot } from '../core/schedule/due-slots.ts'
import { windowId } from '../core/schedule/window-id.ts'
import { findReplay } from '../store/replays.ts'
import { gatherEvidence, replayEvidence, replaysSettled } from '../store/report-evidence.ts'
import { insertReport, reportWindow } from '../store/reports.ts'
import type { Db } from '../store/schema.ts'
import {
  FIRST_SEEN,
  failWindow,
  insertDueWindow,
  insertSkippedWindows,
  lastSlotSeen,
  MISSED,
  putWindowBack,
  startWindow,
  takeWindow,
  type Window,
} from '../store/windows.ts'

/** As in the configuration. `targets` are `name` or `name@version`. */
export type ScheduleSettings = {
  readonly name: string
  readonly cron: string
  readonly timezone: string
  readonly suite: string
  readonly targets: readonly string[]
  readonly trials: number
  readonly k: number
  readonly level: number
  readonly channels: readonly string[]
}

export type WindowDraw = {
  readonly suite: string
  readonly window: { readonly from: Date; readonly to: Date }
  readonly drawId: string
}

export type WindowReplay = {
  readonly id: string
  readonly name: string
  readonly suite: string
  readonly drawId: string
  readonly target: string
  readonly trials: number
  readonly k: number
}

export type ReportNeeds = {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly schedules: readonly ScheduleSettings[]
  /** Asked again for the same `drawId` it gives what it drew. Throws InputError when there is nothing to draw. */
  readonly drawCases: (wish: WindowDraw) => Promise<{
    readonly notReplayable: {
      readonly traces: number
      readonly reasons: readonly { readonly reason: string; readonly traces: number }[]
    }
  }>
  /** Throws InputError `replay_exists` when asked again, others when it cannot be planned. */
  readonly planReplay: (wish: WindowReplay) => Promise<unknown>
  /** How long after its end an hour of traffic can still grow: the trace timeout. */
  readonly finalAfterMs: number
}

/** Later than this a slot was not taken up when it fell due. */
const LATE_MS = 15_000
/** A worker that dies leaves its window alone for so long. */
const LEASE_MS = 30_000
/** How often a window that waits for its trials is looked at. */
const POLL_MS = 1000
const RETRY_MS = 30_000
const REASONS_MAX = 5

export type ReportStage = { tick(): Promise<void>; readonly step: Step }

export function makeReport(needs: ReportNeeds): ReportStage {
  const { db, clock, log, schedules } = needs
  const byName = new Map(schedules.map((schedule) => [schedule.name, schedule]))

  async function step(): ReturnType<Step> {
    const window = await takeWindow(db, clock.now(), LEASE_MS)
    if (window === undefined) return 'idle'
    const schedule = byName.get(window.schedule)
    if (schedule === undefined) {
      await failWindow(db, window, `schedule ${window.schedule} is no longer in the configuration`, clock.now())
      return 'worked'
    }
    try {
      return await (window.state === 'due' ? start(needs, window, schedule) : finish(needs, window, schedule))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      log('error', 'a window could not be reported yet', {
        schedule: window.schedule,
        window: window.to,
        error: message,
      })
      await putWindowBack(db, window, later(clock.now(), RETRY_MS), message)
      throw error
    }
  }

  return {
    async tick() {
      for (const schedule of schedules) await noteSlots(needs, schedule)
    },
    step,
  }
}

/** Writes down the newest slot that fell due as due, and older ones as missed. A schedule that is new starts now. */
async function noteSlots({ db, clock, log }: ReportNeeds, schedule: ScheduleSettings): Promise<void> {
  const { name, cron, timezone } = schedule
  const now = clock.now()
  const since = await lastSlotSeen(db, name)
  if (since === null) {
    await insertSkippedWindows(db, name, [lastSlot({ cron, timezone, now })], { why: FIRST_SEEN, now })
    return
  }
  const { slots } = dueSlots({ cron, timezone, now, since })
  const latest = slots.at(-1)
  if (latest === undefined) return
  await insertSkippedWindows(db, name, slots.slice(0, -1), { why: MISSED, now })
  const late = now.getTime() - latest.to.getTime() > LATE_MS
  if (await insertDueWindow(db, name, latest, { late, now }))
    log('info', 'a schedule fell due', { schedule: name, window: latest.to, late, missed: slots.length - 1 })
}

/** due → replaying. */
async function start(needs: ReportNeeds, window: Window, schedule: ScheduleSettings): ReturnType<Step> {
  const { db, clock } = needs
  const drawId = windowId('draw', window)
  const drawn = await drawWindow(needs, schedule.suite, window, drawId)
  const replayIds: string[] = []
  const remarks = [...drawn.remarks]
  for (const target of drawn.empty ? [] : schedule.targets) {
    const id = windowId('replay', window, target)
    const problem = await planOnce(needs, { ...replayWish(window, schedule, target), id, drawId })
    if (problem === null) replayIds.push(id)
    else remarks.push(`${target} was not replayed: ${problem}.`)
  }
  const now = clock.now()
  await startWindow(db, window, { drawId: drawn.empty ? null : drawId, replayIds, remarks, now })
  return 'worked'
}

type Drawn = { readonly empty: boolean; readonly remarks: readonly string[] }

async function drawWindow(
  { drawCases }: ReportNeeds,
  suite: string,
  { from, to }: Window,
  drawId: string,
): Promise<Drawn> {
  try {
    const { notReplayable } = await drawCases({ suite, window: { from, to }, drawId })
    const { traces, reasons } = notReplayable
    if (traces === 0) return { empty: false, remarks: [] }
    const why = reasons.slice(0, REASONS_MAX).map(({ reason, traces: count }) => `${reason} (${count})`)
    return { empty: false, remarks: [`${traces} kept traces lack what a replay needs: ${why.join(', ')}.`] }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { empty: true, remarks: [`Nothing was replayed: ${error.message}.`] }
  }
}

/** Null when the replay is planned, by this call or before; else why it cannot be. */
async function planOnce({ db, planReplay }: ReportNeeds, wish: WindowReplay): Promise<string | null> {
  try {
    if (!(await isPlanned(db, wish.id))) await planReplay(wish)
    return null
  } catch (error) {
    if (!(error instanceof InputError || error instanceof ConfigError)) throw error
    return (await isPlanned(db, wish.id)) ? null : error.message
  }
}

async function isPlanned(db: Db, id: string): Promise<boolean> {
  return (await findReplay(db, id))?.id === id
}

function replayWish(
  { schedule, to }: Window,
  { suite, trials, k }: ScheduleSettings,
  target: string,
): Omit<WindowReplay, 'id' | 'drawId'> {
  // A window that was run by hand ends at any instant: two of one minute must not share a name.
  const end = to.toISOString().replace(/(:00)?\.000Z$/, 'Z')
  return { name: `${schedule} ${end} ${target}`, suite, target, trials, k }
}

/** replaying → reported, once nothing is left to run, to grade or to classify. */
async function finish(needs: ReportNeeds, window: Window, schedule: ScheduleSettings): ReturnType<Step> {
  const { db, clock, random, log, finalAfterMs } = needs
  if (!(await replaysSettled(db, window.replayIds))) {
    await putWindowBack(db, window, later(clock.now(), POLL_MS), null)
    return 'idle'
  }
  const now = clock.now()
  const evidence = await gatherEvidence(db, {
    id: random.id('rep'),
    title: `${schedule.suite} reliability, ${schedule.name}`,
    seed: random.seed(),
    createdAt: now,
    level: schedule.level,
    replayIds: window.replayIds,
    k: schedule.k,
    finalAfterMs,
    window: { ...window, timezone: schedule.timezone },
  })
  const deliveries = schedule.channels.map((channel) => ({ id: random.id('dlv'), channel }))
  const report = assembleReport(evidence)
  if (await reportWindow(db, window, report, { deliveries, now }))
    log('info', 'a report was made', { report: report.id, schedule: schedule.name, window: window.to })
  return 'worked'
}

export type HandNeeds = { readonly db: Db; readonly clock: Clock; readonly random: Random }

/**
 * A report over replays, by id or name, without a window: frozen, and delivered to nobody. Throws InputError where a replay
 * is unknown or unfinished.
 */
export async function reportByHand(
  { db, clock, random }: HandNeeds,
  wish: { readonly replays: readonly string[]; readonly title: string | null; readonly level: number },
): Promise<Report> {
  if (wish.replays.length === 0)
    throw new InputError('no_replays', 'no replay was named, expected one or more', 'replays')
  const evidence = await gatherEvidence(db, {
    id: random.id('rep'),
    title: wish.title ?? `Reliability of ${wish.replays.join(', ')}`,
    seed: random.seed(),
    createdAt: clock.now(),
    level: wish.level,
    replayIds: wish.replays,
    k: null,
    finalAfterMs: 0,
    window: null,
  })
  const report = assembleReport(evidence)
  await db.transaction().execute((tx) => insertReport(tx, freeze(report)))
  return report
}

/** The figures of one replay, by id or name; nothing is stored. `k` of null is the replay's own. */
export async function reliabilityOf(
  db: Db,
  wish: { readonly replay: string; readonly k: number | null; readonly level: number },
): Promise<Reliability> {
  return reliability((await replayEvidence(db, wish.replay, wish)).input)
}

/** b minus a, by id or name; nothing is stored. The seed follows from the two replays: asked again, the same p. */
export async function compareReplays(
  db: Db,
  wish: { readonly a: string; readonly b: string; readonly k: number | null; readonly level: number },
): Promise<VersionComparison> {
  const a = await replayEvidence(db, wish.a, wish)
  const b = await replayEvidence(db, wish.b, wish)
  return compareVersions({
    a: reliability(a.input),
    b: reliability(b.input),
    level: wish.level,
    seed: `${a.input.replay} ${b.input.replay}`,
    graders: { a: a.graders, b: b.graders },
  })
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms)
}
