/**
 * The use cases around cases and replays: draw, import, start, cancel. They join the configuration (which suite, which
 * graders, which target) to the stages and the store; what they decide by themselves is only which cases a wish means.
 */
import type { Config, Target } from '../config.ts'
import { InputError, NotFoundError } from '../core/errors.ts'
import { isCheck } from '../core/grading/applies.ts'
import type { Grader } from '../core/grading/grader.ts'
import type { Clock, Random } from '../core/ports.ts'
import type { Redactor } from '../core/trace/redaction/redactor.ts'
import type { Drawn, DrawWish, ImportedCases, PlannedReplay, ReplayWish, UseCases } from '../http/use-cases.ts'
import type { DrawRequest, DrawResult } from '../stages/select.ts'
import { importedCases, newestDrawOf } from '../store/cases.ts'
import { importCases } from '../store/import-cases.ts'
import { importTrials } from '../store/import-trials.ts'
import type { TrialJobs } from '../store/jobs.ts'
import { cancelReplay, findReplay, planReplay, type ReplayRequest } from '../store/replays.ts'
import type { Db } from '../store/schema.ts'

/** What a draw by hand looks back on when no window is given. */
const WINDOW_DAYS = 30
const DAY_MS = 86_400_000

export type ReplayingNeeds = {
  readonly config: Config
  readonly db: Db
  readonly jobs: TrialJobs
  readonly clock: Clock
  readonly random: Random
  readonly redactor: Redactor
  readonly drawCases: (request: DrawRequest) => Promise<DrawResult>
  /** Of the product, for the manifest. */
  readonly version: string
}

type Suite = Config['suites'][number]

export type Replaying = Pick<UseCases, 'drawCases' | 'importCases' | 'startReplay' | 'importTrials' | 'cancelReplay'>

export function makeReplaying(needs: ReplayingNeeds): Replaying {
  const { db, clock, random, redactor } = needs
  return {
    drawCases: (wish) => drawFor(needs, wish),
    async importCases({ suite, text }): Promise<ImportedCases> {
      const { name } = suiteNamed(needs.config, suite)
      const { caseIds } = await importCases(db, {
        suite: name,
        lines: linesOf(text),
        redact: redactor,
        now: clock.now(),
      })
      return { suite: name, cases: caseIds.length, caseIds }
    },
    startReplay: (wish) => startReplay(needs, wish),
    async importTrials({ name, k, text }) {
      const given = {
        id: random.id('replay'),
        replayName: name,
        lines: linesOf(text),
        redact: redactor,
        now: clock.now(),
      }
      const { replayId, trials, cases } = await importTrials(db, k === null ? given : { ...given, k })
      return { id: replayId, name, trials, cases }
    },
    async cancelReplay({ replayId }) {
      await cancelReplay(db, replayId, clock.now())
    },
  }
}

async function* linesOf(text: string): AsyncIterable<string> {
  let start = 0
  while (start < text.length) {
    const end = text.indexOf('\n', start)
    const stop = end < 0 ? text.length : end
    yield text.slice(start, text[stop - 1] === '\r' ? stop - 1 : stop)
    start = stop + 1
  }
}

/** The suite of that name; null: the only one there is. */
export function suiteNamed(config: Pick<Config, 'suites'>, name: string | null): Suite {
  const names = config.suites.map((suite) => suite.name)
  if (name === null) {
    const [only, other] = config.suites
    if (only !== undefined && other === undefined) return only
    throw new InputError('suite_needed', `name a suite: ${names.join(', ') || 'the configuration has none'}`, 'suite')
  }
  const suite = config.suites.find((one) => one.name === name)
  if (suite === undefined) {
    throw new NotFoundError(
      `suite ${JSON.stringify(name)} is not known; suites are ${names.join(', ') || 'none'}`,
      'suite',
    )
  }
  return suite
}

