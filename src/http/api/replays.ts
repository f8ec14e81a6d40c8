/**
 * /replays: cases × trials against one target version; planned here, worked off by the stages.
 */
import { createRoute, z } from '@hono/zod-openapi'
import { NotFoundError } from '../../core/errors.ts'
import type { Db } from '../../store/schema.ts'
import { type ReplayView, viewReplay, viewReplays } from '../../store/views/replays.ts'
import { type TrialPlace, viewTrials } from '../../store/views/trials.ts'
import type { UseCases } from '../use-cases.ts'
import { linesBody, readLines } from './cases.ts'
import { answer, idSchema, jsonBody, limitQuery, makeApiPart, problems } from './contract.ts'
import { count, list, nextPage, text, textOrNull } from './schemas/fields.ts'
import { replaySchema, trialSchema } from './schemas/replays.ts'

const TRIALS_MAX = 1000
const CASES_MAX = 10_000
const TRIALS_EXAMPLE =
  '{"case":"refund-1","trial":1,"target":"support-agent","version":"2.1.0","status":"completed","verdict":"pass"}\n'

export const replayParams = z.object({ idOrName: idSchema.openapi({ example: 'weekly-2026-10-05' }) })
export const kQuery = z.coerce
  .number()
  .int()
  .min(1)
  .max(TRIALS_MAX)
  .optional()
  .openapi({ param: { description: 'k of pass@k and pass^k; the replay’s own by default.' }, example: 3 })

const wishSchema = z
  .strictObject({
    suite: idSchema.optional().openapi({ description: 'The only suite of the configuration by default.' }),
    draw: idSchema.optional().openapi({ description: 'Cases of this draw; the newest by default.' }),
    cases: z.array(idSchema).min(1).max(CASES_MAX).optional().openapi({ description: 'These cases.' }),
    fresh: z.boolean().default(false).openapi({ description: 'Draw new cases first.' }),
    target: idSchema,
    version: z.string().min(1).max(200).optional().openapi({ description: 'The configured one by default.' }),
    trials: z.number().int().min(1).max(TRIALS_MAX).default(5),
    k: z.number().int().min(1).max(TRIALS_MAX).default(3),
    completionOnly: z.boolean().optional(),
    name: z.string().min(1).max(120).optional(),
  })
  .refine(({ draw, cases, fresh }) => [draw, cases, fresh || undefined].filter((v) => v !== undefined).length <= 1, {
    error: 'give at most one of draw, cases and fresh',
  })
  .openapi('ReplayWish')

const createReplayRoute = createRoute({
  method: 'post',
  path: '/replays',
  operationId: 'createReplay',
  tags: ['Replays'],
  summary: 'Plan a replay: every case as n independent trials against one target version',
  description: 'Answers as soon as all trials are planned. Follow `counts` of the replay until its state is finished.',
  request: {
    body: jsonBody(wishSchema, { suite: 'support', target: 'support-agent', version: '2.1.0', trials: 5, k: 3 }),
  },
  responses: {
    201: answer('The planned replay', z.object({ id: text, name: text, draw: textOrNull }).openapi('PlannedReplay'), {
      id: 'replay_06f1a2b3c4d5e6f7g8h9',
      name: 'support-agent 2.1.0',
      draw: 'draw_06f1a2b3c4d5e6f7g8h9',
    }),
    ...problems(400, 404, 409, 415),
  },
})

const importRoute = createRoute({
  method: 'post',
  path: '/replays/import',
  operationId: 'importTrials',
  tags: ['Replays'],
  summary: 'Take in trials that another harness made, one JSON object a line',
  description:
    'A line is {"case", "trial", "target", "version", "status", "verdict", "error"?, "latencyMs"?, "costUsd"?}. ' +
    'Nothing is stored if any line is wrong.',
  request: {
    query: z.object({ name: z.string().min(1).max(120).openapi({ example: 'nightly-1' }), k: kQuery }),
    body: linesBody(TRIALS_EXAMPLE),
  },
  responses: {
    201: answer(
      'What was stored',
      z.object({ id: text, name: text, trials: count, cases: count }).openapi('ImportedTrials'),
      { id: 'replay_06f1a2b3c4d5e6f7g8h9', name: 'nightly-1', trials: 1, cases: 1 },
    ),
    ...problems(400, 409, 413, 415),
  },
})

