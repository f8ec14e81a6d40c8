/**
 * Replays as they are read, each with the counts of its trials. Rates and intervals are not here: see the reliability
 * figures, which know what may be divided by what.
 *
 * Invariant: planned ≥ ended ≥ graded = passed + wrong + errored + ungraded.
 */
import type { Db, ReplayState, Row } from '../schema.ts'
import { iso, isoOrNull } from './time.ts'

export type ReplayCounts = {
  readonly cases: number
  readonly planned: number
  readonly ended: number
  /** Those that have an outcome. */
  readonly graded: number
  readonly passed: number
  readonly wrong: number
  readonly errored: number
  readonly ungraded: number
}

export type ReplayView = {
  readonly id: string
  readonly name: string
  readonly origin: 'run' | 'import'
  readonly suite: string | null
  readonly drawId: string | null
  readonly target: string
  readonly version: string
  /** Trials per case. */
  readonly trials: number
  readonly k: number
  readonly seed: string
  readonly completionOnly: boolean
  /** The grader definitions in force when it was planned. */
  readonly graders: readonly unknown[]
  readonly manifest: Readonly<Record<string, unknown>>
  readonly state: ReplayState
  readonly createdAt: string
  readonly finishedAt: string | null
  readonly counts: ReplayCounts
}

export type ReplayFilter = { readonly before?: string | undefined; readonly limit: number }

/** Newest first by id; `more` says that there are older ones after the last. */
export async function viewReplays(
  db: Db,
  { before, limit }: ReplayFilter,
): Promise<{ rows: readonly ReplayView[]; more: boolean }> {
  let query = db.selectFrom('replays').selectAll()
  if (before !== undefined) query = query.where('id', '<', before)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const counts = await countTrials(
    db,
    page.map((row) => row.id),
  )
  return { rows: page.map((row) => toReplayView(row, counts.get(row.id))), more: rows.length > limit }
}

/** By id or by name; a name that looks like another replay's id gives the replay of that id. */
export async function viewReplay(db: Db, idOrName: string): Promise<ReplayView | undefined> {
  const rows = await db
    .selectFrom('replays')
    .selectAll()
    .where((eb) => eb.or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
    .execute()
  const row = rows.find(({ id }) => id === idOrName) ?? rows[0]
  if (row === undefined) return undefined
  return toReplayView(row, (await countTrials(db, [row.id])).get(row.id))
}

async function countTrials(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, ReplayCounts>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('trials')
    .where('replay_id', 'in', ids)
    .groupBy('replay_id')
    .select((eb) => {
      const counted = () => eb.fn.countAll()
      const number = (count: ReturnType<typeof counted>) => eb.cast<number>(count, 'integer')
      return [
        'replay_id',
        eb.cast<number>(eb.fn.count('case_id').distinct(), 'integer').as('cases'),
        number(counted()).as('planned'),
        number(counted().filterWhere('status', 'is not', null)).as('ended'),
        number(counted().filterWhere('outcome', 'is not', null)).as('graded'),
        number(counted().filterWhere('outcome', '=', 'passed')).as('passed'),
        number(counted().filterWhere('outcome', '=', 'wrong')).as('wrong'),
        number(counted().filterWhere('outcome', '=', 'errored')).as('errored'),
        number(counted().filterWhere('outcome', '=', 'ungraded')).as('ungraded'),
      ]
    })
    .execute()
  return new Map(rows.map(({ replay_id, ...counts }) => [replay_id, counts]))
}

const NO_TRIALS: ReplayCounts = {
  cases: 0,
  planned: 0,
  ended: 0,
  graded: 0,
  passed: 0,
  wrong: 0,
  errored: 0,
  ungraded: 0,
}

function toReplayView(row: Row<'replays'>, counts: ReplayCounts = NO_TRIALS): ReplayView {
  return {
    id: row.id,
    name: row.name,
    origin: row.origin,
    suite: row.suite,
    drawId: row.draw_id,
    target: row.target,
    version: row.version,
    trials: row.trials,
    k: row.k,
    seed: row.seed,
    completionOnly: row.completion_only,
    graders: row.graders,
    manifest: row.manifest,
    state: row.state,
    createdAt: iso(row.created_at),
    finishedAt: isoOrNull(row.finished_at),
    counts,
  }
}
