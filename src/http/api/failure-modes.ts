/**
 * /failure-modes: what the machine proposed and what people made of it. Every act asks who did it, and is kept.
 */
import { createRoute, z } from '@hono/zod-openapi'
import { NotFoundError } from '../../core/errors.ts'
import type { FailureMode, ReviewAct, ReviewEvent } from '../../core/taxonomy/failure-mode.ts'
import type { Db } from '../../store/schema.ts'
import { type ModeRow, type ModeView, viewFailureMode, viewFailureModes } from '../../store/views/failure-modes.ts'
import type { UseCases } from '../use-cases.ts'
import { answer, idSchema, makeApiPart, PAGE_ROWS_MAX, problems } from './contract.ts'
import { count, list, text, textOrNull, time, timeOrNull } from './schemas/fields.ts'

const NAME_CHARACTERS_MAX = 120
const WORDS_CHARACTERS_MAX = 2000

const stateSchema = z.enum(['proposed', 'accepted', 'dismissed', 'merged'])

const modeShape = {
  id: text,
  state: stateSchema,
  name: text,
  definition: textOrNull,
  category: textOrNull,
  mergedInto: textOrNull.openapi({ description: 'The mode that it was merged into, for ever.' }),
  createdAt: time,
  updatedAt: time,
}

const modeSchema = z.object(modeShape).openapi('FailureMode') satisfies z.ZodType<FailureMode>

const countsShape = {
  failures: count,
  cases: count.openapi({ description: 'Distinct cases among the failures of trials.' }),
  traces: count.openapi({ description: 'Failures seen in production traces.' }),
  lastSeenAt: timeOrNull,
}

const modeRowSchema = z.object({ ...modeShape, ...countsShape }).openapi('FailureModeRow') satisfies z.ZodType<ModeRow>

const eventSchema = z.object({
  id: count,
  modeId: text,
  act: z.enum(['propose', 'accept', 'rename', 'merge', 'dismiss']),
  who: text,
  why: textOrNull,
  before: modeSchema.nullable(),
  after: modeSchema,
  at: time,
}) satisfies z.ZodType<ReviewEvent>

const exampleSchema = z.object({
  id: text,
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('trial'), replayId: text, caseId: text, trial: count }),
    z.object({ kind: z.literal('trace'), traceId: text }),
  ]),
  grader: textOrNull,
  errorKind: text,
  tool: textOrNull,
  message: text,
  excerpt: text,
  category: textOrNull,
  createdAt: time,
})

const modeViewSchema = z
  .object({
    ...modeShape,
    ...countsShape,
    examples: list(exampleSchema),
    history: list(eventSchema),
    mergedFrom: list(z.object({ id: text, name: text })),
  })
  .openapi('FailureModeView') satisfies z.ZodType<ModeView>

const EXAMPLE = {
  id: 'mode_06f1a2b3c4d5e6f7g8h9',
  state: 'accepted',
  name: 'Refunds an order that does not exist',
  definition: 'The agent calls refund_order with an id that look_up_order did not find.',
  category: 'policy violation',
  mergedInto: null,
  createdAt: '2026-10-04T09:00:00.000Z',
  updatedAt: '2026-10-05T09:00:00.000Z',
} as const

const listRoute = createRoute({
  method: 'get',
  path: '/failure-modes',
  operationId: 'listFailureModes',
  tags: ['Failure modes'],
  summary: 'Failure modes with their counts, most failures first',
  request: { query: z.object({ state: stateSchema.optional() }) },
  responses: {
    200: answer('The failure modes', z.object({ failureModes: list(modeRowSchema) }), {
      failureModes: [{ ...EXAMPLE, failures: 14, cases: 6, traces: 2, lastSeenAt: '2026-10-05T08:59:33.000Z' }],
    }),
    ...problems(400),
  },
})

const params = z.object({ id: idSchema.openapi({ example: EXAMPLE.id }) })

const getRoute = createRoute({
  method: 'get',
  path: '/failure-modes/{id}',
  operationId: 'getFailureMode',
  tags: ['Failure modes'],
  summary: 'One failure mode with its newest examples and its whole history',
  request: { params },
  responses: {
    200: { description: 'The failure mode', content: { 'application/json': { schema: modeViewSchema } } },
    ...problems(404),
  },
})

