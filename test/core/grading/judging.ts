/** Cases, trials and graders for the tests of grading: plain ones, of which a test says only what it is about. */
import type { GradingEvidence } from '../../../src/core/grading/finding.ts'
import { type Grader, graderSchema } from '../../../src/core/grading/grader.ts'
import { judge } from '../../../src/core/grading/judge.ts'
import type { Verdict } from '../../../src/core/grading/verdict.ts'
import type { ToolCall } from '../../../src/core/trace/summary.ts'

export type Given = {
  readonly output?: unknown
  readonly reference?: unknown
  readonly tools?: readonly ToolCall[]
  readonly status?: GradingEvidence['trial']['status']
  readonly latencyMs?: number | null
  readonly costUsd?: number | null
  readonly userInput?: unknown
  readonly observedTools?: readonly ToolCall[]
}

export function evidence(given: Given = {}): GradingEvidence {
  const { output = 'an answer', reference = null, tools = [], status = 'completed', userInput = 'a question' } = given
  return {
    case: {
      input: { system: null, userInput, messages: [] },
      reference,
      observed:
        given.observedTools === undefined
          ? null
          : { output: null, tools: given.observedTools, retrieved: [], error: null, agentVersion: null },
    },
    trial: { status, output, tools, latencyMs: given.latencyMs ?? null, costUsd: given.costUsd ?? null },
  }
}

export function call(name: string, args: unknown = {}): ToolCall {
  return { name, id: null, args, result: null, error: null }
}

export function grader(definition: Readonly<Record<string, unknown>>): Grader {
  return graderSchema.parse({ name: 'it', ...definition })
}

export function verdict(definition: Readonly<Record<string, unknown>>, given: Given = {}): Verdict {
  return judge(grader(definition), evidence(given))
}
