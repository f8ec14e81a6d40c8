/**
 * A small real service of ingest and sample alone, to be killed: node ingest-server.ts SPOOL DATABASE, where DATABASE is
 * a postgres:// URL or a folder. Prints its port when it listens. GET /drained answers when nothing waits any more.
 */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { openSpool } from '../../src/clients/spool-lmdb.ts'
import { makePolicy } from '../../src/core/sampling/policy.ts'
import { parseRules } from '../../src/core/sampling/rule.ts'
import { makeRedactor } from '../../src/core/trace/redaction/redactor.ts'
import { summarise } from '../../src/core/trace/summarise.ts'
import { makeOtlp } from '../../src/http/otlp.ts'
import { makeIngest } from '../../src/stages/ingest.ts'
import { makeSample } from '../../src/stages/sample.ts'
import { migrate, openDatabase } from '../../src/store/database.ts'
import { KILL_RULES } from './kill-rules.ts'

const [spoolFolder = '', place = ''] = process.argv.slice(2)
const { db } = await openDatabase(place.startsWith('postgres:') ? { url: place } : { folder: place })
await migrate(db)
const spool = await openSpool(spoolFolder)
const clock = { now: () => new Date() }
const log = (level: string, message: string, fields: unknown = {}) => {
  process.stderr.write(`${level} ${message} ${JSON.stringify(fields)}\n`)
}
const limits = { decisionDelayMs: 20, idleTimeoutMs: 120_000, traceTimeoutMs: 600_000, spansMax: 1000, bytesMax: 1e7 }
const makers = { redact: makeRedactor().value, summarise }
const policy = makePolicy(parseRules(KILL_RULES), 'assay')
const sample = makeSample({ db, spool, clock, log, policy, limits, ...makers })
const pause = () => new Promise((done) => setTimeout(done, 2))

const app = new Hono()
app.route('/', makeOtlp({ ingest: makeIngest({ spool, clock, log }), clock, log }))
app.get('/drained', async (c) => {
  while (spool.waiting().entries > 0) await pause()
  return c.json(sample.status())
})
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.stdout.write(`${port}\n`))
for (;;) if ((await sample.step()) === 'idle') await pause()
