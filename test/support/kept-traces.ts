/**
 * Kept traces as the sample stage leaves them, for tests of what comes after. Each field can be told apart from the rest.
 */
import type { TraceSummary } from '../../src/core/trace/summary.ts'
import { type Db, json, type NewRow } from '../../src/store/schema.ts'

export type KeptTrace = {
  readonly id: string
  readonly agent?: string
  readonly service?: string
  readonly version?: string
  readonly rule?: string
  readonly session?: string
  readonly error?: string
  readonly p?: number | null
  readonly whole?: boolean
  readonly arrivedAt?: string
  readonly userInput?: unknown
  readonly lacks?: readonly string[]
}

export async function keepTraces(db: Db, traces: readonly KeptTrace[]): Promise<void> {
  if (traces.length > 0) await db.insertInto('traces').values(traces.map(toRow)).execute()
}

export async function giveFeedback(
  db: Db,
  traceId: string,
  given: { readonly label?: string; readonly score?: number },
): Promise<void> {
  const at = '2026-12-01T08:00:00Z'
  const row = { source: 'desk', event_id: `e-${traceId}`, trace_id: traceId, name: 'thumbs', comment: null, at }
  await db
    .insertInto('feedback')
    .values({ ...row, label: given.label ?? null, score: given.score ?? null })
    .execute()
}

function toRow(trace: KeptTrace): NewRow<'traces'> {
  const arrived = trace.arrivedAt ?? '2026-12-01T07:30:00Z'
  return {
    trace_id: trace.id,
    rule: trace.rule ?? 'all',
    stratum: 'all',
    window_start: '2026-12-01T07:00:00Z',
    policy: 'p1',
    p: trace.p === undefined ? 0.25 : trace.p,
    weight_source: trace.p === null ? 'unknown' : 'threshold',
    r: 'f'.repeat(14),
    threshold: 'c'.padEnd(14, '0'),
    completion: 'root',
    whole: trace.whole ?? true,
    arrived_at: arrived,
    decided_at: arrived,
    span_count: 1,
    agent: trace.agent ?? 'support',
    agent_version: trace.version ?? '1.0.0',
    service: trace.service ?? 'desk',
    session: trace.session ?? null,
    user_id: null,
    error: trace.error ?? null,
    started_at: arrived,
    duration_ms: 100,
    cost_usd: null,
    summary: json(summaryOf(trace)),
    otlp: new Uint8Array([1]),
  }
}

function summaryOf(trace: KeptTrace): TraceSummary {
  return {
    agent: trace.agent ?? 'support',
    version: trace.version ?? '1.0.0',
    service: trace.service ?? 'desk',
    session: trace.session ?? null,
    user: null,
    system: 'You help.',
    userInput: trace.userInput ?? `question ${trace.id}`,
    messages: [{ role: 'user', parts: [{ type: 'text', text: `question ${trace.id}` }] }],
    output: `answer ${trace.id}`,
    tools: [{ name: 'look', id: null, args: { q: 1 }, result: 'found', error: null }],
    retrieved: [],
    model: 'm',
    modelRequested: 'm',
    provider: null,
    finishReason: 'stop',
    usage: null,
    llmCalls: 1,
    cost: null,
    error: trace.error ?? null,
    toolErrors: 0,
    durationMs: 100,
    startedAt: trace.arrivedAt ?? '2026-12-01T07:30:00Z',
    capture: {
      userInput: 'captured',
      system: 'captured',
      output: 'captured',
      toolArguments: 'captured',
      toolResults: 'captured',
    },
    completeness: trace.lacks ?? [],
  }
}