const modeName = z.string().trim().min(1).max(NAME_CHARACTERS_MAX)
const words = z.string().trim().min(1).max(WORDS_CHARACTERS_MAX)
const reviewer = {
  who: z.string().trim().min(1).max(NAME_CHARACTERS_MAX).openapi({ description: 'Who decides; kept in the history.' }),
  why: words.optional(),
}

/** The bodies of the four acts; the pages' forms are read by the same schemas. */
export const REVIEW_BODIES = {
  accept: z.strictObject({
    ...reviewer,
    name: modeName.optional(),
    definition: words.optional(),
    category: modeName.optional(),
  }),
  rename: z.strictObject({ ...reviewer, name: modeName }),
  merge: z.strictObject({ ...reviewer, into: idSchema }),
  dismiss: z.strictObject({ ...reviewer }),
}

function reviewRoute<A extends ReviewAct['act'], E extends z.input<(typeof REVIEW_BODIES)[A]>>(
  act: A,
  summary: string,
  example: E,
) {
  return createRoute({
    method: 'post',
    path: `/failure-modes/{id}/${act}` as const,
    operationId: `${act}FailureMode`,
    tags: ['Failure modes'],
    summary,
    request: {
      params,
      body: { required: true, content: { 'application/json': { schema: REVIEW_BODIES[act], example } } } as const,
    },
    responses: {
      200: answer('The failure mode as it is now', modeSchema, EXAMPLE),
      ...problems(400, 404, 409, 415),
    },
  })
}

const WHO = 'Ada'
const acceptRoute = reviewRoute('accept', 'Accept a proposal (or take back a dismissal): it is the team’s now', {
  who: WHO,
  name: EXAMPLE.name,
  category: EXAMPLE.category,
})
const renameRoute = reviewRoute('rename', 'Give it another name', { who: WHO, name: EXAMPLE.name })
const mergeRoute = reviewRoute('merge', 'Merge it into another; it redirects there from now on', {
  who: WHO,
  why: 'the same fault, another tool',
  into: 'mode_16f1a2b3c4d5e6f7g8h9',
})
const dismissRoute = reviewRoute('dismiss', 'Say that it is not worth tracking', { who: WHO, why: 'a test order' })

export function makeFailureModesApi({ db, useCases }: { readonly db: Db; readonly useCases: UseCases }) {
  return makeApiPart()
    .openapi(listRoute, async (c) => {
      const { state } = c.req.valid('query')
      const states = state === undefined ? undefined : [state]
      return c.json({ failureModes: await viewFailureModes(db, { states, limit: PAGE_ROWS_MAX }) }, 200)
    })
    .openapi(getRoute, async (c) => c.json(await requireMode(db, c.req.valid('param').id), 200))
    .openapi(acceptRoute, async (c) => {
      const { who, why, ...given } = c.req.valid('json')
      const act: ReviewAct = { act: 'accept', ...given }
      return c.json(await useCases.review({ modeId: c.req.valid('param').id, who, why: why ?? null, act }), 200)
    })
    .openapi(renameRoute, async (c) => {
      const { who, why, name } = c.req.valid('json')
      const act: ReviewAct = { act: 'rename', name }
      return c.json(await useCases.review({ modeId: c.req.valid('param').id, who, why: why ?? null, act }), 200)
    })
    .openapi(mergeRoute, async (c) => {
      const { who, why, into } = c.req.valid('json')
      const act: ReviewAct = { act: 'merge', into }
      return c.json(await useCases.review({ modeId: c.req.valid('param').id, who, why: why ?? null, act }), 200)
    })
    .openapi(dismissRoute, async (c) => {
      const { who, why } = c.req.valid('json')
      const act: ReviewAct = { act: 'dismiss' }
      return c.json(await useCases.review({ modeId: c.req.valid('param').id, who, why: why ?? null, act }), 200)
    })
}

export async function requireMode(db: Db, id: string): Promise<ModeView> {
  const mode = await viewFailureMode(db, id)
  if (mode === undefined) throw new NotFoundError(`No failure mode has the id ${JSON.stringify(id)}`, 'path.id')
  return mode
}
