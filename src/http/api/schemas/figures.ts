/**
 * Figures as they leave: reliability of a replay, a comparison, a frozen report. DESIGN section 10 fixes their names.
 */
import { z } from '@hono/zod-openapi'
import type {
  BesideFigures,
  CaseRow,
  CensusRow,
  ModeRow,
  PeriodChange,
  Reliability,
  Report,
  SuiteFigure,
  VersionComparison,
} from '../../../core/reporting/report.ts'
import { count, list, numberOrNull, text, textOrNull, time } from './fields.ts'

const byK = z.record(z.string(), numberOrNull)
const intervalByK = z.record(z.string(), z.tuple([z.number(), z.number()]).readonly().nullable())

const caseRowSchema = z
  .object({
    case: text,
    title: text,
    stratum: text,
    planned: count,
    n: count.openapi({ description: 'passed + wrong + errored' }),
    passed: count,
    wrong: count,
    errored: count,
    ungraded: count,
    erroredButPassing: count,
    allPassed: z.boolean(),
    passAtK: byK,
    passHatK: byK,
    intervals: z.object({ passAtK: intervalByK, passHatK: intervalByK }),
    reason: text.optional().openapi({ description: 'Why a figure is null, where one is.' }),
    family: text.optional().openapi({ description: 'Present where the case shares its session with another.' }),
  })
  .openapi('CaseRow') satisfies z.ZodType<CaseRow>

const suiteFigureShape = {
  estimate: numberOrNull,
  low: numberOrNull,
  high: numberOrNull,
  level: z.number(),
  method: text,
  estimand: text,
  n: count,
  reason: text.optional(),
  again: z
    .object({ low: z.number(), high: z.number(), method: text })
    .optional()
    .openapi({ description: 'The interval for these cases again: a second replay of exactly these.' }),
}

export const suiteFigureSchema = z.object(suiteFigureShape).openapi('SuiteFigure', {
  description: 'A number with its interval; null with a reason where there is none.',
}) satisfies z.ZodType<SuiteFigure>

const figures = z.record(z.string(), suiteFigureSchema)

const besideSchema = z
  .object({
    completedOnly: figures.nullable(),
    erroredAsFailed: figures.nullable(),
    erroredAsPassed: figures.nullable(),
    ungradedAsFailed: figures.nullable(),
  })
  .openapi({
    description:
      'pass^1 and pass^k with the trials in doubt taken otherwise, keyed by k; null where no trial errored (is ungraded).',
  }) satisfies z.ZodType<BesideFigures>

export const reliabilitySchema = z
  .object({
    replay: text,
    target: text,
    version: text,
    suiteName: textOrNull,
    k: count,
    level: z.number(),
    graders: list(text),
    trials: z.object({ planned: count, passed: count, wrong: count, errored: count, ungraded: count }),
    cases: list(caseRowSchema),
    suite: z.object({
      passAtK: figures,
      passHatK: figures,
      casesAtZero: count,
      casesMixed: count,
      casesAllPassed: count,
      beside: besideSchema,
    }),
    traffic: figures.nullable(),
    notes: list(text),
  })
  .openapi('Reliability') satisfies z.ZodType<Reliability>

const sideSchema = z.object({ replay: text, target: text, version: text })

export const comparisonSchema = z
  .object({
    a: sideSchema,
    b: sideSchema,
    k: count,
    pairs: count,
    verdict: text,
    differences: z.record(z.string(), z.object({ ...suiteFigureShape, p: numberOrNull })),
    moved: list(z.object({ case: text, title: text, a: text, b: text })),
    notes: list(text),
  })
  .openapi('VersionComparison') satisfies z.ZodType<VersionComparison>

const modeRowSchema = z.object({
  mode: text,
  name: text,
  state: z.enum(['proposed', 'accepted']),
  category: textOrNull,
  count,
  perReplay: list(count).openapi({ description: 'Failed trials of each replay, in the order of the report.' }),
  production: count.openapi({ description: 'Failed traces among the kept ones of the window; not weighted.' }),
  cases: count,
  example: text,
}) satisfies z.ZodType<ModeRow>

const censusRowSchema = z.object({
  rule: text,
  sampler: text,
  received: count,
  kept: count,
  dropped: count,
  shed: count,
  incomplete: count,
}) satisfies z.ZodType<CensusRow>

const periodChangeSchema = z.object({
  report: text,
  window: z.object({ from: time, to: time }),
  differences: list(
    z.object({ target: text, fromVersion: text, toVersion: text, metric: text, figure: suiteFigureSchema }),
  ),
  newModes: list(text),
}) satisfies z.ZodType<PeriodChange>

export const reportSchema = z
  .object({
    schema: z.literal('assay.report/1'),
    id: text,
    title: text,
    schedule: textOrNull,
    window: z.object({ from: time, to: time, timezone: text }).nullable(),
    late: z.boolean(),
    createdAt: time,
    seed: text,
    level: z.number(),
    replays: list(reliabilitySchema),
    comparison: comparisonSchema.nullable(),
    since: periodChangeSchema.nullable(),
    production: list(z.object({ name: text, figure: suiteFigureSchema })),
    failureModes: list(modeRowSchema),
    coverage: z.object({ rows: list(censusRowSchema), received: count, kept: count, dropped: count, shed: count }),
    notMeasured: list(text),
  })
  .openapi('Report', { description: 'Frozen: the bytes never change.' }) satisfies z.ZodType<Report>
