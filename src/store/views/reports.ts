/**
 * Frozen reports as they are read: a list with what became of their digests, and the stored bytes of one.
 */
import type { Db, DeliveryState, Row } from '../schema.ts'
import { iso, isoOrNull } from './time.ts'

export type DeliveryView = {
  readonly channel: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly deliveredAt: string | null
  readonly lastError: string | null
}

export type ReportRow = {
  readonly id: string
  /** Null for a report that was asked for by hand. */
  readonly schedule: string | null
  readonly title: string
  readonly window: { readonly from: string; readonly to: string } | null
  readonly late: boolean
  readonly createdAt: string
  readonly sha256: string
  readonly deliveries: readonly DeliveryView[]
}

const COLUMNS = ['id', 'schedule', 'title', 'window_from', 'window_to', 'late', 'created_at', 'sha256'] as const

/** Newest first by id; `more` says that there are older ones after the last. */
export async function viewReports(
  db: Db,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<{ rows: readonly ReportRow[]; more: boolean }> {
  let query = db.selectFrom('reports').select(COLUMNS)
  if (before !== undefined) query = query.where('id', '<', before)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const deliveries = await deliveriesOf(
    db,
    page.map(({ id }) => id),
  )
  return { rows: page.map((row) => toReportRow(row, deliveries.get(row.id) ?? [])), more: rows.length > limit }
}

/** The report's canonical JSON exactly as it was frozen, with its fingerprint. */
export async function viewReport(db: Db, id: string): Promise<(ReportRow & { readonly body: string }) | undefined> {
  const row = await db
    .selectFrom('reports')
    .select([...COLUMNS, 'body'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const deliveries = await deliveriesOf(db, [id])
  return { ...toReportRow(row, deliveries.get(id) ?? []), body: row.body }
}

async function deliveriesOf(
  db: Db,
  reportIds: readonly string[],
): Promise<ReadonlyMap<string, readonly DeliveryView[]>> {
  if (reportIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('report_id', 'in', reportIds)
    .orderBy('channel')
    .execute()
  const byReport = Map.groupBy(rows, (row) => row.report_id)
  return new Map([...byReport].map(([id, group]) => [id, group.map(toDelivery)]))
}

function toDelivery(row: Row<'deliveries'>): DeliveryView {
  return {
    channel: row.channel,
    state: row.state,
    attempts: row.attempts,
    deliveredAt: isoOrNull(row.delivered_at),
    lastError: row.last_error,
  }
}

function toReportRow(
  row: Pick<Row<'reports'>, (typeof COLUMNS)[number]>,
  deliveries: readonly DeliveryView[],
): ReportRow {
  const { window_from: from, window_to: to } = row
  return {
    id: row.id,
    schedule: row.schedule,
    title: row.title,
    window: from === null || to === null ? null : { from: iso(from), to: iso(to) },
    late: row.late,
    createdAt: iso(row.created_at),
    sha256: row.sha256,
    deliveries,
  }
}
