/**
 * Tokens and cost of a trace: the sum over leaves. A parent that repeats its children's usage is not counted; a
 * parent's own figure counts only when nothing below it has one. One call reported by two instrumentations counts once.
 */
import type { Span } from '../span.ts'
import type { Usage } from '../summary.ts'
import { COST_KEYS, USAGE_KEYS } from './precedence.ts'
import { attribute, readAmount, readWord } from './reading.ts'
import { byStart, type SpanNode } from './tree.ts'

type SpanUsage = { readonly [key in keyof Usage]: number | null }

/** Null when no span reports tokens. A detail that no span reports is null, not 0. */
export function totalUsage(nodes: readonly SpanNode[]): Usage | null {
  const counted = withoutRepeats(leaves(nodes, usageOf))
  if (counted.length === 0) return null
  const total = (key: keyof Usage) => {
    const reported = counted.flatMap(({ value }) => value[key] ?? [])
    return reported.length === 0 ? null : reported.reduce((sum, tokens) => sum + tokens, 0)
  }
  return {
    input: total('input') ?? 0,
    output: total('output') ?? 0,
    cacheRead: total('cacheRead'),
    cacheWrite: total('cacheWrite'),
    reasoning: total('reasoning'),
  }
}

/** US dollars; null when no span reports a cost. */
export function totalCost(nodes: readonly SpanNode[]): number | null {
  const costs = leaves(nodes, (span) => firstAmount(span, COST_KEYS))
  return costs.length === 0 ? null : costs.reduce((sum, { value }) => sum + value, 0)
}

function usageOf(span: Span): SpanUsage | null {
  const usage = {
    input: firstAmount(span, USAGE_KEYS.input),
    output: firstAmount(span, USAGE_KEYS.output),
    cacheRead: firstAmount(span, USAGE_KEYS.cacheRead),
    cacheWrite: firstAmount(span, USAGE_KEYS.cacheWrite),
    reasoning: firstAmount(span, USAGE_KEYS.reasoning),
  }
  return usage.input === null && usage.output === null ? null : usage
}

function firstAmount(span: Span, keys: readonly string[]): number | null {
  for (const key of keys) {
    const amount = readAmount(attribute(span.attributes, key))
    if (amount !== null) return amount
  }
  return null
}

type Leaf<T> = { readonly node: SpanNode; readonly value: T }

function leaves<T>(nodes: readonly SpanNode[], read: (span: Span) => T | null): readonly Leaf<T>[] {
  const bearing = nodes.flatMap((node) => {
    const value = read(node.span)
    return value === null ? [] : [{ node, value }]
  })
  const above = new Set<SpanNode>()
  for (const { node } of bearing) {
    for (let parent = node.parent; parent !== null && !above.has(parent); parent = parent.parent) above.add(parent)
  }
  return bearing.filter(({ node }) => !above.has(node))
}

/** Drops a leaf with the response id of another at an overlapping time. The id alone is not enough: local models repeat theirs. */
function withoutRepeats<T>(all: readonly Leaf<T>[]): readonly Leaf<T>[] {
  const endOf = new Map<string, bigint>()
  return all
    .toSorted((a, b) => byStart(a.node.span, b.node.span))
    .filter(({ node: { span } }) => {
      const id = readWord(attribute(span.attributes, 'gen_ai.response.id'))
      if (id === null) return true
      const end = endOf.get(id)
      if (end !== undefined && span.startTimeUnixNano < end) return false
      endOf.set(id, span.endTimeUnixNano)
      return true
    })
}
