/**
 * The tables of the whole flow, in its order: traces and census, cases, replays and trials, failures and modes, reports
 * and deliveries. The same SQL runs on PostgreSQL and on PGlite.
 */
import { type Kysely, sql } from 'kysely'

const TABLES_IN_ORDER = [
  `create table traces (
    trace_id text primary key,
    rule text not null, stratum text not null, window_start timestamptz not null, policy text not null,
    p double precision, weight_source text not null, r text not null, threshold text not null,
    completion text not null, whole boolean not null,
    arrived_at timestamptz not null, decided_at timestamptz not null,
    span_count integer not null, late_spans integer not null default 0,
    agent text, agent_version text, service text, session text, user_id text,
    error text, started_at timestamptz not null, duration_ms double precision not null, cost_usd double precision,
    summary jsonb not null,
    otlp bytea not null,
    classified boolean not null default false
  )`,
  'create index traces_arrived on traces (arrived_at)',
  'create index traces_agent on traces (agent, arrived_at)',
  'create index traces_unclassified on traces (arrived_at) where not classified',

  `create table census (
    policy text not null, rule text not null, sampler text not null, stratum text not null, window_start timestamptz not null,
    received integer not null, kept integer not null, dropped integer not null, shed integer not null,
    incomplete integer not null, late_spans integer not null default 0,
    primary key (policy, rule, stratum, window_start)
  )`,
  // One row an ingest node: a batch of decisions is applied when its number is above the last one, and never twice.
  'create table sampler_batches (node text primary key, batch integer not null)',

  `create table feedback (
    source text not null, event_id text not null, trace_id text not null,
    name text not null, score double precision, label text, comment text, at timestamptz not null,
    classified boolean not null default false,
    primary key (source, event_id)
  )`,
  'create index feedback_trace on feedback (trace_id)',
  'create index feedback_unclassified on feedback (at) where not classified',

  `create table draws (
    id text primary key, suite text not null, window_from timestamptz, window_to timestamptz,
    seed text not null, strata jsonb not null, created_at timestamptz not null
  )`,
  `create table cases (
    id text primary key, suite text not null, draw_id text references draws (id), origin text not null,
    trace_id text, stratum text not null, p double precision, p_draw double precision, family text,
    input jsonb not null, reference jsonb, observed jsonb, fingerprint text not null, created_at timestamptz not null
  )`,
  'create index cases_draw on cases (draw_id)',
  'create index cases_suite on cases (suite)',

  `create table replays (
    id text primary key, name text not null unique, origin text not null, suite text, draw_id text references draws (id),
    target text not null, version text not null, trials integer not null, k integer not null, seed text not null,
    completion_only boolean not null, graders jsonb not null, manifest jsonb not null,
    state text not null, created_at timestamptz not null, finished_at timestamptz
  )`,
  `create table trials (
    replay_id text not null references replays (id) on delete cascade, case_id text not null references cases (id),
    trial integer not null,
    idempotency_key text not null, trace_id text not null, attempts integer not null default 0,
    status text, output jsonb, tools jsonb not null default '[]', usage jsonb, cost_usd double precision,
    latency_ms double precision, reported_version text, model text, error_kind text, error text,
    started_at timestamptz, ended_at timestamptz, outcome text, graded_at timestamptz,
    classified boolean not null default false,
    primary key (replay_id, case_id, trial)
  )`,
  'create index trials_planned on trials (replay_id, case_id, trial) where status is null',
  'create index trials_trace on trials (trace_id)',
  'create index trials_ungraded on trials (replay_id, case_id, trial) where status is not null and outcome is null',
  'create index trials_unclassified on trials (replay_id, case_id, trial) where outcome is not null and not classified',
  `create table verdicts (
    replay_id text not null, case_id text not null, trial integer not null, grader text not null,
    verdict text not null, score double precision, explanation text not null, category text, tool text,
    required boolean not null default true,
    primary key (replay_id, case_id, trial, grader),
    foreign key (replay_id, case_id, trial) references trials (replay_id, case_id, trial) on delete cascade
  )`,

  `create table failure_modes (
    id text primary key, state text not null, name text not null, definition text, category text,
    merged_into text references failure_modes (id), created_at timestamptz not null, updated_at timestamptz not null
  )`,
  `create table mode_fingerprints (
    fingerprint text primary key, mode_id text not null references failure_modes (id)
  )`,
  `create table mode_events (
    id integer generated always as identity primary key,
    mode_id text not null references failure_modes (id), act text not null, who text not null, why text,
    before jsonb, after jsonb not null, at timestamptz not null
  )`,
  `create table failures (
    id text primary key, source text not null, replay_id text, case_id text, trial integer, trace_id text,
    grader text, error_kind text not null, tool text, message text not null, excerpt text not null, category text,
    fingerprint text not null, mode_id text not null references failure_modes (id), created_at timestamptz not null
  )`,
  `create unique index failures_trial on failures (replay_id, case_id, trial) where source = 'trial'`,
  `create unique index failures_trace on failures (trace_id) where source = 'trace'`,
  'create index failures_mode on failures (mode_id)',

  // One row per schedule and window: whoever inserts it acts on it, and nobody else.
  `create table windows (
    schedule text not null, window_from timestamptz not null, window_to timestamptz not null,
    late boolean not null, state text not null, draw_id text, replay_ids jsonb not null default '[]', report_id text,
    remarks jsonb not null default '[]', error text, next_at timestamptz not null, created_at timestamptz not null, updated_at timestamptz not null,
    primary key (schedule, window_to)
  )`,
  `create table reports (
    id text primary key, schedule text, title text not null, window_from timestamptz, window_to timestamptz,
    late boolean not null, body text not null, sha256 text not null, created_at timestamptz not null
  )`,
  'create unique index reports_once on reports (schedule, window_to) where schedule is not null',
  `create table deliveries (
    id text primary key, report_id text not null references reports (id), channel text not null,
    state text not null, attempts integer not null default 0, next_at timestamptz not null,
    delivered_at timestamptz, last_error text,
    unique (report_id, channel)
  )`,
]

const TABLES_REVERSED = [
  'deliveries',
  'reports',
  'windows',
  'failures',
  'mode_events',
  'mode_fingerprints',
  'failure_modes',
  'verdicts',
  'trials',
  'replays',
  'cases',
  'draws',
  'feedback',
  'sampler_batches',
  'census',
  'traces',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of TABLES_IN_ORDER) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of TABLES_REVERSED) await sql.raw(`drop table ${table}`).execute(db)
}
