/**
 * Sample: read the spool, put traces together, decide those that are complete, store what is kept, count everything.
 *
 * One step is one read of the spool and one batch. A batch is made durable before the database hears of it and settled
 * after, and the database takes each batch once: killed anywhere, run again, nothing is lost or counted twice. What
 * cannot be read is counted and logged, and stops nothing.
 */
import type { Clock, Log, Spool, SpoolEntry, Step } from '../core/ports.ts'
import type { DecisionBatch, LateSpans, PlannedDecision } from '../core/sampling/decision.ts'
import type { Policy } from '../core/sampling/policy.ts'
import type { AssemblyLimits } from '../core/trace/assembly.ts'
import { makeBacklog } from '../core/trace/backlog.ts'
import { distinctSpans, type EvidenceMakers, makeEvidence, withLateSpans } from '../core/trace/evidence.ts'
import { scanTraces } from '../core/trace/otlp/scan.ts'
import type { ScannedSpan } from '../core/trace/otlp/scan-span.ts'
import type { TracePart } from '../core/trace/otlp/slice.ts'
import type { SpooledFeedback } from '../core/trace/webhook.ts'
import { applyBatch, type BatchWork, type DecidedTrace, type LateTrace, type Merge } from '../store/batches.ts'
import type { NewFeedback } from '../store/feedback.ts'
import type { Db } from '../store/schema.ts'
import { traceRow } from '../store/traces.ts'
import { trialTraceIds } from '../store/trial-traces.ts'

const READ_ENTRIES_MAX = 256
const READ_BYTES_MAX = 32 * 1024 * 1024
/** Scanned entries held while one batch is made. */
const SCANNED_BYTES_MAX = 64 * 1024 * 1024

const HOUR_MS = 3_600_000
const DECISIONS_REMEMBERED_MS = 24 * HOUR_MS
/** Webhook senders repeat for about 3 days. */
const ONCE_KEYS_REMEMBERED_MS = 7 * 24 * HOUR_MS
const FORGET_EVERY_MS = HOUR_MS / 4

export type SampleNeeds = {
  readonly db: Db
  readonly spool: Spool
  readonly clock: Clock
  readonly log: Log
  readonly policy: Policy
  readonly limits: AssemblyLimits
} & EvidenceMakers

export type SamplerStatus = {
  readonly openTraces: number
  /** Entries, traces, spans and feedback since the start that could not be read or stored. */
  readonly unreadable: number
}

export function makeSample(needs: SampleNeeds): { readonly step: Step; status(): SamplerStatus } {
  const { spool, clock, policy } = needs
  const backlog = makeBacklog(needs.limits, policy)
  let unreadable = 0
  let forgotAt = 0

  const report = (what: string, cause: unknown): void => {
    unreadable++
    const text = needs.redact(cause instanceof Error ? cause.message : String(cause))
    needs.log('error', `${what} could not be read or stored`, { cause: text })
  }

  const read = async (): Promise<boolean> => {
    const entries = spool.after(backlog.through, READ_ENTRIES_MAX, READ_BYTES_MAX).map((entry) => ({
      entry,
      spans: entry.kind === 'feedback' ? null : scannedSpans(entry, policy, report),
    }))
    // Targets that honour `traceparent` send us the traces of our own trials: no production traffic, and never decided.
    const ids = new Set(entries.flatMap(({ spans }) => spans?.map((span) => span.traceId) ?? []))
    const ours = await trialTraceIds(needs.db, [...ids])
    for (const { entry, spans } of entries) {
      if (spans === null) backlog.addFeedback(entry.seq)
      else backlog.addTraces(entry, withoutTraces(spans, ours), spool.decision)
    }
    const idle = backlog.takeIdle()
    if (idle.length > 0) await spool.remove(idle)
    return entries.length > 0
  }

  const finish = async (batch: DecisionBatch): Promise<void> => {
    const refused = await applyBatch(needs.db, spool.id, await workOf(batch, needs, report))
    for (const { what, cause } of refused ?? []) report(what, cause)
    await spool.settle(batch, backlog.doneAfter(batch))
    backlog.settled(batch)
  }

  const forget = async (now: number): Promise<void> => {
    if (now - forgotAt < FORGET_EVERY_MS) return
    forgotAt = now
    await spool.forget({ decisions: now - DECISIONS_REMEMBERED_MS, onceKeys: now - ONCE_KEYS_REMEMBERED_MS })
  }

  const step: Step = async () => {
    const left = spool.planned()
    if (left !== undefined) {
      await finish(left)
      return 'worked'
    }
    const hasRead = await read()
    const now = clock.now().getTime()
    const work = backlog.next(now)
    if (work !== null) await finish(await spool.plan(work))
    await forget(now)
    return hasRead || work !== null ? 'worked' : 'idle'
  }

  return { step, status: () => ({ openTraces: backlog.openTraces, unreadable }) }
}

