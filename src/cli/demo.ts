/**
 * `assay demo`: the whole main job on this machine, in about a minute: a real service, a real instrumented agent, a few
 * hundred conversations, and the report at the end. The numbers it prints are read from the API like anybody's.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type App, startApp } from '../app.ts'
import type { Config } from '../config.ts'
import { ConfigError } from '../core/errors.ts'
import { makeLog } from '../telemetry.ts'
import { type Client, clientOfApp, configOf } from './client.ts'
import { type Command, type Flags, type Io, numberFlag } from './command.ts'
import { printDemo } from './demo-print.ts'
import { makeProgress } from './progress.ts'
import { pauseOrStop, runSchedule, type Status } from './schedule.ts'

const AGENT = path.join(import.meta.dirname, '..', '..', 'examples', 'support-agent', 'main.ts')
const SOURCE = 'helpdesk'
const SCHEDULE = 'weekly'
const TARGET = 'support-agent'
const DECISION_DELAY_MS = 2000
const FEEDBACK_SHARE = 0.5

export const demo: Command = {
  name: 'demo',
  summary: 'See it work: a sample agent, its traffic, and a reliability report, in about a minute',
  usage: '[--conversations 300] [--seed demo]',
  help: `
  --conversations N    how many customers talk to the sample agent (default 300)
  --seed TEXT          another seed, other customers and other mistakes
  --port PORT          listen here (default: server.port if it is free, else any)

Runs on config/assay.yaml with four changes that it prints. Leaves its data in the data folder for: npm start
`,
  flags: { conversations: { type: 'string' }, seed: { type: 'string' }, port: { type: 'string' } },
  isLocal: true,
  async run(flags, _words, io) {
    const n = numberFlag(flags, 'conversations', { min: 20, max: 100_000 }) ?? 300
    const seed = typeof flags.seed === 'string' ? flags.seed : 'demo'
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    const { sendTraffic } = await loadTraffic()
    const agentPort = await freePort()
    const config = demoConfig(configOf(flags), { secret, agentPort })
    const log = makeLog({ isTTY: io.isTerminal, write: io.err }, io.clock, { quiet: true })
    const app = await startApp(config, { log, clock: io.clock, random: io.random })
    let agent: ChildProcess | undefined
    try {
      const { url } = await listenSomewhere(app, config, flags)
      explain(io, { url, agentPort, config })
      agent = await startAgent({ port: agentPort, otlp: url, seed }).catch(async (error: unknown) => {
        // Ctrl-C reaches the agent as well, perhaps before it listens.
        if (io.signal.aborted) await pauseOrStop(io)
        throw error
      })
      const client = clientOfApp(app, config)
      const begun = io.clock.now()
      await produce(io, { sendTraffic, n, seed, secret, agentUrl: `http://127.0.0.1:${agentPort}`, assayUrl: url })
      await decided(client, io)
      const reportId = await runSchedule(client, SCHEDULE, io)
      await printDemo(client, io, { reportId, from: begun, config })
      return 0
    } finally {
      await stopAgent(agent)
      await app.close()
    }
  },
}

function demoConfig(
  config: Config,
  { secret, agentPort }: { readonly secret: string; readonly agentPort: number },
): Config {
  if (!config.schedules.some((one) => one.name === SCHEDULE) || !config.targets.some((one) => one.name === TARGET)) {
    throw new ConfigError(
      `the demo needs the target ${TARGET} and the schedule ${SCHEDULE} of config/assay.yaml`,
      config.file,
    )
  }
  return {
    ...config,
    sampling: { ...config.sampling, decisionDelay: DECISION_DELAY_MS },
    sources: [{ name: SOURCE, secrets: [secret] }],
    targets: config.targets.map((one) =>
      one.name === TARGET ? { ...one, url: `http://127.0.0.1:${agentPort}/v1/trial` } : one,
    ),
  }
}

/** The configured port, so that the address is the one of the README; any free one when somebody has it. */
async function listenSomewhere(app: App, config: Config, flags: Flags): Promise<{ readonly url: string }> {
  try {
    return await app.listen()
  } catch (error) {
    if (!(error instanceof ConfigError) || flags.port !== undefined) throw error
    return app.listen({ ...config.server, port: 0 })
  }
}

function explain(
  io: Io,
  { url, agentPort, config }: { readonly url: string; readonly agentPort: number; readonly config: Config },
): void {
  io.out(`Assay listens on ${url}; the sample agent on http://127.0.0.1:${agentPort}.
Configuration: ${path.relative(process.cwd(), config.file)}, except that the demo decides on a trace after ${DECISION_DELAY_MS / 1000} s of quiet,
takes feedback from a source "${SOURCE}" with a secret of its own, and runs the sample agent, and itself if need be, on free ports.

`)
}

async function startAgent({
  port,
  otlp,
  seed,
}: {
  readonly port: number
  readonly otlp: string
  readonly seed: string
}): Promise<ChildProcess> {
  const args = [AGENT, '--port', String(port), '--otlp', otlp, '--seed', seed]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const listening = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', () => resolve())
  })
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`the sample agent ended with code ${code} before it listened`)
  })
  await Promise.race([listening, died])
  died.catch(() => undefined)
  return child
}

async function stopAgent(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

type Traffic = typeof import('../../examples/support-agent/traffic.ts')

/** Loaded when it is needed: the sample agent stands on development dependencies, which a production install leaves out. */
async function loadTraffic(): Promise<Traffic> {
  try {
    return await import('../../examples/support-agent/traffic.ts')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ConfigError(
      'the demo needs the sample agent and the development dependencies: npm ci in a clone of the project',
    )
  }
}

type Production = {
  readonly sendTraffic: Traffic['sendTraffic']
  readonly n: number
  readonly seed: string
  readonly secret: string
  readonly agentUrl: string
  readonly assayUrl: string
}

async function produce(io: Io, { sendTraffic, n, seed, secret, agentUrl, assayUrl }: Production): Promise<void> {
  const progress = makeProgress(io, 'conversations')
  const feedback = { url: `${assayUrl}/webhooks/${SOURCE}`, secret, share: FEEDBACK_SHARE }
  try {
    const onProgress = (done: number, total: number) => progress.update(done, total)
    const sent = await sendTraffic({ agentUrl, n, seed, feedback, onProgress, signal: io.signal })
    const { down, up } = sent.feedback
    progress.end(`${sent.turns} turns of conversation sent; customers gave ${down} thumbs down and ${up} up`)
  } catch (error) {
    if (io.signal.aborted) await pauseOrStop(io)
    throw error
  }
}

async function decided(client: Client, io: Io): Promise<void> {
  const progress = makeProgress(io, 'decisions')
  let most = 1
  for (;;) {
    const { spool, openTraces } = await client.get<Status>('/api/v1/status')
    most = Math.max(most, openTraces)
    progress.update(most - openTraces, most)
    if (openTraces === 0 && spool.entries === 0) break
    await pauseOrStop(io)
  }
  progress.end('every trace is decided: kept with its probability, or dropped and counted')
}

/** A port that was free a moment ago: the agent's place in the configuration must be known before it starts. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port is free')
  return address.port
}
