/**
 * The model calls of a trace in the order they began. Two instrumentations of one call nest; they are one call, and the
 * outer one is asked first for each field.
 */
import type { Span } from '../span.ts'
import type { Message } from '../summary.ts'
import { FINISH_REASON, INPUT_MESSAGES, OUTPUT_MESSAGES } from './precedence.ts'
import {
  attribute,
  firstReading,
  moreTelling,
  NOT_CAPTURED,
  parseJson,
  type Reading,
  readWord,
  type Source,
} from './reading.ts'
import { spanError } from './span-error.ts'
import { byStart, type SpanNode } from './tree.ts'

export type ModelCall = {
  /** The outermost span first. */
  readonly spans: readonly Span[]
  readonly input: Reading<readonly Message[]>
  readonly output: Reading<readonly Message[]>
  readonly finishReason: string | null
  readonly error: string | null
}

/** In order of start. */
export function modelCalls(nodes: readonly SpanNode[]): readonly ModelCall[] {
  const calls = nodes.filter((node) => node.kind === 'llm' && !node.isJudged)
  const spansOf = Map.groupBy(calls, outermost)
  return [...spansOf]
    .sort(([a], [b]) => byStart(a.span, b.span))
    .map(([outer, group]) => modelCall([outer.span, ...group.filter((n) => n !== outer).map((n) => n.span)]))
}

/** The first captured reading over several spans, else the most telling state. */
export function readAcross<T>(sources: readonly Source<T>[], spans: readonly Span[]): Reading<T> {
  let best: Reading<T> = NOT_CAPTURED
  for (const span of spans) {
    best = moreTelling(best, firstReading(sources, span))
    if (best.state === 'captured') return best
  }
  return best
}

/** The call that ended last: the one that gave the answer. */
export function lastCall(calls: readonly ModelCall[]): ModelCall | null {
  return calls.reduce<ModelCall | null>(
    (last, call) => (last === null || endOf(call) >= endOf(last) ? call : last),
    null,
  )
}

function outermost(node: SpanNode): SpanNode {
  let outer = node
  while (outer.enclosing?.kind === 'llm') outer = outer.enclosing
  return outer
}

function modelCall(spans: readonly Span[]): ModelCall {
  return {
    spans,
    input: readAcross(INPUT_MESSAGES, spans),
    output: readAcross(OUTPUT_MESSAGES, spans),
    finishReason: firstOf(spans, finishReason),
    error: firstOf(spans, spanError),
  }
}

function endOf(call: ModelCall): bigint {
  return (call.spans[0] as Span).endTimeUnixNano
}

function firstOf<T>(spans: readonly Span[], read: (span: Span) => T | null): T | null {
  for (const span of spans) {
    const found = read(span)
    if (found !== null) return found
  }
  return null
}

/** A list by the convention; a JSON list in a string and a bare word occur. */
function finishReason(span: Span): string | null {
  for (const key of FINISH_REASON) {
    const value = attribute(span.attributes, key)
    const list: unknown = typeof value === 'string' && value.startsWith('[') ? parseJson(value) : value
    const reason = readWord((Array.isArray(list) ? list[0] : list) as string)
    if (reason !== null) return reason
  }
  return null
}
