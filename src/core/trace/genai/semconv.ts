/**
 * The OpenTelemetry GenAI conventions as they stand (1.37 and later): content in `gen_ai.*` span attributes, or in
 * `gen_ai.client.inference.operation.details` events of the span (log records are joined to their span as events).
 *
 * Knows no vendor's attributes. Several details events of one span are read together: emitters split them by field.
 */
import type { AttributeValue, Span } from '../span.ts'
import type { Message, RetrievedDocument } from '../summary.ts'
import { outputOf, systemOf, toMessages, userInputOf } from './messages.ts'
import {
  attribute,
  captured,
  isRecord,
  mapReading,
  NOT_CAPTURED,
  property,
  type Reading,
  readJson,
  readLoose,
} from './reading.ts'

const DETAILS_EVENT = 'gen_ai.client.inference.operation.details'

type ContentKey = 'gen_ai.input.messages' | 'gen_ai.output.messages' | 'gen_ai.system_instructions'

export function inputMessages(span: Span): Reading<readonly Message[]> {
  return messagesAt(span, 'gen_ai.input.messages')
}

export function outputMessages(span: Span): Reading<readonly Message[]> {
  return messagesAt(span, 'gen_ai.output.messages')
}

export function userInput(span: Span): Reading<unknown> {
  return mapReading(inputMessages(span), (messages) => captured(userInputOf(messages)))
}

export function output(span: Span): Reading<unknown> {
  return mapReading(outputMessages(span), (messages) => captured<unknown>(outputOf(messages)))
}

/** `[{ type, content }]` by the convention; plain and quoted text occur. */
export function systemInstructions(span: Span): Reading<string> {
  return mapReading(readContent(span, 'gen_ai.system_instructions'), (value) => {
    const content = typeof value === 'string' || isRecord(value) ? [value] : value
    return captured(systemOf(toMessages({ role: 'system', parts: content })))
  })
}

export function toolArguments(span: Span): Reading<unknown> {
  return readLoose(attribute(span.attributes, 'gen_ai.tool.call.arguments'))
}

export function toolResult(span: Span): Reading<unknown> {
  return readLoose(attribute(span.attributes, 'gen_ai.tool.call.result'))
}

/** `[{ id, score }]`; the convention has no content, emitters may add it. */
export function documents(span: Span): Reading<readonly RetrievedDocument[]> {
  return mapReading(readJson(attribute(span.attributes, 'gen_ai.retrieval.documents')), (list) =>
    captured(Array.isArray(list) ? list.filter(isRecord).map(toDocument) : null),
  )
}

function toDocument(value: Readonly<Record<string, unknown>>): RetrievedDocument {
  const text = (key: string) => {
    const found = property(value, key)
    return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : null
  }
  const score = property(value, 'score')
  return {
    id: text('id'),
    score: typeof score === 'number' ? score : null,
    content: text('content'),
    source: text('source'),
  }
}

function messagesAt(span: Span, key: ContentKey): Reading<readonly Message[]> {
  return mapReading(readContent(span, key), (value) => captured(toMessages(value)))
}

function readContent(span: Span, key: ContentKey): Reading<unknown> {
  const onSpan = readJson(attribute(span.attributes, key))
  if (onSpan.state !== 'not_captured') return onSpan
  const inEvent = readJson(detailsValue(span, key))
  if (inEvent.state !== 'not_captured') return inEvent
  const reference = attribute(span.attributes, `${key}_ref`) ?? detailsValue(span, `${key}_ref`)
  return reference === undefined ? NOT_CAPTURED : { state: 'external' }
}

/** The first details event that has the key: the events of one span are parts of one record. */
function detailsValue(span: Span, key: string): AttributeValue | undefined {
  for (const event of span.events) {
    const value = event.name === DETAILS_EVENT ? attribute(event.attributes, key) : undefined
    if (value !== undefined && value !== '[]') return value
  }
  return undefined
}
