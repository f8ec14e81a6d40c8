/**
 * What tests ask of the database beside what the product asks: whole rows, and the counts of a replay.
 */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { OUTCOMES, type Outcome, TRIAL_STATUSES, type TrialStatus } from '../../src/core/replay/trial.ts'
import type { Db, ReplayState, Row } from '../../src/store/schema.ts'

export async function traceById(db: Db, traceId: string): Promise<Row<'traces'> | undefined> {
  return db.selectFrom('traces').selectAll().where('trace_id', '=', traceId).executeTakeFirst()
}

/** The redacted ExportTraceServiceRequest of a kept trace, undefined when it is not stored. */
export async function otlpOf(db: Db, traceId: string): Promise<Uint8Array | undefined> {
  const row = await traceById(db, traceId)
  return row === undefined ? undefined : promisify(gunzip)(row.otlp)
}

/** Rows whose hour begins in the half-open window, in order of time and rule. */
export async function censusBetween(db: Db, from: Date, to: Date): Promise<readonly Row<'census'>[]> {
  return db
    .selectFrom('census')
    .selectAll()
    .where('window_start', '>=', from)
    .where('window_start', '<', to)
    .orderBy('window_start')
    .orderBy('policy')
    .orderBy('rule')
    .orderBy('stratum')
    .execute()
}

export type ReplayProgress = {
  readonly state: ReplayState
  /** All trials, whatever became of them. */
  readonly trials: number
  /** Not ended yet. */
  readonly planned: number
  readonly status: Readonly<Record<TrialStatus, number>>
  readonly outcome: Readonly<Record<Outcome, number>>
  /** Nothing is left to run or to grade. */
  readonly graded: boolean
}

/** Undefined when there is no such replay. Invariant: trials = planned + the sum of `status`. */
export async function replayProgress(db: Db, id: string): Promise<ReplayProgress | undefined> {
  const replay = await db.selectFrom('replays').select('state').where('id', '=', id).executeTakeFirst()
  if (replay === undefined) return undefined
  const rows = await db
    .selectFrom('trials')
    .select((eb) => ['status', 'outcome', eb.cast<number>(eb.fn.countAll(), 'integer').as('n')])
    .where('replay_id', '=', id)
    .groupBy(['status', 'outcome'])
    .execute()
  const count = (wanted: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(wanted).reduce((total, { n }) => total + n, 0)
  const per = <T extends string>(words: readonly T[], of: (row: (typeof rows)[number]) => T | null) =>
    Object.fromEntries(words.map((word) => [word, count((row) => of(row) === word)])) as Record<T, number>
  return {
    state: replay.state,
    trials: count(() => true),
    planned: count(({ status }) => status === null),
    status: per(TRIAL_STATUSES, ({ status }) => status),
    outcome: per(OUTCOMES, ({ outcome }) => outcome),
    graded: rows.every(({ outcome }) => outcome !== null),
  }
}
