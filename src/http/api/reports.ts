/**
 * /reports: frozen reports, in the bytes in which they were frozen and in the forms made from them.
 */
import { createRoute, z } from '@hono/zod-openapi'
import { InputError, NotFoundError } from '../../core/errors.ts'
import { renderHtml } from '../../core/reporting/render-html.ts'
import { renderMarkdown } from '../../core/reporting/render-markdown.ts'
import { renderText } from '../../core/reporting/render-text.ts'
import type { Report } from '../../core/reporting/report.ts'
import type { Db } from '../../store/schema.ts'
import { type ReportRow, viewReport, viewReports } from '../../store/views/reports.ts'
import { REPORT_CSP } from '../security.ts'
import type { UseCases } from '../use-cases.ts'
import { answer, idSchema, jsonBody, limitQuery, makeApiPart, problems } from './contract.ts'
import { count, list, nextPage, text, textOrNull, time, timeOrNull } from './schemas/fields.ts'
import { reportSchema } from './schemas/figures.ts'

const REPLAYS_MAX = 8
const TITLE_CHARACTERS_MAX = 200

const reportRowSchema = z
  .object({
    id: text,
    schedule: textOrNull,
    title: text,
    window: z.object({ from: time, to: time }).nullable(),
    late: z.boolean(),
    createdAt: time,
    sha256: text,
    deliveries: list(
      z.object({
        channel: text,
        state: z.enum(['pending', 'sending', 'delivered', 'failed', 'uncertain']),
        attempts: count,
        deliveredAt: timeOrNull,
        lastError: textOrNull,
      }),
    ),
  })
  .openapi('ReportRow') satisfies z.ZodType<ReportRow>

const listRoute = createRoute({
  method: 'get',
  path: '/reports',
  operationId: 'listReports',
  tags: ['Reports'],
  summary: 'Frozen reports and what became of their digests, newest first',
  request: { query: z.object({ before: idSchema.optional(), limit: limitQuery }) },
  responses: {
    200: answer('One page', z.object({ reports: list(reportRowSchema), next: nextPage }), { reports: [], next: null }),
    ...problems(400),
  },
})

const createReportRoute = createRoute({
  method: 'post',
  path: '/reports',
  operationId: 'createReport',
  tags: ['Reports'],
  summary: 'Compute and freeze a report over stored replays',
  description: 'Of two replays, the report holds their comparison too: the first is the one before.',
  request: {
    body: jsonBody(
      z.strictObject({
        replays: z.array(idSchema).min(1).max(REPLAYS_MAX),
        title: z.string().trim().min(1).max(TITLE_CHARACTERS_MAX).optional(),
        level: z.number().gt(0.5).lt(1).default(0.95),
      }),
      { replays: ['before', 'after'], title: '2.1.0 against 2.0.0' },
    ),
  },
  responses: {
    201: answer('The frozen report', z.object({ id: text }), { id: 'report_06f1a2b3c4d5e6f7g8h9' }),
    ...problems(400, 404, 409, 415),
  },
})

const getRoute = createRoute({
  method: 'get',
  path: '/reports/{id}',
  operationId: 'getReport',
  tags: ['Reports'],
  summary: 'One frozen report: its very bytes, or with a suffix as a page, as Markdown or as text',
  request: {
    params: z.object({
      id: idSchema.openapi({
        param: { description: 'Id, or `latest`; then `.html`, `.md` or `.txt` for another form than JSON.' },
        example: 'latest.md',
      }),
    }),
  },
  responses: {
    200: {
      description: 'The report. Its ETag is the fingerprint with which it was frozen.',
      content: {
        'application/json': { schema: reportSchema },
        'text/html': { schema: z.string() },
        'text/markdown': { schema: z.string() },
        'text/plain': { schema: z.string() },
      },
    },
    ...problems(404),
  },
})

type ReportsNeeds = { readonly db: Db; readonly useCases: UseCases }

export function makeReportsApi({ db, useCases }: ReportsNeeds) {
  return makeApiPart()
    .openapi(listRoute, async (c) => {
      const { rows, more } = await viewReports(db, c.req.valid('query'))
      return c.json({ reports: rows, next: more ? (rows.at(-1)?.id ?? null) : null }, 200)
    })
    .openapi(createReportRoute, async (c) => {
      const { replays, title, level } = c.req.valid('json')
      if (new Set(replays).size !== replays.length) {
        throw new InputError(
          'invalid_input',
          `body.replays ${JSON.stringify(replays)}: one is named twice`,
          'body.replays',
        )
      }
      return c.json(await useCases.makeReport({ replays, title: title ?? null, level }), 201)
    })
    .openapi(getRoute, async (c) => {
      const { id, suffix } = splitSuffix(c.req.valid('param').id)
      const { body, sha256 } = await requireReport(db, id)
      const headers = { ETag: `"${sha256}${suffix}"` }
      if (suffix === '') return c.body(body, 200, { ...headers, 'Content-Type': 'application/json' })

      const report = JSON.parse(body) as Report
      if (suffix === '.html') {
        return c.body(renderHtml(report), 200, {
          ...headers,
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': REPORT_CSP,
        })
      }
      const [type, rendered] =
        suffix === '.md' ? ['text/markdown', renderMarkdown(report)] : ['text/plain', renderText(report)]
      return c.body(rendered, 200, { ...headers, 'Content-Type': `${type}; charset=utf-8` })
    })
}

function splitSuffix(given: string): { readonly id: string; readonly suffix: '' | '.html' | '.md' | '.txt' } {
  for (const suffix of ['.html', '.md', '.txt'] as const) {
    if (given.endsWith(suffix)) return { id: given.slice(0, -suffix.length), suffix }
  }
  return { id: given, suffix: '' }
}

/** By id, or the newest one as `latest`. */
export async function requireReport(db: Db, id: string): Promise<ReportRow & { readonly body: string }> {
  const newest = id === 'latest' ? (await viewReports(db, { limit: 1 })).rows[0]?.id : id
  const report = newest === undefined ? undefined : await viewReport(db, newest)
  if (report !== undefined) return report
  throw new NotFoundError(
    id === 'latest' ? 'There is no report yet' : `No report has the id ${JSON.stringify(id)}`,
    'path.id',
  )
}
