/**
 * `assay doctor`: what would go wrong, before it does. Changes nothing, but makes the data folder where it is missing.
 */
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { databasePlace, takeDataFolder } from '../app.ts'
import type { Config, Target } from '../config.ts'
import { engineVersion, openDatabase } from '../store/database.ts'
import { configOf } from './client.ts'
import type { Command, Io } from './command.ts'

const NODE_MAJOR_MIN = 24
const PROBE_MS = 3000

/** `warn` does not stop the service; `fail` does. */
type Finding = { readonly result: 'ok' | 'warn' | 'fail'; readonly what: string; readonly says: string }

export const doctor: Command = {
  name: 'doctor',
  summary: 'Say what is wrong before you start: runtime, configuration, database, port, targets',
  usage: '[--json]',
  help: `
  --json           the findings as JSON

Exits 0 when the service would start, 2 when it would not.
`,
  isLocal: true,
  flags: { json: { type: 'boolean' } },
  async run(flags, _words, io) {
    const findings: Finding[] = [runtime()]
    const config = tried(() => configOf(flags))
    findings.push(config instanceof Error ? fail('configuration', config.message) : ok('configuration', config.file))
    if (!(config instanceof Error))
      findings.push(...(await machine(config)), ...(await Promise.all(config.targets.map(reach))))
    show(findings, flags.json === true, io)
    return findings.some((finding) => finding.result === 'fail') ? 2 : 0
  },
}

function show(findings: readonly Finding[], json: boolean, io: Io): void {
  const lines = findings.map(({ result, what, says }) => `${result.padEnd(5)} ${what}: ${says}\n`)
  io.out(json ? `${JSON.stringify(findings, null, 2)}\n` : lines.join(''))
}

function runtime(): Finding {
  const major = Number(process.versions.node.split('.')[0])
  return major >= NODE_MAJOR_MIN
    ? ok('runtime', `Node ${process.versions.node}`)
    : fail(
        'runtime',
        `Node ${process.versions.node}, expected ${NODE_MAJOR_MIN} or newer; npm start and bin/assay bring it along`,
      )
}

async function machine(config: Config): Promise<Finding[]> {
  const ownership = tried(() => takeDataFolder(config))
  if (ownership instanceof Error) return [fail('data folder', ownership.message)]
  try {
    return [ok('data folder', config.dataFolder), await database(config), await port(config)]
  } finally {
    ownership?.release()
  }
}

async function database(config: Config): Promise<Finding> {
  const place = databasePlace(config)
  if ('folder' in place && place.folder !== null && !existsSync(path.join(place.folder, 'PG_VERSION'))) {
    return ok('database', 'embedded, made at the first start')
  }
  try {
    const opened = await openDatabase(place)
    try {
      return ok('database', `${opened.engine}, ${await engineVersion(opened.db)}`)
    } finally {
      await opened.close()
    }
  } catch (error) {
    return fail('database', error instanceof Error ? error.message : String(error))
  }
}

function port({ server }: Config): Promise<Finding> {
  const where = `${server.host}:${server.port}`
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error) => resolve(fail('port', `${where} cannot be listened on: ${error.message}`)))
    probe.listen(server.port, server.host, () => probe.close(() => resolve(ok('port', where))))
  })
}

/** Only whether something listens: a request that the contract does not know could do anything. */
function reach({ name, url }: Target): Promise<Finding> {
  const { hostname, port, protocol } = new URL(url)
  const what = `target ${name}`
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      timeout: PROBE_MS,
    })
    const end = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    const warn = (cause: string): Finding => ({ result: 'warn', what, says: `nothing listens at ${url}: ${cause}` })
    socket.once('connect', () => end(ok(what, `something listens at ${url}`)))
    socket.once('timeout', () => end(warn(`no answer in ${PROBE_MS} ms`)))
    socket.once('error', (error) => end(warn(error.message)))
  })
}

function ok(what: string, says: string): Finding {
  return { result: 'ok', what, says }
}

function fail(what: string, says: string): Finding {
  return { result: 'fail', what, says }
}

function tried<T>(work: () => T): T | Error {
  try {
    return work()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
