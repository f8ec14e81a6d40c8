/**
 * /census and /traces: what was received, and what was kept of it.
 */
import { createRoute, z } from '@hono/zod-openapi'
import { NotFoundError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { Db } from '../../store/schema.ts'
import { type CensusView, viewCensus } from '../../store/views/census.ts'
import { type TracePlace, type TraceRow, type TraceView, viewTrace, viewTraces } from '../../store/views/traces.ts'
import { answer, dateOr, idSchema, instantQuery, limitQuery, makeApiPart, problems } from './contract.ts'
import { summarySchema } from './schemas/conversation.ts'
import { count, list, nextPage, numberOrNull, text, textOrNull, time } from './schemas/fields.ts'

const DAY_MS = 86_400_000

const countsShape = { received: count, kept: count, dropped: count, shed: count, incomplete: count }

const censusSchema = z
  .object({
    from: time,
    to: time,
    rows: list(z.object({ rule: text, sampler: text, stratum: text, ...countsShape })),
    total: z.object(countsShape),
  })
  .openapi('Census') satisfies z.ZodType<CensusView>

const censusRoute = createRoute({
  method: 'get',
  path: '/census',
  operationId: 'getCensus',
  tags: ['Production'],
  summary: 'Traces received, kept, dropped and shed, per rule and stratum',
  description: 'Whole hours that start in [from, to); the last 24 hours by default. received = kept + dropped + shed.',
  request: { query: z.object({ from: instantQuery.optional(), to: instantQuery.optional() }) },
  responses: {
    200: answer('The counts', censusSchema, {
      from: '2026-10-04T09:00:00.000Z',
      to: '2026-10-05T09:00:00.000Z',
      rows: [
        {
          rule: 'errors',
          sampler: 'always',
          stratum: 'all',
          received: 12,
          kept: 12,
          dropped: 0,
          shed: 0,
          incomplete: 1,
        },
      ],
      total: { received: 12, kept: 12, dropped: 0, shed: 0, incomplete: 1 },
    }),
    ...problems(400),
  },
})

const traceRowShape = {
  traceId: text,
  agent: textOrNull,
  agentVersion: textOrNull,
  service: textOrNull,
  session: textOrNull,
  rule: text,
  stratum: text,
  p: numberOrNull.openapi({ description: 'Probability with which it was kept; null when unknown.' }),
  weightSource: z.enum(['threshold', 'unknown']),
  completion: text,
  whole: z.boolean(),
  arrivedAt: time,
  decidedAt: time,
  startedAt: time,
  durationMs: z.number(),
  costUsd: numberOrNull,
  error: textOrNull,
  spanCount: count,
  lateSpans: count,
}

const traceRowSchema = z.object(traceRowShape).openapi('TraceRow') satisfies z.ZodType<TraceRow>

const feedbackSchema = z.object({
  source: text,
  eventId: text,
  name: text,
  score: numberOrNull,
  label: textOrNull,
  comment: textOrNull,
  at: time,
})

const traceSchema = z
  .object({
    ...traceRowShape,
    r: text,
    threshold: text,
    policy: text,
    summary: summarySchema,
    feedback: list(feedbackSchema),
    cases: list(z.object({ id: text, suite: text, drawId: textOrNull })),
  })
  .openapi('Trace') satisfies z.ZodType<TraceView>

const EXAMPLE_ROW = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  agent: 'support-agent',
  agentVersion: '2.1.0',
  service: 'support',
  session: 's-42',
  rule: 'errors',
  stratum: 'all',
  p: 1,
  weightSource: 'threshold',
  completion: 'root',
  whole: true,
  arrivedAt: '2026-10-05T08:59:01.000Z',
  decidedAt: '2026-10-05T08:59:33.000Z',
  startedAt: '2026-10-05T08:58:58.120Z',
  durationMs: 2310,
  costUsd: 0.0021,
  error: 'tool refund_order failed',
  spanCount: 7,
  lateSpans: 0,
} as const

/** Where the next page goes on: arrival and id of the last trace, since arrivals alone can be alike. */
const placeQuery = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z~[0-9a-f]{32}$/, 'expected the `next` of the page before')
  .openapi({
    param: { description: 'The `next` of the page before.' },
    example: `2026-10-05T08:59:01.000Z~${EXAMPLE_ROW.traceId}`,
  })

export const tracesQuery = z.object({
  agent: z.string().max(500).optional(),
  rule: z.string().max(500).optional(),
  from: instantQuery.optional(),
  to: instantQuery.optional(),
  before: placeQuery.optional(),
  limit: limitQuery,
})

const listRoute = createRoute({
  method: 'get',
  path: '/traces',
  operationId: 'listTraces',
  tags: ['Production'],
  summary: 'Kept traces, newest first',
  request: { query: tracesQuery },
  responses: {
    200: answer('One page', z.object({ traces: list(traceRowSchema), next: nextPage }), {
      traces: [EXAMPLE_ROW],
      next: null,
    }),
    ...problems(400),
  },
})

const getRoute = createRoute({
  method: 'get',
  path: '/traces/{traceId}',
  operationId: 'getTrace',
  tags: ['Production'],
  summary: 'One kept trace: its decision, its summary, its feedback and the cases drawn from it',
  request: { params: z.object({ traceId: idSchema.openapi({ example: EXAMPLE_ROW.traceId }) }) },
  responses: {
    200: { description: 'The trace', content: { 'application/json': { schema: traceSchema } } },
    ...problems(404),
  },
})

export function makeTracesApi({ db, clock }: { db: Db; clock: Clock }) {
  return makeApiPart()
    .openapi(censusRoute, async (c) => {
      const { from, to } = c.req.valid('query')
      const end = dateOr(to, clock.now())
      return c.json(await viewCensus(db, { from: dateOr(from, new Date(end.getTime() - DAY_MS)), to: end }), 200)
    })
    .openapi(listRoute, async (c) => {
      const page = await viewTraces(db, toTraceFilter(c.req.valid('query')))
      return c.json({ traces: page.rows, next: nextTracePlace(page) }, 200)
    })
    .openapi(getRoute, async (c) => {
      const { traceId } = c.req.valid('param')
      const trace = await viewTrace(db, traceId)
      if (trace === undefined)
        throw new NotFoundError(`No kept trace has the id ${JSON.stringify(traceId)}`, 'path.traceId')
      return c.json(trace, 200)
    })
}

export function toTraceFilter({ agent, rule, from, to, before, limit }: z.output<typeof tracesQuery>) {
  return { agent, rule, from: dateOr(from, undefined), to: dateOr(to, undefined), before: toPlace(before), limit }
}

function toPlace(before: string | undefined): TracePlace | undefined {
  if (before === undefined) return undefined
  const [arrivedAt = '', traceId = ''] = before.split('~')
  return { arrivedAt: new Date(arrivedAt), traceId }
}

export function nextTracePlace({ rows, more }: { rows: readonly TraceRow[]; more: boolean }): string | null {
  const last = rows.at(-1)
  return more && last !== undefined ? `${last.arrivedAt}~${last.traceId}` : null
}
