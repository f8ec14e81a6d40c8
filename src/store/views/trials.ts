/**
 * Trials as they are read: all of a replay in order with their verdicts, the grid of cases × trials, and one trial with
 * everything that explains its outcome.
 */

import type { Verdict } from '../../core/grading/verdict.ts'
import type { CaseInput } from '../../core/replay/case.ts'
import type { Outcome, Trial, TrialAnswer, TrialStatus } from '../../core/replay/trial.ts'
import type { Db, Row } from '../schema.ts'
import { type CaseView, viewCase } from './cases.ts'
import { isoOrNull } from './time.ts'

export type TrialView = Trial & { readonly verdicts: readonly Verdict[] }

/** Where a page of trials ended; the next one goes on after it. */
export type TrialPlace = { readonly caseId: string; readonly trial: number }

/** In order of case and trial; `more` says that there are further ones after the last. */
export async function viewTrials(
  db: Db,
  replayId: string,
  { after, limit }: { after?: TrialPlace | undefined; limit: number },
): Promise<{ rows: readonly TrialView[]; more: boolean }> {
  let query = db.selectFrom('trials').selectAll().where('replay_id', '=', replayId)
  if (after !== undefined) {
    query = query.where((eb) => eb(eb.refTuple('case_id', 'trial'), '>', eb.tuple(after.caseId, after.trial)))
  }
  const rows = await query
    .orderBy('case_id')
    .orderBy('trial')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const verdicts = await verdictsOf(db, replayId, [...new Set(page.map((row) => row.case_id))])
  return { rows: page.map((row) => toTrialView(row, verdicts)), more: rows.length > limit }
}

export type TrialDetail = {
  readonly trial: TrialView
  readonly case: CaseView
  readonly failure: { readonly modeId: string; readonly modeName: string; readonly message: string } | null
}

export async function viewTrial(
  db: Db,
  { replayId, caseId, trial }: { replayId: string; caseId: string; trial: number },
): Promise<TrialDetail | undefined> {
  const row = await db
    .selectFrom('trials')
    .selectAll()
    .where('replay_id', '=', replayId)
    .where('case_id', '=', caseId)
    .where('trial', '=', trial)
    .executeTakeFirst()
  const aCase = await viewCase(db, caseId)
  if (row === undefined || aCase === undefined) return undefined
  const failure = await db
    .selectFrom('failures')
    .innerJoin('failure_modes', 'failure_modes.id', 'failures.mode_id')
    .select(['failures.mode_id', 'failure_modes.name', 'failures.message'])
    .where('failures.replay_id', '=', replayId)
    .where('failures.case_id', '=', caseId)
    .where('failures.trial', '=', trial)
    .executeTakeFirst()
  return {
    trial: toTrialView(row, await verdictsOf(db, replayId, [caseId])),
    case: aCase,
    failure:
      failure === undefined ? null : { modeId: failure.mode_id, modeName: failure.name, message: failure.message },
  }
}

export type GridCell = {
  readonly trial: number
  readonly status: TrialStatus | null
  readonly outcome: Outcome | null
}

export type GridRow = {
  readonly caseId: string
  readonly stratum: string
  readonly input: CaseInput
  readonly cells: readonly GridCell[]
}

/** A page of cases, each with all its trials; cases in order of their id. */
export async function viewGrid(
  db: Db,
  replayId: string,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<{ rows: readonly GridRow[]; more: boolean }> {
  const cases = await db
    .selectFrom('cases')
    .select(['id', 'stratum', 'input'])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('trials')
          .select('trials.trial')
          .where('trials.replay_id', '=', replayId)
          .whereRef('trials.case_id', '=', 'cases.id'),
      ),
    )
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  const page = cases.slice(0, limit)
  const cells = await cellsOf(
    db,
    replayId,
    page.map(({ id }) => id),
  )
  const rows = page.map(({ id, stratum, input }) => ({ caseId: id, stratum, input, cells: cells.get(id) ?? [] }))
  return { rows, more: cases.length > limit }
}

async function cellsOf(
  db: Db,
  replayId: string,
  caseIds: readonly string[],
): Promise<ReadonlyMap<string, readonly GridCell[]>> {
  if (caseIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('trials')
    .select(['case_id', 'trial', 'status', 'outcome'])
    .where('replay_id', '=', replayId)
    .where('case_id', 'in', caseIds)
    .orderBy('case_id')
    .orderBy('trial')
    .execute()
  return Map.groupBy(rows, (row) => row.case_id)
}

type KeyedVerdicts = ReadonlyMap<string, readonly Verdict[]>

async function verdictsOf(db: Db, replayId: string, caseIds: readonly string[]): Promise<KeyedVerdicts> {
  if (caseIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('verdicts')
    .selectAll()
    .where('replay_id', '=', replayId)
    .where('case_id', 'in', caseIds)
    .orderBy('grader')
    .execute()
  const byTrial = Map.groupBy(rows, (row) => `${row.trial} ${row.case_id}`)
  return new Map([...byTrial].map(([key, verdicts]) => [key, verdicts.map(toVerdict)]))
}

function toVerdict({ grader, verdict, score, explanation, category, tool }: Row<'verdicts'>): Verdict {
  return { grader, verdict, score, explanation, category, tool }
}

function toTrialView(row: Row<'trials'>, verdicts: KeyedVerdicts): TrialView {
  return {
    replayId: row.replay_id,
    caseId: row.case_id,
    trial: row.trial,
    idempotencyKey: row.idempotency_key,
    traceId: row.trace_id,
    status: row.status,
    attempts: row.attempts,
    answer: row.status === null ? null : toAnswer(row, row.status),
    startedAt: isoOrNull(row.started_at),
    endedAt: isoOrNull(row.ended_at),
    outcome: row.outcome,
    verdicts: verdicts.get(`${row.trial} ${row.case_id}`) ?? [],
  }
}

function toAnswer(row: Row<'trials'>, status: TrialStatus): TrialAnswer {
  return {
    status,
    output: row.output,
    tools: row.tools,
    usage: row.usage,
    costUsd: row.cost_usd,
    latencyMs: row.latency_ms,
    reportedVersion: row.reported_version,
    model: row.model,
    error: row.error_kind === null ? null : { kind: row.error_kind, message: row.error ?? '' },
  }
}
