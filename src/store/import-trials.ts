/**
 * Trials that another harness made, a line of JSON each, as a finished replay on which every report works.
 *
 * All or nothing: one transaction, and the first bad line ends it. Lines are read as a stream and written in batches, so
 * that a file of any length fits; what must be known of earlier lines is asked of the database.
 */
import { sql } from 'kysely'
import { InputError } from '../core/errors.ts'
import { type Judgement, outcomeOf } from '../core/grading/verdict.ts'
import { fingerprintOf, hashText } from '../core/replay/fingerprint.ts'
import { errorKindOf, parseTrialLine, type TrialLine } from '../core/replay/import-line.ts'
import { storableText } from '../core/replay/storable.ts'
import { insertReplay } from './replays.ts'
import { type Db, json, type Tx } from './schema.ts'

/** The grader whose verdicts come from the other harness. */
export const IMPORTED_GRADER = 'imported'

export type TrialImport = {
  readonly id: string
  readonly replayName: string
  /** Text lines without their ends; empty ones are passed over. */
  readonly lines: AsyncIterable<string>
  /** For the figures; at most the most trials of any case. 3, or fewer where there are fewer, when it is not given. */
  readonly k?: number
  /** What every line must say, when it is given. */
  readonly target?: string
  readonly version?: string
  /** Completing is all that was asked: a completed trial without a verdict has passed. */
  readonly completionOnly?: boolean
  readonly redact: { text(text: string): string }
  readonly now: Date
}

export type ImportedTrials = { readonly replayId: string; readonly trials: number; readonly cases: number }

type Numbered = NumberedLine<TrialLine>

const BATCH_LINES = 2000
const K_DEFAULT = 3
const EMPTY_INPUT = { system: null, userInput: null, messages: [] } as const

/** Throws InputError with the line's number; then nothing was stored. */
export async function importTrials(db: Db, given: TrialImport): Promise<ImportedTrials> {
  return db.transaction().execute(async (tx) => {
    let first: Numbered | undefined
    for await (const batch of batchesOf(given.lines, parseTrialLine)) {
      if (first === undefined) {
        first = batch[0]
        checkAsked(first, given)
        await insertReplay(tx, newReplay(given, first.value))
      }
      checkSameTarget(batch, first)
      await insertBatch(tx, batch, given)
    }
    if (first === undefined)
      throw new InputError('no_trials', 'the file holds no trial, expected one JSON object a line')
    return finish(tx, given)
  })
}

type OneOrMore<T> = readonly [T, ...T[]]
type NumberedLine<T> = { readonly line: number; readonly value: T }

/** Numbered from 1, parsed, at most BATCH_LINES at a time and never none. */
export async function* batchesOf<T>(
  lines: AsyncIterable<string>,
  parse: (text: string, line: number) => T,
): AsyncGenerator<OneOrMore<NumberedLine<T>>> {
  let line = 0
  let batch: NumberedLine<T>[] = []
  for await (const text of lines) {
    line += 1
    if (text.trim() === '') continue
    batch.push({ line, value: parse(text, line) })
    if (batch.length < BATCH_LINES) continue
    if (hasOne(batch)) yield batch
    batch = []
  }
  if (hasOne(batch)) yield batch
}

function hasOne<T>(list: readonly T[]): list is OneOrMore<T> {
  return list.length > 0
}

function checkAsked(first: Numbered, given: TrialImport): void {
  for (const key of ['target', 'version'] as const) {
    const asked = given[key]
    if (asked === undefined || first.value[key] === asked) continue
    throw mixed(first, key, `expected ${JSON.stringify(asked)}`)
  }
}

function checkSameTarget(batch: readonly Numbered[], first: Numbered): void {
  for (const entry of batch) {
    for (const key of ['target', 'version'] as const) {
      if (entry.value[key] === first.value[key]) continue
      throw mixed(
        entry,
        key,
        `line ${first.line} says ${JSON.stringify(first.value[key])}, and a replay has one ${key}`,
      )
    }
  }
}

function mixed({ line, value }: Numbered, key: 'target' | 'version', why: string): InputError {
  return new InputError(`mixed_${key}`, `line ${line}: ${key} ${JSON.stringify(value[key])}: ${why}`, `line ${line}`)
}

function newReplay({ id, replayName, completionOnly, now }: TrialImport, { target, version }: TrialLine) {
  return {
    id,
    name: replayName,
    origin: 'import' as const,
    suite: null,
    target,
    version,
    trials: 0,
    k: 0,
    seed: '',
    completion_only: completionOnly ?? false,
    graders: json([]),
    manifest: json({}),
    state: 'finished' as const,
    created_at: now,
    finished_at: now,
  }
}

