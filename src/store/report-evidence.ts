/**
 * What a report is computed from, read from the database: the counts of replays, kept traces and census of a window, and
 * failure modes. Reads only, always in an order of its own, so that the same rows give the same report.
 */
import { sql } from 'kysely'
import { InputError, NotFoundError } from '../core/errors.ts'
import type { ReplayEvidence, ReportEvidence } from '../core/reporting/assemble.ts'
import type { CaseTrials } from '../core/reporting/case-row.ts'
import { titleOf } from '../core/reporting/plain.ts'
import type { KeptTraces, StratumCensus } from '../core/reporting/production.ts'
import type { ModeRow } from '../core/reporting/report.ts'
import { IS_COMPLAINT } from './feedback.ts'
import { findReplay } from './replays.ts'
import { reportBefore } from './reports.ts'
import type { Db, Row } from './schema.ts'
import { type CaseCounts, caseCounts } from './trials.ts'
import { missedBefore, type Window } from './windows.ts'

/** Of a long input no more is read than a title needs. */
const TITLE_LETTERS_MAX = 1000

/** What is to be computed. By id or name; `k` of null is each replay's own. */
export type ReportWish = {
  readonly id: string
  readonly title: string
  readonly seed: string
  readonly createdAt: Date
  readonly level: number
  readonly replayIds: readonly string[]
  readonly k: number | null
  readonly finalAfterMs: number
  readonly window:
    | (Pick<Window, 'schedule' | 'from' | 'to' | 'late' | 'remarks'> & { readonly timezone: string })
    | null
}

/** All that a report rests on, from one snapshot: rows that arrive meanwhile are in none of its figures. */
export async function gatherEvidence(db: Db, wish: ReportWish): Promise<ReportEvidence> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { window, k, level } = wish
      const replays: ReplayEvidence[] = []
      for (const replay of wish.replayIds) replays.push(await replayEvidence(tx, replay, { k, level }))
      const replayIds = replays.map(({ input }) => input.replay)
      return {
        id: wish.id,
        title: wish.title,
        schedule: window?.schedule ?? null,
        window: window === null ? null : { ...isoPeriod(window), timezone: window.timezone },
        late: window?.late ?? false,
        createdAt: wish.createdAt.toISOString(),
        seed: wish.seed,
        level,
        replays,
        kept: window === null ? [] : await keptTraces(tx, window),
        census: window === null ? [] : await censusOf(tx, window),
        ...(await modesOf(tx, { replayIds, period: window })),
        finalAfterMs: wish.finalAfterMs,
        missed: window === null ? [] : (await missedBefore(tx, window)).map(isoPeriod),
        remarks: window?.remarks ?? [],
        previous: window === null ? null : await reportBefore(tx, window),
      }
    })
}

function isoPeriod({ from, to }: Period): { readonly from: string; readonly to: string } {
  return { from: from.toISOString(), to: to.toISOString() }
}

/** Hours that start in [from, to). */
export type Period = { readonly from: Date; readonly to: Date }

/**
 * The counts of a replay, by id or name. `k` of null takes the replay's own. Throws InputError `replay_unfinished` while a
 * trial has not ended or is not graded: figures of a part of the trials would favour the quick ones.
 */
export async function replayEvidence(
  db: Db,
  idOrName: string,
  { k, level }: { readonly k: number | null; readonly level: number },
): Promise<ReplayEvidence> {
  const replay = await findReplay(db, idOrName)
  if (replay === undefined) throw new NotFoundError(`no replay ${JSON.stringify(idOrName)}`, 'replay')
  const counts = await caseCounts(db, replay.id)
  const pending = counts.reduce((sum, one) => sum + one.pending, 0)
  if (pending > 0) {
    const planned = counts.reduce((sum, one) => sum + one.planned, 0)
    throw new InputError(
      'replay_unfinished',
      `replay ${JSON.stringify(replay.name)}: ${pending} of ${planned} trials have not ended or are not graded yet`,
      'replay',
    )
  }
  const cases = await casesOf(db, replay.id)
  return {
    input: {
      replay: replay.id,
      target: replay.target,
      version: replay.version,
      suiteName: replay.suite,
      k: k ?? replay.k,
      level,
      graders: replay.completion_only ? [] : graderNames(replay),
      cases: counts.map((one) => toCaseTrials(one, cases.get(one.caseId))),
    },
    graders: replay.graders,
  }
}

type CaseFacts = Pick<Row<'cases'>, 'id' | 'stratum' | 'draw_id' | 'p' | 'p_draw' | 'family'> & { title: string | null }

