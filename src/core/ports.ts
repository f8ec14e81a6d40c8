/**
 * What we cannot do ourselves: time, chance, the spool's disk, the agent under test, the channels. Types only; the
 * implementations are in `clients`, wired in `app.ts`, and replaced by real small ones in tests.
 */

import type { TargetAnswer, TargetCall } from './replay/target.ts'
import type { Digest } from './reporting/digest.ts'
import type { DecisionBatch, RememberedDecision } from './sampling/decision.ts'

export type Clock = { now(): Date }

export type Random = {
  /** A new unique id, `prefix_` and 20 characters of base 32 that sort by time of creation. */
  id(prefix: string): string
  /** A seed for one draw, replay or permutation; it is stored with what it made. */
  seed(): string
}

/** One accepted request body, or one accepted feedback event, as it waits for its decision. */
export type SpoolEntry = {
  /** Rises with each append; never used again, also after a restart. */
  readonly seq: number
  readonly kind: 'otlp' | 'feedback'
  /** Milliseconds since the epoch at which the request was accepted. */
  readonly arrivedAt: number
  /** OTLP protobuf (ExportTraceServiceRequest) for `otlp`, JSON for `feedback`. */
  readonly body: Uint8Array
}

/**
 * The ordered, durable log between ingest and sample, and the memory of what was decided.
 * `append` resolves after the bytes are on disk. `plan` and `settle` make a batch of decisions happen exactly once: the
 * plan is durable before the database hears of it, and is settled after.
 */
export type Spool = {
  /** Of this log and no other: its batches are numbered from 1, and the database counts them by it. */
  readonly id: string
  /** `onceKey` makes the append happen once per key (webhook ids); a second one gives `duplicate: true` and no `seq`. */
  append(
    entry: Omit<SpoolEntry, 'seq'>,
    onceKey?: string,
  ): Promise<{ readonly duplicate: false; readonly seq: number } | { readonly duplicate: true }>
  read(seq: number): SpoolEntry | undefined
  /** Entries above `seq` in order: at most `entriesMax`, and one or as many as `bytesMax` allow. */
  after(seq: number, entriesMax: number, bytesMax: number): readonly SpoolEntry[]
  /** Numbers the batch and makes it durable. There must be no other plan. */
  plan(batch: Omit<DecisionBatch, 'batch'>): Promise<DecisionBatch>
  planned(): DecisionBatch | undefined
  /** Remembers the batch's decisions, removes the entries `done` and the plan, in one transaction. */
  settle(batch: DecisionBatch, done: readonly number[]): Promise<void>
  /** Removes entries that nothing has to be decided of. */
  remove(seqs: readonly number[]): Promise<void>
  decision(traceId: string): RememberedDecision | undefined
  /** Drops, of decisions and once-keys older than these times (milliseconds since the epoch), a bounded number. */
  forget(before: { readonly decisions: number; readonly onceKeys: number }): Promise<void>
  /** Number of entries and bytes that wait. */
  waiting(): { readonly entries: number; readonly bytes: number }
  close(): Promise<void>
}

/** Throws UnavailableError while the data folder's disk is too short for what writes there. */
export type DiskRoom = () => void

/** Calls the agent under test. Answers, refusals and time-outs are data; it throws only when we are wrong. */
export type TargetClient = { call(call: TargetCall, signal: AbortSignal): Promise<TargetAnswer> }

/**
 * Where a digest goes. `permanent` says that trying again cannot help; `uncertain` that the digest may have arrived and
 * that sending it again might repeat it; `note` what a reader should know of a delivery (some recipients refused).
 */
export type SendResult =
  | { readonly outcome: 'delivered'; readonly note?: string }
  | { readonly outcome: 'failed'; readonly cause: string; readonly permanent: boolean }
  | { readonly outcome: 'uncertain'; readonly cause: string }

/** `deliveryId` is the same in each attempt, so that the receiver can tell a repeat. */
export type Channel = { send(digest: Digest, deliveryId: string): Promise<SendResult> }

/** The flow, in order. These verbs name the stages and nothing else. */
export const STAGES = ['ingest', 'sample', 'select', 'replay', 'grade', 'classify', 'report', 'publish'] as const
export type StageName = (typeof STAGES)[number]

/** A stage's one step: takes one piece of work from the store and leaves it one state further. */
export type Step = () => Promise<'worked' | 'idle'>

/** A line of our own log; `fields` are redacted by the caller where they come from outside. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void
