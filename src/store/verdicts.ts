/**
 * Verdicts in the database, and the trials that wait for theirs.
 *
 * Invariant: a trial is graded once: its verdicts and its outcome are written together, while the outcome is still null.
 */
import { sql } from 'kysely'
import type { JudgedCase } from '../core/grading/applies.ts'
import type { JudgedTrial } from '../core/grading/finding.ts'
import type { Verdict } from '../core/grading/verdict.ts'
import { storableText } from '../core/replay/storable.ts'
import type { Outcome, TrialKey } from '../core/replay/trial.ts'
import { json, type Tx } from './schema.ts'

export type UngradedTrial = TrialKey & { readonly case: JudgedCase; readonly trialGiven: JudgedTrial }

/**
 * Ended trials without an outcome, at most `limit`, locked until the transaction ends; those that another worker has locked
 * are passed over.
 */
export async function claimUngraded(tx: Tx, limit: number): Promise<readonly UngradedTrial[]> {
  const rows = await tx
    .selectFrom('trials')
    .innerJoin('cases', 'cases.id', 'trials.case_id')
    .select(['trials.replay_id', 'trials.case_id', 'trials.trial', 'trials.status', 'trials.output', 'trials.tools'])
    .select(['trials.latency_ms', 'trials.cost_usd', 'cases.input', 'cases.reference', 'cases.observed'])
    .where('trials.status', 'is not', null)
    .where('trials.outcome', 'is', null)
    .orderBy('trials.replay_id')
    .orderBy('trials.case_id')
    .orderBy('trials.trial')
    .limit(limit)
    .forUpdate('trials')
    .skipLocked()
    .execute()
  return rows.flatMap((row) =>
    row.status === null
      ? []
      : [
          {
            replayId: row.replay_id,
            caseId: row.case_id,
            trial: row.trial,
            case: { input: row.input, reference: row.reference, observed: row.observed },
            trialGiven: {
              status: row.status,
              output: row.output,
              tools: row.tools,
              latencyMs: row.latency_ms,
              costUsd: row.cost_usd,
            },
          },
        ],
  )
}

/** What judged the trials of these replays, and what was asked of them. */
export async function gradingOf(
  tx: Tx,
  replayIds: readonly string[],
): Promise<
  readonly { readonly id: string; readonly graders: readonly unknown[]; readonly completion_only: boolean }[]
> {
  if (replayIds.length === 0) return []
  return tx.selectFrom('replays').select(['id', 'graders', 'completion_only']).where('id', 'in', replayIds).execute()
}

export type GradedTrial = TrialKey & {
  readonly outcome: Outcome
  readonly verdicts: readonly (Verdict & { readonly required: boolean })[]
}

/** Writes what the claim's transaction found out. Gives how many trials got their outcome here. */
export async function saveGrades(tx: Tx, graded: readonly GradedTrial[], now: Date): Promise<number> {
  if (graded.length === 0) return 0
  const keys = graded.map(({ replayId, caseId, trial, outcome }) => ({
    replay_id: replayId,
    case_id: caseId,
    trial,
    outcome,
  }))
  const { rows: updated } = await sql<{ replay_id: string; case_id: string; trial: number }>`
    update trials set outcome = given.outcome, graded_at = ${now}::timestamptz
    from jsonb_to_recordset(${json(keys)}::jsonb)
      as given (replay_id text, case_id text, trial integer, outcome text)
    where trials.replay_id = given.replay_id and trials.case_id = given.case_id and trials.trial = given.trial
      and trials.outcome is null
    returning trials.replay_id, trials.case_id, trials.trial
  `.execute(tx)
  const won = new Set(updated.map((row) => keyText(row.replay_id, row.case_id, row.trial)))
  const verdicts = graded
    .filter(({ replayId, caseId, trial }) => won.has(keyText(replayId, caseId, trial)))
    .flatMap(toRows)
  if (verdicts.length > 0) {
    await sql`
      insert into verdicts (replay_id, case_id, trial, grader, verdict, score, explanation, category, tool, required)
      select replay_id, case_id, trial, grader, verdict, score, explanation, category, tool, required
      from jsonb_to_recordset(${json(verdicts)}::jsonb)
        as given (replay_id text, case_id text, trial integer, grader text, verdict text, score double precision,
          explanation text, category text, tool text, required boolean)
    `.execute(tx)
  }
  return updated.length
}

function toRows({ replayId, caseId, trial, verdicts }: GradedTrial) {
  return verdicts.map(({ grader, verdict, score, explanation, category, tool, required }) => ({
    replay_id: replayId,
    case_id: caseId,
    trial,
    grader: storableText(grader),
    verdict,
    score,
    explanation: storableText(explanation),
    category: category === null ? null : storableText(category),
    tool: tool === null ? null : storableText(tool),
    required,
  }))
}

function keyText(replayId: string, caseId: string, trial: number): string {
  return JSON.stringify([replayId, caseId, trial])
}