async function drawFor({ config, clock, drawCases }: ReplayingNeeds, wish: DrawWish): Promise<Drawn> {
  const suite = suiteNamed(config, wish.suite)
  const now = clock.now()
  const drawn = await drawCases({
    suite: suite.name,
    from: suite.from,
    window: { from: wish.from ?? new Date(now.getTime() - WINDOW_DAYS * DAY_MS), to: wish.to ?? now },
    count: wish.count ?? suite.cases,
    stratifyBy: suite.stratifyBy,
    ...(wish.seed === null ? {} : { seed: wish.seed }),
  })
  return {
    drawId: drawn.drawId,
    suite: suite.name,
    seed: drawn.seed,
    cases: drawn.caseIds.length,
    strata: drawn.strata,
  }
}

async function startReplay(needs: ReplayingNeeds, wish: ReplayWish): Promise<PlannedReplay> {
  const { config, db, jobs, random } = needs
  const suite = suiteNamed(config, wish.suite)
  const target = targetNamed(config, wish.target)
  const version = wish.version ?? target.version
  if (version === undefined)
    throw new InputError('version_needed', `target ${target.name} has no version of its own: name one`, 'version')
  const name = wish.name
  if (name !== null && (await findReplay(db, name)) !== undefined) throw nameTaken(name)
  const cases = await casesOf(needs, suite, wish)
  const id = random.id('replay')
  await planReplay(db, jobs, {
    ...replayParts(needs, { suite, target, version }),
    id,
    name: name ?? (await freeName(db, `${target.name} ${version}`, id)),
    cases,
    trials: wish.trials,
    k: wish.k,
    completionOnly: wish.completionOnly ?? suite.completionOnly,
  })
  const planned = await findReplay(db, id)
  return { id, name: planned?.name ?? id, draw: planned?.draw_id ?? null }
}

/** What a replay takes from the configuration, whoever plans it. */
export function replayParts(
  { config, clock, random, version: assay }: Pick<ReplayingNeeds, 'config' | 'clock' | 'random' | 'version'>,
  { suite, target, version }: { readonly suite: Suite; readonly target: Target; readonly version: string },
): Omit<ReplayRequest<Grader>, 'id' | 'name' | 'cases' | 'trials' | 'k' | 'completionOnly'> {
  const { headers, ...settings } = target
  return {
    suite: suite.name,
    target: { name: target.name, version, config: { ...settings, headers: Object.keys(headers) } },
    seed: random.seed(),
    graders: suite.graders.flatMap((name) => config.graders.filter((grader) => grader.name === name)),
    applies: isCheck,
    about: { assay, node: process.version },
    now: clock.now(),
  }
}

export function targetNamed(config: Pick<Config, 'targets'>, name: string): Target {
  const target = config.targets.find((one) => one.name === name)
  if (target !== undefined) return target
  const names = config.targets.map((one) => one.name).join(', ')
  throw new NotFoundError(`target ${JSON.stringify(name)} is not known; targets are ${names || 'none'}`, 'target')
}

/** The named cases or draw; else a fresh draw where it is asked for; else the newest draw, imported cases, or a first draw. */
async function casesOf(needs: ReplayingNeeds, suite: Suite, wish: ReplayWish): Promise<ReplayRequest<Grader>['cases']> {
  if (wish.caseIds !== null) return { caseIds: wish.caseIds }
  if (wish.drawId !== null) return { drawId: wish.drawId }
  if (!wish.fresh) {
    const newest = await newestDrawOf(needs.db, suite.name)
    if (newest !== undefined) return { drawId: newest }
    const imported = await importedCases(needs.db, suite.name)
    if (imported.length > 0) return { caseIds: imported.map(({ id }) => id) }
  }
  const { drawId } = await drawFor(needs, { suite: suite.name, from: null, to: null, count: null, seed: null })
  return { drawId }
}

/** `support-agent 2.0.0`, and from the second on with the end of the replay's id, which no other has. */
async function freeName(db: Db, wanted: string, id: string): Promise<string> {
  return (await findReplay(db, wanted)) === undefined ? wanted : `${wanted} ${id.slice(-6)}`
}

function nameTaken(name: string): InputError {
  return new InputError('replay_exists', `a replay named ${JSON.stringify(name)} exists: choose another name`, 'name')
}
