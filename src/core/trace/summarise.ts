/**
 * The spans of one trace to its summary: every span is read by the dialects' sources (genai/precedence.ts says which
 * and in what order), and the trace's fields are chosen from the tree.
 *
 * Pure and total: attributes are hostile and never make it throw. Nothing is guessed; what is not there is null, and
 * `capture` and `completeness` say in which way.
 */
import { invariant } from '../errors.ts'
import { completenessOf } from './genai/completeness.ts'
import { conversationOf } from './genai/conversation.ts'
import { identityOf } from './genai/identity.ts'
import { stepsOf } from './genai/messages.ts'
import { lastCall, type ModelCall, modelCalls, readAcross } from './genai/model-calls.ts'
import { DOCUMENTS, INPUT_MESSAGES, OUTPUT_MESSAGES } from './genai/precedence.ts'
import { firstReading, type Reading, valueIn } from './genai/reading.ts'
import { spanError } from './genai/span-error.ts'
import { toolCalls, toToolCall, worstState } from './genai/tool-calls.ts'
import { byStart, type SpanTree, spanTree } from './genai/tree.ts'
import { totalCost, totalUsage } from './genai/usage.ts'
import type { Span } from './span.ts'
import type { Message, RetrievedDocument, TraceSummary } from './summary.ts'

const DOCUMENTS_MAX = 2_000

/** The last millisecond that a date can hold. */
const EPOCH_MS_MAX = 8.64e15

/** `spans` are those of one trace, in any order; there must be one at least. */
export function summarise(spans: readonly Span[]): TraceSummary {
  invariant(spans.length > 0, 'a trace has one span or more')
  const tree = spanTree(spans)
  const calls = modelCalls(tree.nodes)
  const { userInput, system, messages, output } = conversationOf(tree, calls)
  const tools = toolCalls(tree.nodes, calls, calls.length === 0 ? rootConversations(tree) : [])
  return {
    ...identityOf(tree, calls),
    system: valueIn(system),
    userInput: shown(userInput),
    messages,
    output: shown(output),
    tools: tools.map(toToolCall),
    retrieved: retrieved(tree),
    finishReason: lastCall(calls)?.finishReason ?? null,
    usage: totalUsage(tree.nodes),
    llmCalls: calls.length,
    cost: totalCost(tree.nodes),
    error: traceError(tree, calls),
    toolErrors: tools.filter((tool) => tool.error !== null).length,
    ...timing(tree),
    capture: {
      userInput: userInput.state,
      system: system.state,
      output: output.state,
      toolArguments: worstState(tools.map((tool) => tool.args)),
      toolResults: worstState(tools.filter((tool) => tool.error === null).map((tool) => tool.result)),
    },
    completeness: completenessOf(userInput.state, messages, tree, calls),
  }
}

function shown(reading: Reading<unknown>): unknown {
  return reading.state === 'truncated' ? reading.text : valueIn(reading)
}

/** Without model calls the root's own messages are the only ones that show tool calls. */
function rootConversations({ root }: SpanTree): readonly (readonly Message[])[] {
  const input = valueIn(readAcross(INPUT_MESSAGES, [root.span])) ?? []
  return [[...stepsOf(input), ...(valueIn(readAcross(OUTPUT_MESSAGES, [root.span])) ?? [])]]
}

/** In order of retrieval, each document once. */
function retrieved({ nodes }: SpanTree): readonly RetrievedDocument[] {
  const found = new Map<string, RetrievedDocument>()
  for (const { span, kind, isJudged } of nodes) {
    if (kind !== 'retrieval' || isJudged) continue
    for (const document of valueIn(firstReading(DOCUMENTS, span)) ?? []) {
      const key = JSON.stringify([document.id, document.content])
      if (!found.has(key) && found.size < DOCUMENTS_MAX) found.set(key, document)
    }
  }
  return [...found.values()]
}

/** Of the root (the application's, then the trace's) or of the last model call: other failures were recovered from. */
function traceError({ root, top }: SpanTree, calls: readonly ModelCall[]): string | null {
  return spanError(root.span) ?? spanError(top.span) ?? lastCall(calls)?.error ?? null
}

/** Of the agent's own spans: a web request around it or feedback after it would count waiting as work. */
function timing({ nodes }: SpanTree): { readonly startedAt: string; readonly durationMs: number } {
  const own = nodes.filter((node) => node.kind !== 'other' && node.kind !== 'judge' && !node.isJudged)
  const timed = (own.length > 0 ? own : nodes).map((node) => node.span)
  const start = timed.toSorted(byStart)[0]?.startTimeUnixNano ?? 0n
  const startMs = Math.min(Math.max(Number(start / 1_000_000n), -EPOCH_MS_MAX), EPOCH_MS_MAX)
  const tookMs = timed.map((span) => Number(span.endTimeUnixNano - start) / 1e6)
  const durationMs = tookMs.reduce((longest, ms) => Math.min(Math.max(longest, ms), Number.MAX_SAFE_INTEGER), 0)
  return { startedAt: new Date(startMs).toISOString(), durationMs }
}