async function casesOf(db: Db, replayId: string): Promise<ReadonlyMap<string, CaseFacts>> {
  const rows = await db
    .selectFrom('cases')
    .select(['id', 'stratum', 'draw_id', 'p', 'p_draw', 'family'])
    .select(sql<string | null>`left(cases.input ->> 'userInput', ${sql.lit(TITLE_LETTERS_MAX)})`.as('title'))
    .where('id', 'in', (eb) => eb.selectFrom('trials').select('case_id').where('replay_id', '=', replayId))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

function toCaseTrials({ caseId, pending: _, erroredButPassing, ...rest }: CaseCounts, facts?: CaseFacts): CaseTrials {
  const { planned, passed, wrong, errored, ungraded } = rest
  const { p = null, p_draw: pDraw = null } = facts ?? {}
  return {
    id: caseId,
    title: facts?.title == null ? '' : titleOf(facts.title),
    stratum: facts?.stratum ?? '',
    counts: { planned, passed, wrong, errored, ungraded },
    erroredButPassing,
    weight: p === null || pDraw === null ? null : 1 / (p * pDraw),
    stratumKey: JSON.stringify([facts?.draw_id ?? null, facts?.stratum ?? '']),
    family: facts?.family ?? null,
  }
}

/** Stored as they were in force; each has a name (core/grading). */
function graderNames({ graders }: Row<'replays'>): readonly string[] {
  return graders.map((grader) => {
    const name = typeof grader === 'object' && grader !== null && 'name' in grader ? grader.name : grader
    return String(name)
  })
}

/** Whether nothing of these replays is left to run, to grade or to classify. */
export async function replaysSettled(db: Db, replayIds: readonly string[]): Promise<boolean> {
  if (replayIds.length === 0) return true
  const open = await db
    .selectFrom('trials')
    .select('trial')
    .where('replay_id', 'in', replayIds)
    .where((eb) => eb.or([eb('outcome', 'is', null), eb('classified', '=', false)]))
    .limit(1)
    .executeTakeFirst()
  return open === undefined
}

export async function keptTraces(db: Db, { from, to }: Period): Promise<readonly KeptTraces[]> {
  const { rows } = await sql<KeptTraces>`
    select policy, rule, stratum, p,
      count(*)::int as traces,
      count(error)::int as errors,
      (count(*) filter (where said.down is not null))::int as "withFeedback",
      (count(*) filter (where said.down))::int as "thumbsDown"
    from traces
    left join lateral (
      select bool_or(coalesce(${IS_COMPLAINT}, false)) as down from feedback
      where feedback.trace_id = traces.trace_id and (label is not null or score is not null)
    ) said on true
    where window_start >= ${from} and window_start < ${to}
    group by policy, rule, stratum, p
    order by policy, rule, stratum, p
  `.execute(db)
  return rows
}

export async function censusOf(db: Db, { from, to }: Period): Promise<readonly StratumCensus[]> {
  const { rows } = await sql<StratumCensus>`
    select policy, rule, sampler, stratum,
      sum(received)::float8 as received, sum(kept)::float8 as kept, sum(dropped)::float8 as dropped,
      sum(shed)::float8 as shed, sum(incomplete)::float8 as incomplete
    from census
    where window_start >= ${from} and window_start < ${to}
    group by policy, rule, sampler, stratum
    order by policy, rule, sampler, stratum
  `.execute(db)
  return rows
}

export type ModeEvidence = { readonly modes: readonly ModeRow[]; readonly dismissedFailures: number }

/**
 * Failure modes of the replays' trials and of the traces of a period, with their counts. A merged mode counts as the one it
 * was merged into; of dismissed ones only the failures are counted.
 */
export async function modesOf(
  db: Db,
  { replayIds, period }: { readonly replayIds: readonly string[]; readonly period: Period | null },
): Promise<ModeEvidence> {
  const ofTrials =
    replayIds.length === 0 ? sql`false` : sql`f.source = 'trial' and f.replay_id in (${sql.join(replayIds)})`
  const ofTraces =
    period === null
      ? sql`false`
      : sql`f.source = 'trace' and t.window_start >= ${period.from} and t.window_start < ${period.to}`
  const perReplay = sql`array[${sql.join(replayIds.map((id) => sql`count(*) filter (where f.replay_id = ${id})`))}]::int[]`
  const { rows } = await sql<ModeCount>`
    with recursive merged (mode_id, root) as (
      select id, id from failure_modes where merged_into is null
      union all
      select m.id, merged.root from failure_modes m join merged on m.merged_into = merged.mode_id
    )
    select root.id as mode, root.name, root.state, root.category,
      count(*)::int as count, ${perReplay} as "perReplay",
      (count(*) filter (where f.source = 'trace'))::int as production, count(distinct f.case_id)::int as cases, min(f.excerpt collate "C") as example
    from failures f
    left join traces t on t.trace_id = f.trace_id
    join merged on merged.mode_id = f.mode_id
    join failure_modes root on root.id = merged.root
    where (${ofTrials}) or (${ofTraces})
    group by root.id, root.name, root.state, root.category
    order by count(*) desc, root.id
  `.execute(db)
  return {
    modes: rows.flatMap(({ state, ...row }) =>
      state === 'accepted' || state === 'proposed' ? [{ ...row, state }] : [],
    ),
    dismissedFailures: rows.reduce((sum, { state, count }) => sum + (state === 'dismissed' ? count : 0), 0),
  }
}

type ModeCount = Omit<ModeRow, 'state'> & { readonly state: Row<'failure_modes'>['state'] }
