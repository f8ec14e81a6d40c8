/**
 * Conversations in any dialect's shape, to canonical messages, and what is read out of them: the user's input, the
 * answer, the part that belongs to this turn.
 *
 * The user's input is the last user message that carries text; tool results that travel in role `user` are not input.
 */
import type { Message, MessagePart } from '../summary.ts'
import { toPart } from './parts.ts'
import { decodeNested, isRecord, property } from './reading.ts'

/** An unknown role becomes `tool`: of the four, the one that is taken neither for input nor for an answer. */
const ROLES: ReadonlyMap<string, Message['role']> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
])

/** Messages of a list, of one message, or of plain text (a user's); entries that are no messages are left out. */
export function toMessages(value: unknown): readonly Message[] {
  if (typeof value === 'string') return value === '' ? [] : [{ role: 'user', parts: [{ type: 'text', text: value }] }]
  if (Array.isArray(value)) return value.flatMap((entry) => toMessage(entry) ?? [])
  return [toMessage(value) ?? []].flat()
}

function toMessage(value: unknown): Message | null {
  if (typeof value === 'string') return { role: 'user', parts: [{ type: 'text', text: value }] }
  if (!isRecord(value)) return null
  const role = roleOf(value)
  const parts = [...contentParts(value, role), ...openAiToolCalls(value)]
  if (role === null && parts.length === 0) return null
  const onlyResponses = parts.length > 0 && parts.every((part) => part.type === 'tool_call_response')
  return { role: onlyResponses ? 'tool' : (role ?? 'tool'), parts }
}

function roleOf(value: Readonly<Record<string, unknown>>): Message['role'] | null {
  const role = property(value, 'role')
  if (typeof role === 'string') return ROLES.get(role.toLowerCase()) ?? 'tool'
  // Items of the Responses API are parts that stand where messages do.
  const type = property(value, 'type')
  return type === 'function_call' ? 'assistant' : type === 'function_call_output' ? 'tool' : null
}

function contentParts(value: Readonly<Record<string, unknown>>, role: Message['role'] | null): readonly MessagePart[] {
  if (property(value, 'role') === undefined && role !== null) return [toPart(value)]
  const content = property(value, 'parts') ?? property(value, 'content')
  const toolCallId = property(value, 'tool_call_id')
  if (role === 'tool' && typeof toolCallId === 'string') {
    return [{ type: 'tool_call_response', id: toolCallId, response: decodeNested(content) ?? null }]
  }
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(toPart) : isRecord(content) ? [toPart(content)] : []
}

function openAiToolCalls(value: Readonly<Record<string, unknown>>): readonly MessagePart[] {
  const calls = property(value, 'tool_calls')
  return Array.isArray(calls) ? calls.map((call) => toPart(isRecord(call) ? { type: 'function', ...call } : call)) : []
}

/** Text parts in order, a line each; null when there is none. Reasoning is not text. */
export function textOf(message: Message): string | null {
  const texts = message.parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : []))
  return texts.length === 0 ? null : texts.join('\n')
}

/** Where the user's input of this turn stands in the conversation; -1 when nowhere. */
export function userInputIndex(messages: readonly Message[]): number {
  const withText = messages.findLastIndex((message) => message.role === 'user' && textOf(message) !== null)
  return withText !== -1 ? withText : messages.findLastIndex((message) => message.role === 'user')
}

/** The last user text; the parts themselves when the user sent no text at all; null when nothing was sent. */
export function userInputOf(messages: readonly Message[]): unknown {
  const message = messages[userInputIndex(messages)]
  if (message === undefined || message.parts.length === 0) return null
  return textOf(message) ?? message.parts.map((part) => (part.type === 'other' ? part.value : part))
}

/** What came after the user's input: the agent's own steps in this turn. Earlier messages belong to earlier traces. */
export function stepsOf(messages: readonly Message[]): readonly Message[] {
  return messages.slice(userInputIndex(messages) + 1)
}

/** The last assistant text; else the tool calls with which the model ended; null when there is neither. */
export function outputOf(messages: readonly Message[]): string | readonly MessagePart[] | null {
  const spoken = messages.filter((message) => message.role === 'assistant')
  const last = spoken.findLast((message) => textOf(message) !== null)
  if (last !== undefined) return textOf(last)
  const calls = spoken.flatMap((message) => message.parts).filter((part) => part.type === 'tool_call')
  return calls.length === 0 ? null : calls
}

/** The system text: all system messages that open the conversation. */
export function systemOf(messages: readonly Message[]): string | null {
  const end = messages.findIndex((message) => message.role !== 'system')
  const texts = messages.slice(0, end === -1 ? undefined : end).flatMap((message) => textOf(message) ?? [])
  return texts.length === 0 ? null : texts.join('\n\n')
}
