/**
 * /status: for each stage what waits, when it last worked and what went wrong last; for each schedule what became of its
 * last window. The answer to "why did nothing run".
 */
import { createRoute, z } from '@hono/zod-openapi'
import { STAGES, type StageName } from '../../core/ports.ts'
import type { Db } from '../../store/schema.ts'
import { viewLastWindows, viewWaiting, type Waiting, type WindowView } from '../../store/views/waiting.ts'
import type { Running, UseCases } from '../use-cases.ts'
import { answer, idSchema, makeApiPart, problems } from './contract.ts'
import { count, list, text, textOrNull, time, timeOrNull } from './schemas/fields.ts'

export type StageStatus = Running['stages'][StageName] & {
  readonly stage: StageName
  /** Pieces of work that wait; null where the stage has no queue of its own (select acts when asked). */
  readonly waiting: number | null
}

export type Status = Omit<Running, 'stages' | 'schedules'> & {
  readonly stages: readonly StageStatus[]
  readonly schedules: readonly (Running['schedules'][number] & { readonly lastWindow: WindowView | null })[]
}

const stageSchema = z.object({
  stage: z.enum(STAGES),
  waiting: count.nullable(),
  lastWorkedAt: timeOrNull,
  lastError: z.object({ at: time, message: text }).nullable(),
})

const windowSchema = z.object({
  schedule: text,
  from: time,
  to: time,
  state: z.enum(['due', 'replaying', 'reported', 'failed', 'skipped']),
  late: z.boolean(),
  reportId: textOrNull,
  error: textOrNull,
})

const statusSchema = z
  .object({
    version: text,
    engine: z.enum(['pglite', 'postgres']),
    startedAt: time,
    stages: list(stageSchema),
    spool: z.object({ entries: count, bytes: count }),
    openTraces: count.openapi({ description: 'Traces that wait for their decision.' }),
    schedules: list(
      z.object({ name: text, cron: text, timezone: text, nextAt: timeOrNull, lastWindow: windowSchema.nullable() }),
    ),
  })
  .openapi('Status') satisfies z.ZodType<Status>

const EXAMPLE = {
  version: '0.1.0',
  engine: 'pglite',
  startedAt: '2026-10-05T08:00:00.000Z',
  stages: [
    { stage: 'ingest', waiting: 3, lastWorkedAt: '2026-10-05T08:59:58.000Z', lastError: null },
    {
      stage: 'publish',
      waiting: 1,
      lastWorkedAt: null,
      lastError: { at: '2026-10-05T08:59:00.000Z', message: 'channel team: connection refused' },
    },
  ],
  spool: { entries: 3, bytes: 5120 },
  openTraces: 2,
  schedules: [
    { name: 'weekly', cron: '0 9 * * MON', timezone: 'UTC', nextAt: '2026-10-12T09:00:00.000Z', lastWindow: null },
  ],
} satisfies Status

const runScheduleRoute = createRoute({
  method: 'post',
  path: '/schedules/{schedule}/run',
  operationId: 'runSchedule',
  tags: ['Reports'],
  summary: 'Run a schedule now: draw, replay, report and publish the time since its last slot',
  description: 'Answers as soon as the window is due. Follow `lastWindow` of the schedule in /status to its report.',
  request: { params: z.object({ schedule: idSchema.openapi({ example: 'weekly' }) }) },
  responses: {
    202: answer('The window', z.object({ schedule: text, from: time, to: time }).openapi('DueWindow'), {
      schedule: 'weekly',
      from: '2026-10-05T09:00:00.000Z',
      to: '2026-10-08T14:12:00.000Z',
    }),
    ...problems(404),
  },
})

const statusRoute = createRoute({
  method: 'get',
  path: '/status',
  operationId: 'getStatus',
  tags: ['Operation'],
  summary: 'Each stage: what waits, when it last worked, its last error; each schedule: its last window',
  responses: { 200: answer('The status', statusSchema, EXAMPLE), ...problems() },
})

export function makeStatusApi(needs: {
  readonly db: Db
  readonly useCases: Pick<UseCases, 'running' | 'runSchedule'>
}) {
  return makeApiPart()
    .openapi(statusRoute, async (c) => c.json(await readStatus(needs), 200))
    .openapi(runScheduleRoute, async (c) => c.json(await needs.useCases.runSchedule(c.req.valid('param')), 202))
}

export async function readStatus({
  db,
  useCases,
}: {
  readonly db: Db
  readonly useCases: Pick<UseCases, 'running'>
}): Promise<Status> {
  const { stages, schedules, ...rest } = await useCases.running()
  const waiting = await viewWaiting(db)
  const windows = new Map((await viewLastWindows(db)).map((window) => [window.schedule, window]))
  return {
    ...rest,
    stages: STAGES.map((stage) => ({ stage, waiting: waitingFor(stage, waiting, rest), ...stages[stage] })),
    schedules: schedules.map((schedule) => ({ ...schedule, lastWindow: windows.get(schedule.name) ?? null })),
  }
}

function waitingFor(
  stage: StageName,
  waiting: Waiting,
  { spool, openTraces }: Pick<Running, 'spool' | 'openTraces'>,
): number | null {
  if (stage === 'ingest') return spool.entries
  if (stage === 'sample') return openTraces
  return stage === 'select' ? null : waiting[stage]
}
