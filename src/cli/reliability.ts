/**
 * `assay reliability`: the cases of a suite as repeated trials against one target at one exact version, and the figures.
 */

import { InputError } from '../core/errors.ts'
import type { Reliability } from '../core/reporting/report.ts'
import { type Client, connect } from './client.ts'
import { type Command, type ExitCode, type Flags, type Io, numberFlag, requiredFlag, textFlag } from './command.ts'
import { finishReplay, startReplay } from './replay.ts'
import { reliabilityText } from './table.ts'

export const reliability: Command = {
  name: 'reliability',
  summary: 'Try the cases of a suite again and again against one target version: pass@1, pass@k, pass^k with intervals',
  usage: '--target NAME --version V [--suite S] [--trials 5] [--k 3] [--require 0.8] | --replay NAME',
  help: `
  --target NAME        a target of the configuration
  --version V          the exact version to call (a target that answers with another one is errored)
  --suite NAME         suite to take cases from (default: the only one)
  --draw ID            cases of this draw (default: the newest; --fresh draws anew from the kept traces)
  --fresh              draw new cases
  --trials N           trials a case (default 5; --attempts is accepted)
  --k K                k of pass@k and pass^k (default 3)
  --concurrency N      trials at once (default: the target's)
  --completion-only    completing is all that is asked; without it a case with no check is refused
  --require R          exit 1 and name each case whose pass@k is under R
  --require-all-k R    the same on pass^k; either exits 3 when too many trials errored to tell
  --name NAME          name of the replay
  --replay NAME        figures of a stored replay; runs nothing
  --methods            say how each interval was made
  --json               the figures as JSON
`,
  flags: {
    target: { type: 'string' },
    version: { type: 'string' },
    suite: { type: 'string' },
    draw: { type: 'string' },
    fresh: { type: 'boolean' },
    trials: { type: 'string' },
    attempts: { type: 'string' },
    k: { type: 'string' },
    concurrency: { type: 'string' },
    'completion-only': { type: 'boolean' },
    require: { type: 'string' },
    'require-all-k': { type: 'string' },
    name: { type: 'string' },
    replay: { type: 'string' },
    methods: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  async run(flags, _words, io) {
    const limits = { require: ratio(flags, 'require'), requireAllK: ratio(flags, 'require-all-k') }
    if (textFlag(flags, 'replay') === undefined) {
      requiredFlag(flags, 'target', 'support-agent')
      requiredFlag(flags, 'version', '1.4.0')
    }
    const client = await connectWithConcurrency(flags, io)
    try {
      const stored = textFlag(flags, 'replay')
      const replay = stored ?? (await runReplay(client, flags, io))
      const k = numberFlag(flags, 'k', { min: 1, max: 1000 })
      const query = k === undefined ? '' : `?k=${k}`
      const figures = await client.get<Reliability>(`/api/v1/replays/${encodeURIComponent(replay)}/reliability${query}`)
      io.out(
        flags.json === true
          ? `${JSON.stringify(figures, null, 2)}\n`
          : reliabilityText(figures, { methods: flags.methods === true }),
      )
      return checkRequirements(figures, limits, io)
    } finally {
      await client.close()
    }
  },
}

function ratio(flags: Flags, name: string): number | undefined {
  return numberFlag(flags, name, { min: 0, max: 1, fraction: true })
}

function connectWithConcurrency(flags: Flags, io: Io): Promise<Client> {
  const concurrency = numberFlag(flags, 'concurrency', { min: 1, max: 256 })
  const name = textFlag(flags, 'target')
  return connect(flags, io, (config) => ({
    ...config,
    targets: config.targets.map((t) => (concurrency !== undefined && t.name === name ? { ...t, concurrency } : t)),
  }))
}

async function runReplay(client: Client, flags: Flags, io: Io): Promise<string> {
  const trials = numberFlag(flags, 'trials', { min: 1, max: 1000 })
  const attempts = numberFlag(flags, 'attempts', { min: 1, max: 1000 })
  if (trials !== undefined && attempts !== undefined && trials !== attempts) {
    throw new InputError(
      'wrong_use',
      `${attempts} and --trials ${trials} disagree; they are the same flag`,
      '--attempts',
    )
  }
  const planned = await startReplay(client, {
    suite: textFlag(flags, 'suite'),
    draw: textFlag(flags, 'draw'),
    fresh: flags.fresh === true,
    target: requiredFlag(flags, 'target', 'support-agent'),
    version: requiredFlag(flags, 'version', '1.4.0'),
    trials: trials ?? attempts ?? 5,
    k: numberFlag(flags, 'k', { min: 1, max: 1000 }) ?? Math.min(3, trials ?? attempts ?? 5),
    completionOnly: flags['completion-only'] === true,
    name: textFlag(flags, 'name'),
  })
  await finishReplay(client, planned, io)
  return planned.id
}

/**
 * Names every case under a requirement. A figure that the data cannot give does not hold one; figures that are not
 * interpretable (the target was down, say) neither hold nor fail it.
 */
export function checkRequirements(
  figures: Reliability,
  { require, requireAllK }: { readonly require: number | undefined; readonly requireAllK: number | undefined },
  io: Pick<Io, 'err'>,
): ExitCode {
  const unusable = figures.notes.find((note) => note.startsWith('not interpretable'))
  if (unusable !== undefined && (require !== undefined || requireAllK !== undefined)) {
    io.err(`Inconclusive: ${unusable}\n`)
    return 3
  }
  const key = String(figures.k)
  const under = [
    ...failing(figures, require, 'pass@', (row) => row.passAtK[key] ?? null),
    ...failing(figures, requireAllK, 'pass^', (row) => row.passHatK[key] ?? null),
  ]
  for (const line of under) io.err(`${line}\n`)
  return under.length > 0 ? 1 : 0
}

function failing(
  figures: Reliability,
  limit: number | undefined,
  metric: string,
  figureOf: (row: Reliability['cases'][number]) => number | null,
): string[] {
  if (limit === undefined) return []
  return figures.cases.flatMap((row) => {
    const value = figureOf(row)
    if (value !== null && value >= limit) return []
    const why =
      value === null ? `has no value (${row.reason ?? `n ${row.n} is under k ${figures.k}`})` : `is ${value.toFixed(3)}`
    return [`Requirement failed: case ${row.case}: ${metric}${figures.k} ${why}, required ${limit}`]
  })
}
