/**
 * One content part of a message, in any of the shapes that dialects use, to the canonical part.
 *
 * Tolerant part by part: what is not known survives as `other`, because refusing a whole conversation for one odd part
 * would lose the input. Reasoning is `other` too: it is not what the agent said.
 */
import type { MessagePart } from '../summary.ts'
import { captured, decodeNested, isRecord, property } from './reading.ts'

/** How AI SDK 5 and later wrap what a tool returned: `{ type, value }`. */
const AI_SDK_OUTPUT_TYPES = new Set(['json', 'text', 'content', 'error-text', 'error-json'])

type PartReader = (part: Readonly<Record<string, unknown>>) => MessagePart

/** By the `type` of the part; each line names whose word it is. */
const READERS: Readonly<Record<string, PartReader>> = {
  // OpenTelemetry GenAI
  text: textPart,
  tool_call: toolCallPart,
  server_tool_call: toolCallPart,
  tool_call_response: toolResponsePart,
  server_tool_call_response: toolResponsePart,
  // Vercel AI SDK: `args` and `result` in version 4, `input` and `output` since version 5
  'tool-call': toolCallPart,
  'tool-result': toolResponsePart,
  // OpenAI chat completions and Responses
  function: toolCallPart,
  function_call: toolCallPart,
  function_call_output: toolResponsePart,
  input_text: textPart,
  output_text: textPart,
  // Anthropic
  tool_use: toolCallPart,
  tool_result: toolResponsePart,
}

export function toPart(value: unknown): MessagePart {
  if (typeof value === 'string') return { type: 'text', text: value }
  if (!isRecord(value)) return { type: 'other', value }
  const type = property(value, 'type')
  const reader = typeof type === 'string' && Object.hasOwn(READERS, type) ? READERS[type] : undefined
  if (reader) return reader(value)
  if (type === undefined && typeof property(value, 'text') === 'string') return textPart(value)
  return { type: 'other', value }
}

function textPart(part: Readonly<Record<string, unknown>>): MessagePart {
  const text = property(part, 'content') ?? property(part, 'text')
  return typeof text === 'string' ? { type: 'text', text } : { type: 'other', value: part }
}

function toolCallPart(part: Readonly<Record<string, unknown>>): MessagePart {
  const call = isRecord(property(part, 'function')) ? property(part, 'function') : part
  const name = firstText(call, ['name', 'toolName'])
  if (name === null) return { type: 'other', value: part }
  const given = firstDefined(call, ['arguments', 'args', 'input'])
  return {
    type: 'tool_call',
    id: firstText(part, ['call_id', 'toolCallId', 'id']),
    name,
    arguments: decodeNested(given) ?? null,
  }
}

function toolResponsePart(part: Readonly<Record<string, unknown>>): MessagePart {
  const given = firstDefined(part, ['response', 'result', 'output', 'content'])
  const tag = property(given, 'type')
  const isTagged = typeof tag === 'string' && AI_SDK_OUTPUT_TYPES.has(tag)
  const failed =
    property(part, 'is_error') === true || property(part, 'isError') === true || (isTagged && tag.startsWith('error-'))
  return {
    type: 'tool_call_response',
    id: firstText(part, ['call_id', 'toolCallId', 'tool_use_id', 'tool_call_id', 'id']),
    response: decodeNested(isTagged ? property(given, 'value') : given) ?? null,
    ...(failed ? { failed } : {}),
  }
}

function firstText(value: unknown, keys: readonly string[]): string | null {
  for (const key of keys) {
    const found = captured(property(value, key))
    if (found.state === 'captured' && typeof found.value === 'string') return found.value
  }
  return null
}

function firstDefined(value: unknown, keys: readonly string[]): unknown {
  for (const key of keys) {
    const found = property(value, key)
    if (found !== undefined) return found
  }
  return undefined
}
