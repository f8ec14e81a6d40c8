/**
 * Runs the example agent: `node examples/support-agent/main.ts [--port 4100] [--seed demo] [--otlp URL]`.
 *
 * Spans go to OTEL_EXPORTER_OTLP_ENDPOINT, by default http://localhost:4318. SIGINT and SIGTERM end it, after the calls in
 * flight and the export of what waits.
 */
import { parseArgs } from 'node:util'
import { startAgent } from './server.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4100' },
    seed: { type: 'string', default: 'demo' },
    otlp: { type: 'string', default: process.env.OTEL_EXPORTER_OTLP_ENDPOINT ?? 'http://localhost:4318' },
  },
})

const port = Number(values.port)
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`--port ${values.port} is not allowed, expected a whole number from 0 to 65535`)
  process.exit(2)
}

const agent = await startAgent({ port, otlpEndpoint: values.otlp, seed: values.seed }).catch((error: Error) => {
  console.error(`support-agent cannot start: ${error.message}`)
  process.exit(1)
})
console.log(`support-agent listens on ${agent.url}, spans go to ${values.otlp}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    agent.close().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
}
