/**
 * config/assay.yaml, the environment and the flags, made one frozen, checked Config. The only reader of process.env.
 *
 * Each error names the file, the line, the place, the value and what was expected. Secrets come from the environment or,
 * with `NAME_FILE`, from a file; never from YAML.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Document, isMap, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { type ChannelConfig, type ConfigFile, configSchema, splitTarget, type TargetConfig } from './config-shape.ts'
import { ConfigError } from './core/errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Flags of the same meaning win over the environment. */
export type ConfigFlags = { readonly config?: string; readonly data?: string; readonly port?: number }

export type Source = { readonly name: string; readonly secrets: readonly string[] }
export type Target = Omit<TargetConfig, 'headers'> & { readonly headers: Readonly<Record<string, string>> }
export type ChannelSettings =
  | Extract<ChannelConfig, { kind: 'file' }>
  | (Omit<Extract<ChannelConfig, { kind: 'webhook' }>, 'secret'> & { readonly secret: string })
  | (Omit<Extract<ChannelConfig, { kind: 'mail' }>, 'smtp'> & { readonly smtp: string })

export type Config = Omit<ConfigFile, 'sources' | 'targets' | 'channels'> & {
  readonly file: string
  readonly dataFolder: string
  /** PostgreSQL, or null for the embedded database in the data folder. */
  readonly databaseUrl: string | null
  /** Required from callers when set; must be set to listen beyond loopback. */
  readonly apiKey: string | null
  /** A running service that the command line talks to instead of doing the work itself. */
  readonly url: string | null
  readonly sources: readonly Source[]
  readonly targets: readonly Target[]
  readonly channels: readonly ChannelSettings[]
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1']
const DEFAULT_FILE = path.join(import.meta.dirname, '..', 'config', 'assay.yaml')

export function loadConfig(flags: ConfigFlags = {}, env: Environment = process.env): Config {
  const file = flags.config ?? env.ASSAY_CONFIG ?? DEFAULT_FILE
  return readConfig(readText(file), file, flags, env)
}

/** The same from text that is already in hand; `file` is only a name for error messages. */
export function readConfig(text: string, file: string, flags: ConfigFlags, env: Environment): Config {
  const shape = parseConfig(text, path.relative(process.cwd(), file) || file)
  const server = flags.port === undefined ? shape.server : { ...shape.server, port: flags.port }
  const apiKey = secretOf('ASSAY_API_KEY', env)
  if (!LOOPBACK.includes(server.host) && apiKey === null) {
    throw new ConfigError(
      `server.host ${JSON.stringify(server.host)} is reachable from other machines, and no access control is configured: ` +
        'set ASSAY_API_KEY, or listen on 127.0.0.1',
      file,
    )
  }
  return deepFreeze({
    ...shape,
    server,
    file,
    dataFolder: path.resolve(flags.data ?? env.ASSAY_DATA ?? 'data'),
    databaseUrl: secretOf('DATABASE_URL', env),
    apiKey,
    url: env.ASSAY_URL ?? null,
    sources: shape.sources.map((s) => ({
      name: s.name,
      secrets: s.secrets.map((n) => requiredSecret(n, `${file}, source ${s.name}`, env)),
    })),
    targets: shape.targets.map((t) => ({
      ...t,
      headers: Object.fromEntries(
        Object.entries(t.headers).map(([k, n]) => [k, requiredSecret(n, `${file}, target ${t.name}`, env)]),
      ),
    })),
    channels: shape.channels.map((c) => withSecret(c, file, env)),
  })
}

/** The target a reference names, at the version it names or the target's own. */
export function targetOf(
  config: Pick<Config, 'targets'>,
  reference: string,
): { readonly target: Target; readonly version: string } {
  const { name, version } = splitTarget(reference)
  const target = config.targets.find((t) => t.name === name)
  if (target === undefined) {
    throw new ConfigError(
      `target ${JSON.stringify(name)} is not known; targets are ${config.targets.map((t) => t.name).join(', ') || 'none'}`,
    )
  }
  const exact = version ?? target.version
  if (exact === undefined) throw new ConfigError(`target ${name} has no version: name one, e.g. ${name}@1.0.0`)
  return { target, version: exact }
}

function parseConfig(text: string, file: string): ConfigFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false })
  const syntax = document.errors[0]
  if (syntax !== undefined) throw new ConfigError(syntax.message, `${file}, line ${lines.linePos(syntax.pos[0]).line}`)
  const parsed = configSchema.safeParse(document.toJS() ?? {})
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.slice(0, 5).map((issue) => {
    const { place, message, at } = describeIssue(issue, document)
    const line = lineOf(document, at, lines)
    return `${file}${line === null ? '' : `, line ${line}`}: ${place}${message}`
  })
  throw new ConfigError(issues.join('\n'))
}

function describeIssue(issue: z.core.$ZodIssue, document: Document) {
  const unknownKey = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const at = unknownKey === undefined ? issue.path : [...issue.path, unknownKey]
  const named = at.map((key, i) => {
    if (typeof key !== 'number') return String(key)
    const name = document.getIn([...at.slice(0, i + 1), 'name'])
    return typeof name === 'string' ? `${key + 1} (${name})` : String(key + 1)
  })
  const place = named.length === 0 ? '' : `${named.join('.')}: `
  return { at, place, message: unknownKey === undefined ? issue.message : 'unknown key' }
}

/** Line of the node, or of the nearest parent that is written down. */
function lineOf(document: Document, at: readonly PropertyKey[], lines: LineCounter): number | null {
  for (let length = at.length; length > 0; length--) {
    const parent = document.getIn(at.slice(0, length - 1), true)
    const key = at[length - 1]
    const pair = isMap(parent) ? parent.items.find((item) => String(item.key) === String(key)) : undefined
    const node = (pair?.key ?? document.getIn(at.slice(0, length), true)) as
      | { range?: [number, number, number] }
      | undefined
    if (node?.range !== undefined) return lines.linePos(node.range[0]).line
  }
  return null
}

function withSecret(channel: ChannelConfig, file: string, env: Environment): ChannelSettings {
  const at = `${file}, channel ${channel.name}`
  if (channel.kind === 'webhook') return { ...channel, secret: requiredSecret(channel.secret, at, env) }
  if (channel.kind === 'mail') return { ...channel, smtp: requiredSecret(channel.smtp, at, env) }
  return channel
}

function requiredSecret(name: string, at: string, env: Environment): string {
  const value = secretOf(name, env)
  if (value === null) throw new ConfigError(`the environment variable ${name} (or ${name}_FILE) is not set`, at)
  return value
}

function secretOf(name: string, env: Environment): string | null {
  const file = env[`${name}_FILE`]
  if (file !== undefined && file !== '') return readText(file).trim()
  const value = env[name]
  return value === undefined || value === '' ? null : value
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`cannot be read: ${error instanceof Error ? error.message : String(error)}`, file)
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}
