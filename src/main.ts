/**
 * The command line. The only file that may end the process.
 */
import { randomBytes } from 'node:crypto'
import { type Command, type ExitCode, type Io, parseFlags } from './cli/command.ts'
import { COMMANDS, findCommand, helpOf, overview } from './cli/commands.ts'
import { ConfigError, InputError, UnavailableError } from './core/errors.ts'
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
// A reader such as `head` that goes away is no error of ours. What runs is ended in order: children, folder, trials.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') stopping.abort('EPIPE')
  else process.exit(1)
})
process.stderr.on('error', () => undefined)

process.exit(await run(process.argv.slice(2)))

async function run(args: readonly string[]): Promise<ExitCode> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    return help(name, rest)
  }
  try {
    const command = knownCommand(name)
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

/** `assay`, `assay help`, `assay help COMMAND`. */
function help(name: string | undefined, words: readonly string[]): ExitCode {
  try {
    io.out(name === 'help' && words[0] !== undefined ? helpOf(knownCommand(words[0])) : overview(COMMANDS))
    return name === undefined ? 2 : 0
  } catch (error) {
    return explain(error)
  }
}

function knownCommand(name: string): Command {
  const command = findCommand(name)
  if (command !== undefined) return command
  const known = COMMANDS.map((one) => one.name).join(', ')
  throw new InputError('wrong_use', `${JSON.stringify(name)} is no command; there are ${known}`)
}

function explain(error: unknown): ExitCode {
  if (error instanceof ConfigError) io.err(`assay: ${error.message}\n`)
  else if (error instanceof InputError) io.err(`assay: ${placed(error)}\n`)
  else if (error instanceof UnavailableError || isOfTheDisk(error)) io.err(`assay: ${error.message}\n`)
  else {
    io.err(
      `assay: this is a fault of ours: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    return 1
  }
  return 2
}

/** Most messages begin with their place themselves. */
function placed({ at, message }: InputError): string {
  return at === undefined || message.startsWith(at) ? message : `${at}: ${message}`
}

/** A folder that is missing, read-only or full is nobody's programming error; the message names it. */
function isOfTheDisk(error: unknown): error is NodeJS.ErrnoException {
  const codes = [
    'ENOENT',
    'EEXIST',
    'ENOTDIR',
    'EISDIR',
    'EACCES',
    'EPERM',
    'EROFS',
    'ENOSPC',
    'EDQUOT',
    'ENAMETOOLONG',
  ]
  return error instanceof Error && 'path' in error && 'code' in error && codes.includes(String(error.code))
}
