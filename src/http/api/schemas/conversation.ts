/**
 * What an agent heard, said and did: messages, tool calls, usage, the summary of a trace.
 */
import { z } from '@hono/zod-openapi'
import type {
  Capture,
  Message,
  MessagePart,
  RetrievedDocument,
  ToolCall,
  TraceSummary,
  Usage,
} from '../../../core/trace/summary.ts'
import { anyValue, count, list, numberOrNull, text, textOrNull, time } from './fields.ts'

export const toolCallSchema = z
  .object({ name: text, id: textOrNull, args: anyValue, result: anyValue, error: textOrNull })
  .openapi('ToolCall') satisfies z.ZodType<ToolCall>

export const retrievedSchema = z
  .object({ id: textOrNull, score: numberOrNull, content: textOrNull, source: textOrNull })
  .openapi('RetrievedDocument') satisfies z.ZodType<RetrievedDocument>

export const usageSchema = z
  .object({
    input: z.number(),
    output: z.number(),
    cacheRead: numberOrNull,
    cacheWrite: numberOrNull,
    reasoning: numberOrNull,
  })
  .openapi('Usage', { description: 'Tokens.' }) satisfies z.ZodType<Usage>

const partSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text }),
    z.object({ type: z.literal('tool_call'), id: textOrNull, name: text, arguments: anyValue }),
    z.object({
      type: z.literal('tool_call_response'),
      id: textOrNull,
      response: anyValue,
      failed: z.literal(true).optional(),
    }),
    z.object({ type: z.literal('other'), value: anyValue }),
  ])
  .openapi('MessagePart') satisfies z.ZodType<MessagePart>

export const messageSchema = z
  .object({ role: z.enum(['system', 'user', 'assistant', 'tool']), parts: list(partSchema) })
  .openapi('Message') satisfies z.ZodType<Message>

const captureState = z.enum(['captured', 'not_captured', 'redacted', 'truncated', 'external'])

const captureSchema = z
  .object({
    userInput: captureState,
    system: captureState,
    output: captureState,
    toolArguments: captureState,
    toolResults: captureState,
  })
  .openapi('Capture') satisfies z.ZodType<Capture>

export const summarySchema = z
  .object({
    agent: textOrNull,
    version: textOrNull,
    service: textOrNull,
    session: textOrNull,
    user: textOrNull,
    system: textOrNull,
    userInput: anyValue,
    messages: list(messageSchema),
    output: anyValue,
    tools: list(toolCallSchema),
    retrieved: list(retrievedSchema),
    model: textOrNull,
    modelRequested: textOrNull,
    provider: textOrNull,
    finishReason: textOrNull,
    usage: usageSchema.nullable(),
    llmCalls: count,
    cost: numberOrNull,
    error: textOrNull,
    toolErrors: count,
    durationMs: z.number(),
    startedAt: time,
    capture: captureSchema,
    completeness: list(text).openapi({ description: 'What a replay of this trace would lack; empty when nothing.' }),
  })
  .openapi('TraceSummary') satisfies z.ZodType<TraceSummary>
