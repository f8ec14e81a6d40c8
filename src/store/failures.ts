/**
 * Failures in the database, and what waits to be classified: graded trials, kept traces, feedback.
 *
 * Claims lock their rows until the transaction ends and pass over those that another worker has locked. A trial or trace has
 * one failure at most, whatever is said about it later; the database sees to that.
 */
import { sql } from 'kysely'
import type { GraderKind } from '../core/grading/grader.ts'
import { storableText } from '../core/replay/storable.ts'
import type { TrialKey } from '../core/replay/trial.ts'
import type { FailedTrace, FailedTrial, FailureEvidence } from '../core/taxonomy/evidence.ts'
import type { FailureSource } from '../core/taxonomy/failure.ts'
import { feedbackFor } from './feedback.ts'
import { type Db, json, type Row, type Tx } from './schema.ts'

export type NewFailure = {
  readonly id: string
  readonly source: FailureSource
  readonly evidence: FailureEvidence
  readonly modeId: string
}

/** Writes each failure once. Gives how many were new. */
export async function insertFailures(tx: Tx, failures: readonly NewFailure[], now: Date): Promise<number> {
  if (failures.length === 0) return 0
  const rows = failures.map(({ id, source, evidence, modeId }) => ({
    id,
    source: source.kind,
    replay_id: source.kind === 'trial' ? source.replayId : null,
    case_id: source.kind === 'trial' ? source.caseId : null,
    trial: source.kind === 'trial' ? source.trial : null,
    trace_id: source.kind === 'trace' ? source.traceId : null,
    grader: evidence.grader,
    error_kind: evidence.errorKind,
    tool: evidence.tool,
    message: storableText(evidence.message),
    excerpt: storableText(evidence.excerpt),
    category: evidence.category,
    fingerprint: evidence.fingerprint,
    mode_id: modeId,
    created_at: now,
  }))
  const inserted = await tx
    .insertInto('failures')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return inserted.length
}

/** Trials that are no failure (passed, ungraded) have nothing to explain. Gives how many were passed over. */
export async function passOverTrials(db: Db, limit: number): Promise<number> {
  const { rows } = await sql`
    with given as materialized (
      select replay_id, case_id, trial from trials
      where outcome is not null and not classified and outcome in ('passed', 'ungraded')
      limit ${limit} for update skip locked
    )
    update trials set classified = true from given
    where trials.replay_id = given.replay_id and trials.case_id = given.case_id and trials.trial = given.trial
    returning trials.trial
  `.execute(db)
  return rows.length
}

export type UnclassifiedTrial = TrialKey & { readonly failed: FailedTrial }

/** Wrong and errored trials; they are classified from now on, if the transaction commits. */
export async function claimFailedTrials(tx: Tx, limit: number): Promise<readonly UnclassifiedTrial[]> {
  const { rows } = await sql<ClaimedTrial>`
    with given as materialized (
      select replay_id, case_id, trial from trials
      where outcome is not null and not classified and outcome in ('wrong', 'errored')
      order by replay_id, case_id, trial
      limit ${limit} for update skip locked
    )
    update trials set classified = true from given
    where trials.replay_id = given.replay_id and trials.case_id = given.case_id and trials.trial = given.trial
    returning trials.replay_id, trials.case_id, trials.trial, trials.outcome, trials.output, trials.tools,
      trials.error_kind, trials.error
  `.execute(tx)
  if (rows.length === 0) return []
  const failing = await failingVerdicts(tx, rows)
  const order = await graderOrder(tx, [...new Set(rows.map((row) => row.replay_id))])
  return rows.map((row) => {
    const graders = order.get(row.replay_id) ?? []
    const rank = (name: string) => graders.findIndex((grader) => grader.name === name)
    const failed = failing
      .filter((v) => v.replay_id === row.replay_id && v.case_id === row.case_id && v.trial === row.trial)
      .map(({ grader, verdict, score, explanation, category, tool }) => {
        const kind = graders[rank(grader)]?.kind ?? null
        return { grader, verdict, score, explanation, category, tool, kind }
      })
      .toSorted((a, b) => rank(a.grader) - rank(b.grader))
    return {
      replayId: row.replay_id,
      caseId: row.case_id,
      trial: row.trial,
      failed: {
        outcome: row.outcome,
        output: row.output,
        tools: row.tools,
        error: row.error_kind === null ? null : { kind: row.error_kind, message: row.error ?? '' },
        failed,
      },
    }
  })
}

type ClaimedTrial = Pick<
  Row<'trials'>,
  'replay_id' | 'case_id' | 'trial' | 'output' | 'tools' | 'error_kind' | 'error'
