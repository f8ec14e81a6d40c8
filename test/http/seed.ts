/**
 * Rows for the tests of the API and the pages: one of everything, in the states that are shown differently, with hostile
 * text wherever text comes from outside. Times are fixed.
 */
import type { Report } from '../../src/core/reporting/report.ts'
import type { TraceSummary } from '../../src/core/trace/summary.ts'
import { type Db, json, type NewRow } from '../../src/store/schema.ts'

export const NOW = new Date('2026-10-05T09:30:00.000Z')
export const HOSTILE = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">"'&`
export const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
export const OLDER_TRACE_ID = '1af7651916cd43dd8448eb211c80319c'
export const HOUR = '2026-10-05T08:00:00.000Z'

export const SUMMARY: TraceSummary = {
  agent: 'support-agent',
  version: '2.1.0',
  service: 'support',
  session: 's-42',
  user: null,
  system: 'You answer questions about orders. Never refund an order that you did not find.',
  userInput: `Where is my refund for order 1042? ${HOSTILE}`,
  messages: [
    { role: 'user', parts: [{ type: 'text', text: `Where is my refund for order 1042? ${HOSTILE}` }] },
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'c1', name: 'look_up_order', arguments: { order: '1042', note: HOSTILE } }],
    },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'not found', failed: true }] },
  ],
  output: `I refunded it.\u202etxet desrever ${HOSTILE}`,
  tools: [
    { name: 'look_up_order', id: 'c1', args: { order: '1042' }, result: null, error: 'order 1042 was not found' },
    { name: 'refund_order', id: 'c2', args: { order: '1042', amount: 80 }, result: { refunded: true }, error: null },
  ],
  retrieved: [{ id: 'kb-7', score: 0.82, content: 'Refunds take five days. '.repeat(40), source: 'handbook' }],
  model: 'small-1',
  modelRequested: 'small-1',
  provider: 'example',
  finishReason: 'stop',
  usage: { input: 812, output: 64, cacheRead: null, cacheWrite: null, reasoning: null },
  llmCalls: 2,
  cost: 0.0021,
  error: null,
  toolErrors: 1,
  durationMs: 2310,
  startedAt: '2026-10-05T08:58:58.120Z',
  capture: {
    userInput: 'captured',
    system: 'captured',
    output: 'captured',
    toolArguments: 'captured',
    toolResults: 'captured',
  },
  completeness: [],
}

export function traceRow(given: Partial<NewRow<'traces'>> = {}): NewRow<'traces'> {
  return {
    trace_id: TRACE_ID,
    rule: 'rest',
    stratum: 'support-agent',
    window_start: HOUR,
    policy: 'f00d',
    p: 0.25,
    weight_source: 'threshold',
    r: 'f0000000000000',
    threshold: 'c0000000000000',
    completion: 'root',
    whole: true,
    arrived_at: '2026-10-05T08:59:01.000Z',
    decided_at: '2026-10-05T08:59:33.000Z',
    span_count: 7,
    agent: 'support-agent',
    agent_version: '2.1.0',
    service: 'support',
    session: 's-42',
    user_id: null,
    error: null,
    started_at: SUMMARY.startedAt,
    duration_ms: 2310,
    cost_usd: 0.0021,
    summary: json(SUMMARY),
    otlp: new Uint8Array([31, 139]),
    ...given,
  }
}

/** Everything; a replay of six cases × five trials in which each outcome occurs. */
export async function seed(db: Db): Promise<void> {
  await seedProduction(db)
  await seedReplay(db)
  await seedFailureModes(db)
  await seedReport(db)
}

async function seedProduction(db: Db): Promise<void> {
  await db
    .insertInto('traces')
    .values([
      traceRow(),
      traceRow({
        trace_id: OLDER_TRACE_ID,
        rule: 'errors',
        stratum: 'all',
        p: null,
        weight_source: 'unknown',
        whole: false,
        completion: 'idle',
        late_spans: 2,
        agent: 'billing-agent',
        arrived_at: '2026-10-05T08:10:00.000Z',
        error: `model call failed: ${HOSTILE}`,
        summary: json({
          ...SUMMARY,
          userInput: null,
          messages: [],
          output: null,
          completeness: ['no input was captured'],
        }),
      }),
    ])
    .execute()
  const census = { policy: 'f00d', window_start: HOUR, shed: 0, incomplete: 0 }
  await db
    .insertInto('census')
    .values([
      {
        ...census,
        rule: 'errors',
        sampler: 'always',
        stratum: 'all',
        received: 12,
        kept: 12,
        dropped: 0,
        incomplete: 1,
      },
      {
        ...census,
        rule: 'rest',
        sampler: 'probabilistic',
        stratum: 'support-agent',
        received: 400,
        kept: 98,
        dropped: 302,
      },
      {
        ...census,
        rule: 'rest',
        sampler: 'probabilistic',
        stratum: 'support-agent',
        window_start: '2026-10-05T07:00:00Z',
        received: 100,
        kept: 27,
        dropped: 73,
      },
    ])
    .execute()
  await db
    .insertInto('feedback')
    .values({
      source: 'helpdesk',
      event_id: 'e1',
      trace_id: TRACE_ID,
      name: 'thumb',
      score: 0,
      label: 'down',
      comment: `wrong! ${HOSTILE}`,
      at: '2026-10-05T09:10:00Z',
    })
    .execute()
}

