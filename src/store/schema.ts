/**
 * The rows of the database, as kysely types. One type a table; the migrations are the truth, and a test compares the two.
 *
 * Json columns are written as text (`json(value)`) and read as parsed values, alike on both engines.
 */
import type { ColumnType, Generated, Insertable, Kysely, Selectable, Transaction } from 'kysely'
import type { CaseInput, Observed } from '../core/replay/case.ts'
import type { Outcome, TrialStatus } from '../core/replay/trial.ts'
import type { FailureMode, ModeState, ReviewEvent } from '../core/taxonomy/failure-mode.ts'
import type { ToolCall, TraceSummary, Usage } from '../core/trace/summary.ts'

type Time = ColumnType<Date, Date | string, Date | string>
type TimeOrNull = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
type Json<T> = ColumnType<T, string, string>
type JsonOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>
type JsonWithDefault<T> = ColumnType<T, string | undefined, string>

export type TracesTable = {
  trace_id: string
  rule: string
  stratum: string
  window_start: Time
  policy: string
  p: number | null
  weight_source: 'threshold' | 'unknown'
  r: string
  threshold: string
  completion: string
  whole: boolean
  arrived_at: Time
  decided_at: Time
  span_count: number
  late_spans: Generated<number>
  agent: string | null
  agent_version: string | null
  service: string | null
  session: string | null
  user_id: string | null
  error: string | null
  started_at: Time
  duration_ms: number
  cost_usd: number | null
  summary: Json<TraceSummary>
  /** ExportTraceServiceRequest, redacted, gzip. */
  otlp: Uint8Array
  classified: Generated<boolean>
}

export type CensusTable = {
  policy: string
  rule: string
  sampler: string
  stratum: string
  window_start: Time
  received: number
  kept: number
  dropped: number
  shed: number
  incomplete: number
  late_spans: Generated<number>
}

export type SamplerBatchesTable = { node: string; batch: number }

export type FeedbackTable = {
  source: string
  event_id: string
  trace_id: string
  name: string
  score: number | null
  label: string | null
  comment: string | null
  at: Time
  classified: Generated<boolean>
}

/** Of each stratum: how many kept traces could be drawn, and how many were. */
export type DrawStratum = { readonly stratum: string; readonly population: number; readonly drawn: number }

export type DrawsTable = {
  id: string
  suite: string
  window_from: TimeOrNull
  window_to: TimeOrNull
  seed: string
  strata: Json<readonly DrawStratum[]>
  created_at: Time
}

export type CasesTable = {
  id: string
  suite: string
  draw_id: string | null
  origin: 'trace' | 'import'
  trace_id: string | null
  stratum: string
  p: number | null
  p_draw: number | null
  family: string | null
  input: Json<CaseInput>
  reference: JsonOrNull<unknown>
  observed: JsonOrNull<Observed>
  fingerprint: string
  created_at: Time
}

export type ReplayState = 'running' | 'finished' | 'cancelled'

export type ReplaysTable = {
  id: string
  name: string
  origin: 'run' | 'import'
  suite: string | null
  draw_id: string | null
  target: string
  version: string
  trials: number
  k: number
  seed: string
  completion_only: boolean
  /** The grader definitions in force, so that a stored replay says what judged it. */
  graders: Json<readonly unknown[]>
  manifest: Json<Readonly<Record<string, unknown>>>
  state: ReplayState
  created_at: Time
  finished_at: TimeOrNull
}

export type TrialsTable = {
  replay_id: string
  case_id: string
  trial: number
  idempotency_key: string
  trace_id: string
  attempts: Generated<number>
  status: TrialStatus | null
  output: JsonOrNull<unknown>
  tools: JsonWithDefault<readonly ToolCall[]>
  usage: JsonOrNull<Usage>
  cost_usd: number | null
  latency_ms: number | null
  reported_version: string | null
  model: string | null
  error_kind: string | null
  error: string | null
  started_at: TimeOrNull
  ended_at: TimeOrNull
  outcome: Outcome | null
  graded_at: TimeOrNull
  classified: Generated<boolean>
}

export type VerdictsTable = {
  replay_id: string
  case_id: string
  trial: number
  grader: string
  verdict: 'pass' | 'fail' | 'unknown'
  score: number | null
  explanation: string
  category: string | null
  tool: string | null
  /** Whether it decided the outcome. */
  required: Generated<boolean>
}

export type FailureModesTable = {
  id: string
  state: ModeState
  name: string
  definition: string | null
  category: string | null
  merged_into: string | null
  created_at: Time
  updated_at: Time
}

export type ModeFingerprintsTable = { fingerprint: string; mode_id: string }

export type ModeEventsTable = {
  id: ColumnType<number, never, never>
  mode_id: string
  act: ReviewEvent['act']
  who: string
  why: string | null
  before: JsonOrNull<FailureMode>
  after: Json<FailureMode>
  at: Time
}

export type FailuresTable = {
  id: string
  source: 'trial' | 'trace'
  replay_id: string | null
  case_id: string | null
  trial: number | null
  trace_id: string | null
  grader: string | null
  error_kind: string
  tool: string | null
  message: string
  excerpt: string
  category: string | null
  fingerprint: string
  mode_id: string
  created_at: Time
}

/**
 * due → replaying → reported; or failed, with the error in words. Skipped from the start: a slot missed while the service
 * was down, when a later one was caught up instead, or the slot before the schedule was first seen. `error` says which.
 */
export type WindowState = 'due' | 'replaying' | 'reported' | 'failed' | 'skipped'

export type WindowsTable = {
  schedule: string
  window_from: Time
  window_to: Time
  late: boolean
  state: WindowState
  draw_id: string | null
  replay_ids: JsonWithDefault<readonly string[]>
  report_id: string | null
  /** For the report: what could not be drawn, and why nothing could be. */
  remarks: JsonWithDefault<readonly string[]>
  error: string | null
  /** When it is looked at next; later than now while a worker has it. */
  next_at: Time
  created_at: Time
  updated_at: Time
}

export type ReportsTable = {
  id: string
  schedule: string | null
  title: string
  window_from: TimeOrNull
  window_to: TimeOrNull
  late: boolean
  /** The report as canonical JSON, frozen: text and not jsonb, so that the bytes stay. */
  body: string
  sha256: string
  created_at: Time
}

/** pending → sending → delivered; pending again after a passing failure; failed, or uncertain (we died while sending). */
export type DeliveryState = 'pending' | 'sending' | 'delivered' | 'failed' | 'uncertain'

export type DeliveriesTable = {
  id: string
  report_id: string
  channel: string
  state: DeliveryState
  attempts: Generated<number>
  next_at: Time
  delivered_at: TimeOrNull
  last_error: string | null
}

export type Tables = {
  traces: TracesTable
  census: CensusTable
  sampler_batches: SamplerBatchesTable
  feedback: FeedbackTable
  draws: DrawsTable
  cases: CasesTable
  replays: ReplaysTable
  trials: TrialsTable
  verdicts: VerdictsTable
  failure_modes: FailureModesTable
  mode_fingerprints: ModeFingerprintsTable
  mode_events: ModeEventsTable
  failures: FailuresTable
  windows: WindowsTable
  reports: ReportsTable
  deliveries: DeliveriesTable
}

/** A database or an open transaction: what every store function takes first. */
export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>
export type Row<T extends keyof Tables> = Selectable<Tables[T]>
export type NewRow<T extends keyof Tables> = Insertable<Tables[T]>

/** A value for a json column. Undefined becomes null inside objects' arrays, as JSON has it. */
export function json(value: unknown): string {
  return JSON.stringify(value ?? null)
}