function withoutTraces(spans: readonly ScannedSpan[], ids: ReadonlySet<string>): readonly ScannedSpan[] {
  return ids.size === 0 ? spans : spans.filter((span) => !ids.has(span.traceId))
}

type Report = (what: string, cause: unknown) => void

function scannedSpans(entry: SpoolEntry, policy: Policy, report: Report): readonly ScannedSpan[] {
  try {
    return scanTraces(entry.body, policy.wanted).spans
  } catch (error) {
    // Ingest has scanned it before, so the disk or we are wrong; the other entries are not.
    report(`spool entry ${entry.seq}`, error)
    return []
  }
}

/** Everything that the transaction needs, so that it waits for nothing but the database. */
async function workOf(batch: DecisionBatch, needs: SampleNeeds, report: Report): Promise<BatchWork> {
  const partsOf = makePartReader(needs, report)
  const decided: DecidedTrace[] = []
  for (const planned of batch.decisions) decided.push(await decidedTrace(planned, needs, partsOf, report))
  return {
    batch: batch.batch,
    decided,
    late: batch.late.map((late) => lateTrace(late, needs, partsOf, report)),
    feedback: batch.feedback.flatMap((seq) => readFeedback(seq, needs, report)),
  }
}

type PartsOf = (traceId: string, entries: readonly number[]) => readonly TracePart[]

/** Reads and scans each entry once for many traces, as far as memory allows. */
function makePartReader({ spool, policy }: SampleNeeds, report: Report): PartsOf {
  const scanned = new Map<number, { body: Uint8Array; spans: ReadonlyMap<string, readonly ScannedSpan[]> }>()
  let bytes = 0
  const load = (seq: number) => {
    const entry = spool.read(seq)
    if (entry === undefined) return undefined
    if (bytes > SCANNED_BYTES_MAX) {
      scanned.clear()
      bytes = 0
    }
    const spans = Map.groupBy(scannedSpans(entry, policy, report), (span) => span.traceId)
    const found = { body: entry.body, spans }
    scanned.set(seq, found)
    bytes += entry.body.length
    return found
  }
  return (traceId, entries) =>
    entries.flatMap((seq) => {
      const found = scanned.get(seq) ?? load(seq)
      const spans = found?.spans.get(traceId)
      return found === undefined || spans === undefined ? [] : [{ body: found.body, spans }]
    })
}

async function decidedTrace(
  { decision, entries }: PlannedDecision,
  needs: SampleNeeds,
  partsOf: PartsOf,
  report: Report,
): Promise<DecidedTrace> {
  const merge = merging(decision.traceId, () => partsOf(decision.traceId, entries), needs, report)
  if (!decision.keep) return { decision, row: null, merge }
  try {
    const evidence = makeEvidence(partsOf(decision.traceId, entries), needs)
    for (const cause of evidence.lost) report(`a span of trace ${decision.traceId}`, cause)
    return { decision, row: evidence.otlp === null ? null : await traceRow(decision, evidence), merge }
  } catch (error) {
    report(`trace ${decision.traceId}`, error)
    return { decision, row: null, merge }
  }
}

function lateTrace(
  { traceId, decision, entries }: LateSpans,
  needs: SampleNeeds,
  partsOf: PartsOf,
  report: Report,
): LateTrace {
  const parts = partsOf(traceId, entries)
  return { traceId, decision, spanCount: distinctSpans(parts), merge: merging(traceId, () => parts, needs, report) }
}

/** Null where it cannot be done: the stored trace then stays as it is. */
function merging(traceId: string, parts: () => readonly TracePart[], makers: EvidenceMakers, report: Report): Merge {
  return (stored) => {
    try {
      const merged = withLateSpans(stored, parts(), makers)
      for (const cause of merged.lost) report(`a late span of trace ${traceId}`, cause)
      return merged
    } catch (error) {
      report(`late spans of trace ${traceId}`, error)
      return null
    }
  }
}

function readFeedback(seq: number, { spool, redact }: SampleNeeds, report: Report): readonly NewFeedback[] {
  const entry = spool.read(seq)
  if (entry === undefined) return []
  try {
    const feedback = JSON.parse(new TextDecoder().decode(entry.body)) as SpooledFeedback
    const { name, label, comment } = redact({ name: feedback.name, label: feedback.label, comment: feedback.comment })
    return [{ ...feedback, name, label, comment, at: new Date(entry.arrivedAt) }]
  } catch (error) {
    report(`feedback in spool entry ${seq}`, error)
    return []
  }
}
