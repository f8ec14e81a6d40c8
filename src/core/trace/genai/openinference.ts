/**
 * OpenInference: messages, documents and tools flattened into attribute names, whole inputs in `input.value`.
 *
 * On model spans the flattened messages come before `input.value`, which there is the raw request of one provider.
 */
import type { Attributes, Span } from '../span.ts'
import type { Message, MessagePart, RetrievedDocument } from '../summary.ts'
import { flattened } from './flattened.ts'
import { outputOf, toMessages, userInputOf } from './messages.ts'
import {
  attribute,
  captured,
  isRecord,
  mapReading,
  NOT_CAPTURED,
  property,
  type Reading,
  readAmount,
  readJson,
  readLoose,
  readText,
  readWord,
} from './reading.ts'

export function inputMessages(span: Span): Reading<readonly Message[]> {
  return flattenedMessages(span, 'llm.input_messages')
}

export function outputMessages(span: Span): Reading<readonly Message[]> {
  return flattenedMessages(span, 'llm.output_messages')
}

/** The conversation inside a recorded request: `messages` (chat completions) or `input` (Responses). */
export function requestMessages(span: Span): Reading<readonly Message[]> {
  return mapReading(readJson(attribute(span.attributes, 'input.value')), (request) =>
    captured(toMessages(isRecord(request) ? (property(request, 'messages') ?? property(request, 'input')) : request)),
  )
}

/** The answer inside a recorded response: the first choice, Responses items, or content blocks. */
export function responseMessages(span: Span): Reading<readonly Message[]> {
  return mapReading(readJson(attribute(span.attributes, 'output.value')), (response) => {
    const choices = property(response, 'choices')
    const answer =
      (Array.isArray(choices) ? property(choices[0], 'message') : undefined) ??
      property(response, 'output') ??
      property(response, 'content') ??
      response
    return captured(toMessages(typeof answer === 'string' ? { role: 'assistant', content: answer } : answer))
  })
}

/** What an agent or chain was called with: text, the last user text of a `messages` list, or the recorded object. */
export function inputValue(span: Span): Reading<unknown> {
  return mapReading(typedValue(span, 'input'), (value) => {
    const messages = property(value, 'messages')
    const input = Array.isArray(messages) ? userInputOf(toMessages(messages)) : null
    return captured<unknown>(input ?? unwrapped(value, 'input'))
  })
}

export function outputValue(span: Span): Reading<unknown> {
  return mapReading(typedValue(span, 'output'), (value) => {
    const messages = property(value, 'messages')
    const output = Array.isArray(messages) ? outputOf(toMessages(messages)) : null
    return captured<unknown>(output ?? unwrapped(value, 'output'))
  })
}

/** Recorded parameters of a tool; some emitters put the tool's JSON Schema there, which is not what it was called with. */
export function toolParameters(span: Span): Reading<unknown> {
  return mapReading(readLoose(attribute(span.attributes, 'tool.parameters')), (value) =>
    property(value, 'type') === 'object' && isRecord(property(value, 'properties')) ? NOT_CAPTURED : captured(value),
  )
}

export function toolInput(span: Span): Reading<unknown> {
  return readLoose(attribute(span.attributes, 'input.value'))
}

export function toolOutput(span: Span): Reading<unknown> {
  return readLoose(attribute(span.attributes, 'output.value'))
}

/** Retrieved documents; those that a reranker put out count as retrieved. */
export function documents(span: Span): Reading<readonly RetrievedDocument[]> {
  const retrieved = flattened(span.attributes, 'retrieval.documents')
  const entries = retrieved.length > 0 ? retrieved : flattened(span.attributes, 'reranker.output_documents')
  return captured(entries.map(toDocument))
}

function toDocument(entry: Attributes): RetrievedDocument {
  const metadata = readJson(attribute(entry, 'document.metadata'))
  const source = metadata.state === 'captured' ? property(metadata.value, 'source') : undefined
  const score = attribute(entry, 'document.score')
  const content = attribute(entry, 'document.content')
  return {
    id: readWord(attribute(entry, 'document.id')),
    score: typeof score === 'number' ? score : readAmount(score),
    content: typeof content === 'string' ? content : null,
    source: typeof source === 'string' ? source : null,
  }
}

function typedValue(span: Span, side: 'input' | 'output'): Reading<unknown> {
  const value = attribute(span.attributes, `${side}.value`)
  const isJson = attribute(span.attributes, `${side}.mime_type`) === 'application/json'
  return isJson ? readJson(value) : readText(value)
}

/** LangChain wraps lone text as `{ input }`; any other object is itself what the agent was called with. */
function unwrapped(value: unknown, key: 'input' | 'output'): unknown {
  const inner = isRecord(value) && Object.keys(value).length === 1 ? property(value, key) : undefined
  return typeof inner === 'string' && inner !== '' ? inner : value
}

function flattenedMessages(span: Span, prefix: string): Reading<readonly Message[]> {
  return captured(flattened(span.attributes, prefix).map(toMessage))
}

function toMessage(entry: Attributes): Message {
  const content = attribute(entry, 'message.content')
  const contents = flattened(entry, 'message.contents').map(toContentPart)
  const calls = flattened(entry, 'message.tool_calls').map(toCallPart)
  const [message] = toMessages({
    role: attribute(entry, 'message.role') ?? 'unknown',
    content: contents.length > 0 ? contents : content,
    tool_call_id: attribute(entry, 'message.tool_call_id'),
  })
  return { role: message?.role ?? 'tool', parts: [...(message?.parts ?? []), ...calls] }
}

function toContentPart(entry: Attributes): unknown {
  const text = attribute(entry, 'message_content.text')
  return typeof text === 'string' ? { type: 'text', text } : { ...entry }
}

function toCallPart(entry: Attributes): MessagePart {
  const args = readLoose(attribute(entry, 'tool_call.function.arguments'))
  return {
    type: 'tool_call',
    id: readWord(attribute(entry, 'tool_call.id')),
    name: readWord(attribute(entry, 'tool_call.function.name')) ?? '',
    arguments: args.state === 'captured' ? args.value : args.state === 'truncated' ? args.text : null,
  }
}
