/**
 * `assay plan`: how many cases and trials a question takes, and how often its answer will be wrong. Runs nothing; asks the
 * service only for the figures of a stored replay, to plan with their spread.
 */
import { InputError } from '../core/errors.ts'
import { type Answers, type Plan, type PlanWish, planOf } from '../core/reporting/plan.ts'
import type { Reliability } from '../core/reporting/report.ts'
import { varianceSplit } from '../core/statistics/plan.ts'
import { meanOf } from '../core/statistics/suite.ts'
import { connect } from './client.ts'
import { type Command, type ExitCode, type Flags, type Io, numberFlag, textFlag } from './command.ts'
import { planText } from './plan-text.ts'

/** Median of published runs: tau-bench, MCPMark, HumanEval samples (.41 to .79). */
const ICC = 0.6
const RATE = 0.8
const CORRELATION = 0.8
/** Shares that a plan can be made for: at the very ends nothing varies, and there is nothing to plan. */
const SHARE = { min: 0.0001, max: 0.9999, fraction: true } as const
const ICC_MAX = 0.99

export const plan: Command = {
  name: 'plan',
  summary: 'How many cases and trials a question takes, and how often its answer will be wrong; runs nothing',
  usage: '[--cases 50] [--trials 5] [--k 3] [--width 0.1] [--difference 0.1] [--margin 0.05] [--require 0.8]',
  help: `
  the design
  --cases M            cases (default 50)
  --trials N           trials a case (default 5)
  --k K                k of pass^k, the figure planned for (default 3)
  --level L            of the intervals (default 0.95)
  --power P            chance to notice what is there (default 0.8)

  the question, any of
  --width W            cases until the interval of pass^k, for traffic like this, is W wide from low to high
  --difference D       cases until a difference of D between two versions is noticed
  --margin D           cases until "not worse by more than D" is shown of a version that is alike
  --require R          what the gate "pass@k of every case at least R" does with agents of known worth
  --require-all-k R    the same of pass^k
  --zero-failures F    trials without a failure that prove a failure rate of at most F

  what is assumed
  --replay NAME        pass rate and spread as in this stored replay
  --rate R             or: the chance that a trial passes (default 0.8)
  --icc S              share of the spread of single trials that lies between cases (default 0.6)
  --correlation C      of the cases' true pass^k under two versions (default 0.8)
  --sd S               or: standard deviation of the case differences of pass^k (often .1 to .3 for k = 1, .3 to .5 for 5)
  --json               the plan as JSON

Exit codes: 0 planned, 2 wrong use, 3 no number of cases answers a question.
`,
  flags: {
    cases: { type: 'string' },
    trials: { type: 'string' },
    k: { type: 'string' },
    level: { type: 'string' },
    power: { type: 'string' },
    width: { type: 'string' },
    difference: { type: 'string' },
    margin: { type: 'string' },
    require: { type: 'string' },
    'require-all-k': { type: 'string' },
    'zero-failures': { type: 'string' },
    replay: { type: 'string' },
    rate: { type: 'string' },
    icc: { type: 'string' },
    correlation: { type: 'string' },
    sd: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(flags, words, io) {
    if (words.length > 0) throw new InputError('wrong_use', `${JSON.stringify(words[0])} is no flag`, 'assay plan')
    const planned = planOf(await wishOf(flags, io))
    io.out(flags.json === true ? `${JSON.stringify(planned, null, 2)}\n` : planText(planned))
    return exitCode(planned)
  },
}

async function wishOf(flags: Flags, io: Io): Promise<PlanWish> {
  const trials = numberFlag(flags, 'trials', { min: 1, max: 1000 }) ?? 5
  const share = (name: string) => numberFlag(flags, name, SHARE) ?? null
  const ratio = (name: string) => numberFlag(flags, name, { min: 0, max: 1, fraction: true }) ?? null
  const wish = {
    cases: numberFlag(flags, 'cases', { min: 2, max: 1_000_000 }) ?? 50,
    trials,
    k: numberFlag(flags, 'k', { min: 1, max: 1000 }) ?? Math.min(3, trials),
    level: numberFlag(flags, 'level', { min: 0.5, max: SHARE.max, fraction: true }) ?? 0.95,
    power: numberFlag(flags, 'power', { min: 0.5, max: SHARE.max, fraction: true }) ?? 0.8,
    correlation: numberFlag(flags, 'correlation', { min: 0, max: 1, fraction: true }) ?? CORRELATION,
    sd: share('sd'),
    width: share('width'),
    difference: share('difference'),
    margin: share('margin'),
    require: ratio('require'),
    requireAllK: ratio('require-all-k'),
    zeroFailures: numberFlag(flags, 'zero-failures', { min: 1e-6, max: SHARE.max, fraction: true }) ?? null,
  }
  // The replay comes last: a wrong flag is told before anything is started.
  return { ...wish, ...(await populationOf(flags, io)) }
}

async function populationOf(flags: Flags, io: Io): Promise<Pick<PlanWish, 'population' | 'from'>> {
  const rate = numberFlag(flags, 'rate', SHARE)
  const icc = numberFlag(flags, 'icc', { min: 0, max: ICC_MAX, fraction: true })
  const replay = textFlag(flags, 'replay')
  if (replay === undefined) {
    const from =
      rate === undefined && icc === undefined
        ? 'no replay was given: a guess, the icc as in published runs; --replay NAME plans with yours'
        : 'as given'
    return { population: { rate: rate ?? RATE, icc: icc ?? ICC }, from }
  }
  const seen = await populationSeen(replay, flags, io)
  return { ...seen, population: { rate: rate ?? seen.population.rate, icc: icc ?? seen.population.icc } }
}

async function populationSeen(replay: string, flags: Flags, io: Io): Promise<Pick<PlanWish, 'population' | 'from'>> {
  const client = await connect(flags, io)
  try {
    const path = `/api/v1/replays/${encodeURIComponent(replay)}/reliability?k=1`
    return populationIn(await client.get<Reliability>(path), replay)
  } finally {
    await client.close()
  }
}

/** Pass rate and spread of a replay's cases. Throws InputError where its trials show none. */
export function populationIn(
  { cases }: Pick<Reliability, 'cases'>,
  name: string,
): Pick<PlanWish, 'population' | 'from'> {
  const counts = cases.filter(({ n }) => n > 0).map(({ n, passed }) => ({ n, c: passed }))
  const split = varianceSplit(counts)
  const rate = meanOf(counts.map(({ n, c }) => c / n)) ?? 0
  const no = (what: string) =>
    new InputError('no_spread', `${what}: it shows no spread to plan with; give --rate and --icc`, `replay ${name}`)
  if (split === null) throw no('fewer than two cases, or no case with two trials')
  if (rate === 0 || rate === 1) throw no(`${rate === 1 ? 'every' : 'no'} trial passed`)
  const trials = counts.reduce((sum, { n }) => sum + n, 0)
  return {
    population: { rate, icc: Math.min(ICC_MAX, split.icc) },
    from: `replay ${name}, ${counts.length} cases, ${trials} trials; taken as the truth, though it is an estimate`,
  }
}

/** A question that no number of cases answers leaves the plan inconclusive. */
function exitCode({ width, difference, margin }: Plan): ExitCode {
  const open = (answers: Answers | null) => answers?.suites.every(({ cases }) => cases === null) ?? false
  return [width, difference, margin].some(open) ? 3 : 0
}
