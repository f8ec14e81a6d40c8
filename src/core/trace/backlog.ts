/**
 * What the sampler has read from the spool and not yet settled: open traces, late spans, feedback, and which entries
 * are needed by which of them.
 *
 * Rebuilt from the spool after a restart by reading it again from its start: the remembered decisions say which spans
 * were taken into account before. Pure: entries, decisions and time come in.
 * Invariant: an entry is done when nothing that it brought waits for a decision, and never before.
 */
import type { SpoolEntry } from '../ports.ts'
import type { Decision, DecisionBatch, LateSpans, RememberedDecision } from '../sampling/decision.ts'
import type { Policy } from '../sampling/policy.ts'
import { decide } from '../sampling/sampler.ts'
import { type AssemblyLimits, makeAssembly } from './assembly.ts'
import type { ScannedSpan } from './otlp/scan-span.ts'

/** What one batch may hold: it is planned, applied and settled in one go. */
const DECISIONS_MAX = 500
const LATE_MAX = 200
const FEEDBACK_MAX = 500
const BATCH_BYTES_MAX = 32 * 1024 * 1024

export type Backlog = {
  /** Takes the spans of an entry; entries must come in order. `decisionOf` looks into the memory of decisions. */
  addTraces(
    entry: Pick<SpoolEntry, 'seq' | 'arrivedAt'>,
    spans: readonly ScannedSpan[],
    decisionOf: (traceId: string) => RememberedDecision | undefined,
  ): void
  addFeedback(seq: number): void
  /** What is to be decided and written at `now` (milliseconds since the epoch); null when nothing is. */
  next(now: number): Omit<DecisionBatch, 'batch'> | null
  /** Entries that are done when the batch is settled. */
  doneAfter(batch: DecisionBatch): readonly number[]
  /** The batch is settled. */
  settled(batch: DecisionBatch): void
  /** Entries that brought nothing to decide; each is given once. */
  takeIdle(): readonly number[]
  /** The last entry that was read. */
  readonly through: number
  readonly openTraces: number
}

export function makeBacklog(limits: AssemblyLimits, policy: Policy): Backlog {
  const assembly = makeAssembly(limits, policy)
  /** How many traces still need an entry. */
  const needed = new Map<number, number>()
  const late = new Map<string, LateSpans>()
  const feedback = new Set<number>()
  let idle: number[] = []
  let through = 0

  const addTrace = (
    traceId: string,
    spans: readonly ScannedSpan[],
    { seq, arrivedAt }: Pick<SpoolEntry, 'seq' | 'arrivedAt'>,
    decision: RememberedDecision | undefined,
  ): boolean => {
    if (decision === undefined) assembly.add(traceId, spans, seq, arrivedAt)
    else if (seq > decision.through) late.set(traceId, withEntry(late.get(traceId), traceId, decision, seq))
    else return false
    return true
  }

  return {
    addTraces(entry, spans, decisionOf) {
      through = entry.seq
      let needs = 0
      for (const [traceId, own] of Map.groupBy(spans, (span) => span.traceId)) {
        const decision = assembly.has(traceId) ? undefined : decisionOf(traceId)
        if (addTrace(traceId, own, entry, decision)) needs++
      }
      if (needs > 0) needed.set(entry.seq, needs)
      else idle.push(entry.seq)
    },
    addFeedback(seq) {
      through = seq
      feedback.add(seq)
    },
    next(now) {
      const complete = assembly.complete(now, DECISIONS_MAX, BATCH_BYTES_MAX)
      const decisions = complete.map((trace) => ({ decision: decide(trace, policy, now), entries: trace.entries }))
      const lateNow = [...late.values()].slice(0, LATE_MAX)
      const feedbackNow = [...feedback].slice(0, FEEDBACK_MAX)
      if (decisions.length + lateNow.length + feedbackNow.length === 0) return null
      return { through, decisions, late: lateNow, feedback: feedbackNow }
    },
    doneAfter: (batch) =>
      [...usesOf(batch)].flatMap(([seq, uses]) => (needed.get(seq) === uses ? [seq] : [])).concat(batch.feedback),
    settled(batch) {
      for (const [seq, uses] of usesOf(batch)) {
        const rest = (needed.get(seq) ?? uses) - uses
        if (rest === 0) needed.delete(seq)
        else needed.set(seq, rest)
      }
      assembly.remove(batch.decisions.map(({ decision }: { readonly decision: Decision }) => decision.traceId))
      for (const { traceId } of batch.late) late.delete(traceId)
      for (const seq of batch.feedback) feedback.delete(seq)
    },
    takeIdle() {
      const taken = idle
      idle = []
      return taken
    },
    get through() {
      return through
    },
    get openTraces() {
      return assembly.open
    },
  }
}

/** How many traces of the batch use each entry. */
function usesOf(batch: DecisionBatch): ReadonlyMap<number, number> {
  const uses = new Map<number, number>()
  for (const { entries } of [...batch.decisions, ...batch.late]) {
    for (const seq of entries) uses.set(seq, (uses.get(seq) ?? 0) + 1)
  }
  return uses
}

function withEntry(
  before: LateSpans | undefined,
  traceId: string,
  decision: RememberedDecision,
  seq: number,
): LateSpans {
  return { traceId, decision, entries: [...(before?.entries ?? []), seq] }
}
