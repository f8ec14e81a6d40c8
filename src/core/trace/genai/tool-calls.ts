/**
 * The tool calls of one turn: what tool spans say merged with what the messages say.
 *
 * A call is the same in both views by its id; without an id by name, arguments and order. Messages that later model
 * calls repeat as history are no new calls. Nested spans of one call (agent, protocol client, server) are one.
 */
import type { Span } from '../span.ts'
import type { CaptureState, Message, MessagePart, ToolCall } from '../summary.ts'
import { stepsOf } from './messages.ts'
import type { ModelCall } from './model-calls.ts'
import { TOOL_ARGUMENTS, TOOL_CALL_ID, TOOL_NAME, TOOL_RESULT } from './precedence.ts'
import { captured, firstReading, moreTelling, NOT_CAPTURED, property, type Reading } from './reading.ts'
import { spanError } from './span-error.ts'
import type { SpanNode } from './tree.ts'

const TOOL_CALLS_MAX = 5_000

export type FoundCall = {
  readonly name: string
  readonly id: string | null
  readonly args: Reading<unknown>
  readonly result: Reading<unknown>
  readonly error: string | null
  /** When it was first seen; orders the list. */
  readonly at: bigint
}

type CallPart = Extract<MessagePart, { type: 'tool_call' }>
type ResponsePart = Extract<MessagePart, { type: 'tool_call_response' }>

/** In order of time. `conversations` are read for calls when there is no model call to ask. */
export function toolCalls(
  nodes: readonly SpanNode[],
  calls: readonly ModelCall[],
  conversations: readonly (readonly Message[])[],
): readonly FoundCall[] {
  const start = nodes[0]?.span.startTimeUnixNano ?? 0n
  const views = [
    ...calls.map((call) => ({ steps: stepsSeenBy(call), at: (call.spans[0] as Span).endTimeUnixNano })),
    ...(calls.length === 0 ? conversations.map((steps) => ({ steps, at: start })) : []),
  ]
  const merged = merge(fromSpans(nodes), fromMessages(views))
  return merged.toSorted(byTime).slice(0, TOOL_CALLS_MAX)
}

export function toToolCall(call: FoundCall): ToolCall {
  return {
    name: call.name,
    id: call.id,
    args: shown(call.args),
    result: call.error === null || call.result.state === 'captured' ? shown(call.result) : null,
    error: call.error,
  }
}

/** The state of the worst reading: what a reader of the calls has to reckon with. */
export function worstState(readings: readonly Reading<unknown>[]): CaptureState {
  const worst: readonly CaptureState[] = ['not_captured', 'redacted', 'external', 'truncated']
  return worst.find((state) => readings.some((reading) => reading.state === state)) ?? 'captured'
}

function shown(reading: Reading<unknown>): unknown {
  return reading.state === 'captured' ? reading.value : reading.state === 'truncated' ? reading.text : null
}

function stepsSeenBy(call: ModelCall): readonly Message[] {
  const history = call.input.state === 'captured' ? stepsOf(call.input.value) : []
  return call.output.state === 'captured' ? [...history, ...call.output.value] : history
}

function fromSpans(nodes: readonly SpanNode[]): readonly FoundCall[] {
  const tools = nodes.filter((node) => node.kind === 'tool' && !node.isJudged)
  const spansOf = Map.groupBy(tools, outermost)
  return [...spansOf]
    .map(([outer, group]) => group.filter((node) => node !== outer).reduce(absorb, fromSpan(outer)))
    .sort(byTime)
}

/** Tools call tools: only a span of the same tool is a second view of the same call. */
function outermost(node: SpanNode): SpanNode {
  let outer = node
  while (outer.enclosing?.kind === 'tool' && toolName(outer.enclosing.span) === toolName(node.span))
    outer = outer.enclosing
  return outer
}

function absorb(outer: FoundCall, inner: SpanNode): FoundCall {
  return filledFrom(outer, fromSpan(inner))
}