const OUTCOMES_OF_CASES = ['PPPPP', 'PWPPE', 'WWWWW', 'PPUPP', 'EEUWP', 'PP·s·'] as const
export const CASE_COUNT = OUTCOMES_OF_CASES.length
export const REPLAY_ID = 'replay_00000000000000000001'
export const caseId = (n: number) => `case_0000000000000000000${n}`

async function seedReplay(db: Db): Promise<void> {
  await db
    .insertInto('draws')
    .values({
      id: 'draw_1',
      suite: 'support',
      seed: '7d1e5c',
      strata: json([{ stratum: 'ok', population: 98, drawn: 6 }]),
      created_at: NOW,
    })
    .execute()
  await db
    .insertInto('cases')
    .values(
      OUTCOMES_OF_CASES.map((_, n) => ({
        id: caseId(n),
        suite: 'support',
        draw_id: 'draw_1',
        origin: 'trace' as const,
        trace_id: n === 0 ? TRACE_ID : null,
        stratum: 'ok',
        p: 0.25,
        p_draw: 0.06,
        family: null,
        input: json({
          system: SUMMARY.system,
          userInput: `Question ${n}: where is my refund? ${n === 1 ? HOSTILE : ''}`,
          messages: [],
        }),
        reference: n === 1 ? json('It was sent on 3 May.') : null,
        observed:
          n === 2
            ? null
            : json({ output: 'It is on its way.', tools: [], retrieved: [], error: null, agentVersion: '2.0.0' }),
        fingerprint: `f${n}`,
        created_at: NOW,
      })),
    )
    .execute()
  await db.insertInto('replays').values(replayRow()).execute()
  await db
    .insertInto('trials')
    .values(OUTCOMES_OF_CASES.flatMap((letters, n) => [...letters].map((letter, i) => trialRow(n, i + 1, letter))))
    .execute()
  await db
    .insertInto('verdicts')
    .values([
      {
        replay_id: REPLAY_ID,
        case_id: caseId(1),
        trial: 2,
        grader: 'no-refund-without-order',
        verdict: 'fail',
        score: 0,
        explanation: `refund_order was called with ${HOSTILE}`,
        category: 'policy violation',
        tool: 'refund_order',
      },
      {
        replay_id: REPLAY_ID,
        case_id: caseId(1),
        trial: 2,
        grader: 'polite',
        verdict: 'pass',
        score: 1,
        explanation: 'yes',
        category: null,
        tool: null,
      },
    ])
    .execute()
}

export function replayRow(given: Partial<NewRow<'replays'>> = {}): NewRow<'replays'> {
  return {
    id: REPLAY_ID,
    name: 'weekly 2026-10-05',
    origin: 'run',
    suite: 'support',
    draw_id: 'draw_1',
    target: 'support-agent',
    version: '2.1.0',
    trials: 5,
    k: 3,
    seed: '7d1e5c',
    completion_only: false,
    graders: json([{ name: 'no-refund-without-order', kind: 'forbidden-tool' }]),
    manifest: json({}),
    state: 'running',
    created_at: NOW,
    ...given,
  }
}

const LETTER_OUTCOMES = { P: 'passed', W: 'wrong', E: 'errored', U: 'ungraded' } as const

/** `s` has ended and waits for its graders; a dot is planned. */
function trialRow(n: number, trial: number, letter: string): NewRow<'trials'> {
  const outcome = LETTER_OUTCOMES[letter as keyof typeof LETTER_OUTCOMES] ?? null
  const status = letter === '·' ? null : letter === 'E' ? 'timed_out' : letter === 'U' ? 'lost' : 'completed'
  return {
    replay_id: REPLAY_ID,
    case_id: caseId(n),
    trial,
    idempotency_key: `key-${n}-${trial}`,
    trace_id: `${n}${trial}`.padStart(32, '0'),
    attempts: status === null ? 0 : 1,
    status,
    output: status === 'completed' ? json(`It is on its way. ${HOSTILE}`) : null,
    tools: json(letter === 'W' ? SUMMARY.tools : []),
    usage:
      status === 'completed'
        ? json({ input: 812, output: 64, cacheRead: null, cacheWrite: null, reasoning: null })
        : null,
    cost_usd: status === 'completed' ? 0.0021 : null,
    latency_ms: status === 'completed' ? 1830 : null,
    reported_version: status === 'completed' ? '2.1.0' : null,
    model: null,
    error_kind: status === 'timed_out' ? 'timeout' : null,
    error: status === 'timed_out' ? `no answer in 60 s ${HOSTILE}` : null,
    started_at: status === null ? null : NOW,
    ended_at: status === null ? null : NOW,
    outcome,
    graded_at: outcome === null ? null : NOW,
  }
}

