/**
 * What waits in the database, stage by stage, and what became of each schedule's last window: the answer to "why did
 * nothing run". The spool and the open traces are not in the database; the app knows them.
 */
import type { Db, WindowState } from '../schema.ts'
import { iso } from './time.ts'

export type Waiting = {
  /** Planned trials that have not ended. */
  readonly replay: number
  /** Ended trials without an outcome. */
  readonly grade: number
  /** Graded trials, kept traces and feedback that were not looked at. */
  readonly classify: number
  /** Windows that are due or being replayed. */
  readonly report: number
  /** Digests that are not delivered and not given up. */
  readonly publish: number
}

export async function viewWaiting(db: Db): Promise<Waiting> {
  return db
    .selectNoFrom((eb) => {
      const count = () => eb.cast<number>(eb.fn.countAll(), 'integer').as('n')
      return [
        eb.selectFrom('trials').select(count()).where('status', 'is', null).$asScalar().$notNull().as('replay'),
        eb
          .selectFrom('trials')
          .select(count())
          .where('status', 'is not', null)
          .where('outcome', 'is', null)
          .$asScalar()
          .$notNull()
          .as('grade'),
        eb(
          eb(
            eb
              .selectFrom('trials')
              .select(count())
              .where('outcome', 'is not', null)
              .where('classified', '=', false)
              .$asScalar()
              .$notNull(),
            '+',
            eb.selectFrom('traces').select(count()).where('classified', '=', false).$asScalar().$notNull(),
          ),
          '+',
          eb.selectFrom('feedback').select(count()).where('classified', '=', false).$asScalar().$notNull(),
        ).as('classify'),
        eb
          .selectFrom('windows')
          .select(count())
          .where('state', 'in', ['due', 'replaying'])
          .$asScalar()
          .$notNull()
          .as('report'),
        eb
          .selectFrom('deliveries')
          .select(count())
          .where('state', 'in', ['pending', 'sending'])
          .$asScalar()
          .$notNull()
          .as('publish'),
      ]
    })
    .executeTakeFirstOrThrow()
}

export type WindowView = {
  readonly schedule: string
  readonly from: string
  readonly to: string
  readonly state: WindowState
  readonly late: boolean
  readonly reportId: string | null
  readonly error: string | null
}

/** The newest window of each schedule that ever fell due. */
export async function viewLastWindows(db: Db): Promise<readonly WindowView[]> {
  const rows = await db
    .selectFrom('windows')
    .distinctOn('schedule')
    .select(['schedule', 'window_from', 'window_to', 'state', 'late', 'report_id', 'error'])
    .orderBy('schedule')
    .orderBy('window_to', 'desc')
    .execute()
  return rows.map((row) => ({
    schedule: row.schedule,
    from: iso(row.window_from),
    to: iso(row.window_to),
    state: row.state,
    late: row.late,
    reportId: row.report_id,
    error: row.error,
  }))
}
