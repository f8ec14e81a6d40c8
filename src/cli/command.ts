/**
 * What a command is: a name, a help text, its flags, and what it does with them. Commands write through `Io` and return
 * an exit code; only main.ts ends the process.
 */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { InputError } from '../core/errors.ts'
import type { Clock, Random } from '../core/ports.ts'

/** 0 held, 1 a requirement failed, 2 wrong use or configuration, 3 inconclusive. */
export type ExitCode = 0 | 1 | 2 | 3

export type Io = {
  out(text: string): void
  err(text: string): void
  /** Standard error is a terminal: progress may redraw its line. */
  readonly isTerminal: boolean
  readonly columns: number
  /** Aborted by Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly random: Random
}

export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

export type Command = {
  readonly name: string
  readonly summary: string
  /** Everything after `assay NAME`; the flags themselves are described in `help`. */
  readonly usage: string
  readonly help: string
  readonly flags: NonNullable<ParseArgsConfig['options']>
  /** Works on this machine's data folder and takes flags only: a --url or a word that it would pass over is refused. */
  readonly isLocal?: true
  run(flags: Flags, words: readonly string[], io: Io): Promise<ExitCode>
}

/** Flags that each command takes, with the meaning of the environment variable of the same name. */
export const COMMON_FLAGS = {
  config: { type: 'string' },
  data: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

const REMOTE_FLAGS = { url: { type: 'string' } } as const

export const COMMON_HELP = `  --config FILE    configuration (ASSAY_CONFIG; default: config/assay.yaml of the installation)
  --data FOLDER    embedded database and spool (ASSAY_DATA; default ./data)`

export const REMOTE_HELP = `  --url URL        do the work on a running service (ASSAY_URL, with ASSAY_API_KEY where it asks for one)`

export function parseFlags(command: Command, args: readonly string[]): { flags: Flags; words: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...COMMON_FLAGS, ...(command.isLocal ? {} : REMOTE_FLAGS), ...command.flags },
      allowPositionals: command.isLocal !== true,
      strict: true,
    })
    return { flags: values as Flags, words: positionals }
  } catch (error) {
    throw new InputError('wrong_use', error instanceof Error ? error.message : String(error), `assay ${command.name}`)
  }
}

export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

export function requiredFlag(flags: Flags, name: string, example: string): string {
  const value = textFlag(flags, name)
  if (value === undefined) throw new InputError('wrong_use', `is missing, e.g. --${name} ${example}`, `--${name}`)
  return value
}

export function listFlag(flags: Flags, name: string): readonly string[] {
  const value = flags[name]
  return Array.isArray(value) ? value : []
}

/** A number flag within [min, max]; whole numbers only unless `fraction`. */
export function numberFlag(
  flags: Flags,
  name: string,
  { min, max, fraction = false }: { readonly min: number; readonly max: number; readonly fraction?: boolean },
): number | undefined {
  const text = textFlag(flags, name)
  if (text === undefined) return undefined
  const value = Number(text)
  const right = text.trim() !== '' && value >= min && value <= max && (fraction || Number.isInteger(value))
  if (!right) {
    const kind = fraction ? 'a number' : 'a whole number'
    throw new InputError(
      'wrong_use',
      `${JSON.stringify(text)} is not allowed, expected ${kind} from ${min} to ${max}`,
      `--${name}`,
    )
  }
  return value
}
