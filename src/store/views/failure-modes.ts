/**
 * Failure modes as they are read: a list with counts, and one mode with its examples and its history.
 * A mode that was merged away keeps its own history; its failures belong to the mode it was merged into.
 */
import type { FailureSource } from '../../core/taxonomy/failure.ts'
import type { FailureMode, ModeState, ReviewEvent } from '../../core/taxonomy/failure-mode.ts'
import { toMode } from '../failure-modes.ts'
import type { Db, Row } from '../schema.ts'
import { iso, isoOrNull } from './time.ts'

const EXAMPLES_MAX = 20

export type ModeRow = FailureMode & {
  readonly failures: number
  /** Distinct cases among the failures that trials had. */
  readonly cases: number
  /** Failures seen in production traces. */
  readonly traces: number
  readonly lastSeenAt: string | null
}

export type ModeExample = {
  readonly id: string
  readonly source: FailureSource
  readonly grader: string | null
  readonly errorKind: string
  readonly tool: string | null
  readonly message: string
  readonly excerpt: string
  readonly category: string | null
  readonly createdAt: string
}

export type ModeView = ModeRow & {
  readonly examples: readonly ModeExample[]
  readonly history: readonly ReviewEvent[]
  /** Modes that people merged into this one. */
  readonly mergedFrom: readonly { readonly id: string; readonly name: string }[]
}

export type ModeFilter = {
  readonly states?: readonly ModeState[] | undefined
  readonly limit: number
}

/** Most failures first. */
export async function viewFailureModes(db: Db, { states, limit }: ModeFilter): Promise<readonly ModeRow[]> {
  let query = countedModes(db)
  if (states !== undefined) query = query.where('state', 'in', states)
  const rows = await query.orderBy('failures', 'desc').orderBy('failure_modes.id').limit(limit).execute()
  return rows.map(toModeRow)
}

export async function viewFailureMode(db: Db, id: string): Promise<ModeView | undefined> {
  const row = await countedModes(db).where('failure_modes.id', '=', id).executeTakeFirst()
  if (row === undefined) return undefined
  const examples = await db
    .selectFrom('failures')
    .selectAll()
    .where('mode_id', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(EXAMPLES_MAX)
    .execute()
  const history = await db.selectFrom('mode_events').selectAll().where('mode_id', '=', id).orderBy('id').execute()
  const mergedFrom = await db
    .selectFrom('failure_modes')
    .select(['id', 'name'])
    .where('merged_into', '=', id)
    .orderBy('id')
    .execute()
  return { ...toModeRow(row), examples: examples.map(toExample), history: history.map(toEvent), mergedFrom }
}

function countedModes(db: Db) {
  return db
    .selectFrom('failure_modes')
    .leftJoin(
      (eb) =>
        eb
          .selectFrom('failures')
          .groupBy('mode_id')
          .select((sub) => [
            'mode_id',
            sub.cast<number>(sub.fn.countAll(), 'integer').as('failures'),
            sub.cast<number>(sub.fn.count('case_id').distinct(), 'integer').as('cases'),
            sub.cast<number>(sub.fn.countAll().filterWhere('source', '=', 'trace'), 'integer').as('traces'),
            sub.fn.max('created_at').as('last_seen_at'),
          ])
          .as('counted'),
      (join) => join.onRef('counted.mode_id', '=', 'failure_modes.id'),
    )
    .selectAll('failure_modes')
    .select((eb) => [
      eb.fn.coalesce('counted.failures', eb.val(0)).as('failures'),
      eb.fn.coalesce('counted.cases', eb.val(0)).as('cases'),
      eb.fn.coalesce('counted.traces', eb.val(0)).as('traces'),
      'counted.last_seen_at',
    ])
}

type CountedMode = Row<'failure_modes'> & {
  failures: number
  cases: number
  traces: number
  last_seen_at: Date | null
}

function toModeRow(row: CountedMode): ModeRow {
  const { failures, cases, traces } = row
  return { ...toMode(row), failures, cases, traces, lastSeenAt: isoOrNull(row.last_seen_at) }
}

function toExample(row: Row<'failures'>): ModeExample {
  return {
    id: row.id,
    source: sourceOf(row),
    grader: row.grader,
    errorKind: row.error_kind,
    tool: row.tool,
    message: row.message,
    excerpt: row.excerpt,
    category: row.category,
    createdAt: iso(row.created_at),
  }
}

function sourceOf({ source, replay_id, case_id, trial, trace_id }: Row<'failures'>): FailureSource {
  return source === 'trial'
    ? { kind: 'trial', replayId: replay_id ?? '', caseId: case_id ?? '', trial: trial ?? 0 }
    : { kind: 'trace', traceId: trace_id ?? '' }
}

function toEvent(row: Row<'mode_events'>): ReviewEvent {
  const { id, mode_id, act, who, why, before, after, at } = row
  return { id, modeId: mode_id, act, who, why, before, after, at: iso(at) }
}