> & { readonly outcome: FailedTrial['outcome'] }

async function failingVerdicts(tx: Tx, trials: readonly ClaimedTrial[]): Promise<readonly Row<'verdicts'>[]> {
  const keys = trials.map(({ replay_id, case_id, trial }) => ({ replay_id, case_id, trial }))
  const { rows } = await sql<Row<'verdicts'>>`
    select verdicts.* from verdicts
    join jsonb_to_recordset(${json(keys)}::jsonb) as given (replay_id text, case_id text, trial integer)
      on given.replay_id = verdicts.replay_id and given.case_id = verdicts.case_id and given.trial = verdicts.trial
    where verdict = 'fail' and required
    order by verdicts.grader
  `.execute(tx)
  return rows
}

type NamedKind = { readonly name: string; readonly kind: GraderKind | null }

/** Names and kinds of the graders of each replay, in the order of its suite. */
async function graderOrder(tx: Tx, replayIds: readonly string[]): Promise<ReadonlyMap<string, readonly NamedKind[]>> {
  const rows = await tx.selectFrom('replays').select(['id', 'graders']).where('id', 'in', replayIds).execute()
  return new Map(rows.map(({ id, graders }) => [id, graders.flatMap(namedKind)]))
}

function namedKind(stored: unknown): readonly NamedKind[] {
  if (typeof stored !== 'object' || stored === null || !('name' in stored)) return []
  const kind = 'kind' in stored && typeof stored.kind === 'string' ? (stored.kind as GraderKind) : null
  return [{ name: String(stored.name), kind }]
}

export type UnclassifiedTrace = { readonly traceId: string; readonly failed: FailedTrace }

/** Kept traces with what was said about them; they are classified from now on, if the transaction commits. */
export async function claimTraces(tx: Tx, limit: number): Promise<readonly UnclassifiedTrace[]> {
  const { rows } = await sql<{ trace_id: string }>`
    with given as materialized (
      select trace_id from traces where not classified order by arrived_at limit ${limit} for update skip locked
    )
    update traces set classified = true from given
    where traces.trace_id = given.trace_id
    returning traces.trace_id
  `.execute(tx)
  return tracesWith(
    tx,
    rows.map((row) => row.trace_id),
  )
}

/**
 * Feedback that nobody has looked at: how many, and the kept traces it is about that have no failure yet, locked. Feedback on
 * a trace that is not there is done with, too: should the trace be kept later, its own turn reads all that was said.
 */
export async function claimFeedback(
  tx: Tx,
  limit: number,
): Promise<{ readonly feedback: number; readonly traces: readonly UnclassifiedTrace[] }> {
  const { rows } = await sql<{ trace_id: string }>`
    with given as materialized (
      select source, event_id from feedback where not classified order by at limit ${limit} for update skip locked
    )
    update feedback set classified = true from given
    where feedback.source = given.source and feedback.event_id = given.event_id
    returning feedback.trace_id
  `.execute(tx)
  const ids = [...new Set(rows.map((row) => row.trace_id))]
  if (ids.length === 0) return { feedback: 0, traces: [] }
  const locked = await tx
    .selectFrom('traces')
    .select(['trace_id', 'classified'])
    .where('trace_id', 'in', ids)
    .orderBy('trace_id')
    .forUpdate()
    .execute()
  const known = await tx
    .selectFrom('failures')
    .select('trace_id')
    .where('source', '=', 'trace')
    .where('trace_id', 'in', ids)
    .execute()
  const failures = new Set(known.map((row) => row.trace_id))
  // One that is not classified yet has its own turn before it, and reads this feedback then.
  const open = locked.filter(({ classified, trace_id }) => classified && !failures.has(trace_id))
  return {
    feedback: rows.length,
    traces: await tracesWith(
      tx,
      open.map((row) => row.trace_id),
    ),
  }
}

async function tracesWith(tx: Tx, ids: readonly string[]): Promise<readonly UnclassifiedTrace[]> {
  if (ids.length === 0) return []
  const rows = await tx
    .selectFrom('traces')
    .select(['trace_id', 'error'])
    .select(sql<FailedTrace['tools'] | null>`summary -> 'tools'`.as('tools'))
    .select(sql<unknown>`summary -> 'output'`.as('output'))
    .where('trace_id', 'in', ids)
    .orderBy('trace_id')
    .execute()
  const said = Map.groupBy(await feedbackFor(tx, ids), (feedback) => feedback.trace_id)
  return rows.map(({ trace_id, error, tools, output }) => ({
    traceId: trace_id,
    failed: { error, tools: tools ?? [], output, said: said.get(trace_id) ?? [] },
  }))
}
