/**
 * Replays in the database: planning one (the replay, its trials and their jobs in one transaction, or nothing), how far it
 * is, and its end.
 *
 * running → finished when no trial of it is planned any more; running → cancelled by a person. Graded is another thing:
 * a finished replay has outcomes once the grade stage has seen its trials.
 */
import { sql } from 'kysely'
import { InputError, NotFoundError } from '../core/errors.ts'
import type { Case } from '../core/replay/case.ts'
import { type About, checkGraded, checkPlan, manifestOf, planTrials } from '../core/replay/plan.ts'
import { endedWithout } from '../core/replay/trial.ts'
import { casesById, casesOfDraw } from './cases.ts'
import type { TrialJobs } from './jobs.ts'
import { type Db, json, type Row } from './schema.ts'
import { insertTrials } from './trials.ts'

export type ReplayRequest<G> = {
  readonly id: string
  /** Null names it after its id. */
  readonly name: string | null
  readonly suite: string
  readonly cases: { readonly drawId: string } | { readonly caseIds: readonly string[] }
  /** The name of a target that is known to this process; `config` is what its calls depend on, without secrets. */
  readonly target: { readonly name: string; readonly version: string; readonly config: unknown }
  readonly trials: number
  readonly k: number
  readonly seed: string
  readonly completionOnly: boolean
  readonly graders: readonly G[]
  /** Whether a grader judges a case: from core/grading. */
  readonly applies: (grader: G, aCase: Case) => boolean
  readonly about: About
  readonly now: Date
}

/**
 * Plans a replay and enqueues its trials. Gives its id. Throws InputError, and then nothing was written: no case
 * (`no_cases`, `not_found`), `bad_trials`, `bad_k`, `case_without_check`, `too_many_trials`, `replay_exists`.
 */
export async function planReplay<G>(db: Db, jobs: TrialJobs, request: ReplayRequest<G>): Promise<string> {
  const { id, target, seed, completionOnly, graders, now } = request
  const name = request.name ?? id
  const cases = await casesOf(db, request.cases)
  const plan = { trials: request.trials, k: request.k, seed }
  checkPlan(plan, cases.length)
  if (!completionOnly) checkGraded(cases, graders, request.applies)
  const caseIds = cases.map((aCase) => aCase.id)
  const trials = planTrials(id, caseIds, plan)
  await db.transaction().execute(async (tx) => {
    await insertReplay(tx, {
      id,
      name,
      origin: 'run',
      suite: request.suite,
      draw_id: 'drawId' in request.cases ? request.cases.drawId : null,
      target: target.name,
      version: target.version,
      ...plan,
      completion_only: completionOnly,
      graders: json(graders),
      manifest: json(manifestOf({ about: request.about, target, cases, graders, plan, completionOnly })),
      state: 'running',
      created_at: now,
    })
    await insertTrials(tx, trials)
    await jobs.enqueue(tx, target.name, trials)
  })
  jobs.wake(target.name)
  return id
}

/** Throws InputError `replay_exists` for a name (or id) that is taken. */
export async function insertReplay(
  db: Db,
  row: Parameters<ReturnType<typeof insertion>['values']>[0] & { readonly name: string },
): Promise<void> {
  const inserted = await insertion(db)
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined) {
    throw new InputError(
      'replay_exists',
      `a replay named ${JSON.stringify(row.name)} exists: choose another name`,
      'name',
    )
  }
}

function insertion(db: Db) {
  return db.insertInto('replays')
}

async function casesOf(db: Db, source: ReplayRequest<unknown>['cases']): Promise<readonly Case[]> {
  if ('drawId' in source) return casesOfDraw(db, source.drawId)
  const ids = [...new Set(source.caseIds)]
  const cases = await casesById(db, ids)
  if (cases.length < ids.length) {
    const known = new Set(cases.map(({ id }) => id))
    throw new NotFoundError(`no case ${ids.find((id) => !known.has(id))}`, 'caseIds')
  }
  return cases
}

/** By id or by name; a name that looks like another replay's id gives the replay of that id. */
export async function findReplay(db: Db, idOrName: string): Promise<Row<'replays'> | undefined> {
  const rows = await db
    .selectFrom('replays')
    .selectAll()
    .where((eb) => eb.or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
    .execute()
  return rows.find(({ id }) => id === idOrName) ?? rows[0]
}

/** Finishes the replay if no trial of it is planned any more; all that run when no id is given. How many it finished. */
export async function finishReplays(db: Db, now: Date, id?: string): Promise<number> {
  let query = db
    .updateTable('replays')
    .set({ state: 'finished', finished_at: now })
    .where('state', '=', 'running')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('trials')
            .select('trial')
            .whereRef('trials.replay_id', '=', 'replays.id')
            .where('status', 'is', null),
        ),
      ),
    )
  if (id !== undefined) query = query.where('id', '=', id)
  return Number((await query.executeTakeFirst()).numUpdatedRows)
}

/**
 * Ends a replay that runs, by a person's will. What is planned is lost: we shall not find out. Trials under way end
 * as they may, uncounted. False when it did not run.
 */
export async function cancelReplay(db: Db, id: string, now: Date): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const updated = await tx
      .updateTable('replays')
      .set({ state: 'cancelled', finished_at: now })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .executeTakeFirst()
    if (updated.numUpdatedRows === 0n) return false
    const { status, error } = endedWithout(
      'lost',
      'replay_cancelled',
      'the replay was cancelled before this trial ended',
    )
    await tx
      .updateTable('trials')
      .set({ status, error_kind: error?.kind ?? null, error: error?.message ?? null, ended_at: now })
      .where('replay_id', '=', id)
      .where('status', 'is', null)
      .execute()
    return true
  })
}

/** Replays of these targets that run and in which no trial has begun or ended since `since`. */
export async function stalledReplays(
  db: Db,
  targets: readonly string[],
  since: Date,
): Promise<readonly { readonly id: string; readonly target: string }[]> {
  if (targets.length === 0) return []
  return db
    .selectFrom('replays')
    .select(['id', 'target'])
    .where('state', '=', 'running')
    .where('target', 'in', targets)
    .where('created_at', '<=', since)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('trials')
            .select('trial')
            .whereRef('trials.replay_id', '=', 'replays.id')
            .where(sql<Date>`greatest(trials.started_at, trials.ended_at)`, '>', since),
        ),
      ),
    )
    .execute()
}
