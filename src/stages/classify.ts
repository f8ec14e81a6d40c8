/**
 * Classify: write down each failure once, and join it to the failure mode of its fingerprint; for one that nobody has seen,
 * propose a mode.
 *
 * Takes graded trials that are wrong or errored, and kept traces that failed or that people turned their thumb down on, also
 * when they do so days later. A mode that people have named, merged or dismissed stays what they made of it: failures go where
 * its fingerprint leads. Failures and the mark of having been classified are written in one transaction, so that the stage can
 * be killed, run twice, and run by several workers.
 */
import { invariant } from '../core/errors.ts'
import type { Clock, Random, Step } from '../core/ports.ts'
import { type FailureEvidence, traceEvidence, trialEvidence } from '../core/taxonomy/evidence.ts'
import type { FailureSource } from '../core/taxonomy/failure.ts'
import { proposeMode } from '../core/taxonomy/proposal.ts'
import { modesFor } from '../store/failure-modes.ts'
import {
  claimFailedTrials,
  claimFeedback,
  claimTraces,
  insertFailures,
  passOverTrials,
  type UnclassifiedTrace,
} from '../store/failures.ts'
import type { Db, Tx } from '../store/schema.ts'

export type ClassifyNeeds = { readonly db: Db; readonly clock: Clock; readonly random: Random }

/** An output may have megabytes. */
const BATCH_TRIALS = 32
const BATCH_TRACES = 50
/** Those without a failure need no more than a mark. */
const BATCH_PASSED = 1000
const BATCH_FEEDBACK = 200

type Found = { readonly source: FailureSource; readonly evidence: FailureEvidence }

export function makeClassify(needs: ClassifyNeeds): Step {
  const { db } = needs
  const trials = (tx: Tx) => classifyTrials(tx, needs)
  const traces = (tx: Tx) => classifyTraces(tx, needs)
  const feedback = (tx: Tx) => classifyFeedback(tx, needs)
  return async function classify() {
    let done = await passOverTrials(db, BATCH_PASSED)
    for (const part of [trials, traces, feedback]) done += await db.transaction().execute(part)
    return done > 0 ? 'worked' : 'idle'
  }
}

async function classifyTrials(tx: Tx, needs: ClassifyNeeds): Promise<number> {
  const trials = await claimFailedTrials(tx, BATCH_TRIALS)
  const found = trials.map(({ replayId, caseId, trial, failed }) => ({
    source: { kind: 'trial' as const, replayId, caseId, trial },
    evidence: trialEvidence(failed),
  }))
  await writeDown(tx, found, needs)
  return trials.length
}

async function classifyTraces(tx: Tx, needs: ClassifyNeeds): Promise<number> {
  const traces = await claimTraces(tx, BATCH_TRACES)
  await writeDown(tx, traces.flatMap(foundIn), needs)
  return traces.length
}

async function classifyFeedback(tx: Tx, needs: ClassifyNeeds): Promise<number> {
  const { feedback, traces } = await claimFeedback(tx, BATCH_FEEDBACK)
  await writeDown(tx, traces.flatMap(foundIn), needs)
  return feedback
}

function foundIn({ traceId, failed }: UnclassifiedTrace): readonly Found[] {
  const evidence = traceEvidence(failed)
  return evidence === null ? [] : [{ source: { kind: 'trace', traceId }, evidence }]
}

async function writeDown(tx: Tx, found: readonly Found[], { clock, random }: ClassifyNeeds): Promise<void> {
  if (found.length === 0) return
  const now = clock.now()
  const byFingerprint = new Map(found.map(({ evidence }) => [evidence.fingerprint, evidence]))
  const proposals = new Map(
    [...byFingerprint].map(([fingerprint, evidence]) => [fingerprint, proposeMode(random.id('mode'), evidence, now)]),
  )
  const modes = await modesFor(tx, proposals)
  const failures = found.map(({ source, evidence }) => {
    const modeId = modes.get(evidence.fingerprint)
    invariant(modeId !== undefined, `fingerprint ${evidence.fingerprint} has a failure mode`)
    return { id: random.id('failure'), source, evidence, modeId }
  })
  await insertFailures(tx, failures, now)
}
