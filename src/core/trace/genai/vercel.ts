/**
 * Vercel AI SDK 4 to 6, and 7 with its legacy integration: `ai.*` attributes, JSON in strings. (Version 7 by default
 * speaks the OpenTelemetry conventions: see semconv.ts.)
 *
 * The outer span (`ai.generateText`) holds the prompt as the application gave it; `.doGenerate` and `.doStream` hold
 * each model call. Usage on the outer span is the last step's alone in 4 and 5: count the inner ones.
 */
import type { Span } from '../span.ts'
import type { Message } from '../summary.ts'
import { outputOf, toMessages, userInputOf } from './messages.ts'
import {
  attribute,
  captured,
  mapReading,
  property,
  type Reading,
  readJson,
  readLoose,
  readText,
  valueIn,
} from './reading.ts'

/** `ai.prompt`: `{ system, prompt }` or `{ system, messages }`; `prompt` may be a list of messages since version 5. */
export function userInput(span: Span): Reading<unknown> {
  return mapReading(promptMessages(span), (messages) => captured(userInputOf(messages)))
}

/** The conversation as the application gave it to the outer call. */
export function promptMessages(span: Span): Reading<readonly Message[]> {
  return mapReading(readJson(attribute(span.attributes, 'ai.prompt')), (prompt) =>
    captured(toMessages(property(prompt, 'messages') ?? property(prompt, 'prompt'))),
  )
}

export function promptSystem(span: Span): Reading<string> {
  return mapReading(readJson(attribute(span.attributes, 'ai.prompt')), (prompt) => {
    const system = property(prompt, 'system')
    return captured(typeof system === 'string' ? system : null)
  })
}

/** The conversation as one model call saw it. */
export function inputMessages(span: Span): Reading<readonly Message[]> {
  return mapReading(readJson(attribute(span.attributes, 'ai.prompt.messages')), (list) => captured(toMessages(list)))
}

export function outputMessages(span: Span): Reading<readonly Message[]> {
  const text = readText(attribute(span.attributes, 'ai.response.text'))
  if (text.state === 'redacted') return text
  const calls = valueIn(readJson(attribute(span.attributes, 'ai.response.toolCalls')))
  const parts = [
    ...(text.state === 'captured' ? [{ type: 'text', text: text.value }] : []),
    ...(Array.isArray(calls) ? calls.map((call: unknown) => ({ ...(call as object), type: 'tool-call' })) : []),
  ]
  return captured(parts.length === 0 ? null : toMessages([{ role: 'assistant', content: parts }]))
}

export function output(span: Span): Reading<unknown> {
  const object = readJson(attribute(span.attributes, 'ai.response.object'))
  if (object.state === 'captured' || object.state === 'truncated') return object
  return mapReading(outputMessages(span), (messages) => captured<unknown>(outputOf(messages)))
}

export function toolArguments(span: Span): Reading<unknown> {
  return readLoose(attribute(span.attributes, 'ai.toolCall.args'))
}

/** The SDK serialises every result, so that here even a bare number or quoted text is JSON. */
export function toolResult(span: Span): Reading<unknown> {
  return readJson(attribute(span.attributes, 'ai.toolCall.result'))
}
