/** Rows as the stages before leave them: a replay with its cases and trials, kept traces, feedback. */
import type { TrialStatus } from '../../src/core/replay/trial.ts'
import type { ToolCall } from '../../src/core/trace/summary.ts'
import { type Db, json, type NewRow } from '../../src/store/schema.ts'

export const NOW = new Date('2026-12-01T09:00:00.000Z')
export const CLOCK = { now: () => NOW }

/** Ids that count up: the same in each run. */
export function counting(mark = '') {
  let last = 0
  return { id: (prefix: string) => `${prefix}_${mark}${String(++last).padStart(6, '0')}`, seed: () => 'seed' }
}

export function tool(name: string, given: Partial<ToolCall> = {}): ToolCall {
  return { name, id: null, args: {}, result: null, error: null, ...given }
}

export type GivenReplay = {
  readonly id: string
  readonly graders?: readonly unknown[]
  readonly completionOnly?: boolean
}

export async function givenReplay(db: Db, { id, graders = [], completionOnly = false }: GivenReplay): Promise<void> {
  await db
    .insertInto('replays')
    .values({
      id,
      name: id,
      origin: 'run',
      suite: 'suite',
      target: 'agent',
      version: '1',
      trials: 1,
      k: 1,
      seed: 'seed',
      completion_only: completionOnly,
      graders: json(graders),
      manifest: json({}),
      state: 'running',
      created_at: NOW,
    })
    .execute()
}

export async function givenCase(db: Db, id: string, given: { userInput?: unknown; reference?: unknown } = {}) {
  await db
    .insertInto('cases')
    .values({
      id,
      suite: 'suite',
      origin: 'import',
      stratum: 'all',
      input: json({ system: null, userInput: given.userInput ?? 'a question', messages: [] }),
      reference: given.reference === undefined ? null : json(given.reference),
      fingerprint: id,
      created_at: NOW,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export type GivenTrial = Partial<Omit<NewRow<'trials'>, 'output' | 'tools'>> & {
  readonly replay_id: string
  readonly trial: number
  readonly status: TrialStatus | null
  readonly output?: unknown
  readonly tools?: readonly ToolCall[]
}

/** On the case `<replay>-case`, unless it names another. */
export async function givenTrial(db: Db, given: GivenTrial): Promise<void> {
  const { output = null, tools = [], ...rest } = given
  const caseId = given.case_id ?? `${given.replay_id}-case`
  await givenCase(db, caseId)
  await db
    .insertInto('trials')
    .values({
      ...rest,
      case_id: caseId,
      idempotency_key: `${given.replay_id}-${given.trial}`,
      trace_id: `${given.replay_id}-${given.trial}`,
      output: output === null ? null : json(output),
      tools: json(tools),
      ended_at: given.status === null ? null : NOW,
    })
    .execute()
}

export type GivenTrace = {
  readonly id: string
  readonly error?: string
  readonly tools?: readonly ToolCall[]
  readonly output?: unknown
}

export async function givenTrace(db: Db, { id, error, tools = [], output = 'an answer' }: GivenTrace): Promise<void> {
  await db
    .insertInto('traces')
    .values({
      trace_id: id,
      rule: 'all',
      stratum: 'all',
      window_start: NOW,
      policy: 'p',
      p: 1,
      weight_source: 'threshold',
      r: '0'.repeat(14),
      threshold: '0'.repeat(14),
      completion: 'root',
      whole: true,
      arrived_at: NOW,
      decided_at: NOW,
      span_count: 1,
      error: error ?? null,
      started_at: NOW,
      duration_ms: 1,
      summary: json({ tools, output }),
      otlp: new Uint8Array(),
    })
    .execute()
}

export type GivenFeedback = {
  readonly id: string
  readonly trace: string
  readonly label?: string | null
  readonly score?: number
  readonly comment?: string
}

export async function givenFeedback(db: Db, { id, trace, label = 'thumbs-down', score, comment }: GivenFeedback) {
  await db
    .insertInto('feedback')
    .values({
      source: 'helpdesk',
      event_id: id,
      trace_id: trace,
      name: 'user',
      label,
      score: score ?? null,
      comment: comment ?? null,
      at: NOW,
    })
    .execute()
}
