import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { makeWebhookChannel } from '../../src/clients/channel-webhook.ts'
import type { Channel, SendResult } from '../../src/core/ports.ts'
import { freeze } from '../../src/core/reporting/assemble.ts'
import { DELIVERY_ATTEMPTS_MAX } from '../../src/core/reporting/delivery.ts'
import { digestOf } from '../../src/core/reporting/digest.ts'
import { makePublish, type PublishChannel } from '../../src/stages/publish.ts'
import { type Database, migrate, openDatabase } from '../../src/store/database.ts'
import { insertDeliveries } from '../../src/store/deliveries.ts'
import { insertReport } from '../../src/store/reports.ts'
import type { Db } from '../../src/store/schema.ts'
import { sampleReport } from '../core/reporting/sample-report.ts'
import { freshPostgresUrl, onBothEngines } from '../support/databases.ts'

const START = Date.parse('2026-11-30T08:01:00Z')
const report = sampleReport({ schedule: null, window: null })

async function givenDelivery(db: Db, channels: readonly string[], now = new Date(START)): Promise<void> {
  await db.deleteFrom('deliveries').execute()
  await db.deleteFrom('reports').execute()
  await db.transaction().execute(async (tx) => {
    await insertReport(tx, freeze(report))
    await insertDeliveries(
      tx,
      report.id,
      channels.map((channel) => ({ id: `dlv_${channel}`, channel })),
      now,
    )
  })
}

async function stateOf(db: Db, channel: string) {
  const row = await db.selectFrom('deliveries').selectAll().where('channel', '=', channel).executeTakeFirstOrThrow()
  return { state: row.state, attempts: row.attempts, error: row.last_error, nextAt: row.next_at.getTime() }
}

/** Publishes with channels that answer as told; `sent` is what they were asked to send. */
function publisher(db: Db, channels: Readonly<Record<string, PublishChannel>>) {
  let time = START
  const step = makePublish({
    db,
    clock: { now: () => new Date(time) },
    log: () => undefined,
    channels: new Map(Object.entries(channels)),
  })
  return { step, pass: (ms: number) => (time += ms), now: () => time }
}

function recording(answer: () => SendResult | Promise<SendResult>, repeatable = true) {
  const sent: string[] = []
  const channel: Channel = {
    async send(digest, deliveryId) {
      assert.deepEqual(digest, digestOf(report))
      sent.push(deliveryId)
      return answer()
    },
  }
  return { sent, channel, repeatable }
}

/** A publisher that never comes back from sending. */
async function dieSending(db: Db, channel: string): Promise<void> {
  const begun = Promise.withResolvers<void>()
  const stuck = recording(() => {
    begun.resolve()
    return new Promise<never>(() => undefined)
  })
  void publisher(db, { [channel]: stuck }).step()
  await begun.promise
}

const delivered = (): SendResult => ({ outcome: 'delivered' })
const failed = (permanent: boolean) => (): SendResult => ({ outcome: 'failed', cause: 'answered 503', permanent })

