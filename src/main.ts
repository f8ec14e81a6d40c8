/**
 * The command line. The only file that may end the process.
 */
import { randomBytes } from 'node:crypto'
import { type ExitCode, type Io, parseFlags } from './cli/command.ts'
import { COMMANDS, findCommand, helpOf, overview } from './cli/commands.ts'
import { ConfigError, InputError } from './core/errors.ts'
import { makeRandom } from './core/random-id.ts'

const COLUMNS_WITHOUT_TERMINAL = 100
/** After a first Ctrl-C the work is ended in order; a second one, or this much time, ends it as it is. */
const GRACE_MS = 20_000

const clock = { now: () => new Date() }
const stopping = new AbortController()
const io: Io = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  columns: process.stderr.columns ?? COLUMNS_WITHOUT_TERMINAL,
  signal: stopping.signal,
  clock,
  random: makeRandom({ clock, bytes: (n) => randomBytes(n) }),
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(130)
    stopping.abort(signal)
    setTimeout(() => process.exit(130), GRACE_MS).unref()
  })
}
// A reader such as `head` that goes away is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

process.exit(await run(process.argv.slice(2)))

async function run(args: readonly string[]): Promise<ExitCode> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const about = name === 'help' ? findCommand(rest[0]) : undefined
    io.out(about === undefined ? overview(COMMANDS) : helpOf(about))
    return name === undefined ? 2 : 0
  }
  try {
    const command = findCommand(name)
    if (command === undefined) {
      throw new InputError(
        'wrong_use',
        `${JSON.stringify(name)} is no command; there are ${COMMANDS.map((c) => c.name).join(', ')}`,
      )
    }
    const { flags, words } = parseFlags(command, rest)
    if (flags.help === true) {
      io.out(helpOf(command))
      return 0
    }
    return await command.run(flags, words, io)
  } catch (error) {
    return explain(error)
  }
}

function explain(error: unknown): ExitCode {
  if (error instanceof ConfigError) io.err(`assay: ${error.message}\n`)
  else if (error instanceof InputError)
    io.err(`assay: ${error.at === undefined ? '' : `${error.at}: `}${error.message}\n`)
  else {
    io.err(
      `assay: this is a fault of ours: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    return 1
  }
  return 2
}