const listRoute = createRoute({
  method: 'get',
  path: '/replays',
  operationId: 'listReplays',
  tags: ['Replays'],
  summary: 'All replays with their counts, newest first',
  request: { query: z.object({ before: idSchema.optional(), limit: limitQuery }) },
  responses: {
    200: answer('One page', z.object({ replays: list(replaySchema), next: nextPage }), { replays: [], next: null }),
    ...problems(400),
  },
})

const getRoute = createRoute({
  method: 'get',
  path: '/replays/{idOrName}',
  operationId: 'getReplay',
  tags: ['Replays'],
  summary: 'One replay with its counts',
  request: { params: replayParams },
  responses: {
    200: { description: 'The replay', content: { 'application/json': { schema: replaySchema } } },
    ...problems(404),
  },
})

const trialsRoute = createRoute({
  method: 'get',
  path: '/replays/{idOrName}/trials',
  operationId: 'listTrials',
  tags: ['Replays'],
  summary: 'Every trial of a replay with its verdicts, in order of case and trial',
  request: {
    params: replayParams,
    query: z.object({
      after: z
        .string()
        .regex(/^\d{1,6}~.{1,200}$/, 'expected the `next` of the page before')
        .optional()
        .openapi({ param: { description: 'The `next` of the page before.' }, example: '3~case_06f1a2b3c4d5e6f7g8h9' }),
      limit: limitQuery,
    }),
  },
  responses: {
    200: answer('One page', z.object({ trials: list(trialSchema), next: nextPage }), { trials: [], next: null }),
    ...problems(400, 404),
  },
})

const cancelRoute = createRoute({
  method: 'post',
  path: '/replays/{idOrName}/cancel',
  operationId: 'cancelReplay',
  tags: ['Replays'],
  summary: 'Stop a replay: trials that have not ended end as cancelled',
  request: { params: replayParams },
  responses: {
    200: { description: 'The replay as it is now', content: { 'application/json': { schema: replaySchema } } },
    ...problems(404),
  },
})

type ReplaysNeeds = { readonly db: Db; readonly useCases: UseCases }

export function makeReplaysApi({ db, useCases }: ReplaysNeeds) {
  return makeApiPart()
    .openapi(createReplayRoute, async (c) => {
      const wish = c.req.valid('json')
      const planned = await useCases.startReplay(toReplayWish(wish))
      return c.json(planned, 201)
    })
    .openapi(importRoute, async (c) => {
      const { name, k } = c.req.valid('query')
      return c.json(await useCases.importTrials({ name, k: k ?? null, text: await readLines(c.req) }), 201)
    })
    .openapi(listRoute, async (c) => {
      const { rows, more } = await viewReplays(db, c.req.valid('query'))
      return c.json({ replays: rows, next: more ? (rows.at(-1)?.id ?? null) : null }, 200)
    })
    .openapi(getRoute, async (c) => c.json(await requireReplay(db, c.req.valid('param').idOrName), 200))
    .openapi(trialsRoute, async (c) => {
      const { id } = await requireReplay(db, c.req.valid('param').idOrName)
      const { after, limit } = c.req.valid('query')
      const { rows, more } = await viewTrials(db, id, { after: toPlace(after), limit })
      const last = rows.at(-1)
      return c.json({ trials: rows, next: more && last !== undefined ? `${last.trial}~${last.caseId}` : null }, 200)
    })
    .openapi(cancelRoute, async (c) => {
      const { id } = await requireReplay(db, c.req.valid('param').idOrName)
      await useCases.cancelReplay({ replayId: id })
      return c.json(await requireReplay(db, id), 200)
    })
}

function toReplayWish(wish: z.output<typeof wishSchema>) {
  return {
    suite: wish.suite ?? null,
    drawId: wish.draw ?? null,
    caseIds: wish.cases ?? null,
    fresh: wish.fresh,
    target: wish.target,
    version: wish.version ?? null,
    trials: wish.trials,
    k: wish.k,
    completionOnly: wish.completionOnly ?? null,
    name: wish.name ?? null,
  }
}

export async function requireReplay(db: Db, idOrName: string): Promise<ReplayView> {
  const replay = await viewReplay(db, idOrName)
  if (replay === undefined) {
    throw new NotFoundError(`No replay has the id or name ${JSON.stringify(idOrName)}`, 'path.idOrName')
  }
  return replay
}

function toPlace(after: string | undefined): TrialPlace | undefined {
  if (after === undefined) return undefined
  const cut = after.indexOf('~')
  return { trial: Number(after.slice(0, cut)), caseId: after.slice(cut + 1) }
}
