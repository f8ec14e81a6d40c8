/**
 * Reports in the database: frozen once, never changed. A correction is a new report.
 *
 * Invariant: the sha256 is that of the stored body; one report per schedule and window.
 */
import { invariant } from '../core/errors.ts'
import { type FrozenReport, freeze } from '../core/reporting/assemble.ts'
import { sha256 } from '../core/reporting/canonical-json.ts'
import type { Report } from '../core/reporting/report.ts'
import { insertDeliveries, type NewDelivery } from './deliveries.ts'
import type { Db, Tx } from './schema.ts'
import { markReported, type WindowKey } from './windows.ts'

/** Inserts a report that nobody's window waits for. */
export async function insertReport(tx: Tx, { report, body, sha256: hash }: FrozenReport): Promise<void> {
  await tx
    .insertInto('reports')
    .values({
      id: report.id,
      schedule: report.schedule,
      title: report.title,
      window_from: report.window?.from ?? null,
      window_to: report.window?.to ?? null,
      late: report.late,
      body,
      sha256: hash,
      created_at: report.createdAt,
    })
    .execute()
}

/**
 * Freezes the report of a window: state, report and deliveries in one transaction. False when another worker was first,
 * and then nothing is written.
 */
export async function reportWindow(
  db: Db,
  key: WindowKey,
  report: Report,
  { deliveries, now }: { deliveries: readonly NewDelivery[]; now: Date },
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if (!(await markReported(tx, key, report.id, now))) return false
    await insertReport(tx, freeze(report))
    await insertDeliveries(tx, report.id, deliveries, now)
    return true
  })
}

/** The report as it was frozen. Breaks the invariant when the stored bytes are not what was hashed. */
export async function findReport(db: Db, id: string): Promise<FrozenReport | undefined> {
  const row = await db.selectFrom('reports').select(['body', 'sha256']).where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : toFrozen(id, row)
}

/** The schedule's newest report of a window that ended before `to`. */
export async function reportBefore(db: Db, { schedule, to }: WindowKey): Promise<Report | null> {
  const row = await db
    .selectFrom('reports')
    .select(['id', 'body', 'sha256'])
    .where('schedule', '=', schedule)
    .where('window_to', '<', to)
    .orderBy('window_to', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : toFrozen(row.id, row).report
}

function toFrozen(
  id: string,
  { body, sha256: hash }: { readonly body: string; readonly sha256: string },
): FrozenReport {
  invariant(sha256(body) === hash, `report ${id}: its bytes are not those that were frozen`)
  return { report: JSON.parse(body) as Report, body, sha256: hash }
}
