/** A service in this process for tests of commands, and commands run against it as `main.ts` does. */
import { randomBytes } from 'node:crypto'
import { startApp } from '../../src/app.ts'
import { type Command, type ExitCode, type Io, parseFlags } from '../../src/cli/command.ts'
import { readConfig } from '../../src/config.ts'
import { makeRandom } from '../../src/core/random-id.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export type Ran = { readonly code: ExitCode; readonly out: string; readonly err: string }

const CONFIG = 'sampling: { rules: [{ name: all, sampler: { type: always } }] }'

const clock = { now: () => new Date() }
const random = makeRandom({ clock, bytes: (n) => randomBytes(n) })

export type Service = { readonly url: string; close(): Promise<void> }

export async function startService(): Promise<Service> {
  const config = readConfig(CONFIG, 'test.yaml', { data: await temporaryFolder(), port: 0 }, {})
  const app = await startApp(config, { log: () => undefined, clock, random })
  const { url } = await app.listen()
  return { url, close: () => app.close() }
}

/** Throws what the command throws. */
export async function run(command: Command, args: readonly string[]): Promise<Ran> {
  const out: string[] = []
  const err: string[] = []
  const io: Io = {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    isTerminal: false,
    columns: 100,
    signal: new AbortController().signal,
    clock,
    random,
  }
  const { flags, words } = parseFlags(command, args)
  const code = await command.run(flags, words, io)
  return { code, out: out.join(''), err: err.join('') }
}
