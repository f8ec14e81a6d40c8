/**
 * `assay serve`: the service, until it is told to stop.
 */
import { startApp } from '../app.ts'
import { makeLog } from '../telemetry.ts'
import { configOf } from './client.ts'
import type { Command } from './command.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Run the service: ingest, sample, replay, grade, classify, report, publish',
  usage: '[--port 4318]',
  help: `
  --port PORT      listen here instead of server.port (0: any free port)

Ctrl-C ends it in order: requests are answered, trials under way are finished or left planned for the next start.
`,
  flags: { port: { type: 'string' } },
  isLocal: true,
  async run(flags, _words, io) {
    const config = configOf(flags)
    const log = makeLog({ isTTY: io.isTerminal, write: io.err }, io.clock)
    const app = await startApp(config, { log, clock: io.clock, random: io.random })
    try {
      const { url } = await app.listen()
      io.out(
        `Assay listens on ${url}\n  traces     ${url}/v1/traces\n  pages      ${url}/\n  database   ${app.describeDatabase()}\n`,
      )
      await aborted(io.signal)
      io.err('Stopping; a second Ctrl-C stops at once.\n')
    } finally {
      await app.close()
    }
    return 0
  },
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
