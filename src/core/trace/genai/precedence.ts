/**
 * Where each field is looked for, in order: one table for all dialects. The first source that holds something wins, by
 * field and not by span, because one span often speaks several dialects.
 *
 * To add a dialect, write its file of sources and put them into these lists; nothing else changes.
 */
import type { Attributes } from '../span.ts'
import type { Message, RetrievedDocument } from '../summary.ts'
import * as openinference from './openinference.ts'
import { attribute, parseJson, property, readLoose, readWord, type Source, wordOf } from './reading.ts'
import * as semconv from './semconv.ts'
import * as vercel from './vercel.ts'

/** What an agent or chain span was called with. */
export const USER_INPUT: readonly Source<unknown>[] = [
  semconv.userInput,
  vercel.userInput,
  openinference.inputValue,
  (span) => readLoose(attribute(span.attributes, 'input')),
]

/** What an agent or chain span answered. */
export const OUTPUT: readonly Source<unknown>[] = [
  semconv.output,
  vercel.output,
  openinference.outputValue,
  (span) => readLoose(attribute(span.attributes, 'output')),
]

/** What a model call saw. */
export const INPUT_MESSAGES: readonly Source<readonly Message[]>[] = [
  semconv.inputMessages,
  openinference.inputMessages,
  vercel.inputMessages,
  vercel.promptMessages,
  openinference.requestMessages,
]

/** What a model call answered. */
export const OUTPUT_MESSAGES: readonly Source<readonly Message[]>[] = [
  semconv.outputMessages,
  openinference.outputMessages,
  vercel.outputMessages,
  openinference.responseMessages,
]

/** System text that is recorded apart from the messages. Strands writes `system_prompt`. */
export const SYSTEM: readonly Source<string>[] = [
  semconv.systemInstructions,
  vercel.promptSystem,
  (span) => {
    const text = readLoose(attribute(span.attributes, 'system_prompt'))
    return text.state === 'captured' ? { state: 'captured', value: String(text.value) } : text
  },
]

export const TOOL_NAME = ['gen_ai.tool.name', 'ai.toolCall.name', 'tool.name'].map(wordOf)

export const TOOL_CALL_ID = ['gen_ai.tool.call.id', 'ai.toolCall.id', 'tool.id', 'tool_call.id'].map(wordOf)

export const TOOL_ARGUMENTS: readonly Source<unknown>[] = [
  semconv.toolArguments,
  vercel.toolArguments,
  openinference.toolParameters,
  openinference.toolInput,
  (span) => readLoose(attribute(span.attributes, 'input')),
]

export const TOOL_RESULT: readonly Source<unknown>[] = [
  semconv.toolResult,
  vercel.toolResult,
  openinference.toolOutput,
  (span) => readLoose(attribute(span.attributes, 'output')),
]

export const DOCUMENTS: readonly Source<readonly RetrievedDocument[]>[] = [openinference.documents, semconv.documents]

/** AI SDK 7 puts its function id into `gen_ai.agent.name`. */
export const AGENT = ['gen_ai.agent.name', 'agent.name', 'ai.telemetry.functionId', 'gen_ai.workflow.name'].map(wordOf)

export const VERSION = [wordOf('gen_ai.agent.version')]

export const SESSION = [
  ...[
    'session.id',
    'gen_ai.conversation.id',
    'ai.telemetry.metadata.sessionId',
    'ai.telemetry.metadata.threadId',
    'ai.settings.context.sessionId',
    'ai.settings.context.threadId',
  ].map(wordOf),
  metadataWord('session_id'),
  metadataWord('thread_id'),
]

export const USER = [
  ...[
    'user.id',
    'enduser.id',
    'ai.telemetry.metadata.userId',
    'ai.settings.context.userId',
    'gen_ai.request.user',
    'enduser.pseudo.id',
  ].map(wordOf),
  metadataWord('user_id'),
]

export const MODEL_ANSWERED = [
  'gen_ai.response.model',
  'ai.response.model',
  'llm.response.model_name',
  'llm.model_name',
].map(wordOf)

export const MODEL_REQUESTED = [
  ...['gen_ai.request.model', 'llm.request.model_name', 'ai.model.id'].map(wordOf),
  (attributes: Attributes) => readWord(parameter(attributes, 'model') as string),
]

export const PROVIDER = [
  'gen_ai.provider.name',
  'gen_ai.system',
  'llm.provider',
  'llm.system',
  'ai.model.provider',
].map(wordOf)

export const FINISH_REASON = [
  'gen_ai.response.finish_reasons',
  'llm.finish_reason',
  'ai.response.finishReason',
] as const

export const USAGE_KEYS = {
  input: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
  ],
  output: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
  ],
  cacheRead: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'llm.token_count.prompt_details.cache_read',
    'ai.usage.inputTokenDetails.cacheReadTokens',
    'ai.usage.cachedInputTokens',
  ],
  cacheWrite: [
    'gen_ai.usage.cache_write.input_tokens',
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'llm.token_count.prompt_details.cache_write',
    'ai.usage.inputTokenDetails.cacheWriteTokens',
  ],
  reasoning: [
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'llm.token_count.completion_details.reasoning',
    'ai.usage.outputTokenDetails.reasoningTokens',
    'ai.usage.reasoningTokens',
  ],
} as const

export const COST_KEYS = ['llm.cost.total', 'gen_ai.usage.cost'] as const

/** OpenInference's `metadata` is one JSON object. */
function metadataWord(key: string): (attributes: Attributes) => string | null {
  return (attributes) => readWord(jsonProperty(attributes, 'metadata', key) as string)
}

/** A parameter of the recorded request (OpenInference). */
export function parameter(attributes: Attributes, key: string): unknown {
  return jsonProperty(attributes, 'llm.invocation_parameters', key)
}

function jsonProperty(attributes: Attributes, name: string, key: string): unknown {
  const text = attribute(attributes, name)
  return typeof text === 'string' ? property(parseJson(text), key) : undefined
}