export const MODE_ID = 'mode_00000000000000000001'
export const OTHER_MODE_ID = 'mode_00000000000000000002'
export const MERGED_MODE_ID = 'mode_00000000000000000003'

async function seedFailureModes(db: Db): Promise<void> {
  const at = { created_at: NOW, updated_at: NOW, merged_into: null, definition: null }
  await db
    .insertInto('failure_modes')
    .values([
      {
        ...at,
        id: MODE_ID,
        state: 'proposed',
        name: `refund_order without an order ${HOSTILE}`,
        category: 'policy violation',
      },
      {
        ...at,
        id: OTHER_MODE_ID,
        state: 'accepted',
        name: 'Timeouts of the order system',
        category: 'environment failure',
        definition: 'The agent waits for the order system for longer than a minute.',
      },
    ])
    .execute()
  await db
    .insertInto('failure_modes')
    .values({
      ...at,
      id: MERGED_MODE_ID,
      state: 'merged',
      name: 'Slow orders',
      category: null,
      merged_into: OTHER_MODE_ID,
    })
    .execute()
  const mode = {
    id: MODE_ID,
    state: 'proposed',
    name: 'x',
    definition: null,
    category: null,
    mergedInto: null,
    createdAt: NOW.toISOString(),
    updatedAt: NOW.toISOString(),
  }
  await db
    .insertInto('mode_events')
    .values([
      { mode_id: MODE_ID, act: 'propose', who: 'assay', why: null, before: null, after: json(mode), at: NOW },
      {
        mode_id: MERGED_MODE_ID,
        act: 'merge',
        who: `Ada ${HOSTILE}`,
        why: 'the same fault',
        before: json(mode),
        after: json({ ...mode, state: 'merged' }),
        at: NOW,
      },
    ])
    .execute()
  const failure = {
    grader: 'no-refund-without-order',
    error_kind: 'verdict',
    tool: 'refund_order',
    category: 'policy violation',
    fingerprint: 'f',
    excerpt: `I refunded it. ${HOSTILE}`,
    created_at: NOW,
  }
  await db
    .insertInto('failures')
    .values([
      {
        ...failure,
        id: 'fail_1',
        source: 'trial',
        replay_id: REPLAY_ID,
        case_id: caseId(1),
        trial: 2,
        message: `refund_order was called ${HOSTILE}`,
        mode_id: MODE_ID,
      },
      {
        ...failure,
        id: 'fail_2',
        source: 'trial',
        replay_id: REPLAY_ID,
        case_id: caseId(2),
        trial: 1,
        message: 'refund_order was called',
        mode_id: MODE_ID,
      },
      {
        ...failure,
        id: 'fail_3',
        source: 'trace',
        trace_id: OLDER_TRACE_ID,
        message: 'no answer',
        mode_id: OTHER_MODE_ID,
      },
    ])
    .execute()
}

export const REPORT_ID = 'report_00000000000000000001'

export const REPORT: Report = {
  schema: 'assay.report/1',
  id: REPORT_ID,
  title: `Weekly reliability ${HOSTILE}`,
  schedule: 'weekly',
  window: { from: '2026-09-28T09:00:00.000Z', to: '2026-10-05T09:00:00.000Z', timezone: 'UTC' },
  late: true,
  createdAt: NOW.toISOString(),
  seed: '7d1e5c',
  level: 0.95,
  replays: [],
  comparison: null,
  since: null,
  production: [],
  failureModes: [],
  coverage: { rows: [], received: 0, kept: 0, dropped: 0, shed: 0 },
  notMeasured: ['Latency under load was not measured.'],
}

async function seedReport(db: Db): Promise<void> {
  await db
    .insertInto('reports')
    .values({
      id: REPORT_ID,
      schedule: 'weekly',
      title: REPORT.title,
      window_from: '2026-09-28T09:00:00.000Z',
      window_to: '2026-10-05T09:00:00.000Z',
      late: true,
      body: JSON.stringify(REPORT),
      sha256: 'ab12',
      created_at: NOW,
    })
    .execute()
  await db
    .insertInto('deliveries')
    .values([
      {
        id: 'del_1',
        report_id: REPORT_ID,
        channel: 'archive',
        state: 'delivered',
        attempts: 1,
        next_at: NOW,
        delivered_at: NOW,
      },
      {
        id: 'del_2',
        report_id: REPORT_ID,
        channel: 'team',
        state: 'failed',
        attempts: 5,
        next_at: NOW,
        last_error: `connection refused ${HOSTILE}`,
      },
    ])
    .execute()
  await db
    .insertInto('windows')
    .values({
      schedule: 'weekly',
      window_from: '2026-09-28T09:00:00.000Z',
      window_to: '2026-10-05T09:00:00.000Z',
      late: true,
      state: 'reported',
      report_id: REPORT_ID,
      next_at: NOW,
      created_at: NOW,
      updated_at: NOW,
    })
    .execute()
}
