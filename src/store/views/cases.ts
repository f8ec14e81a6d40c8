/**
 * Cases as they are read: a list by suite or draw, by id downwards.
 */
import type { Case } from '../../core/replay/case.ts'
import { toCase } from '../cases.ts'
import type { Db, Row } from '../schema.ts'
import { iso } from './time.ts'

export type CaseView = Case & { readonly createdAt: string }

export type CaseFilter = {
  readonly suite?: string | undefined
  readonly draw?: string | undefined
  /** Id of the last case of the page before. */
  readonly before?: string | undefined
  readonly limit: number
}

/** By id downwards; `more` says that there are others after the last. */
export async function viewCases(db: Db, filter: CaseFilter): Promise<{ rows: readonly CaseView[]; more: boolean }> {
  let query = db.selectFrom('cases').selectAll()
  if (filter.suite !== undefined) query = query.where('suite', '=', filter.suite)
  if (filter.draw !== undefined) query = query.where('draw_id', '=', filter.draw)
  if (filter.before !== undefined) query = query.where('id', '<', filter.before)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(filter.limit + 1)
    .execute()
  return { rows: rows.slice(0, filter.limit).map(toCaseView), more: rows.length > filter.limit }
}

export async function viewCase(db: Db, id: string): Promise<CaseView | undefined> {
  const row = await db.selectFrom('cases').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : toCaseView(row)
}

function toCaseView(row: Row<'cases'>): CaseView {
  return { ...toCase(row), createdAt: iso(row.created_at) }
}
