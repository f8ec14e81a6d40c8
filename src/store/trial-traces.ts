/**
 * Which traces are those of trials. A trial has its trace id before it is run, so that none can come too early.
 */
import type { Db } from './schema.ts'

const IDS_PER_QUERY = 1000

/** Those of the ids that are. */
export async function trialTraceIds(db: Db, traceIds: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (let start = 0; start < traceIds.length; start += IDS_PER_QUERY) {
    const page = traceIds.slice(start, start + IDS_PER_QUERY)
    const rows = await db.selectFrom('trials').select('trace_id').where('trace_id', 'in', page).execute()
    for (const row of rows) found.add(row.trace_id)
  }
  return found
}