function fromSpan({ span }: SpanNode): FoundCall {
  const result = firstReading(TOOL_RESULT, span)
  const reported = result.state === 'captured' && property(result.value, 'isError') === true
  return {
    name: toolName(span),
    id: firstWord(TOOL_CALL_ID, span),
    args: firstReading(TOOL_ARGUMENTS, span),
    result,
    error: spanError(span) ?? (reported ? 'the tool reported an error' : null),
    at: span.startTimeUnixNano,
  }
}

function toolName(span: Span): string {
  return firstWord(TOOL_NAME, span) ?? span.name.replace(/^(?:execute_tool|tools\/call)\s+/, '')
}

function firstWord(sources: readonly ((attributes: Span['attributes']) => string | null)[], span: Span): string | null {
  for (const source of sources) {
    const word = source(span.attributes)
    if (word !== null) return word
  }
  return null
}

/** Calls by id, or by name, arguments and how many times the same view has held them. */
function fromMessages(
  views: readonly { readonly steps: readonly Message[]; readonly at: bigint }[],
): readonly FoundCall[] {
  const found = new Map<string, FoundCall>()
  for (const { steps, at } of views) {
    const times = new Map<string, number>()
    const asked: string[] = []
    let answered = 0
    for (const part of steps.flatMap((message) => message.parts)) {
      if (part.type === 'tool_call') {
        const key = part.id === null ? numbered(times, part) : `id ${part.id}`
        asked.push(key)
        if (!found.has(key)) found.set(key, fromCallPart(part, at))
      } else if (part.type === 'tool_call_response') {
        const key = part.id === null ? asked[answered++] : `id ${part.id}`
        const call = key === undefined ? undefined : found.get(key)
        if (key !== undefined && call !== undefined) found.set(key, withResponse(call, part))
      }
    }
  }
  return [...found.values()]
}

function numbered(times: Map<string, number>, part: CallPart): string {
  const likeness = likenessOf(part.name, part.arguments)
  const time = (times.get(likeness) ?? 0) + 1
  times.set(likeness, time)
  return `${time} ${likeness}`
}

function fromCallPart(part: CallPart, at: bigint): FoundCall {
  return { name: part.name, id: part.id, args: captured(part.arguments), result: NOT_CAPTURED, error: null, at }
}

function withResponse(call: FoundCall, part: ResponsePart): FoundCall {
  if (!part.failed) return { ...call, result: moreTelling(call.result, captured(part.response)) }
  const { response } = part
  return { ...call, error: typeof response === 'string' ? response : JSON.stringify(response) }
}

function merge(spanCalls: readonly FoundCall[], messageCalls: readonly FoundCall[]): readonly FoundCall[] {
  const byId = new Map(messageCalls.flatMap((call) => (call.id === null ? [] : [[call.id, call] as const])))
  const byLikeness = Map.groupBy(messageCalls, (call) => likenessOf(call.name, shown(call.args)))
  const taken = new Set<FoundCall>()
  const merged = spanCalls.map((call) => {
    const alike = byLikeness.get(likenessOf(call.name, shown(call.args))) ?? []
    const match =
      (call.id === null ? undefined : byId.get(call.id)) ??
      alike.find((other) => !taken.has(other) && (call.id === null || other.id === null))
    if (match === undefined || taken.has(match)) return call
    taken.add(match)
    return filledFrom(call, match)
  })
  return [...merged, ...messageCalls.filter((call) => !taken.has(call))]
}

function filledFrom(call: FoundCall, other: FoundCall): FoundCall {
  const error = call.error ?? other.error
  return {
    name: call.name,
    id: call.id ?? other.id,
    args: moreTelling(call.args, other.args),
    result: moreTelling(call.result, other.result),
    error,
    at: byTime(call, other) <= 0 ? call.at : other.at,
  }
}

function byTime(a: FoundCall, b: FoundCall): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0
}

/** Equal for equal calls, whatever the order of the arguments' keys. */
function likenessOf(name: string, args: unknown): string {
  return `${name} ${JSON.stringify(sortKeys(args))}`
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sortKeys(inner)])
}
