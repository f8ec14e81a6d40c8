/**
 * One process owns the data folder (its embedded database and its spool). A second one is told who that is and how to talk
 * to it. The mark is a file with the owner's process id and the time it was started at, so that one left by `kill -9`
 * is seen as stale, also when the id was given to another process since.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ConfigError } from '../core/errors.ts'

type Owner = {
  readonly pid: number
  readonly host: string
  readonly started: string | null
  readonly url: string | null
}

export type Ownership = {
  /** Tells a second process where this one listens. */
  announce(url: string): void
  release(): void
}

/** Takes the folder, or throws a ConfigError that names the running owner and `--url`. */
export function takeFolder(folder: string): Ownership {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'owner.json')
  const mine: Owner = { pid: process.pid, host: os.hostname(), started: startOf(process.pid), url: null }
  if (!create(file, mine)) {
    const other = read(file)
    if (other !== null && isRunning(other)) throw new ConfigError(takenBy(other), folder)
    rmSync(file, { force: true })
    if (!create(file, mine)) throw new ConfigError('another process took this data folder at the same moment', folder)
  }
  return {
    announce: (url) => writeFileSync(file, JSON.stringify({ ...mine, url }), { mode: 0o600 }),
    release: () => rmSync(file, { force: true }),
  }
}

function takenBy({ pid, host, url }: Owner): string {
  const where =
    url === null
      ? 'it is starting, or busy with a command of its own: try again in a moment'
      : `talk to it with --url ${url}`
  return `the embedded database is in use by process ${pid} on ${host}; ${where}`
}

function create(file: string, owner: Owner): boolean {
  try {
    writeFileSync(file, JSON.stringify(owner), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function read(file: string): Owner | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner
  } catch {
    return null // Unreadable or half written: left by a process that died while writing.
  }
}

/** On another host (a shared volume) we cannot look: taken for running. */
function isRunning(owner: Owner): boolean {
  if (owner.host !== os.hostname()) return true
  if (owner.pid === process.pid) return false // A container's next life has the same id.
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const started = startOf(owner.pid)
  return started === null || owner.started === null || started === owner.started
}

/** Start time of a process in clock ticks since boot, with the boot's id; null where /proc does not say. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    // The name in parentheses may hold anything; fields are counted after its last ")". Field 22 is the start time.
    return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return null
  }
}
