/**
 * The JSON that Assay and a target of kind `http` exchange (docs/targets.md): the request's body, and the answer read
 * strictly enough that a misspelt field is noticed and loosely enough that a target may say more than we read.
 */
import { z } from 'zod'
import { storable } from './storable.ts'
import type { TargetCall } from './target.ts'
import { endedWithout, type TrialAnswer } from './trial.ts'

const count = z.int().min(0)
const word = z.string().regex(/^[a-z][a-z0-9_]{0,59}$/)

const answerBody = z.object({
  output: z.unknown().optional(),
  version: z.string().nullish(),
  model: z.string().nullish(),
  tools: z
    .array(
      z.object({
        name: z.string().min(1),
        id: z.string().nullish(),
        arguments: z.unknown().optional(),
        result: z.unknown().optional(),
        error: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z
    .object({
      input: count,
      output: count,
      cacheRead: count.nullish(),
      cacheWrite: count.nullish(),
      reasoning: count.nullish(),
    })
    .nullish(),
  costUsd: z.number().min(0).nullish(),
  error: z
    .union([z.string().min(1), z.object({ kind: word.optional().catch(undefined), message: z.string() })])
    .nullish(),
})

type AnswerBody = z.infer<typeof answerBody>

const EXCERPT_CHARACTERS_MAX = 500

export function requestBody({ caseId, trial, version, input }: TargetCall): string {
  return JSON.stringify({
    case: caseId,
    trial,
    version,
    input: { system: input.system, userInput: input.userInput, messages: input.messages },
  })
}

/** A 200 answer read. What is not an answer, or comes from another version, is a failed trial and says so. */
export function readAnswer(text: string, { version, latencyMs }: { version: string; latencyMs: number }): TrialAnswer {
  const invalid = (why: string) => ({
    ...endedWithout('failed', 'invalid_answer', `${why}: ${excerptOf(text)}`),
    latencyMs,
  })
  const value = parsedJson(text)
  if (value === undefined) return invalid('the answer is not JSON')
  const parsed = answerBody.safeParse(value)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return invalid(`the answer's ${issue?.path.join('.') || 'body'} is not as documented (${issue?.message})`)
  }
  if (!hasOutput(parsed.data)) return invalid('the answer has neither output nor error')
  return { ...toAnswer(storable(parsed.data), version), latencyMs }
}

/** The beginning of a body, in one line, for people. */
export function excerptOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line === '') return '(empty)'
  return line.length > EXCERPT_CHARACTERS_MAX ? `${line.slice(0, EXCERPT_CHARACTERS_MAX)}…` : line
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Null is an output: an agent may have nothing to say. Nothing at all is a target that speaks another protocol. */
function hasOutput(body: AnswerBody): boolean {
  return body.output !== undefined || (body.error !== undefined && body.error !== null)
}

function toAnswer(body: AnswerBody, version: string): TrialAnswer {
  const error = errorOf(body, version)
  return {
    status: error === null ? 'completed' : 'failed',
    output: body.output ?? null,
    tools: (body.tools ?? []).map((tool) => ({
      name: tool.name,
      id: tool.id ?? null,
      args: tool.arguments ?? null,
      result: tool.result ?? null,
      error: tool.error ?? null,
    })),
    usage: usageOf(body),
    costUsd: body.costUsd ?? null,
    latencyMs: null,
    reportedVersion: body.version ?? null,
    model: body.model ?? null,
    error,
  }
}

function usageOf({ usage }: AnswerBody): TrialAnswer['usage'] {
  if (usage === undefined || usage === null) return null
  const { input, output, cacheRead, cacheWrite, reasoning } = usage
  return { input, output, cacheRead: cacheRead ?? null, cacheWrite: cacheWrite ?? null, reasoning: reasoning ?? null }
}

/** Another version than asked for is not an answer to the question, whatever else came with it. */
function errorOf(body: AnswerBody, version: string): TrialAnswer['error'] {
  if (typeof body.version === 'string' && body.version !== version) {
    return { kind: 'version_mismatch', message: `asked version ${version}, version ${body.version} answered` }
  }
  if (typeof body.error === 'string') return { kind: 'agent_error', message: body.error }
  if (body.error) return { kind: body.error.kind ?? 'agent_error', message: body.error.message }
  return null
}
