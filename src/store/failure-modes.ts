/**
 * Failure modes in the database: the machine's proposals, and the acts of people on them. How they are read for pages and
 * reports: views/failure-modes.ts, report-evidence.ts.
 *
 * Invariants: a fingerprint belongs to one mode; every change of a mode is an event with before and after; whoever writes a
 * failure holds its mode meanwhile, so that a merge moves all of them or waits.
 */
import { InputError, invariant, NotFoundError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { FailureMode, ReviewAct, ReviewEvent } from '../core/taxonomy/failure-mode.ts'
import { applyAct } from '../core/taxonomy/review.ts'
import { type Db, json, type Row, type Tx } from './schema.ts'

/** Who proposes. */
export const MACHINE = 'assay'
const WHO_CHARACTERS_MAX = 120

/**
 * The mode of each fingerprint, after all merges; where there is none, the proposed one becomes it. Of several workers that
 * propose for one fingerprint the first wins. The modes are locked against acts of people until the transaction ends.
 */
export async function modesFor(
  tx: Tx,
  proposals: ReadonlyMap<string, FailureMode>,
): Promise<ReadonlyMap<string, string>> {
  if (proposals.size === 0) return new Map()
  const known = await fingerprintModes(tx, [...proposals.keys()])
  // In one order for all workers: two that wait for each other would wait for ever.
  const open = [...proposals].filter(([fingerprint]) => !known.has(fingerprint)).toSorted(byFirst)
  for (const [fingerprint, mode] of open) await propose(tx, fingerprint, mode)
  const modes = open.length === 0 ? known : await fingerprintModes(tx, [...proposals.keys()])
  const roots = await lockedRoots(tx, [...new Set(modes.values())])
  return new Map([...modes].map(([fingerprint, modeId]) => [fingerprint, roots.get(modeId) ?? modeId]))
}

function byFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

async function fingerprintModes(tx: Tx, fingerprints: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.selectFrom('mode_fingerprints').selectAll().where('fingerprint', 'in', fingerprints).execute()
  return new Map(rows.map(({ fingerprint, mode_id }) => [fingerprint, mode_id]))
}

async function propose(tx: Tx, fingerprint: string, mode: FailureMode): Promise<void> {
  await tx.insertInto('failure_modes').values(toRow(mode)).execute()
  const won = await tx
    .insertInto('mode_fingerprints')
    .values({ fingerprint, mode_id: mode.id })
    .onConflict((conflict) => conflict.column('fingerprint').doNothing())
    .returning('fingerprint')
    .executeTakeFirst()
  if (won === undefined) {
    await tx.deleteFrom('failure_modes').where('id', '=', mode.id).execute()
    return
  }
  const event = { act: 'propose' as const, who: MACHINE, why: null }
  await insertEvent(tx, { ...event, before: null, after: mode, at: new Date(mode.createdAt) })
}

/** Locks the modes, and of merged ones those they were merged into, and gives for each the one it ends in. */
async function lockedRoots(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const into = new Map<string, string | null>()
  for (let open = [...ids]; open.length > 0; ) {
    const rows = await tx
      .selectFrom('failure_modes')
      .select(['id', 'merged_into'])
      .where('id', 'in', open)
      .orderBy('id')
      .forShare()
      .execute()
    for (const row of rows) into.set(row.id, row.merged_into)
    open = rows.flatMap(({ merged_into }) => (merged_into === null || into.has(merged_into) ? [] : [merged_into]))
  }
  const rootOf = (id: string): string => {
    const next = into.get(id) ?? null
    return next === null ? id : rootOf(next)
  }
  return new Map(ids.map((id) => [id, rootOf(id)]))
}

/** The mode, or the one it was merged into. Undefined when there is none. */
export async function modeById(db: Db, id: string): Promise<FailureMode | undefined> {
  const row = await db.selectFrom('failure_modes').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return undefined
  return row.merged_into === null ? toMode(row) : modeById(db, row.merged_into)
}

/** What happened to the mode, the oldest first. */
export async function historyOf(db: Db, id: string): Promise<readonly ReviewEvent[]> {
  const rows = await db.selectFrom('mode_events').selectAll().where('mode_id', '=', id).orderBy('id').execute()
  return rows.map(toEvent)
}

export type Review = {
  readonly modeId: string
  readonly act: ReviewAct
  readonly who: string
  readonly why: string | null
  readonly clock: Clock
  /** `updatedAt` of the mode as the person saw it; an act on something else is refused. */
  readonly expected?: string
}

/**
 * One act of a person on a mode; gives the mode as it is now. A merge takes fingerprints and failures along, now and in
 * future. Throws NotFoundError, and InputError: `changed_meanwhile` (also where the state does not allow the act), `bad_who`,
 * and those of applyAct. Then nothing was changed.
 */
export async function review(db: Db, { modeId, act, who, why, clock, expected }: Review): Promise<FailureMode> {
  const reviewer = who.trim()
  if (reviewer.length === 0 || reviewer.length > WHO_CHARACTERS_MAX) {
    throw new InputError(
      'bad_who',
      `who of ${reviewer.length} characters is not allowed, expected 1 to ${WHO_CHARACTERS_MAX}`,
      'who',
    )
  }
  return db.transaction().execute(async (tx) => {
    const modes = await lockedForAct(tx, act.act === 'merge' ? [modeId, act.into] : [modeId])
    const before = modes.get(modeId)
    if (before === undefined) throw notFound(modeId, 'modeId')
    const into = act.act === 'merge' ? modes.get(act.into) : undefined
    if (act.act === 'merge' && into === undefined) throw notFound(act.into, 'into')
    const last = (await historyOf(tx, modeId)).at(-1)
    const after = applyAct(before, act, { now: clock.now(), into, expected, last })
    await tx.updateTable('failure_modes').set(toRow(after)).where('id', '=', modeId).execute()
    if (after.mergedInto !== null) await moveAll(tx, modeId, after.mergedInto)
    await insertEvent(tx, { act: act.act, who: reviewer, why, before, after, at: new Date(after.updatedAt) })
    return after
  })
}

async function lockedForAct(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, FailureMode>> {
  const rows = await tx
    .selectFrom('failure_modes')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Map(rows.map((row) => [row.id, toMode(row)]))
}

async function moveAll(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('mode_fingerprints').set({ mode_id: to }).where('mode_id', '=', from).execute()
  await tx.updateTable('failures').set({ mode_id: to }).where('mode_id', '=', from).execute()
}

type NewEvent = Pick<ReviewEvent, 'act' | 'who' | 'why' | 'before' | 'after'> & { readonly at: Date }

async function insertEvent(tx: Tx, { act, who, why, before, after, at }: NewEvent): Promise<void> {
  invariant(before === null || before.id === after.id, 'an event is about one mode')
  const states = { before: before === null ? null : json(before), after: json(after) }
  await tx
    .insertInto('mode_events')
    .values({ mode_id: after.id, act, who, why, ...states, at })
    .execute()
}

function notFound(id: string, at: string): NotFoundError {
  return new NotFoundError(`no failure mode has the id ${JSON.stringify(id)}`, at)
}

function toRow({ id, state, name, definition, category, mergedInto, createdAt, updatedAt }: FailureMode) {
  return {
    id,
    state,
    name,
    definition,
    category,
    merged_into: mergedInto,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

export function toMode(row: Row<'failure_modes'>): FailureMode {
  return {
    id: row.id,
    state: row.state,
    name: row.name,
    definition: row.definition,
    category: row.category,
    mergedInto: row.merged_into,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

function toEvent({ id, mode_id, act, who, why, before, after, at }: Row<'mode_events'>): ReviewEvent {
  return { id, modeId: mode_id, act, who, why, before, after, at: at.toISOString() }
}
