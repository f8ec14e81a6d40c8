/**
 * Which traces are those of trials. A trial has its trace id before it is run, so that none can come too early.
 */
import type { Db } from './schema.ts'

export async function trialTraceIds(db: Db, traceIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (traceIds.length === 0) return new Set()
  const rows = await db.selectFrom('trials').select('trace_id').distinct().where('trace_id', 'in', traceIds).execute()
  return new Set(rows.map((row) => row.trace_id))
}
