/**
 * /cases and /suites/{suite}/draws: the inputs that are replayed, and how they come to be.
 */
import { createRoute, z } from '@hono/zod-openapi'
import { InputError } from '../../core/errors.ts'
import type { Db } from '../../store/schema.ts'
import { viewCases } from '../../store/views/cases.ts'
import type { UseCases } from '../use-cases.ts'
import { answer, dateOr, idSchema, instantQuery, jsonBody, limitQuery, makeApiPart, problems } from './contract.ts'
import { count, list, nextPage, text } from './schemas/fields.ts'
import { caseSchema } from './schemas/replays.ts'

const DRAW_CASES_MAX = 10_000
const NDJSON_EXAMPLE =
  '{"id":"refund-1","input":"Where is my refund for order 1042?","reference":"It was sent on 3 May."}\n'

const listRoute = createRoute({
  method: 'get',
  path: '/cases',
  operationId: 'listCases',
  tags: ['Cases'],
  summary: 'Cases of a suite or of one draw, by id downwards',
  request: {
    query: z.object({
      suite: idSchema.optional().openapi({ example: 'support' }),
      draw: idSchema.optional(),
      before: idSchema.optional(),
      limit: limitQuery,
    }),
  },
  responses: {
    200: answer('One page', z.object({ cases: list(caseSchema), next: nextPage }), { cases: [], next: null }),
    ...problems(400),
  },
})

const drawnSchema = z
  .object({
    drawId: text,
    suite: text,
    seed: text,
    cases: count,
    strata: list(z.object({ stratum: text, population: count, drawn: count })),
  })
  .openapi('Draw')

const drawRoute = createRoute({
  method: 'post',
  path: '/suites/{suite}/draws',
  operationId: 'drawCases',
  tags: ['Cases'],
  summary: 'Draw replayable cases from the kept traces, by stratum, each with a known probability',
  description:
    'The same seed over the same traces gives the same cases. Without from and to all kept traces can be drawn.',
  request: {
    params: z.object({ suite: idSchema.openapi({ example: 'support' }) }),
    body: jsonBody(
      z.strictObject({
        from: instantQuery.optional(),
        to: instantQuery.optional(),
        count: z.number().int().min(1).max(DRAW_CASES_MAX).optional(),
        seed: z.string().min(1).max(100).optional(),
      }),
      { from: '2026-09-28', to: '2026-10-05', count: 50 },
    ),
  },
  responses: {
    201: answer('What was drawn, and from how many', drawnSchema, {
      drawId: 'draw_06f1a2b3c4d5e6f7g8h9',
      suite: 'support',
      seed: '7d1e5c',
      cases: 50,
      strata: [
        { stratum: 'error', population: 120, drawn: 25 },
        { stratum: 'ok', population: 900, drawn: 25 },
      ],
    }),
    ...problems(400, 404, 415),
  },
})

/** Documents a body of lines; the media type is checked by lines() below, since only JSON has a gate of its own. */
export function linesBody(example: string) {
  return {
    required: true,
    content: { 'application/x-ndjson': { schema: z.string(), example }, 'text/plain': { schema: z.string(), example } },
  } as const
}

const importRoute = createRoute({
  method: 'post',
  path: '/cases/import',
  operationId: 'importCases',
  tags: ['Cases'],
  summary: 'Take in cases with references, one JSON object a line',
  description: 'A line is {"id"?, "input", "system"?, "reference"?}. Nothing is stored if any line is wrong.',
  request: {
    query: z.object({ suite: idSchema.optional().openapi({ example: 'support' }) }),
    body: linesBody(NDJSON_EXAMPLE),
  },
  responses: {
    201: answer(
      'What was stored',
      z.object({ suite: text, cases: count, caseIds: list(text) }).openapi('ImportedCases'),
      { suite: 'support', cases: 1, caseIds: ['refund-1'] },
    ),
    ...problems(400, 409, 413, 415),
  },
})

export function makeCasesApi({ db, useCases }: { db: Db; useCases: UseCases }) {
  return makeApiPart()
    .openapi(listRoute, async (c) => {
      const { rows, more } = await viewCases(db, c.req.valid('query'))
      return c.json({ cases: rows, next: more ? (rows.at(-1)?.id ?? null) : null }, 200)
    })
    .openapi(drawRoute, async (c) => {
      const { from, to, count: wanted, seed } = c.req.valid('json')
      const drawn = await useCases.drawCases({
        suite: c.req.valid('param').suite,
        from: dateOr(from, null),
        to: dateOr(to, null),
        count: wanted ?? null,
        seed: seed ?? null,
      })
      return c.json(drawn, 201)
    })
    .openapi(importRoute, async (c) => {
      const { suite } = c.req.valid('query')
      const lines = await readLines(c.req)
      return c.json(await useCases.importCases({ suite: suite ?? null, text: lines }), 201)
    })
}

type LinesRequest = { header(name: string): string | undefined; arrayBuffer(): Promise<ArrayBuffer> }

/** The body as text. Lines that are not UTF-8 are refused: replacement characters would be stored as if they were sent. */
export async function readLines(req: LinesRequest): Promise<string> {
  const type = (req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-ndjson' && type !== 'text/plain') {
    throw new InputError(
      'unsupported_media_type',
      `${JSON.stringify(type)} is not taken here, expected application/x-ndjson or text/plain`,
      'header content-type',
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await req.arrayBuffer())
  } catch (error) {
    if (error instanceof TypeError) throw new InputError('not_utf8', 'The body is not UTF-8', 'body')
    throw error
  }
}
