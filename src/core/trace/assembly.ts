/**
 * The index of open traces: which spans of which spool entries belong together, and which traces are complete.
 *
 * Pure of clock and I/O: time comes in with each call, and the bytes stay in the spool. A trace leaves when its root has
 * ended and nothing more came for `decisionDelayMs`, else after `idleTimeoutMs` of quiet, else `traceTimeoutMs` after its
 * first span, else at once when it has grown to `spansMax` or `bytesMax`.
 * Invariants: an open trace has one span at least; a (trace id, span id) counts once; what is complete stays in the
 * index until it is removed, so that a batch that failed can be planned again.
 */
import type { Completion } from '../sampling/decision.ts'
import { NO_FACTS, type TraceFacts, withSpan } from '../sampling/facts.ts'
import type { Policy } from '../sampling/policy.ts'
import type { CompleteTrace } from '../sampling/sampler.ts'
import { type DueList, makeDueList } from './due-list.ts'
import type { ScannedSpan } from './otlp/scan-span.ts'

export type AssemblyLimits = {
  readonly decisionDelayMs: number
  readonly idleTimeoutMs: number
  readonly traceTimeoutMs: number
  /** A trace with this many spans or bytes of spans is decided as it stands; what follows is late. */
  readonly spansMax: number
  readonly bytesMax: number
}

export const SPANS_PER_TRACE_MAX = 10_000
export const BYTES_PER_TRACE_MAX = 16 * 1024 * 1024

/** A trace that is complete, with the entries that hold its spans and the bytes these take. */
export type AssembledTrace = CompleteTrace & { readonly entries: readonly number[]; readonly bytes: number }

/** Changed in place by the assembly, and by nobody else. */
type OpenTrace = {
  readonly traceId: string
  readonly arrivedAt: number
  lastAt: number
  facts: TraceFacts
  /** Span id to parent's. */
  readonly parents: Map<string, string>
  readonly entries: number[]
  bytes: number
  hasRoot: boolean
  hasRootEnded: boolean
}

export type Assembly = {
  /** Adds the spans of one entry, which must come in the order of their sequence. All are of the trace. */
  add(traceId: string, spans: readonly ScannedSpan[], entry: number, arrivedAt: number): void
  has(traceId: string): boolean
  /** Complete at `now`, the longest due first; at most `countMax`, and one or as many as `bytesMax` allow. */
  complete(now: number, countMax: number, bytesMax: number): readonly AssembledTrace[]
  remove(traceIds: Iterable<string>): void
  readonly open: number
}

export function makeAssembly(limits: AssemblyLimits, policy: Policy): Assembly {
  const traces = new Map<string, OpenTrace>()
  const due: DueList = makeDueList()
  return {
    add(traceId, spans, entry, arrivedAt) {
      const trace = traces.get(traceId) ?? openTrace(traceId, arrivedAt)
      traces.set(traceId, trace)
      for (const span of spans) addSpan(trace, span, policy)
      trace.entries.push(entry)
      trace.lastAt = Math.max(trace.lastAt, arrivedAt)
      due.schedule(traceId, completionOf(trace, limits).at)
    },
    has: (traceId) => traces.has(traceId),
    complete(now, countMax, bytesMax) {
      const found: AssembledTrace[] = []
      let bytes = 0
      for (const traceId of due.upTo(now)) {
        const trace = traces.get(traceId) as OpenTrace
        if (found.length >= countMax || (found.length > 0 && bytes + trace.bytes > bytesMax)) break
        bytes += trace.bytes
        found.push(assembled(trace, completionOf(trace, limits).reason))
      }
      return found
    },
    remove(traceIds) {
      for (const traceId of traceIds) {
        traces.delete(traceId)
        due.forget(traceId)
      }
    },
    get open() {
      return traces.size
    },
  }
}

function openTrace(traceId: string, arrivedAt: number): OpenTrace {
  const empty = { facts: NO_FACTS, parents: new Map<string, string>(), entries: [], bytes: 0 }
  return { traceId, arrivedAt, lastAt: arrivedAt, ...empty, hasRoot: false, hasRootEnded: false }
}

/** A span that came twice, as after a client's retry, is left out the second time. */
function addSpan(trace: OpenTrace, span: ScannedSpan, policy: Policy): void {
  if (trace.parents.has(span.spanId)) return
  trace.parents.set(span.spanId, span.parentSpanId)
  trace.facts = withSpan(trace.facts, span, policy)
  trace.bytes += span.end - span.start
  if (span.parentSpanId !== '') return
  trace.hasRoot = true
  trace.hasRootEnded ||= span.endMs > 0
}

/** When the trace is complete if nothing more comes, and why. */
function completionOf(trace: OpenTrace, limits: AssemblyLimits): { readonly at: number; readonly reason: Completion } {
  if (trace.facts.spanCount >= limits.spansMax || trace.bytes >= limits.bytesMax) {
    return { at: trace.lastAt, reason: 'size' }
  }
  const quiet: { at: number; reason: Completion } = trace.hasRootEnded
    ? { at: trace.lastAt + limits.decisionDelayMs, reason: 'root' }
    : { at: trace.lastAt + limits.idleTimeoutMs, reason: 'idle' }
  const timeout = trace.arrivedAt + limits.traceTimeoutMs
  return timeout < quiet.at ? { at: timeout, reason: 'timeout' } : quiet
}

function assembled(trace: OpenTrace, completion: Completion): AssembledTrace {
  const { traceId, facts, arrivedAt, entries, bytes, parents } = trace
  const resolves = [...parents.values()].every((parent) => parent === '' || parents.has(parent))
  return { traceId, facts, arrivedAt, completion, whole: trace.hasRoot && resolves, entries: [...entries], bytes }
}
