/**
 * Kept traces: one row each, with its decision, its summary and its redacted OTLP, gzipped.
 *
 * Rows are written by the sampler alone (batches.ts); what is given here must have been redacted.
 */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { invariant } from '../core/errors.ts'
import type { Decision } from '../core/sampling/decision.ts'
import type { Evidence } from '../core/trace/evidence.ts'
import type { NewRow, Tx } from './schema.ts'
import { storableJson, storableWord } from './storable.ts'

const WORD_LENGTH_MAX = 256
const ERROR_LENGTH_MAX = 10_000
/** A stored trace takes no more late spans beyond it; they are counted only. */
export const STORED_OTLP_BYTES_MAX = 32 * 1024 * 1024

const packed = promisify(gzip)
const unpacked = promisify(gunzip)

/** The row of a trace that was decided to be kept. */
export async function traceRow(decision: Decision, evidence: Evidence): Promise<NewRow<'traces'>> {
  invariant(decision.keep && decision.threshold !== null, 'only kept traces are stored')
  return {
    trace_id: decision.traceId,
    rule: decision.rule,
    stratum: decision.stratum,
    window_start: decision.windowStart,
    policy: decision.policy,
    p: decision.p,
    weight_source: decision.weightSource,
    r: decision.r,
    threshold: decision.threshold,
    completion: decision.completion,
    whole: decision.whole,
    arrived_at: new Date(decision.arrivedAt),
    decided_at: new Date(decision.decidedAt),
    ...(await evidenceColumns(evidence)),
  }
}

async function evidenceColumns({ otlp, summary, spanCount }: Evidence) {
  return {
    otlp: await packed(otlp),
    span_count: spanCount,
    agent: storableWord(summary.agent, WORD_LENGTH_MAX),
    agent_version: storableWord(summary.version, WORD_LENGTH_MAX),
    service: storableWord(summary.service, WORD_LENGTH_MAX),
    session: storableWord(summary.session, WORD_LENGTH_MAX),
    user_id: storableWord(summary.user, WORD_LENGTH_MAX),
    error: storableWord(summary.error, ERROR_LENGTH_MAX),
    started_at: summary.startedAt,
    duration_ms: summary.durationMs,
    cost_usd: summary.cost,
    summary: storableJson(summary),
  }
}

/** Inserts rows; gives the ids of those that were new. A trace that is stored already stays as it is. */
export async function insertTraces(tx: Tx, rows: readonly NewRow<'traces'>[]): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const inserted = await tx
    .insertInto('traces')
    .values(rows)
    .onConflict((conflict) => conflict.column('trace_id').doNothing())
    .returning('trace_id')
    .execute()
  return new Set(inserted.map((row) => row.trace_id))
}

/** The stored OTLP of a trace that is about to be changed in this transaction; undefined when there is none. */
export async function lockedOtlp(tx: Tx, traceId: string): Promise<Uint8Array | undefined> {
  const row = await tx
    .selectFrom('traces')
    .select('otlp')
    .where('trace_id', '=', traceId)
    .forUpdate()
    .executeTakeFirst()
  return row === undefined ? undefined : unpacked(row.otlp)
}

/** Replaces what is stored of a trace by the same with late spans; its decision stays. What they brought may be a failure. */
export async function replaceEvidence(tx: Tx, traceId: string, evidence: Evidence, lateSpans: number): Promise<void> {
  await tx
    .updateTable('traces')
    .set(await evidenceColumns(evidence))
    .set((eb) => ({ late_spans: eb('late_spans', '+', lateSpans), classified: false }))
    .where('trace_id', '=', traceId)
    .execute()
}
