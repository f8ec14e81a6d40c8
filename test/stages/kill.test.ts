/**
 * A real service is killed with SIGKILL while senders send, several times, at points that a seed gives. What it has
 * acknowledged must be there in the end, and nothing may be counted twice, though senders repeat what was not answered.
 */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { randomnessOf } from '../../src/core/sampling/randomness.ts'
import { decodeTraces } from '../../src/core/trace/otlp/spans.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { freshPostgresUrl } from '../support/databases.ts'
import { otlpBody, type SpanGiven, spanIdOf, traceIdOf, traceOf } from '../support/otlp-fixtures.ts'
import { censusBetween, otlpOf } from '../support/stored.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SERVER = path.join(import.meta.dirname, '..', 'support', 'ingest-server.ts')
const SENDERS = 8
const TRACES = 1200

type Service = { readonly process: ChildProcess; readonly url: string }

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

async function start(spool: string, database: string): Promise<Service> {
  const child = spawn(process.execPath, [SERVER, spool, database], { stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const [port] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => assert.fail(`the service did not start: ${errors}`)),
  ])
  return { process: child, url: `http://127.0.0.1:${String(port).trim()}` }
}

async function kill(service: Service): Promise<void> {
  const gone = once(service.process, 'exit')
  service.process.kill('SIGKILL')
  await gone
  running.delete(service.process)
}

/** Roots and children travel in requests of their own, children first in half of them. */
function requests(): readonly (readonly SpanGiven[])[] {
  const traces = Array.from({ length: TRACES }, (_, n) =>
    traceOf(n, 2, { attributes: { tier: n % 3 === 0 ? 'gold' : 'tin' } }),
  )
  return Array.from({ length: TRACES / 10 }, (_, i) => traces.slice(i * 10, i * 10 + 10)).flatMap((ten, i) => {
    const roots = ten.flatMap((spans) => spans.slice(0, 1))
    const children = ten.flatMap((spans) => spans.slice(1))
    return i % 2 === 0 ? [roots, children] : [children, roots]
  })
}

/** Sends what is left until all is acknowledged or the service is gone; calls `acknowledged` after each. */
async function send(service: Service, left: (readonly SpanGiven[])[], acknowledged: () => void): Promise<void> {
  const sender = async () => {
    for (let spans = left.shift(); spans !== undefined; spans = left.shift()) {
      const isStored = await post(service, spans)
      if (isStored) acknowledged()
      else {
        left.push(spans)
        return
      }
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
}

async function post(service: Service, spans: readonly SpanGiven[]): Promise<boolean> {
  try {
    const headers = { 'content-type': 'application/x-protobuf' }
    const response = await fetch(`${service.url}/v1/traces`, {
      method: 'POST',
      headers,
      body: Buffer.from(otlpBody(spans)),
    })
    return response.ok
  } catch {
    return false
  }
}

/** Numbers of acknowledgements after which to kill, from a seed (a linear congruential generator, as in Numerical Recipes). */
function killPoints(seed: number, count: number): readonly number[] {
  let state = seed
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return 1 + (state % 40)
  })
}

async function survives(spool: string, database: string, points: readonly number[]): Promise<void> {
  const left = [...requests()]
  for (const point of points) {
    const service = await start(spool, database)
    let count = 0
    let killed: Promise<void> | undefined
    await send(service, left, () => {
      if (++count === point) killed = kill(service)
    })
    assert.ok(killed !== undefined, 'there was enough left to send')
    await killed
  }
  const last = await start(spool, database)
  await send(last, left, () => undefined)
  assert.equal(left.length, 0)
  const status = await (await fetch(`${last.url}/drained`)).json()
  assert.deepEqual(status, { openTraces: 0, unreadable: 0 })
  await kill(last)
}

async function holdsAll({ db }: Database): Promise<void> {
  const isKept = (n: number) =>
    n % 3 === 0 ||
    randomnessOf({ traceId: traceIdOf(n), randomness: null, isIdRandom: false }, 'assay') >= '80000000000000'
  const expected = Array.from({ length: TRACES }, (_, n) => n).filter(isKept)
  const census = await censusBetween(db, new Date(0), new Date('2100-01-01'))
  const total = (key: 'received' | 'kept' | 'dropped') => census.reduce((sum, row) => sum + row[key], 0)
  assert.deepEqual(
    [total('received'), total('kept'), total('dropped')],
    [TRACES, expected.length, TRACES - expected.length],
  )
  const stored = await db.selectFrom('traces').select('trace_id').execute()
  assert.deepEqual(stored.map((row) => row.trace_id).sort(), expected.map(traceIdOf).sort())
  for (const n of expected) {
    const spans = decodeTraces((await otlpOf(db, traceIdOf(n))) as Uint8Array)
    assert.deepEqual(spans.map((span) => span.spanId).sort(), [0, 1, 2].map(spanIdOf))
  }
}

describe('kill -9 during ingest loses no acknowledged span and counts nothing twice', () => {
  it('on postgres', async () => {
    const url = await freshPostgresUrl()
    await survives(await temporaryFolder(), url, killPoints(42, 6))
    const database = await openDatabase({ url })
    await holdsAll(database)
    await database.close()
  })

  it('on pglite', async () => {
    const folder = path.join(await temporaryFolder(), 'database')
    await survives(await temporaryFolder(), folder, killPoints(7, 3))
    const database = await openDatabase({ folder })
    await holdsAll(database)
    await database.close()
  })
})
