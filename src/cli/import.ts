/**
 * `assay import`: trials that another harness made, and cases with references, from JSONL files.
 */
import { createReadStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { InputError } from '../core/errors.ts'
import { connect } from './client.ts'
import { type Command, requiredFlag, textFlag } from './command.ts'

export const importCommand: Command = {
  name: 'import',
  summary: 'Take in trials that another harness made, or cases with references',
  usage: 'trials FILE.jsonl --replay NAME [--k 3] | cases FILE.jsonl --suite NAME',
  help: `
  trials FILE      a line a trial: {"case","trial","target","version","status","verdict","error"?,"latencyMs"?,"costUsd"?}
                   status: completed, timed_out, failed, cancelled or lost; verdict: pass, fail, unknown or null
  cases FILE       a line a case: {"id"?,"input","system"?,"reference"?}
  --replay NAME    name of the replay that the trials become
  --suite NAME     suite that the cases belong to
  --k K            k of the figures that are shown by default
  FILE may be -    for standard input

Nothing is stored if any line is wrong; the error names the line.
`,
  flags: { replay: { type: 'string' }, suite: { type: 'string' }, k: { type: 'string' } },
  async run(flags, words, io) {
    const [what, file, extra] = words
    if ((what !== 'trials' && what !== 'cases') || file === undefined || extra !== undefined) {
      throw new InputError(
        'wrong_use',
        'expected: trials FILE.jsonl --replay NAME, or cases FILE.jsonl --suite NAME',
        'assay import',
      )
    }
    const path =
      what === 'trials'
        ? trialsPath(requiredFlag(flags, 'replay', 'nightly-1'), textFlag(flags, 'k'))
        : casesPath(requiredFlag(flags, 'suite', 'support'))
    const lines = await readLines(file)
    const client = await connect(flags, io)
    try {
      const result = await client.send<{ trials?: number; cases: number; replay?: string }>(path, lines)
      if (what === 'trials')
        io.out(
          `Imported ${result.trials} trials of ${result.cases} cases. See: assay reliability --replay ${textFlag(flags, 'replay')}\n`,
        )
      else io.out(`Imported ${result.cases} cases into suite ${textFlag(flags, 'suite')}.\n`)
    } finally {
      await client.close()
    }
    return 0
  },
}

function trialsPath(replay: string, k: string | undefined): string {
  const query = new URLSearchParams({ name: replay, ...(k === undefined ? {} : { k }) })
  return `/api/v1/replays/import?${query}`
}

function casesPath(suite: string): string {
  return `/api/v1/cases/import?${new URLSearchParams({ suite })}`
}

/** What is not UTF-8 is refused: replacement characters would be stored as if they were in the file. */
async function readLines(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      await buffer(file === '-' ? process.stdin : createReadStream(file)),
    )
  } catch (error) {
    if (error instanceof TypeError) throw new InputError('not_utf8', 'is not UTF-8', file)
    throw new InputError('unreadable', error instanceof Error ? error.message : String(error), file)
  }
}
