/**
 * The spans of one trace as a tree, and where in it the application's own work begins.
 *
 * Parents may be missing (remote, filtered, late) or form a cycle; ids may repeat. Invariant: every distinct span is in
 * `nodes` once, parents before children, the application's tree first.
 */
import type { Span } from '../span.ts'
import { type SpanKind, spanKind } from './span-kind.ts'

export type SpanNode = {
  readonly span: Span
  readonly kind: SpanKind
  readonly parent: SpanNode | null
  /** The nearest ancestor that means something: transport spans and SDK steps are looked through. */
  readonly enclosing: SpanNode | null
  /** Under an evaluation: not the agent's own work. */
  readonly isJudged: boolean
}

export type SpanTree = {
  readonly nodes: readonly SpanNode[]
  /** Where the trace begins. */
  readonly top: SpanNode
  /** Where the application's work begins: `top`, or below it when that is a web request or the like. */
  readonly root: SpanNode
}

/** `spans` must not be empty. */
export function spanTree(spans: readonly Span[]): SpanTree {
  const distinct = [...new Map(spans.map((span) => [span.spanId, span])).values()].sort(byStart)
  const childrenOf = Map.groupBy(distinct, (span) => span.parentSpanId)
  const ids = new Set(distinct.map((span) => span.spanId))
  const placed = new Map<string, SpanNode>()
  const orphans = distinct.filter((span) => span.parentSpanId === null || !ids.has(span.parentSpanId))
  const trees = orphans.map((span) => grow(span, childrenOf, placed))
  // What no root reaches is a cycle: it is cut at its earliest span.
  for (const span of distinct) if (!placed.has(span.spanId)) trees.push(grow(span, childrenOf, placed))

  const working = workingIds([...placed.values()])
  const first = trees.toSorted((a, b) => rank(b) - rank(a))[0] as readonly SpanNode[]
  const nodes = [first, ...trees.filter((tree) => tree !== first)].flat()
  const top = nodes[0] as SpanNode
  return { nodes, top, root: descend(top, nodes, working) }
}

export function byStart(a: Span, b: Span): number {
  return a.startTimeUnixNano < b.startTimeUnixNano ? -1 : a.startTimeUnixNano > b.startTimeUnixNano ? 1 : 0
}

function grow(
  root: Span,
  childrenOf: ReadonlyMap<string | null, readonly Span[]>,
  placed: Map<string, SpanNode>,
): readonly SpanNode[] {
  const tree: SpanNode[] = []
  const place = (span: Span, parent: SpanNode | null) => {
    if (placed.has(span.spanId)) return
    const node = makeNode(span, parent)
    placed.set(span.spanId, node)
    tree.push(node)
  }
  place(root, null)
  for (let next = 0; next < tree.length; next++) {
    const node = tree[next] as SpanNode
    for (const child of childrenOf.get(node.span.spanId) ?? []) place(child, node)
  }
  return tree
}

function makeNode(span: Span, parent: SpanNode | null): SpanNode {
  const isTransparent = parent !== null && (parent.kind === 'other' || parent.kind === 'step')
  return {
    span,
    kind: spanKind(span),
    parent,
    enclosing: isTransparent ? parent.enclosing : parent,
    isJudged: parent !== null && (parent.isJudged || parent.kind === 'judge'),
  }
}

/** A tree that converses beats one that only works; a true root beats one whose parent is missing; then the earliest. */
function rank(tree: readonly SpanNode[]): number {
  const converses = tree.some(
    ({ kind, isJudged }) => !isJudged && (kind === 'agent' || kind === 'chain' || kind === 'llm'),
  )
  const works = tree.some(isWork)
  return (converses ? 4 : 0) + (works ? 2 : 0) + (tree[0]?.span.parentSpanId === null ? 1 : 0)
}

function isWork(node: SpanNode): boolean {
  return node.kind !== 'other' && node.kind !== 'step' && node.kind !== 'judge' && !node.isJudged
}

/** Ids of the spans that do the agent's work or have such a span below them. */
function workingIds(nodes: readonly SpanNode[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const node of nodes) {
    if (!isWork(node)) continue
    for (let above: SpanNode | null = node; above !== null && !ids.has(above.span.spanId); above = above.parent) {
      ids.add(above.span.spanId)
    }
  }
  return ids
}

function descend(top: SpanNode, nodes: readonly SpanNode[], working: ReadonlySet<string>): SpanNode {
  const childrenOf = Map.groupBy(nodes, (node) => node.parent)
  let root = top
  while (root.kind === 'other' || root.kind === 'step') {
    const children: readonly SpanNode[] = (childrenOf.get(root) ?? []).filter((node) => working.has(node.span.spanId))
    if (children.length !== 1) break
    root = children[0] as SpanNode
  }
  return root
}
