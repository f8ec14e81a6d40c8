/**
 * `assay compare`: version against version on the same cases.
 */
import { InputError } from '../core/errors.ts'
import type { VersionComparison } from '../core/reporting/report.ts'
import { type Client, connect } from './client.ts'
import { type Command, type Flags, type Io, listFlag, numberFlag, requiredFlag, textFlag } from './command.ts'
import { finishReplay, startReplay } from './replay.ts'
import { comparisonText } from './table.ts'

export const compare: Command = {
  name: 'compare',
  summary: 'Compare two versions on the same cases: paired differences with intervals',
  usage: 'REPLAY_A REPLAY_B | --target NAME --version A --version B',
  help: `
  REPLAY_A REPLAY_B    two stored replays; runs nothing
  --target NAME        or: run both versions of this target now, on the same cases
  --version V          twice: the version before, then the version after
  --suite NAME         suite to take cases from (default: the only one)
  --fresh              draw new cases
  --trials N           trials a case (default 5)
  --k K                k of pass^k (default 3)
  --completion-only    completing is all that is asked
  --methods            say how each interval was made
  --json               the figures as JSON

Exits 3 when the two share no case with graded trials.
`,
  flags: {
    target: { type: 'string' },
    version: { type: 'string', multiple: true },
    suite: { type: 'string' },
    fresh: { type: 'boolean' },
    trials: { type: 'string' },
    k: { type: 'string' },
    'completion-only': { type: 'boolean' },
    methods: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  async run(flags, words, io) {
    const stored = words.length === 2
    if (!stored && (words.length > 0 || listFlag(flags, 'version').length !== 2)) {
      throw new InputError(
        'wrong_use',
        'expected two stored replays, or --target NAME --version A --version B',
        'assay compare',
      )
    }
    const client = await connect(flags, io)
    try {
      const [a, b] = stored ? words : await runBoth(client, flags, io)
      const k = numberFlag(flags, 'k', { min: 1, max: 1000 })
      const query = new URLSearchParams({ a: a ?? '', b: b ?? '', ...(k === undefined ? {} : { k: String(k) }) })
      const comparison = await client.get<VersionComparison>(`/api/v1/compare?${query}`)
      io.out(
        flags.json === true
          ? `${JSON.stringify(comparison, null, 2)}\n`
          : comparisonText(comparison, { methods: flags.methods === true }),
      )
      // Where nothing could be compared, nothing was found out.
      return comparison.differences['pass@1']?.estimate == null ? 3 : 0
    } finally {
      await client.close()
    }
  },
}

async function runBoth(client: Client, flags: Flags, io: Io): Promise<readonly string[]> {
  const trials = numberFlag(flags, 'trials', { min: 1, max: 1000 }) ?? 5
  const wish = {
    suite: textFlag(flags, 'suite'),
    target: requiredFlag(flags, 'target', 'support-agent'),
    trials,
    k: numberFlag(flags, 'k', { min: 1, max: 1000 }) ?? Math.min(3, trials),
    completionOnly: flags['completion-only'] === true,
  }
  const [before = '', after = ''] = listFlag(flags, 'version')
  const first = await startReplay(client, { ...wish, version: before, fresh: flags.fresh === true })
  const second = await startReplay(client, { ...wish, version: after, fresh: false, draw: first.draw ?? undefined })
  await finishReplay(client, first, io)
  await finishReplay(client, second, io)
  return [first.id, second.id]
}
