/**
 * The commands, in the order in which somebody meets them, and their help.
 */
import { COMMON_HELP, type Command, REMOTE_HELP } from './command.ts'
import { compare } from './compare.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { importCommand } from './import.ts'
import { migrateCommand } from './migrate.ts'
import { plan } from './plan.ts'
import { reliability } from './reliability.ts'
import { report } from './report.ts'
import { serve } from './serve.ts'

export const COMMANDS: readonly Command[] = [
  demo,
  serve,
  importCommand,
  reliability,
  compare,
  plan,
  report,
  migrateCommand,
  doctor,
]

export function findCommand(name: string | undefined): Command | undefined {
  return COMMANDS.find((command) => command.name === name)
}

export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((c) => c.name.length)) + 2
  return `Assay: how far can your agent be depended on?

Usage: assay COMMAND [flags]

${commands.map((c) => `  ${c.name.padEnd(width)}${c.summary}`).join('\n')}

assay help COMMAND says more. Flags that each command takes:
${COMMON_HELP}
and those that need not run where the data is:
${REMOTE_HELP}

Exit codes: 0 held, 1 a requirement failed, 2 wrong use or configuration, 3 inconclusive.
`
}

export function helpOf(command: Command): string {
  return `assay ${command.name} ${command.usage}

${command.summary}.

${command.help.trim() === '' ? '' : `${command.help.replace(/^\n+|\s+$/g, '')}\n`}${COMMON_HELP}
${command.isLocal ? '' : `${REMOTE_HELP}\n`}`
}
