/**
 * Trials in the database. This table is the truth about what is owed; jobs only wake the workers that pay it.
 *
 * Invariant: a trial ends once. Claiming counts an attempt and changes nothing else; ending compares and counts: where the
 * status was no longer null, somebody else had ended it, and nothing is written.
 */
import { sql } from 'kysely'
import type { CaseInput } from '../core/replay/case.ts'
import type { PlannedTrial } from '../core/replay/plan.ts'
import { ATTEMPTS_MAX, type TrialAnswer, type TrialCounts, type TrialKey } from '../core/replay/trial.ts'
import { type Db, json, type Tx } from './schema.ts'

const ROWS_MAX = 1000

export type ClaimedTrial = TrialKey & {
  readonly idempotencyKey: string
  readonly traceId: string
  /** This one counted. */
  readonly attempt: number
  readonly version: string
  readonly input: CaseInput
}

export async function insertTrials(tx: Tx, trials: readonly PlannedTrial[]): Promise<void> {
  for (let start = 0; start < trials.length; start += ROWS_MAX) {
    const rows = trials.slice(start, start + ROWS_MAX).map(({ replayId, caseId, trial, idempotencyKey, traceId }) => ({
      replay_id: replayId,
      case_id: caseId,
      trial,
      idempotency_key: idempotencyKey,
      trace_id: traceId,
    }))
    await sql`
      insert into trials (replay_id, case_id, trial, idempotency_key, trace_id)
      select replay_id, case_id, trial, idempotency_key, trace_id
      from jsonb_to_recordset(${json(rows)}::jsonb)
        as row (replay_id text, case_id text, trial integer, idempotency_key text, trace_id text)
    `.execute(tx)
  }
}

/**
 * Counts an attempt and gives what it needs; `exhausted` when ATTEMPTS_MAX were made and none is known to have ended;
 * undefined when nothing is owed: the trial has ended, or its replay no longer runs.
 */
export async function claimTrial(db: Db, key: TrialKey, now: Date): Promise<ClaimedTrial | 'exhausted' | undefined> {
  const row = await db
    .updateTable('trials')
    .from('replays')
    .innerJoin('cases', (join) => join.on('cases.id', '=', key.caseId))
    .set((eb) => ({
      attempts: eb('trials.attempts', '+', 1),
      started_at: eb.fn.coalesce('trials.started_at', eb.val(now)),
    }))
    .where('trials.replay_id', '=', key.replayId)
    .where('trials.case_id', '=', key.caseId)
    .where('trials.trial', '=', key.trial)
    .where('trials.status', 'is', null)
    .where('trials.attempts', '<', ATTEMPTS_MAX)
    .where('replays.id', '=', key.replayId)
    .where('replays.state', '=', 'running')
    .returning(['trials.idempotency_key', 'trials.trace_id', 'trials.attempts', 'replays.version', 'cases.input'])
    .executeTakeFirst()
  if (row === undefined) return (await isExhausted(db, key)) ? 'exhausted' : undefined
  return {
    ...key,
    idempotencyKey: row.idempotency_key,
    traceId: row.trace_id,
    attempt: row.attempts,
    version: row.version,
    input: row.input,
  }
}

async function isExhausted(db: Db, { replayId, caseId, trial }: TrialKey): Promise<boolean> {
  const row = await db
    .selectFrom('trials')
    .select('attempts')
    .where('replay_id', '=', replayId)
    .where('case_id', '=', caseId)
    .where('trial', '=', trial)
    .where('status', 'is', null)
    .executeTakeFirst()
  return row !== undefined && row.attempts >= ATTEMPTS_MAX
}

/** Ends the trial with a redacted answer. False when it had ended before: nothing was written. */
export async function endTrial(db: Db, key: TrialKey, answer: TrialAnswer, now: Date): Promise<boolean> {
  const updated = await db
    .updateTable('trials')
    .set({
      status: answer.status,
      output: answer.output === null ? null : json(answer.output),
      tools: json(answer.tools),
      usage: answer.usage === null ? null : json(answer.usage),
      cost_usd: answer.costUsd,
      latency_ms: answer.latencyMs,
      reported_version: answer.reportedVersion,
      model: answer.model,
      error_kind: answer.error?.kind ?? null,
      error: answer.error?.message ?? null,
      ended_at: now,
    })
    .where('replay_id', '=', key.replayId)
    .where('case_id', '=', key.caseId)
    .where('trial', '=', key.trial)
    .where('status', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/** Where a page of owed trials ended: they come in the order of their keys. */
export type OwedPage = { readonly after: string | null; readonly limit: number }

export type OwedTrial = TrialKey & { readonly idempotencyKey: string }

/** Trials that a target still owes: planned, in replays that run. `replayIds` narrows it to some replays. */
export async function owedTrials(
  db: Db,
  { target, replayIds }: { readonly target: string; readonly replayIds?: readonly string[] },
  { after, limit }: OwedPage,
): Promise<readonly OwedTrial[]> {
  let query = db
    .selectFrom('trials')
    .innerJoin('replays', 'replays.id', 'trials.replay_id')
    .select(['trials.replay_id', 'trials.case_id', 'trials.trial', 'trials.idempotency_key'])
    .where('trials.status', 'is', null)
    .where('replays.state', '=', 'running')
    .where('replays.target', '=', target)
  if (replayIds !== undefined) query = query.where('replays.id', 'in', replayIds)
  if (after !== null) query = query.where('trials.idempotency_key', '>', after)
  const rows = await query.orderBy('trials.idempotency_key').limit(limit).execute()
  return rows.map((row) => ({
    replayId: row.replay_id,
    caseId: row.case_id,
    trial: row.trial,
    idempotencyKey: row.idempotency_key,
  }))
}

export type CaseCounts = TrialCounts & {
  readonly caseId: string
  /** Ended and not graded yet, or still planned. */
  readonly pending: number
  /** Errored trials whose verdicts that decide are there and all pass: timeouts often would have passed. */
  readonly erroredButPassing: number
}

/** One row a case of the replay, in order of the cases' ids. Invariant: planned = passed + wrong + errored + ungraded + pending. */
export async function caseCounts(db: Db, replayId: string): Promise<readonly CaseCounts[]> {
  const { rows } = await sql<CaseCounts>`
    select trials.case_id as "caseId",
      count(*)::int as planned,
      (count(*) filter (where outcome = 'passed'))::int as passed,
      (count(*) filter (where outcome = 'wrong'))::int as wrong,
      (count(*) filter (where outcome = 'errored'))::int as errored,
      (count(*) filter (where outcome = 'ungraded'))::int as ungraded,
      (count(*) filter (where outcome is null))::int as pending,
      (count(*) filter (where outcome = 'errored' and judged.all_pass))::int as "erroredButPassing"
    from trials
    left join lateral (
      select bool_and(verdict = 'pass') as all_pass from verdicts
      where trials.outcome = 'errored' and verdicts.replay_id = trials.replay_id
        and verdicts.case_id = trials.case_id and verdicts.trial = trials.trial and verdicts.required
    ) judged on true
    where trials.replay_id = ${replayId}
    group by trials.case_id
    order by trials.case_id
  `.execute(db)
  return rows
}