async function insertBatch(tx: Tx, batch: readonly Numbered[], given: TrialImport): Promise<void> {
  const rows = batch.map((entry) => toRow(entry, given))
  await insertCases(tx, new Set(rows.map(({ case_id }) => case_id)), given)
  const { rows: inserted } = await sql<{ key: string }>`
    insert into trials (replay_id, case_id, trial, idempotency_key, trace_id, attempts, status, cost_usd, latency_ms,
      reported_version, error_kind, error, ended_at, outcome, graded_at)
    select ${given.id}, case_id, trial, idempotency_key, trace_id, 1, status, cost_usd, latency_ms,
      ${batch[0]?.value.version ?? null}, error_kind, error, ${given.now}::timestamptz, outcome, ${given.now}::timestamptz
    from json_to_recordset(${json(rows)}::json)
      as row (case_id text, trial integer, idempotency_key text, trace_id text, status text, cost_usd double precision,
        latency_ms double precision, error_kind text, error text, outcome text)
    on conflict do nothing
    returning idempotency_key as key
  `.execute(tx)
  if (inserted.length < rows.length) throw await duplicate(tx, batch, inserted, given)
  await sql`
    insert into verdicts (replay_id, case_id, trial, grader, verdict, explanation)
    select ${given.id}, case_id, trial, ${IMPORTED_GRADER}, verdict, ''
    from json_to_recordset(${json(rows.filter(({ verdict }) => verdict !== null))}::json)
      as row (case_id text, trial integer, verdict text)
  `.execute(tx)
}

/** Cases that nobody has described: what another harness knows of them, it keeps. */
async function insertCases(tx: Tx, ids: ReadonlySet<string>, { now }: TrialImport): Promise<void> {
  const rows = [...ids].map((id) => ({ id, fingerprint: fingerprintOf({ imported: id }) }))
  await sql`
    insert into cases (id, suite, origin, stratum, input, fingerprint, created_at)
    select id, ${IMPORTED_GRADER}, 'import', 'all', ${json(EMPTY_INPUT)}::jsonb, fingerprint, ${now}::timestamptz
    from json_to_recordset(${json(rows)}::json) as row (id text, fingerprint text)
    on conflict (id) do nothing
  `.execute(tx)
}

function toRow({ line, value }: Numbered, { id, completionOnly, redact }: TrialImport) {
  const { case: caseId, trial, status, verdict, error, latencyMs, costUsd } = value
  const verdicts: readonly { verdict: Judgement }[] = verdict === null ? [] : [{ verdict }]
  return {
    case_id: storableText(caseId),
    trial,
    // Where it came from; it also tells which line was first when another line says the same trial.
    idempotency_key: keyOfLine(line),
    trace_id: hashText(`${id}\n${line}`).slice(0, 32),
    status,
    verdict,
    outcome: outcomeOf(status, verdicts, completionOnly ?? false),
    error_kind: status === 'completed' && !error ? null : errorKindOf(status),
    error: error ? redact.text(storableText(error)) : null,
    latency_ms: latencyMs ?? null,
    cost_usd: costUsd ?? null,
  }
}

function keyOfLine(line: number): string {
  return `line ${line}`
}

async function duplicate(
  tx: Tx,
  batch: readonly Numbered[],
  inserted: readonly { readonly key: string }[],
  { id }: TrialImport,
): Promise<InputError> {
  const stored = new Set(inserted.map(({ key }) => key))
  const second = batch.find(({ line }) => !stored.has(keyOfLine(line)))
  const { case: caseId, trial } = second?.value ?? { case: '', trial: 0 }
  const first = await tx
    .selectFrom('trials')
    .select('idempotency_key')
    .where('replay_id', '=', id)
    .where('case_id', '=', storableText(caseId))
    .where('trial', '=', trial)
    .executeTakeFirst()
  const message = `line ${second?.line}: case ${JSON.stringify(caseId)}, trial ${trial} stands on ${first?.idempotency_key} already`
  return new InputError('duplicate_trial', message, `line ${second?.line}`)
}

async function finish(tx: Tx, given: TrialImport): Promise<ImportedTrials> {
  const { rows } = await sql<{ trials: number; cases: number; most: number }>`
    select coalesce(sum(n), 0)::int as trials, count(*)::int as cases, coalesce(max(n), 0)::int as most
    from (select count(*) as n from trials where replay_id = ${given.id} group by case_id) counted
  `.execute(tx)
  const { trials, cases, most } = rows[0] ?? { trials: 0, cases: 0, most: 0 }
  const k = given.k ?? Math.min(K_DEFAULT, most)
  if (!Number.isInteger(k) || k < 1 || k > most) {
    throw new InputError('bad_k', `k ${k} is not allowed, expected 1 to ${most}, the most trials of any case`, 'k')
  }
  const manifest = { imported: true, trials, cases, k }
  await tx
    .updateTable('replays')
    .set({ trials: most, k, manifest: json(manifest) })
    .where('id', '=', given.id)
    .execute()
  return { replayId: given.id, trials, cases }
}
