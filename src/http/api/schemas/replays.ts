/**
 * Cases, replays and trials as the API shows them.
 */
import { z } from '@hono/zod-openapi'
import type { Verdict } from '../../../core/grading/verdict.ts'
import type { CaseInput, Observed } from '../../../core/replay/case.ts'
import { OUTCOMES, TRIAL_STATUSES, type TrialAnswer } from '../../../core/replay/trial.ts'
import type { CaseView } from '../../../store/views/cases.ts'
import type { ReplayView } from '../../../store/views/replays.ts'
import type { TrialView } from '../../../store/views/trials.ts'
import { messageSchema, retrievedSchema, toolCallSchema, usageSchema } from './conversation.ts'
import { anyValue, count, list, numberOrNull, text, textOrNull, time, timeOrNull } from './fields.ts'

const inputSchema = z
  .object({ system: textOrNull, userInput: anyValue, messages: list(messageSchema) })
  .openapi('CaseInput') satisfies z.ZodType<CaseInput>

const observedSchema = z
  .object({
    output: anyValue,
    tools: list(toolCallSchema),
    retrieved: list(retrievedSchema),
    error: textOrNull,
    agentVersion: textOrNull,
  })
  .openapi('Observed', { description: 'What production did with the input.' }) satisfies z.ZodType<Observed>

export const caseSchema = z
  .object({
    id: text,
    suite: text,
    drawId: textOrNull,
    origin: z.enum(['trace', 'import']),
    traceId: textOrNull,
    stratum: text,
    p: numberOrNull.openapi({ description: 'Probability with which its trace was kept; null when unknown.' }),
    pDraw: numberOrNull.openapi({ description: 'Probability with which it was drawn from the kept traces.' }),
    family: textOrNull,
    input: inputSchema,
    reference: anyValue,
    observed: observedSchema.nullable(),
    fingerprint: text,
    createdAt: time,
  })
  .openapi('Case') satisfies z.ZodType<CaseView>

export const replaySchema = z
  .object({
    id: text,
    name: text,
    origin: z.enum(['run', 'import']),
    suite: textOrNull,
    drawId: textOrNull,
    target: text,
    version: text,
    trials: count.openapi({ description: 'Trials per case.' }),
    k: count,
    seed: text,
    completionOnly: z.boolean(),
    graders: list(anyValue).openapi({ description: 'The grader definitions that were in force.' }),
    manifest: z.record(z.string(), anyValue),
    state: z.enum(['running', 'finished', 'cancelled']),
    createdAt: time,
    finishedAt: timeOrNull,
    counts: z.object({
      cases: count,
      planned: count,
      ended: count,
      graded: count,
      passed: count,
      wrong: count,
      errored: count,
      ungraded: count,
    }),
  })
  .openapi('Replay') satisfies z.ZodType<ReplayView>

const verdictSchema = z
  .object({
    grader: text,
    verdict: z.enum(['pass', 'fail', 'unknown']),
    score: numberOrNull,
    explanation: text,
    category: textOrNull,
    tool: textOrNull,
  })
  .openapi('Verdict') satisfies z.ZodType<Verdict>

const trialAnswerSchema = z.object({
  status: z.enum(TRIAL_STATUSES),
  output: anyValue,
  tools: list(toolCallSchema),
  usage: usageSchema.nullable(),
  costUsd: numberOrNull,
  latencyMs: numberOrNull,
  reportedVersion: textOrNull,
  model: textOrNull,
  error: z.object({ kind: text, message: text }).nullable(),
}) satisfies z.ZodType<TrialAnswer>

export const trialSchema = z
  .object({
    replayId: text,
    caseId: text,
    trial: count,
    idempotencyKey: text,
    traceId: text,
    status: z.enum(TRIAL_STATUSES).nullable().openapi({ description: 'Null while it is planned.' }),
    attempts: count,
    answer: trialAnswerSchema.nullable(),
    startedAt: timeOrNull,
    endedAt: timeOrNull,
    outcome: z.enum(OUTCOMES).nullable().openapi({ description: 'Null until graded.' }),
    verdicts: list(verdictSchema),
  })
  .openapi('Trial') satisfies z.ZodType<TrialView>
