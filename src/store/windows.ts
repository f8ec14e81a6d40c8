/**
 * Windows of schedules in the database. There is one row per schedule and slot: whoever inserts it acts on it, and nobody
 * else, on any machine.
 *
 * due → replaying → reported; due or replaying → failed, with the error in words. Skipped from the start are slots that are
 * never acted on. Every move compares the state and counts. `next_at` is when a window is looked at next: a worker that
 * takes it moves it ahead, so that another takes it over only when the first has died.
 */
import { sql } from 'kysely'
import type { Slot } from '../core/schedule/due-slots.ts'
import { type Db, json, type Row, type Tx } from './schema.ts'

export type WindowKey = { readonly schedule: string; readonly to: Date }

/** Why a slot is skipped. */
export const FIRST_SEEN = 'the schedule was seen for the first time after this slot'
export const MISSED = 'the service was down when this slot fell due, and a later one was caught up'

export type Window = {
  readonly schedule: string
  readonly from: Date
  readonly to: Date
  readonly late: boolean
  readonly state: 'due' | 'replaying'
  readonly drawId: string | null
  readonly replayIds: readonly string[]
  readonly remarks: readonly string[]
}

/** End of the newest slot that the schedule has a row for; null when it was never seen. */
export async function lastSlotSeen(db: Db, schedule: string): Promise<Date | null> {
  const row = await db
    .selectFrom('windows')
    .select((eb) => eb.fn.max('window_to').as('to'))
    .where('schedule', '=', schedule)
    .executeTakeFirst()
  return row?.to ?? null
}

/** A window to act on. False when there is a row for the slot already: somebody else acts, or acted. */
export async function insertDueWindow(
  db: Db,
  schedule: string,
  slot: Slot,
  { late, now }: { late: boolean; now: Date },
): Promise<boolean> {
  return (await insert(db, schedule, [slot], { state: 'due', late, error: null, now })) > 0
}

/** Slots that are never acted on. Those that have a row already stay as they are. */
export async function insertSkippedWindows(
  db: Db,
  schedule: string,
  slots: readonly Slot[],
  { why, now }: { why: typeof FIRST_SEEN | typeof MISSED; now: Date },
): Promise<void> {
  if (slots.length > 0) await insert(db, schedule, slots, { state: 'skipped', late: false, error: why, now })
}

async function insert(
  db: Db,
  schedule: string,
  slots: readonly Slot[],
  { state, late, error, now }: { state: 'due' | 'skipped'; late: boolean; error: string | null; now: Date },
): Promise<number> {
  const rows = slots.map(({ from, to }) => ({
    schedule,
    window_from: from,
    window_to: to,
    late,
    state,
    error,
    next_at: now,
    created_at: now,
    updated_at: now,
  }))
  const inserted = await db
    .insertInto('windows')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Number(inserted.numInsertedOrUpdatedRows ?? 0n)
}

/** Takes the window that has waited longest, for `leaseMs`; undefined when none is waiting. */
export async function takeWindow(db: Db, now: Date, leaseMs: number): Promise<Window | undefined> {
  const row = await db
    .with('taken', (query) =>
      query
        .selectFrom('windows')
        .select(['schedule', 'window_to'])
        .where('state', 'in', ['due', 'replaying'])
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .orderBy('window_to')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('windows')
    .from('taken')
    .set({ next_at: new Date(now.getTime() + leaseMs) })
    .whereRef('windows.schedule', '=', 'taken.schedule')
    .whereRef('windows.window_to', '=', 'taken.window_to')
    .returningAll('windows')
    .executeTakeFirst()
  return row === undefined ? undefined : toWindow(row)
}

/** Looks at the window again at `at`, and says why where it failed. */
export async function putWindowBack(
  db: Db,
  { schedule, to }: WindowKey,
  at: Date,
  error: string | null,
): Promise<void> {
  await db
    .updateTable('windows')
    .set({ next_at: at, error })
    .where('schedule', '=', schedule)
    .where('window_to', '=', to)
    .where('state', 'in', ['due', 'replaying'])
    .execute()
}

/** due → replaying. False when another worker was first. `remarks` are said in the report. */
export async function startWindow(
  db: Db,
  { schedule, to }: WindowKey,
  {
    drawId,
    replayIds,
    remarks,
    now,
  }: { drawId: string | null; replayIds: readonly string[]; remarks: readonly string[]; now: Date },
): Promise<boolean> {
  const updated = await db
    .updateTable('windows')
    .set({
      state: 'replaying',
      draw_id: drawId,
      replay_ids: json(replayIds),
      remarks: json(remarks),
      error: null,
      next_at: now,
      updated_at: now,
    })
    .where('schedule', '=', schedule)
    .where('window_to', '=', to)
    .where('state', '=', 'due')
    .executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/** replaying → reported, in the transaction that inserts the report. False when another worker was first. */
export async function markReported(tx: Tx, { schedule, to }: WindowKey, reportId: string, now: Date): Promise<boolean> {
  const updated = await tx
    .updateTable('windows')
    .set({ state: 'reported', report_id: reportId, error: null, updated_at: now })
    .where('schedule', '=', schedule)
    .where('window_to', '=', to)
    .where('state', '=', 'replaying')
    .executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/** due or replaying → failed: it can not be reported, and trying again would not help. */
export async function failWindow(db: Db, { schedule, to }: WindowKey, error: string, now: Date): Promise<boolean> {
  const updated = await db
    .updateTable('windows')
    .set({ state: 'failed', error, updated_at: now })
    .where('schedule', '=', schedule)
    .where('window_to', '=', to)
    .where('state', 'in', ['due', 'replaying'])
    .executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/** Slots missed between the last window that was acted on and this one, oldest first. */
export async function missedBefore(db: Db, { schedule, to }: WindowKey): Promise<readonly Slot[]> {
  const rows = await db
    .selectFrom('windows')
    .select(['window_from', 'window_to'])
    .where('schedule', '=', schedule)
    .where('state', '=', 'skipped')
    .where('error', '=', MISSED)
    .where('window_to', '<', to)
    .where(
      'window_to',
      '>',
      sql<Date>`coalesce((
        select max(window_to) from windows
        where schedule = ${schedule} and state <> 'skipped' and window_to < ${to}
      ), '-infinity')`,
    )
    .orderBy('window_to')
    .execute()
  return rows.map((row) => ({ from: row.window_from, to: row.window_to }))
}

function toWindow(row: Row<'windows'>): Window {
  const { schedule, window_from: from, window_to: to, late, draw_id: drawId, replay_ids: replayIds, remarks } = row
  return { schedule, from, to, late, state: row.state === 'due' ? 'due' : 'replaying', drawId, replayIds, remarks }
}
