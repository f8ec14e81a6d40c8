/**
 * Input, system text and output of the whole trace, chosen from its tree: what the application's root recorded, then
 * its agents from the outside in, then what the model calls show.
 */
import type { Span } from '../span.ts'
import type { Message } from '../summary.ts'
import { outputOf, systemOf, textOf, userInputOf } from './messages.ts'
import { lastCall, type ModelCall, readAcross } from './model-calls.ts'
import { INPUT_MESSAGES, OUTPUT, SYSTEM, USER_INPUT } from './precedence.ts'
import { captured, mapReading, moreTelling, NOT_CAPTURED, type Reading, valueIn } from './reading.ts'
import type { SpanTree } from './tree.ts'

export type Conversation = {
  readonly userInput: Reading<unknown>
  readonly system: Reading<string>
  readonly messages: readonly Message[]
  readonly output: Reading<unknown>
}

export function conversationOf(tree: SpanTree, calls: readonly ModelCall[]): Conversation {
  const outer = outerSpans(tree)
  const first = calls.find((call) => call.input.state === 'captured') ?? calls[0]
  const seen = firstCaptured(
    () => first?.input ?? NOT_CAPTURED,
    () => readAcross(INPUT_MESSAGES, outer),
  )
  const system = systemText(outer, first?.spans ?? [], seen)
  return {
    userInput: firstCaptured(
      () => readAcross(USER_INPUT, outer),
      () => mapReading(seen, (messages) => captured(userInputOf(messages))),
    ),
    system,
    messages: withoutAnswer(withoutSystem(valueIn(seen) ?? [], valueIn(system)), first),
    output: firstCaptured(
      () => readAcross(OUTPUT, outer),
      () => answerOf(calls),
    ),
  }
}

/** The root, unless it is itself a model call, and the agents below it from the outside in. */
function outerSpans({ root, nodes }: SpanTree): readonly Span[] {
  const agents = nodes.filter((node) => node.kind === 'agent' && !node.isJudged && node !== root)
  const isCall = root.kind === 'llm' || root.kind === 'tool' || root.kind === 'retrieval' || root.kind === 'embedding'
  return [...(isCall ? [] : [root]), ...agents].map((node) => node.span)
}

function systemText(outer: readonly Span[], call: readonly Span[], seen: Reading<readonly Message[]>): Reading<string> {
  return firstCaptured(
    () => readAcross(SYSTEM, outer),
    () => readAcross(SYSTEM, call),
    () => mapReading(seen, (messages) => captured(systemOf(messages))),
  )
}

/** The last call's answer. A failed last call has none: an earlier call's text was a step on the way to it. */
function answerOf(calls: readonly ModelCall[]): Reading<unknown> {
  const last = lastCall(calls)
  return mapReading(last?.output ?? NOT_CAPTURED, (messages) => captured<unknown>(outputOf(messages)))
}

/** System text that differs from `system` stays in the conversation: some frameworks send both. */
function withoutSystem(messages: readonly Message[], system: string | null): readonly Message[] {
  const first = messages.findIndex((message) => message.role !== 'system')
  const opening = messages.slice(0, first === -1 ? messages.length : first)
  const isSource = systemOf(messages) === system
  const kept = opening.filter((message) => !isSource && textOf(message) !== system)
  return [...kept, ...messages.slice(opening.length)]
}

/** Message lists that were serialised late already hold the answer; a replay must not see it. */
function withoutAnswer(messages: readonly Message[], call: ModelCall | undefined): readonly Message[] {
  const last = messages.at(-1)
  const answer = call?.output.state === 'captured' ? outputOf(call.output.value) : null
  return last?.role === 'assistant' && typeof answer === 'string' && textOf(last) === answer
    ? messages.slice(0, -1)
    : messages
}

function firstCaptured<T>(...readings: readonly (() => Reading<T>)[]): Reading<T> {
  let best: Reading<T> = NOT_CAPTURED
  for (const read of readings) {
    best = moreTelling(best, read())
    if (best.state === 'captured') return best
  }
  return best
}
