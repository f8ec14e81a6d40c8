/**
 * Kept traces as they are read: a list that pages backwards in time, and one trace with its feedback and its cases.
 * The OTLP bytes stay in the database.
 */
import type { TraceSummary } from '../../core/trace/summary.ts'
import type { Db, Row } from '../schema.ts'
import { iso } from './time.ts'

export type TraceFilter = {
  readonly agent?: string | undefined
  readonly rule?: string | undefined
  /** Arrival in [from, to). */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly before?: TracePlace | undefined
  readonly limit: number
}

/** Where a page of traces ended; the next one goes on before it. */
export type TracePlace = { readonly arrivedAt: Date; readonly traceId: string }

export type TraceRow = {
  readonly traceId: string
  readonly agent: string | null
  readonly agentVersion: string | null
  readonly service: string | null
  readonly session: string | null
  readonly rule: string
  readonly stratum: string
  /** Probability with which it was kept; null when unknown. */
  readonly p: number | null
  readonly weightSource: 'threshold' | 'unknown'
  readonly completion: string
  readonly whole: boolean
  readonly arrivedAt: string
  readonly decidedAt: string
  readonly startedAt: string
  readonly durationMs: number
  readonly costUsd: number | null
  readonly error: string | null
  readonly spanCount: number
  readonly lateSpans: number
}

export type FeedbackView = {
  readonly source: string
  readonly eventId: string
  readonly name: string
  readonly score: number | null
  readonly label: string | null
  readonly comment: string | null
  readonly at: string
}

export type TraceView = TraceRow & {
  /** 14 hex digits: the trace was kept because randomness ≥ threshold. */
  readonly r: string
  readonly threshold: string
  readonly policy: string
  readonly summary: TraceSummary
  readonly feedback: readonly FeedbackView[]
  /** Cases that were drawn from this trace. */
  readonly cases: readonly { readonly id: string; readonly suite: string; readonly drawId: string | null }[]
}

const COLUMNS = [
  'trace_id',
  'agent',
  'agent_version',
  'service',
  'session',
  'rule',
  'stratum',
  'p',
  'weight_source',
  'completion',
  'whole',
  'arrived_at',
  'decided_at',
  'started_at',
  'duration_ms',
  'cost_usd',
  'error',
  'span_count',
  'late_spans',
] as const

/** Newest first; `more` says that there are older ones after the last. */
export async function viewTraces(db: Db, filter: TraceFilter): Promise<{ rows: readonly TraceRow[]; more: boolean }> {
  let query = db.selectFrom('traces').select(COLUMNS)
  const { agent, rule, from, to, before, limit } = filter
  if (agent !== undefined) query = query.where('agent', '=', agent)
  if (rule !== undefined) query = query.where('rule', '=', rule)
  if (from !== undefined) query = query.where('arrived_at', '>=', from)
  if (to !== undefined) query = query.where('arrived_at', '<', to)
  if (before !== undefined) {
    query = query.where((eb) =>
      eb(eb.refTuple('arrived_at', 'trace_id'), '<', eb.tuple(before.arrivedAt, before.traceId)),
    )
  }
  const rows = await query
    .orderBy('arrived_at', 'desc')
    .orderBy('trace_id', 'desc')
    .limit(limit + 1)
    .execute()
  return { rows: rows.slice(0, limit).map(toTraceRow), more: rows.length > limit }
}

export async function viewTrace(db: Db, traceId: string): Promise<TraceView | undefined> {
  const row = await db
    .selectFrom('traces')
    .select([...COLUMNS, 'r', 'threshold', 'policy', 'summary'])
    .where('trace_id', '=', traceId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const feedback = await db.selectFrom('feedback').selectAll().where('trace_id', '=', traceId).orderBy('at').execute()
  const cases = await db
    .selectFrom('cases')
    .select(['id', 'suite', 'draw_id'])
    .where('trace_id', '=', traceId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return {
    ...toTraceRow(row),
    r: row.r,
    threshold: row.threshold,
    policy: row.policy,
    summary: row.summary,
    feedback: feedback.map(toFeedback),
    cases: cases.map(({ id, suite, draw_id }) => ({ id, suite, drawId: draw_id })),
  }
}

function toTraceRow(row: Pick<Row<'traces'>, (typeof COLUMNS)[number]>): TraceRow {
  return {
    traceId: row.trace_id,
    agent: row.agent,
    agentVersion: row.agent_version,
    service: row.service,
    session: row.session,
    rule: row.rule,
    stratum: row.stratum,
    p: row.p,
    weightSource: row.weight_source,
    completion: row.completion,
    whole: row.whole,
    arrivedAt: iso(row.arrived_at),
    decidedAt: iso(row.decided_at),
    startedAt: iso(row.started_at),
    durationMs: row.duration_ms,
    costUsd: row.cost_usd,
    error: row.error,
    spanCount: row.span_count,
    lateSpans: row.late_spans,
  }
}

function toFeedback(row: Row<'feedback'>): FeedbackView {
  const { source, event_id, name, score, label, comment, at } = row
  return { source, eventId: event_id, name, score, label, comment, at: iso(at) }
}
