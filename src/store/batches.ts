/**
 * A batch of decisions, applied in one transaction: kept traces, late spans, feedback and the census that counts them.
 *
 * Each spool numbers its batches, and a number is applied once: a sampler that died between writing and settling writes
 * again, and nothing happens. A row that the database refuses for what it holds is left out and named; a database that
 * cannot be reached throws, and the batch waits.
 */
import { sql } from 'kysely'
import { type CensusIncrement, countLate, countTrace } from '../core/sampling/census.ts'
import type { Decision, LateSpans } from '../core/sampling/decision.ts'
import type { Evidence } from '../core/trace/evidence.ts'
import { addCensus } from './census.ts'
import { insertFeedback, type NewFeedback } from './feedback.ts'
import type { Db, NewRow, Tx } from './schema.ts'
import { insertTraces, lockedOtlp, replaceEvidence, STORED_OTLP_BYTES_MAX } from './traces.ts'

/** SQLSTATE classes that say that the values are at fault: data exception, integrity, limit exceeded. */
const VALUE_FAULTS = /^(22|23|54)/

type Merged = Evidence & { readonly newSpans: number }

/** Late spans put to stored OTLP; null where that cannot be done. Must not throw. */
export type Merge = (stored: Uint8Array) => Merged | null

/** `row` is null for a dropped trace, and for a kept one that could not be read. */
export type DecidedTrace = {
  readonly decision: Decision
  readonly row: NewRow<'traces'> | null
  /** For a trace that is stored already, since it was decided longer ago than decisions are remembered. */
  readonly merge: Merge
}

export type LateTrace = Pick<LateSpans, 'traceId' | 'decision'> & {
  /** Distinct spans, where it cannot be known which of them came before. */
  readonly spanCount: number
  readonly merge: Merge
}

export type BatchWork = {
  readonly batch: number
  readonly decided: readonly DecidedTrace[]
  readonly late: readonly LateTrace[]
  readonly feedback: readonly NewFeedback[]
}

/** What the database would not take, in words. */
export type Refused = { readonly what: string; readonly cause: string }

/** Null when this batch had been applied before. */
export async function applyBatch(db: Db, spoolId: string, work: BatchWork): Promise<readonly Refused[] | null> {
  return db.transaction().execute(async (tx) => {
    if (!(await claimBatch(tx, spoolId, work.batch))) return null
    const refused: Refused[] = []
    const census = await storeDecided(tx, work.decided, refused)
    for (const late of work.late) census.push(await storeLate(tx, late, refused))
    for (const feedback of work.feedback) {
      await attempt(tx, `feedback ${feedback.source}/${feedback.eventId}`, refused, () => insertFeedback(tx, feedback))
    }
    await addCensus(tx, census)
    return refused
  })
}

async function claimBatch(tx: Tx, node: string, batch: number): Promise<boolean> {
  const claimed = await tx
    .insertInto('sampler_batches')
    .values({ node, batch })
    .onConflict((conflict) => conflict.column('node').doUpdateSet({ batch }).where('sampler_batches.batch', '<', batch))
    .returning('batch')
    .execute()
  return claimed.length > 0
}

/** All rows at once; one by one where the database refuses one of them. */
async function storeDecided(tx: Tx, decided: readonly DecidedTrace[], refused: Refused[]): Promise<CensusIncrement[]> {
  const rows = decided.flatMap(({ row }) => row ?? [])
  const inserted = await attempt(tx, 'kept traces', [], () => insertTraces(tx, rows))
  const census: CensusIncrement[] = []
  for (const trace of decided) census.push(await storeTrace(tx, trace, inserted, refused))
  return census
}

async function storeTrace(
  tx: Tx,
  { decision, row, merge }: DecidedTrace,
  inserted: ReadonlySet<string> | undefined,
  refused: Refused[],
): Promise<CensusIncrement> {
  if (row === null) return countTrace(decision, false)
  if (inserted?.has(decision.traceId)) return countTrace(decision, true)
  const isStored = await attempt(tx, `trace ${decision.traceId}`, refused, async () => {
    const isNew = inserted === undefined && (await insertTraces(tx, [row])).size > 0
    if (!isNew) await mergeInto(tx, decision.traceId, merge)
    return true
  })
  return countTrace(decision, isStored === true)
}

async function storeLate(tx: Tx, late: LateTrace, refused: Refused[]): Promise<CensusIncrement> {
  const merged = late.decision.keep
    ? await attempt(tx, `late spans of trace ${late.traceId}`, refused, () => mergeInto(tx, late.traceId, late.merge))
    : undefined
  return countLate(late.decision, merged ?? late.spanCount)
}

/** How many spans were new; undefined where the trace is not stored or takes no more. */
async function mergeInto(tx: Tx, traceId: string, merge: Merge): Promise<number | undefined> {
  const stored = await lockedOtlp(tx, traceId)
  if (stored === undefined || stored.length > STORED_OTLP_BYTES_MAX) return undefined
  const merged = merge(stored)
  if (merged === null) return undefined
  if (merged.newSpans > 0) await replaceEvidence(tx, traceId, merged, merged.newSpans)
  return merged.newSpans
}

/** Runs one write so that its failure undoes itself alone. */
async function attempt<T>(tx: Tx, what: string, refused: Refused[], write: () => Promise<T>): Promise<T | undefined> {
  await sql`savepoint one_write`.execute(tx)
  try {
    const result = await write()
    await sql`release savepoint one_write`.execute(tx)
    return result
  } catch (error) {
    if (!isValueFault(error)) throw error
    await sql`rollback to savepoint one_write`.execute(tx)
    refused.push({ what, cause: error.message })
    return undefined
  }
}

function isValueFault(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && VALUE_FAULTS.test(code)
}
