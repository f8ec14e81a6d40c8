/**
 * Which slots of a schedule have fallen due: the occurrences of its cron expression after the last one that was seen.
 *
 * A slot is named by the instant at which it falls due; its window is [the slot before, this slot), so that windows of a
 * schedule touch and never overlap. Occurrences are only ever counted forwards: backwards, the library skips the hour that
 * spring takes away and repeats the one that autumn gives (measured on cron-parser 5.10), and windows would tear.
 * A local time that does not exist falls due when the clock has jumped; one that exists twice falls due once.
 */
import { CronExpressionParser } from 'cron-parser'

/** Missed slots that are told apart one by one; before them it is only said that there were more. */
export const SLOTS_MAX = 100
/** A backwards step may land in the hour that exists twice; so many more steps put the start safely before. */
const STEPS_BEFORE = 3
const LOST_STEP_MS = 30 * 60_000
const LOST_STEPS_MAX = 12

export type Slot = { readonly from: Date; readonly to: Date }

export type DueSlots = {
  /** Oldest first; at most SLOTS_MAX, the newest ones. */
  readonly slots: readonly Slot[]
  /** There were older ones still. */
  readonly more: boolean
}

type Schedule = { readonly cron: string; readonly timezone: string }

/** Slots in (since, now]. The expression must have passed `cronProblem`. */
export function dueSlots({ cron, timezone, now, since }: Schedule & { now: Date; since: Date }): DueSlots {
  const due = slotsUpTo({ cron, timezone, now, since }).filter((slot) => slot.to > since)
  return { slots: due.slice(-SLOTS_MAX), more: due.length > SLOTS_MAX }
}

/** The newest slot at or before `now`: where a schedule that is seen for the first time starts counting. */
export function lastSlot({ cron, timezone, now }: Schedule & { now: Date }): Slot {
  return slotsUpTo({ cron, timezone, now, since: now }).at(-1) as Slot
}

/** The first slot after `now`. */
export function nextSlot({ cron, timezone, now }: Schedule & { now: Date }): Date {
  return occurrence({ cron, timezone, from: now, way: 'next' })
}

/** The slots up to `now`, counted forwards from a few before `since`, or, if that is long ago, from SLOTS_MAX before now. */
function slotsUpTo({ cron, timezone, now, since }: Schedule & { now: Date; since: Date }): readonly Slot[] {
  const next = (from: Date) => occurrence({ cron, timezone, from, way: 'next' })
  const slots: Slot[] = []
  let from = next(startBefore({ cron, timezone, now, since }))
  for (let to = next(from); to <= now; to = next(from)) {
    slots.push({ from, to })
    from = to
  }
  return slots
}

function startBefore({ cron, timezone, now, since }: Schedule & { now: Date; since: Date }): Date {
  const previous = (from: Date) => occurrence({ cron, timezone, from, way: 'prev' })
  let start = previous(new Date(now.getTime() + 1))
  for (let steps = 1; start > since && steps <= SLOTS_MAX; steps += 1) start = previous(start)
  for (let steps = 0; steps < STEPS_BEFORE; steps += 1) start = previous(start)
  return start
}

/** Where a zone moves its clock by half an hour the library can lose its way and throw: step past the change and go on. */
function occurrence({ cron, timezone, from, way }: Schedule & { from: Date; way: 'next' | 'prev' }): Date {
  const step = way === 'next' ? LOST_STEP_MS : -LOST_STEP_MS
  for (let tries = 0; ; tries += 1) {
    const currentDate = new Date(from.getTime() + tries * step)
    try {
      return CronExpressionParser.parse(cron, { tz: timezone, currentDate })[way]().toDate()
    } catch (error) {
      if (tries >= LOST_STEPS_MAX) throw error
    }
  }
}
