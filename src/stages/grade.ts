/**
 * Grade: give each ended trial a verdict from each of its graders, and its outcome.
 *
 * Takes ended trials without an outcome, leaves them passed, wrong, errored or ungraded. The graders are those that stood in
 * the configuration when the replay was planned, as they are stored with it. An errored trial that left an output is judged
 * too, so that "errored, but would have passed" can be counted; it stays errored. Verdicts and outcome of a trial are written
 * in one transaction, while the outcome is null, so that the stage can be killed, and run twice.
 */
import { type CompiledGrader, compileGraders } from '../core/grading/judge.ts'
import { outcomeOf } from '../core/grading/verdict.ts'
import type { Clock, Step } from '../core/ports.ts'
import { finishReplays } from '../store/replays.ts'
import type { Db, Tx } from '../store/schema.ts'
import { claimUngraded, type GradedTrial, gradingOf, saveGrades, type UngradedTrial } from '../store/verdicts.ts'

export type GradeNeeds = { readonly db: Db; readonly clock: Clock }

/** An output may have megabytes: few enough to hold, enough to share the cost of a transaction. */
const BATCH_TRIALS = 32
/** Replays whose compiled graders are remembered. */
const REMEMBERED_REPLAYS = 16

type Grading = { readonly graders: readonly CompiledGrader[]; readonly completionOnly: boolean }

export function makeGrade({ db, clock }: GradeNeeds): Step {
  const remembered = new Map<string, Grading>()
  return async function grade() {
    return db.transaction().execute(async (tx) => {
      const trials = await claimUngraded(tx, BATCH_TRIALS)
      if (trials.length === 0) return 'idle'
      const gradings = await gradingsFor(tx, trials, remembered)
      const graded = trials.map((trial) => gradeOne(trial, gradings.get(trial.replayId)))
      await saveGrades(tx, graded, clock.now())
      for (const id of gradings.keys()) await finishReplays(tx, clock.now(), id)
      return 'worked'
    })
  }
}

/** A stored definition never changes, so what was compiled of it can be kept. */
async function gradingsFor(
  tx: Tx,
  trials: readonly UngradedTrial[],
  remembered: Map<string, Grading>,
): Promise<ReadonlyMap<string, Grading>> {
  const ids = [...new Set(trials.map(({ replayId }) => replayId))]
  const known = ids.flatMap((id) => {
    const grading = remembered.get(id)
    return grading === undefined ? [] : [[id, grading] as const]
  })
  const read = await gradingOf(
    tx,
    ids.filter((id) => !remembered.has(id)),
  )
  const compiled = read.map(
    (row) => [row.id, { graders: compileGraders(row.graders), completionOnly: row.completion_only }] as const,
  )
  for (const [id, grading] of compiled) remembered.set(id, grading)
  for (const id of [...remembered.keys()].slice(0, -REMEMBERED_REPLAYS)) remembered.delete(id)
  return new Map([...known, ...compiled])
}

function gradeOne(ended: UngradedTrial, grading: Grading | undefined): GradedTrial {
  const { replayId, caseId, trial, trialGiven } = ended
  const graders = isJudged(ended) ? (grading?.graders ?? []).filter((grader) => grader.applies(ended.case)) : []
  const verdicts = graders.map((grader) => ({
    ...grader.judge({ case: ended.case, trial: trialGiven }),
    required: grader.required,
  }))
  const deciding = verdicts.filter(({ required }) => required)
  const outcome = outcomeOf(trialGiven.status, deciding, grading?.completionOnly ?? false)
  return { replayId, caseId, trial, outcome, verdicts }
}

/** Of a lost trial nothing is known, and of an errored one without output there is nothing to judge. */
function isJudged({ trialGiven: { status, output } }: UngradedTrial): boolean {
  return status === 'completed' || (status !== 'lost' && output !== null)
}
