/**
 * The stages in the order of the flow, as data. Each takes what the one before has left in the store.
 *
 * Ingest and select have no loop of their own: ingest is asked by senders, select by whoever starts a replay.
 */
import type { StageName, Step } from '../core/ports.ts'

export type Stage = {
  readonly name: StageName
  readonly takes: string
  readonly leaves: string
  /** One piece of work; null for a stage that is asked and has no loop. */
  readonly step: Step | null
  /** How long a stage that has just become idle waits before it looks again, in milliseconds. */
  readonly idleMs: number
}

export type Steps = Readonly<Record<Exclude<StageName, 'ingest' | 'select'>, Step>>

export function pipeline(steps: Steps): readonly Stage[] {
  return [
    { name: 'ingest', takes: 'requests', leaves: 'spool entries', step: null, idleMs: 0 },
    { name: 'sample', takes: 'spool entries', leaves: 'kept traces and census', step: steps.sample, idleMs: 200 },
    { name: 'select', takes: 'kept traces', leaves: 'cases', step: null, idleMs: 0 },
    { name: 'replay', takes: 'planned trials', leaves: 'ended trials', step: steps.replay, idleMs: 1000 },
    { name: 'grade', takes: 'ended trials', leaves: 'verdicts and outcomes', step: steps.grade, idleMs: 250 },
    { name: 'classify', takes: 'failed trials and traces', leaves: 'failures', step: steps.classify, idleMs: 500 },
    { name: 'report', takes: 'windows that fell due', leaves: 'reports', step: steps.report, idleMs: 500 },
    { name: 'publish', takes: 'deliveries', leaves: 'delivered digests', step: steps.publish, idleMs: 500 },
  ]
}
