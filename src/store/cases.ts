/**
 * Cases and draws in the database: which kept traces could become cases, and the cases that a draw made of them.
 *
 * A case is never changed: the trials of every replay speak of the case as it was.
 */
import { sql } from 'kysely'
import { type Case, type CaseInput, inputOf, type Observed, observedOf, unreplayable } from '../core/replay/case.ts'
import { fingerprintOf } from '../core/replay/fingerprint.ts'
import type { Candidate, DrawnStratum, DrawnTrace } from '../core/sampling/draw.ts'
import { IS_COMPLAINT } from './feedback.ts'
import { type Db, json, type NewRow, type Row, type Tx } from './schema.ts'

/** Which kept traces: by agent or service, by arrival in [from, to); null leaves a side open. */
export type Population = {
  readonly agent?: string | undefined
  readonly service?: string | undefined
  readonly from: Date | null
  readonly to: Date | null
}

/** `lacks` is empty for a trace that can be replayed, else what it lacks, in words. */
export type PopulationTrace = Candidate & { readonly lacks: readonly string[] }

const ROWS_MAX = 1000

/** All kept traces of the population, with their strata and without their content. */
export async function populationOf(
  db: Db,
  { agent, service, from, to }: Population,
): Promise<readonly PopulationTrace[]> {
  let query = db
    .selectFrom('traces')
    .select((eb) => [
      'trace_id',
      'agent',
      'agent_version',
      'rule',
      'whole',
      sql<boolean>`traces.error is not null`.as('failed'),
      sql<readonly string[]>`traces.summary -> 'completeness'`.as('completeness'),
      eb
        .exists(
          eb
            .selectFrom('feedback')
            .select('feedback.event_id')
            .whereRef('feedback.trace_id', '=', 'traces.trace_id')
            .where(IS_COMPLAINT),
        )
        .as('unhappy'),
    ])
  if (agent !== undefined) query = query.where('agent', '=', agent)
  if (service !== undefined) query = query.where('service', '=', service)
  if (from !== null) query = query.where('arrived_at', '>=', from)
  if (to !== null) query = query.where('arrived_at', '<', to)
  return (await query.execute()).map((row) => ({
    traceId: row.trace_id,
    outcome: row.failed ? 'error' : row.unhappy ? 'thumbs-down' : 'ok',
    agent: row.agent,
    version: row.agent_version,
    rule: row.rule,
    lacks: unreplayable(row.completeness ?? [], row.whole),
  }))
}

export type NewDraw = {
  readonly id: string
  readonly suite: string
  readonly from: Date | null
  readonly to: Date | null
  readonly seed: string
  readonly strata: readonly DrawnStratum[]
  readonly createdAt: Date
}

/** Stores a draw and its cases. `caseId` names the case of a trace. */
export async function insertDraw(
  tx: Tx,
  draw: NewDraw,
  traces: readonly DrawnTrace[],
  caseId: (traceId: string) => string,
): Promise<void> {
  await tx
    .insertInto('draws')
    .values({
      id: draw.id,
      suite: draw.suite,
      window_from: draw.from,
      window_to: draw.to,
      seed: draw.seed,
      strata: json(draw.strata),
      created_at: draw.createdAt,
    })
    .execute()
  for (let start = 0; start < traces.length; start += ROWS_MAX) {
    const page = new Map(traces.slice(start, start + ROWS_MAX).map((trace) => [trace.traceId, trace]))
    const rows = await tx
      .selectFrom('traces')
      .select(['trace_id', 'p', 'session', 'summary'])
      .where('trace_id', 'in', [...page.keys()])
      .execute()
    const cases = rows.map((row) => toNewCase(row, page.get(row.trace_id), draw, caseId(row.trace_id)))
    await tx.insertInto('cases').values(cases).execute()
  }
}

function toNewCase(
  { trace_id, p, session, summary }: Pick<Row<'traces'>, 'trace_id' | 'p' | 'session' | 'summary'>,
  drawn: DrawnTrace | undefined,
  draw: NewDraw,
  id: string,
): NewRow<'cases'> {
  const input: CaseInput = inputOf(summary)
  const observed: Observed = observedOf(summary)
  return {
    id,
    suite: draw.suite,
    draw_id: draw.id,
    origin: 'trace',
    trace_id,
    stratum: drawn?.stratum ?? '',
    p,
    p_draw: drawn?.pDraw ?? null,
    family: session,
    input: json(input),
    reference: null,
    observed: json(observed),
    fingerprint: fingerprintOf(input),
    created_at: draw.createdAt,
  }
}

export async function findDraw(db: Db, id: string): Promise<Row<'draws'> | undefined> {
  return db.selectFrom('draws').selectAll().where('id', '=', id).executeTakeFirst()
}

/** In order of their ids. */
export async function casesOfDraw(db: Db, drawId: string): Promise<readonly Case[]> {
  const rows = await db.selectFrom('cases').selectAll().where('draw_id', '=', drawId).orderBy('id').execute()
  return rows.map(toCase)
}

/** Those of the ids that exist, in order of their ids. */
export async function casesById(db: Db, ids: readonly string[]): Promise<readonly Case[]> {
  const found: Case[] = []
  for (let start = 0; start < ids.length; start += ROWS_MAX) {
    const page = ids.slice(start, start + ROWS_MAX)
    const rows = await db.selectFrom('cases').selectAll().where('id', 'in', page).execute()
    found.push(...rows.map(toCase))
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The imported cases of a suite, in order of their ids: what a suite replays that draws from no traffic. */
export async function importedCases(db: Db, suite: string): Promise<readonly Case[]> {
  const rows = await db
    .selectFrom('cases')
    .selectAll()
    .where('suite', '=', suite)
    .where('origin', '=', 'import')
    .orderBy('id')
    .execute()
  return rows.map(toCase)
}

export function toCase(row: Row<'cases'>): Case {
  return {
    id: row.id,
    suite: row.suite,
    drawId: row.draw_id,
    origin: row.origin,
    traceId: row.trace_id,
    stratum: row.stratum,
    p: row.p,
    pDraw: row.p_draw,
    family: row.family,
    input: row.input,
    reference: row.reference,
    observed: row.observed,
    fingerprint: row.fingerprint,
  }
}

/** Id of the suite's newest draw, if it was ever drawn for. */
export async function newestDrawOf(db: Db, suite: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('draws')
    .select('id')
    .where('suite', '=', suite)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row?.id
}
