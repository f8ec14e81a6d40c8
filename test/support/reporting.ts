/**
 * A report stage wired as the app wires it: the real draw and the real plan on the test's database; time moves when the test
 * says so; trials end as the test says.
 */
import type { Outcome } from '../../src/core/replay/trial.ts'
import { makeReport, type ReportStage, type ScheduleSettings } from '../../src/stages/report.ts'
import { makeSelect } from '../../src/stages/select.ts'
import type { TrialJobs } from '../../src/store/jobs.ts'
import { planReplay } from '../../src/store/replays.ts'
import { type Db, json, type NewRow } from '../../src/store/schema.ts'

export const WEEKLY: ScheduleSettings = {
  name: 'weekly',
  cron: '0 9 * * MON',
  timezone: 'Europe/Berlin',
  suite: 'support',
  targets: ['support-agent@1', 'support-agent@2'],
  trials: 3,
  k: 2,
  level: 0.95,
  channels: ['folder', 'team'],
}

export type Bench = ReportStage & {
  readonly clock: { now(): Date; set(iso: string): void; pass(ms: number): void }
  readonly random: { id(prefix: string): string; seed(): string }
  readonly logged: readonly string[]
}

let made = 0

/** `onPlan` runs before each replay is planned: where a test lets the process die. */
export function reportBench(
  db: Db,
  {
    schedules = [WEEKLY],
    onPlan = () => undefined,
  }: { schedules?: readonly ScheduleSettings[]; onPlan?: () => void } = {},
): Bench {
  let time = Date.parse('2026-11-23T10:00:00Z')
  const clock = {
    now: () => new Date(time),
    set: (iso: string) => {
      time = Date.parse(iso)
    },
    pass: (ms: number) => {
      time += ms
    },
  }
  const random = {
    id: (prefix: string) => `${prefix}_${String(++made).padStart(6, '0')}`,
    seed: () => `seed-${++made}`,
  }
  const logged: string[] = []
  const select = makeSelect({ db, clock, random })
  const jobs = { enqueue: async () => undefined, wake: () => undefined } as unknown as TrialJobs
  const stage = makeReport({
    db,
    clock,
    random,
    log: (_level, message) => logged.push(message),
    schedules,
    drawCases: (wish) => select({ ...wish, from: {}, count: 10, stratifyBy: ['outcome'] }),
    planReplay: async ({ id, name, suite, drawId, target, trials, k }) => {
      onPlan()
      const [agent = '', version = ''] = target.split('@')
      await planReplay(db, jobs, {
        ...{ id, name, suite, trials, k, cases: { drawId } },
        target: { name: agent, version, config: {} },
        seed: random.seed(),
        completionOnly: false,
        graders: [{ name: 'policy' }],
        applies: () => true,
        about: { assay: '0.1.0', node: 'v24' },
        now: clock.now(),
      })
    },
    finalAfterMs: 1_800_000,
  })
  return { ...stage, clock, random, logged }
}

/** Kept traces of an hour and the census that goes with them: 1 in 10 kept, every fifth kept one an error. */
export async function givenTraffic(db: Db, hour: string, { kept = 20, prefix = 'a' } = {}): Promise<void> {
  const window_start = new Date(hour)
  const traces = Array.from({ length: kept }, (_, i) =>
    toTrace(`${prefix}${String(i).padStart(31, '0')}`, window_start, i),
  )
  await db.insertInto('traces').values(traces).execute()
  const rows = [
    { rule: 'rest', sampler: 'probabilistic', received: kept * 10, kept, dropped: kept * 9 },
    { rule: 'health', sampler: 'drop', received: 7, kept: 0, dropped: 7 },
  ]
  await db
    .insertInto('census')
    .values(rows.map((row) => ({ ...row, policy: 'p1', stratum: 'all', window_start, shed: 0, incomplete: 0 })))
    .execute()
}

function toTrace(traceId: string, hour: Date, i: number): NewRow<'traces'> {
  const arrived = new Date(hour.getTime() + i * 1000)
  const error = i % 5 === 0 ? 'boom' : null
  return {
    trace_id: traceId,
    rule: 'rest',
    stratum: 'all',
    window_start: hour,
    policy: 'p1',
    p: 0.1,
    weight_source: 'threshold',
    r: 'ffffffffffffff',
    threshold: 'e6666666666666',
    completion: 'root',
    whole: true,
    arrived_at: arrived,
    decided_at: arrived,
    span_count: 1,
    agent: 'support-agent',
    error,
    started_at: arrived,
    duration_ms: 5,
    session: null,
    summary: json({
      agent: 'support-agent',
      version: '1',
      system: null,
      userInput: `Where is order ${traceId}?`,
      messages: [],
      output: 'On its way',
      tools: [],
      retrieved: [],
      error,
      completeness: [],
    }),
    otlp: new Uint8Array(),
  }
}

/** Ends, grades and classifies all trials of a replay; `outcomeOf` gets the place of the case and of the trial. */
export async function endTrials(
  db: Db,
  replayId: string,
  outcomeOf: (place: number, trial: number) => Outcome,
): Promise<void> {
  const trials = await db
    .selectFrom('trials')
    .select(['case_id', 'trial'])
    .where('replay_id', '=', replayId)
    .orderBy('case_id')
    .orderBy('trial')
    .execute()
  const cases = [...new Set(trials.map((trial) => trial.case_id))]
  for (const { case_id, trial } of trials) {
    const outcome = outcomeOf(cases.indexOf(case_id), trial)
    await db
      .updateTable('trials')
      .set({ status: outcome === 'errored' ? 'failed' : 'completed', outcome, classified: true })
      .where('replay_id', '=', replayId)
      .where('case_id', '=', case_id)
      .where('trial', '=', trial)
      .execute()
  }
}

export async function windowsOf(db: Db, schedule = 'weekly') {
  return db.selectFrom('windows').selectAll().where('schedule', '=', schedule).orderBy('window_to').execute()
}

/** Empties what the tests of a shared database write. */
export async function clear(db: Db): Promise<void> {
  for (const table of ['deliveries', 'reports', 'windows', 'failures', 'failure_modes'] as const)
    await db.deleteFrom(table).execute()
  for (const table of ['verdicts', 'trials', 'replays', 'cases', 'draws', 'feedback', 'census', 'traces'] as const)
    await db.deleteFrom(table).execute()
}
