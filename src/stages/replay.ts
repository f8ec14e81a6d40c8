/**
 * Replay: run each case as n independent trials against one target version.
 *
 * A trial is planned until it ends, and ends once. Takes a planned trial, calls its target, leaves it completed or ended
 * otherwise. Does not judge it: see grade.ts. An attempt may fail for outside causes and be repeated, with the key of the
 * trial; only trials count in statistics. When the last trial of a replay has ended, the replay is finished.
 */
import { invariant } from '../core/errors.ts'
import type { Clock, Log, Step, TargetClient } from '../core/ports.ts'
import { spanIdOf } from '../core/replay/plan.ts'
import { storable } from '../core/replay/storable.ts'
import type { TargetAnswer } from '../core/replay/target.ts'
import {
  ATTEMPTS_MAX,
  lostAfterAttempts,
  refusedEachTime,
  type TrialAnswer,
  type TrialKey,
} from '../core/replay/trial.ts'
import { enqueueOwed, type TrialJobs } from '../store/jobs.ts'
import { finishReplays, stalledReplays } from '../store/replays.ts'
import type { Db } from '../store/schema.ts'
import { type ClaimedTrial, claimTrial, endTrial } from '../store/trials.ts'

/** A target as this stage needs it: `concurrency` trials at a time in this process. */
export type ReplayTarget = { readonly name: string; readonly concurrency: number; readonly client: TargetClient }

export type ReplayNeeds = {
  readonly db: Db
  readonly jobs: TrialJobs
  readonly targets: readonly ReplayTarget[]
  readonly clock: Clock
  readonly redact: { value<T>(value: T): T }
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

export type Replay = {
  /** Takes jobs of all targets until `jobs.stop`. */
  start(): void
  /** Brings one trial to its end; `interrupted` leaves it planned. */
  runTrial(target: string, key: TrialKey, signal: AbortSignal): Promise<'ended' | 'interrupted'>
  /** Takes back the jobs of dead processes, and makes jobs anew for replays that stand still. Does little when called often. */
  sweep: Step
}

const SUPERVISE_MS = 5000
/** A replay in which nothing has happened for so long may have lost jobs. */
const STALLED_MS = 60_000

export function makeReplay(needs: ReplayNeeds): Replay {
  const { jobs, targets } = needs
  const clients = new Map(targets.map(({ name, client }) => [name, client]))

  async function runTrial(target: string, key: TrialKey, signal: AbortSignal): Promise<'ended' | 'interrupted'> {
    const client = clients.get(target)
    invariant(client, `target ${target} is known to this process`)
    while (!signal.aborted) {
      const trial = await claimTrial(needs.db, key, needs.clock.now())
      if (trial === undefined) return 'ended' // It had ended, or its replay was cancelled.
      if (trial === 'exhausted') return end(needs, key, lostAfterAttempts())
      const answer = await attempt(client, trial, signal)
      if (answer.outcome === 'answered') return end(needs, key, answer.answer)
      if (answer.outcome === 'interrupted') return 'interrupted'
      if (trial.attempt >= ATTEMPTS_MAX) return end(needs, key, refusedEachTime(answer))
      // The place stays taken meanwhile: a target that asks for patience gets fewer calls, not others.
      await needs.wait(answer.afterMs, signal)
    }
    return 'interrupted'
  }

  return {
    start() {
      for (const { name, concurrency } of targets) {
        jobs.work(name, concurrency, (key, signal) => runTrial(name, key, signal))
      }
    },
    runTrial,
    sweep: makeSweep(needs),
  }
}

function attempt(client: TargetClient, trial: ClaimedTrial, signal: AbortSignal): Promise<TargetAnswer> {
  const { caseId, version, input, idempotencyKey, traceId } = trial
  const call = { version, caseId, trial: trial.trial, input, idempotencyKey, traceId, spanId: spanIdOf(traceId) }
  return client.call(call, signal)
}

async function end({ db, clock, redact }: ReplayNeeds, key: TrialKey, answer: TrialAnswer): Promise<'ended'> {
  await endTrial(db, key, storable(redact.value(answer)), clock.now())
  await finishReplays(db, clock.now(), key.replayId)
  return 'ended'
}

function makeSweep({ db, jobs, targets, clock, log }: ReplayNeeds): Step {
  let nextAt = 0
  return async function sweep() {
    const now = clock.now()
    if (now.getTime() < nextAt) return 'idle'
    nextAt = now.getTime() + SUPERVISE_MS
    await jobs.supervise()
    const finished = await finishReplays(db, now) // A process may have died between a last trial and this.
    const names = targets.map(({ name }) => name)
    const stalled = await stalledReplays(db, names, new Date(now.getTime() - STALLED_MS))
    for (const { id, target } of stalled) {
      const owed = await enqueueOwed(db, jobs, target, [id])
      log('warn', `replay ${id} stands still: its ${owed} planned trials are enqueued again where they had no job`)
      jobs.wake(target)
    }
    return finished + stalled.length > 0 ? 'worked' : 'idle'
  }
}
