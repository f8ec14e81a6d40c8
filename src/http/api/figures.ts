/**
 * /replays/{idOrName}/reliability and /compare: figures computed from stored trials at the moment of asking.
 */
import { createRoute, z } from '@hono/zod-openapi'
import type { Reliability, VersionComparison } from '../../core/reporting/report.ts'
import type { Db } from '../../store/schema.ts'
import type { UseCases } from '../use-cases.ts'
import { answer, idSchema, makeApiPart, problems } from './contract.ts'
import { kQuery, replayParams, requireReplay } from './replays.ts'
import { comparisonSchema, reliabilitySchema } from './schemas/figures.ts'

const LEVEL = 0.95

export const levelField = z.coerce
  .number()
  .gt(0.5)
  .lt(1)
  .default(LEVEL)
  .openapi({ param: { description: 'Confidence level of the intervals.' }, example: LEVEL })

const figure = (estimate: number, low: number, high: number, n: number, estimand: string) => ({
  estimate,
  low,
  high,
  level: LEVEL,
  method: 'wilson-t+2',
  estimand,
  n,
})

const RELIABILITY_EXAMPLE = {
  replay: 'weekly-2026-10-05',
  target: 'support-agent',
  version: '2.1.0',
  suiteName: 'support',
  k: 3,
  level: LEVEL,
  graders: ['no-refund-without-order'],
  trials: { planned: 5, passed: 4, wrong: 1, errored: 0, ungraded: 0 },
  cases: [
    {
      case: 'case_06f1a2b3c4d5e6f7g8h9',
      title: 'Where is my refund for order 1042?',
      stratum: 'ok',
      planned: 5,
      n: 5,
      passed: 4,
      wrong: 1,
      errored: 0,
      ungraded: 0,
      erroredButPassing: 0,
      allPassed: false,
      passAtK: { '1': 0.8, '3': 1 },
      passHatK: { '1': 0.8, '3': 0.4 },
      intervals: {
        passAtK: { '1': [0.372, 0.971], '3': [0.752, 1] },
        passHatK: { '1': [0.372, 0.971], '3': [0.051, 0.916] },
      },
    },
  ],
  suite: {
    passAtK: { '1': { ...figure(0.8, 0.8, 0.8, 1, 'traffic like this'), low: null, high: null, reason: 'one case' } },
    passHatK: { '3': { ...figure(0.4, 0.4, 0.4, 1, 'traffic like this'), low: null, high: null, reason: 'one case' } },
    casesAtZero: 0,
    casesMixed: 1,
    casesAllPassed: 0,
    beside: { completedOnly: null, erroredAsFailed: null, erroredAsPassed: null, ungradedAsFailed: null },
  },
  traffic: null,
  notes: [],
} satisfies Reliability

const COMPARISON_EXAMPLE = {
  a: { replay: 'before', target: 'support-agent', version: '2.0.0' },
  b: { replay: 'after', target: 'support-agent', version: '2.1.0' },
  k: 3,
  pairs: 50,
  verdict: 'no difference shown',
  differences: { 'pass@1': { ...figure(0.04, -0.02, 0.1, 50, 'traffic like this'), p: 0.21 } },
  moved: [{ case: 'case_06f1a2b3c4d5e6f7g8h9', title: 'Where is my refund for order 1042?', a: '2/5', b: '5/5' }],
  notes: [],
} satisfies VersionComparison

const reliabilityRoute = createRoute({
  method: 'get',
  path: '/replays/{idOrName}/reliability',
  operationId: 'getReliability',
  tags: ['Figures'],
  summary: 'pass@1, pass@k and pass^k per case and for the suite, with intervals and estimands',
  description: 'A figure that the data cannot give (k above n) is null with a reason. 409 while a trial is not graded.',
  request: { params: replayParams, query: z.object({ k: kQuery, level: levelField }) },
  responses: { 200: answer('The figures', reliabilitySchema, RELIABILITY_EXAMPLE), ...problems(400, 404, 409) },
})

const compareRoute = createRoute({
  method: 'get',
  path: '/compare',
  operationId: 'compareReplays',
  tags: ['Figures'],
  summary: 'Replay b minus replay a on the cases they share: paired differences with intervals',
  request: {
    query: z.object({
      a: idSchema.openapi({ param: { description: 'Id or name of the replay before.' }, example: 'before' }),
      b: idSchema.openapi({ param: { description: 'Id or name of the replay after.' }, example: 'after' }),
      k: kQuery,
      level: levelField,
    }),
  },
  responses: { 200: answer('The comparison', comparisonSchema, COMPARISON_EXAMPLE), ...problems(400, 404, 409) },
})

export function makeFiguresApi({ db, useCases }: { readonly db: Db; readonly useCases: UseCases }) {
  return makeApiPart()
    .openapi(reliabilityRoute, async (c) => {
      const { k, level } = c.req.valid('query')
      const { id } = await requireReplay(db, c.req.valid('param').idOrName)
      return c.json(await useCases.reliability({ replayId: id, k: k ?? null, level }), 200)
    })
    .openapi(compareRoute, async (c) => {
      const { a, b, k, level } = c.req.valid('query')
      return c.json(await useCases.compare({ a, b, k: k ?? null, level }), 200)
    })
}