onBothEngines('publish', (get) => {
  let db: Db
  beforeEach(async () => {
    db = (await get()).db
  })

  it('delivers the digest to each channel once', async () => {
    await givenDelivery(db, ['file', 'mail'])
    const [file, mail] = [recording(delivered), recording(delivered, false)]
    const { step } = publisher(db, { file, mail })
    assert.deepEqual([await step(), await step(), await step()], ['worked', 'worked', 'idle'])
    assert.deepEqual([file.sent, mail.sent], [['dlv_file'], ['dlv_mail']])
    assert.equal((await stateOf(db, 'mail')).state, 'delivered')
  })

  it('keeps what a channel notes of a delivery', async () => {
    await givenDelivery(db, ['mail'])
    const mail = recording(() => ({ outcome: 'delivered', note: 'refused for lead@example.org' }))
    await publisher(db, { mail }).step()
    const { state, error } = await stateOf(db, 'mail')
    assert.deepEqual([state, error], ['delivered', 'refused for lead@example.org'])
  })

  it('tries again after a passing failure, at times that double, and fails in the end', async () => {
    await givenDelivery(db, ['file'])
    const file = recording(failed(false))
    const { step, pass, now } = publisher(db, { file })
    const delays: number[] = []
    for (;;) {
      assert.equal(await step(), 'worked')
      const { state, nextAt } = await stateOf(db, 'file')
      if (state === 'failed') break
      delays.push((nextAt - now()) / 1000)
      assert.equal(await step(), 'idle', 'not before its time')
      pass(nextAt - now())
    }
    assert.deepEqual(delays.slice(0, 4), [15, 30, 60, 120])
    assert.equal(delays.at(-1), 14_400)
    assert.equal(file.sent.length, DELIVERY_ATTEMPTS_MAX)
    assert.deepEqual([await step(), (await stateOf(db, 'file')).error], ['idle', 'answered 503'])
  })

  it('does not try again what cannot succeed', async () => {
    await givenDelivery(db, ['hook', 'gone'])
    const { step } = publisher(db, { hook: recording(failed(true)) })
    assert.deepEqual([await step(), await step(), await step()], ['worked', 'worked', 'idle'])
    assert.equal((await stateOf(db, 'hook')).state, 'failed')
    const { state, error } = await stateOf(db, 'gone')
    assert.deepEqual([state, error], ['failed', 'no channel gone is configured'])
  })

  it('stores any cause, however long or strange', async () => {
    await givenDelivery(db, ['file'])
    const cause = `\0${'x'.repeat(10_000)}`
    await publisher(db, { file: recording(() => ({ outcome: 'failed', cause, permanent: true })) }).step()
    assert.equal((await stateOf(db, 'file')).error?.length, 500)
  })

  it('sends again, under the same id, what a dead process left sending, when the channel makes that harmless', async () => {
    await givenDelivery(db, ['file'])
    await dieSending(db, 'file')
    assert.equal((await stateOf(db, 'file')).state, 'sending')

    const file = recording(delivered)
    const next = publisher(db, { file })
    assert.equal(await next.step(), 'idle', 'the claim still holds')
    next.pass(120_000)
    assert.equal(await next.step(), 'worked')
    assert.deepEqual(file.sent, ['dlv_file'])
    assert.deepEqual([(await stateOf(db, 'file')).state, await next.step()], ['delivered', 'idle'])
  })

  it('never repeats by itself a mail that may have gone out', async () => {
    await givenDelivery(db, ['mail', 'unsure'])
    await dieSending(db, 'mail')
    const mail = recording(delivered, false)
    const unsure = recording(() => ({ outcome: 'uncertain', cause: 'line broke' }), false)
    const next = publisher(db, { mail, unsure })
    next.pass(120_000)
    assert.deepEqual([await next.step(), await next.step()], ['worked', 'idle'])
    next.pass(10_000_000)
    assert.equal(await next.step(), 'idle')
    assert.deepEqual([mail.sent, unsure.sent], [[], ['dlv_unsure']])
    assert.equal((await stateOf(db, 'mail')).state, 'uncertain')
    assert.match((await stateOf(db, 'mail')).error ?? '', /may have arrived/)
    assert.equal((await stateOf(db, 'unsure')).state, 'uncertain')
  })

  it('takes a fault of its own as a failure, or as uncertain where a repeat would harm', async () => {
    await givenDelivery(db, ['file', 'mail'])
    const broken = () => Promise.reject(new Error('a bug'))
    const { step } = publisher(db, { file: recording(broken), mail: recording(broken, false) })
    await step()
    await step()
    const [file, mail] = [await stateOf(db, 'file'), await stateOf(db, 'mail')]
    assert.deepEqual([file.state, file.error, mail.state], ['pending', 'a bug', 'uncertain'])
  })

  it('does not let a publisher whose claim has run out overwrite what came after', async () => {
    await givenDelivery(db, ['file'])
    const slow = Promise.withResolvers<SendResult>()
    const begun = Promise.withResolvers<void>()
    const first = publisher(db, {
      file: recording(() => {
        begun.resolve()
        return slow.promise
      }),
    })
    const stepped = first.step()
    await begun.promise
    const second = publisher(db, { file: recording(delivered) })
    second.pass(120_000)
    await second.step()
    slow.resolve({ outcome: 'failed', cause: 'too late', permanent: true })
    await stepped
    const { state, error, attempts } = await stateOf(db, 'file')
    assert.deepEqual([state, error, attempts], ['delivered', null, 2])
  })

  it('gives each delivery to one of several publishers', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `file${i}`)
    await givenDelivery(db, names)
    const channels = Object.fromEntries(names.map((name) => [name, recording(delivered)]))
    const publishers = Array.from({ length: 4 }, () => publisher(db, channels))
    const drain = async ({ step }: { step: () => Promise<'worked' | 'idle'> }) => {
      for (let left = names.length; left > 0; left -= 1) await step()
    }
    await Promise.all(publishers.map(drain))
    assert.deepEqual(
      Object.values(channels).flatMap(({ sent }) => sent),
      names.map((name) => `dlv_${name}`),
    )
  })
})

describe('a publisher that is killed after it has sent', () => {
  const secret = `whsec_${Buffer.from('thirty-two bytes of a test secret').toString('base64')}`
  const seen: { id: string; body: string }[] = []
  const receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ id: String(request.headers['webhook-id']), body })
    response.writeHead(200).end()
  })
  let database: Database
  let url: string
  before(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    url = await freshPostgresUrl()
    database = await openDatabase({ url })
    await migrate(database.db)
  })
  after(async () => {
    await database.close()
    receiver.closeAllConnections()
    receiver.close()
  })

  it('is taken over, and the receiver sees one delivery id', async () => {
    const { db } = database
    await givenDelivery(db, ['hook'], new Date(0))
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const worker = path.join(import.meta.dirname, '..', 'support', 'publish-worker.ts')
    const child = spawn(process.execPath, [worker, url, 'hook', hook, secret], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.deepEqual([seen.length, (await stateOf(db, 'hook')).state], [1, 'sending'])

    const clock = { now: () => new Date(Date.now() + 121_000) }
    const channel = makeWebhookChannel({ name: 'hook', url: hook, secret, clock })
    const channels = new Map([['hook', { channel, repeatable: true }]])
    const step = makePublish({ db, clock, log: () => undefined, channels })
    assert.deepEqual([await step(), await step()], ['worked', 'idle'])
    assert.equal((await stateOf(db, 'hook')).state, 'delivered')
    assert.equal(seen.length, 2)
    assert.deepEqual(seen[0], seen[1])
  })
})
