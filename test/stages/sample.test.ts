import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { encodeOtlp } from '../../src/core/trace/otlp/message.ts'
import { decodeTraces } from '../../src/core/trace/otlp/spans.ts'
import { summarise } from '../../src/core/trace/summarise.ts'
import type { Database } from '../../src/store/database.ts'
import { feedbackFor } from '../../src/store/feedback.ts'
import { viewTraces } from '../../src/store/views/traces.ts'
import { onBothEngines } from '../support/databases.ts'
import {
  CAPTURED,
  captured,
  keyValues,
  otlpBody,
  otlpSpan,
  type SpanGiven,
  spanIdOf,
  traceIdOf,
  traceOf,
} from '../support/otlp-fixtures.ts'
import { readTraces } from '../support/otlp-json.ts'
import { makeRoad, type Road } from '../support/road.ts'
import { censusBetween, otlpOf, traceById } from '../support/stored.ts'

const MINUTE = 60_000
const FIXTURES = new URL('../fixtures/genai/', import.meta.url)

onBothEngines('the sampler', (get) => {
  /** A fresh road over emptied tables. */
  const road = async (given: Partial<Parameters<typeof makeRoad>[0]> = {}) => {
    const { db } = await get()
    await sql`truncate traces, census, sampler_batches, feedback, trials, replays, cases cascade`.execute(db)
    return makeRoad({ db, ...given })
  }
  const db = async () => (await get()).db
  const send = (to: Road, spans: readonly SpanGiven[]) => to.ingest.traces(otlpBody(spans), 'protobuf')
  const census = async () => {
    const rows = await censusBetween(await db(), new Date(0), new Date('2100-01-01'))
    return rows.map((r) => ({
      rule: r.rule,
      received: r.received,
      kept: r.kept,
      dropped: r.dropped,
      incomplete: r.incomplete,
      late: r.late_spans,
    }))
  }

  it('keeps a complete trace with its summary, its OTLP and its probability', async () => {
    const one = await road()
    await send(one, traceOf(1, 2, { attributes: { 'gen_ai.agent.name': 'support' } }))
    await one.pass(29_000)
    assert.equal(await traceById(await db(), traceIdOf(1)), undefined)
    await one.pass(1000)
    const trace = await traceById(await db(), traceIdOf(1))
    assert.equal(trace?.p, 1)
    assert.deepEqual([trace?.rule, trace?.completion, trace?.whole, trace?.span_count], ['rest', 'root', true, 3])
    assert.deepEqual([trace?.agent, trace?.service, trace?.summary.agent], ['support', 'support-bot', 'support'])
    assert.equal(trace?.window_start.toISOString(), '2026-12-01T10:00:00.000Z')
    const spans = decodeTraces((await otlpOf(await db(), traceIdOf(1))) as Uint8Array)
    assert.deepEqual(spans, decodeTraces(otlpBody(traceOf(1, 2, { attributes: { 'gen_ai.agent.name': 'support' } }))))
    assert.deepEqual(await census(), [{ rule: 'rest', received: 1, kept: 1, dropped: 0, incomplete: 0, late: 0 }])
    assert.deepEqual(one.spool.waiting(), { entries: 0, bytes: 0 })
    await one.close()
  })

  it('takes the payloads that SDKs really send, as JSON, to the summaries that their spans give', async () => {
    const one = await road()
    for (const name of CAPTURED) await one.ingest.traces(captured(name), 'json')
    await one.pass(20 * MINUTE)
    let traces = 0
    for (const spans of CAPTURED.flatMap((name) => readTraces(new URL(name, FIXTURES)))) {
      const stored = await traceById(await db(), spans[0]?.traceId ?? '')
      assert.deepEqual(stored?.summary, JSON.parse(JSON.stringify(summarise(spans))))
      traces++
    }
    assert.equal((await viewTraces(await db(), { limit: 200 })).rows.length, traces)
    assert.deepEqual(one.logged, [])
    await one.close()
  })

  it('adds up over thousands of traces of several rules, in shuffled and repeated batches', async () => {
    const one = await road({
      rules: [
        { name: 'errors', when: [{ status_code: ['ERROR'] }], sampler: { type: 'always' } },
        {
          name: 'health',
          when: [{ string_attribute: { key: 'http.route', values: ['/healthz'] } }],
          sampler: { type: 'drop' },
        },
        { name: 'rest', sampler: { type: 'probabilistic', percentage: 20 } },
      ],
    })
    const spans = Array.from({ length: 2500 }, (_, n) => {
      const attributes: Record<string, string> = n % 7 === 0 ? { 'http.route': '/healthz' } : {}
      return traceOf(n, 1, { status: n % 25 === 0 ? 2 : 0, attributes })
    }).flat()
    const shuffled = spans.map((_, i) => spans[(i * 1777) % spans.length] as SpanGiven)
    for (let at = 0; at < shuffled.length; at += 100) {
      await send(one, shuffled.slice(at, at + 100))
      if (at % 500 === 0) await send(one, shuffled.slice(at, at + 50))
    }
    await one.pass(MINUTE)
    const rows = await census()
    assert.equal(
      rows.reduce((sum, row) => sum + row.received, 0),
      2500,
    )
    for (const row of rows) assert.equal(row.kept + row.dropped, row.received)
    const kept = await (await db()).selectFrom('traces').select(['rule', 'p']).execute()
    const weight = (rule: string) =>
      kept.filter((t) => t.rule === rule).reduce((sum, t) => sum + 1 / (t.p as number), 0)
    const rowOf = (rule: string) => rows.find((row) => row.rule === rule)
    assert.equal(weight('errors'), 100)
    assert.equal(rowOf('errors')?.received, 100)
    assert.deepEqual([rowOf('health')?.kept, rowOf('health')?.dropped], [0, rowOf('health')?.received])
    const rest = rowOf('rest')?.received ?? 0
    assert.ok(Math.abs(weight('rest') - rest) < 4 * Math.sqrt(rest * 4), `${weight('rest')} of ${rest}`)
    assert.equal(
      kept.length,
      rows.reduce((sum, row) => sum + row.kept, 0),
    )
    await one.close()
  })

  it('lets late spans follow a decision to keep: merged, counted, summarised again, once', async () => {
    const one = await road()
    const [root, child] = traceOf(1) as [SpanGiven, SpanGiven]
    await send(one, [root])
    await one.pass(MINUTE)
    const late = { ...child, attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'lookup' } }
    await send(one, [late])
    await send(one, [root, late])
    await one.pass(MINUTE)
    const trace = await traceById(await db(), traceIdOf(1))
    assert.deepEqual([trace?.span_count, trace?.late_spans], [2, 1])
    assert.deepEqual(
      trace?.summary.tools.map((tool) => tool.name),
      ['lookup'],
    )
    assert.deepEqual(await census(), [{ rule: 'rest', received: 1, kept: 1, dropped: 0, incomplete: 0, late: 1 }])
    assert.deepEqual(one.spool.waiting(), { entries: 0, bytes: 0 })
    await one.close()
  })

  it('lets late spans follow a decision to drop, also after a restart', async () => {
    const rules = [{ name: 'none', sampler: { type: 'drop' } }]
    const one = await road({ rules })
    const [root, child] = traceOf(1) as [SpanGiven, SpanGiven]
    await send(one, [root])
    await one.pass(MINUTE)
    await one.close()
    const two = await makeRoad({ db: await db(), folder: one.folder, rules, startAt: one.clock.now().getTime() })
    await send(two, [child])
    await two.pass(MINUTE)
    assert.deepEqual(await census(), [{ rule: 'none', received: 1, kept: 0, dropped: 1, incomplete: 0, late: 1 }])
    assert.equal(await traceById(await db(), traceIdOf(1)), undefined)
    await two.close()
  })

  it('decides a fragment after the idle timeout and counts it as incomplete', async () => {
    const one = await road()
    await send(one, traceOf(1).slice(1))
    await one.pass(11 * MINUTE)
    const trace = await traceById(await db(), traceIdOf(1))
    assert.deepEqual([trace?.completion, trace?.whole], ['idle', false])
    assert.equal((await census())[0]?.incomplete, 1)
    await one.close()
  })

  it('rebuilds its index after a restart and goes on where it was', async () => {
    const one = await road()
    await send(one, [...traceOf(1), ...traceOf(2).slice(0, 1)])
    await one.pass(10_000)
    await send(one, [...traceOf(2).slice(1), ...traceOf(3)])
    await one.pass(22_000) // trace 1 is decided; its entry still holds part of trace 2
    assert.equal((await viewTraces(await db(), { limit: 10 })).rows.length, 1)
    await one.close()
    const two = await makeRoad({ db: await db(), folder: one.folder, startAt: one.clock.now().getTime() })
    await two.pass(MINUTE)
    assert.deepEqual(await census(), [{ rule: 'rest', received: 3, kept: 3, dropped: 0, incomplete: 0, late: 0 }])
    assert.equal((await traceById(await db(), traceIdOf(2)))?.span_count, 2)
    assert.deepEqual(two.spool.waiting(), { entries: 0, bytes: 0 })
    await two.close()
  })

  it('does not take spans for late that it counted before a restart', async () => {
    const rules = [{ name: 'none', sampler: { type: 'drop' } }]
    const one = await road({ rules })
    await send(one, [...traceOf(1), ...traceOf(2).slice(1)])
    await one.pass(MINUTE) // trace 1 is decided; the entry stays for trace 2, which has no root yet
    assert.equal(one.spool.waiting().entries, 1)
    await one.close()
    const two = await makeRoad({ db: await db(), folder: one.folder, rules, startAt: one.clock.now().getTime() })
    await two.pass(11 * MINUTE)
    assert.deepEqual(await census(), [{ rule: 'none', received: 2, kept: 0, dropped: 2, incomplete: 1, late: 0 }])
    await two.close()
  })

  it('applies a batch once, wherever between plan and settle it died', async () => {
    for (const dies of ['before the database', 'after the database'] as const) {
      const one = await road()
      await send(one, [...traceOf(1), ...traceOf(2)])
      await one.run()
      const { plan } = one.spool
      if (dies === 'after the database') one.spool.settle = async () => assert.fail('died')
      else {
        one.spool.plan = async (work) => {
          await plan(work)
          return assert.fail('died')
        }
      }
      await assert.rejects(one.pass(MINUTE), /died/)
      await one.close()
      const two = await makeRoad({ db: await db(), folder: one.folder, startAt: one.clock.now().getTime() })
      await two.pass(MINUTE)
      assert.deepEqual(await census(), [{ rule: 'rest', received: 2, kept: 2, dropped: 0, incomplete: 0, late: 0 }])
      assert.deepEqual(two.spool.waiting(), { entries: 0, bytes: 0 })
      await two.close()
    }
  })

  it('waits with its batch while the database cannot be reached, and loses nothing', async () => {
    const one = await road()
    const real = await get()
    let isDown = true
    const flaky = new Proxy(real.db, {
      get: (target, key) => {
        if (key === 'transaction' && isDown) throw new Error('connection refused')
        const value: unknown = Reflect.get(target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }) as Database['db']
    await one.close()
    const two = await makeRoad({ db: flaky, folder: one.folder })
    await send(two, traceOf(1))
    await assert.rejects(two.pass(MINUTE), /connection refused/)
    await assert.rejects(two.run(), /connection refused/)
    assert.equal((await two.ingest.traces(otlpBody(traceOf(2)), 'protobuf')).outcome, 'accepted')
    isDown = false
    await two.pass(MINUTE)
    assert.deepEqual(await census(), [{ rule: 'rest', received: 2, kept: 2, dropped: 0, incomplete: 0, late: 0 }])
    await two.close()
  })

  it('redacts everything before the database sees it', async () => {
    const one = await road()
    const secret = 'jane.doe@example.com'
    const [root] = traceOf(1, 0, { attributes: { 'gen_ai.agent.name': 'support', 'user.note': `mail ${secret}` } })
    const bytes = { key: 'raw', value: { bytesValue: new TextEncoder().encode(`bytes of ${secret}`) } }
    const span = otlpSpan(root as SpanGiven)
    const body = encodeOtlp({
      resourceSpans: [
        {
          resource: { attributes: keyValues({ owner: secret }) },
          scopeSpans: [
            {
              spans: [
                {
                  ...span,
                  name: `ask ${secret}`,
                  attributes: [...(span.attributes ?? []), bytes, { key: secret, value: { stringValue: 'as a key' } }],
                  status: { code: 2, message: `no mailbox ${secret}` },
                  events: [{ name: 'exception', attributes: keyValues({ 'exception.message': `to ${secret}` }) }],
                },
              ],
            },
          ],
        },
      ],
    })
    await one.ingest.traces(body, 'protobuf')
    await one.ingest.event(
      { type: 'feedback', traceId: traceIdOf(1), name: 'user', comment: `call ${secret}` },
      { source: 'helpdesk', eventId: 'e1' },
    )
    await one.pass(MINUTE)
    const row = await (await db()).selectFrom('traces').selectAll().executeTakeFirstOrThrow()
    const stored = Buffer.from((await otlpOf(await db(), traceIdOf(1))) as Uint8Array).toString('latin1')
    const feedback = await feedbackFor(await db(), [traceIdOf(1)])
    for (const text of [JSON.stringify({ ...row, otlp: null }), stored, JSON.stringify(feedback)]) {
      assert.ok(!text.includes('jane.doe'), text.slice(0, 300))
      assert.ok(text.includes('[email]'))
    }
    await one.close()
  })

  it('stores feedback once, whether its trace is known, dropped or never seen', async () => {
    const one = await road({ rules: [{ name: 'none', sampler: { type: 'drop' } }] })
    await send(one, traceOf(1))
    const event = (n: number, more: object) =>
      ({ type: 'feedback', traceId: traceIdOf(n), name: 'user', ...more }) as const
    assert.equal(
      (await one.ingest.event(event(1, { label: 'thumbs-down', score: -1 }), { source: 's', eventId: 'a' })).outcome,
      'accepted',
    )
    assert.equal(
      (await one.ingest.event(event(1, { label: 'thumbs-down', score: -1 }), { source: 's', eventId: 'a' })).outcome,
      'duplicate',
    )
    await one.ingest.event(event(99, { comment: 'x' }), { source: 's', eventId: 'b' })
    await one.pass(MINUTE)
    const rows = await feedbackFor(await db(), [traceIdOf(1), traceIdOf(99)])
    assert.deepEqual(
      rows.map((r) => [r.event_id, r.label, r.score, r.comment]),
      [
        ['a', 'thumbs-down', -1, null],
        ['b', null, null, 'x'],
      ],
    )
    assert.deepEqual(one.spool.waiting(), { entries: 0, bytes: 0 })
    await one.close()
  })

  it('goes on over what it cannot read: counted, logged, never silent', async () => {
    const summariseOrThrow: typeof summarise = (spans) => {
      if (spans.some((span) => span.name === 'poison')) throw new Error('a bug of ours with bob@example.com in it')
      return summarise(spans)
    }
    const one = await road({ makers: { summarise: summariseOrThrow } })
    // The scanner walks past this attribute value, the decoder cannot read it.
    const broken = Buffer.from(otlpBody(traceOf(1, 1, { attributes: { broken: 'xxxxxxxxxx' } })))
    broken[broken.indexOf('xxxxxxxxxx') - 1] = 0x60
    await one.ingest.traces(broken, 'protobuf')
    await send(one, traceOf(2, 0, { name: 'poison' }))
    await one.spool.append({ kind: 'otlp', arrivedAt: one.clock.now().getTime(), body: Buffer.from([0x0a, 0x50]) })
    await one.spool.append({ kind: 'feedback', arrivedAt: one.clock.now().getTime(), body: Buffer.from('{"source":') })
    await send(one, traceOf(3))
    await one.pass(MINUTE)
    assert.equal(one.sample.status().unreadable, 4)
    assert.equal(one.logged.filter((line) => line.startsWith('error')).length, 4)
    assert.ok(!one.logged.join().includes('bob@'))
    assert.equal((await traceById(await db(), traceIdOf(1)))?.span_count, 1)
    assert.equal((await traceById(await db(), traceIdOf(3)))?.span_count, 2)
    assert.deepEqual(await census(), [{ rule: 'rest', received: 3, kept: 2, dropped: 1, incomplete: 0, late: 0 }])
    assert.deepEqual(one.spool.waiting(), { entries: 0, bytes: 0 })
    await one.close()
  })

  it('stores text that PostgreSQL has no characters for, and words too long for an index', async () => {
    const one = await road()
    const agent = `a${'é'.repeat(5000)}`
    const message = `half \ud83d and nul \u0000 end`
    await one.ingest.traces(
      Buffer.from(
        JSON.stringify({
          resourceSpans: [
            {
              scopeSpans: [
                {
                  spans: [
                    {
                      traceId: traceIdOf(1),
                      spanId: spanIdOf(0),
                      name: 'x',
                      endTimeUnixNano: '5',
                      status: { code: 2, message },
                      attributes: [
                        { key: 'gen_ai.agent.name', value: { stringValue: agent } },
                        { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        }),
      ),
      'json',
    )
    await one.pass(MINUTE)
    assert.deepEqual(one.logged, [])
    const trace = await traceById(await db(), traceIdOf(1))
    assert.equal(trace?.agent?.length, 256)
    assert.equal(trace?.error, 'half \ufffd and nul \ufffd end')
    assert.deepEqual(one.logged, [])
    await one.close()
  })

  it('takes a trace that comes again after its decision was forgotten, without a second row', async () => {
    const one = await road()
    await send(one, traceOf(1).slice(0, 1))
    await one.pass(MINUTE)
    await one.pass(25 * 60 * MINUTE)
    await send(one, traceOf(1))
    await one.pass(MINUTE)
    const trace = await traceById(await db(), traceIdOf(1))
    assert.deepEqual([trace?.span_count, trace?.late_spans], [2, 1])
    await one.close()
  })

  it('leaves the traces of its own trials out of sampling and census, late spans included', async () => {
    const one = await road()
    const trial = {
      replay_id: 'r',
      case_id: 'c',
      trial: 0,
      idempotency_key: 'k',
      trace_id: traceIdOf(1),
    }
    await (await db())
      .insertInto('replays')
      .values({
        ...{
          id: 'r',
          name: 'r',
          origin: 'run',
          target: 't',
          version: '1',
          trials: 1,
          k: 1,
          seed: 's',
          state: 'running',
        },
        ...{ completion_only: true, graders: '[]', manifest: '{}', created_at: one.clock.now() },
      })
      .execute()
    await (await db())
      .insertInto('cases')
      .values({
        id: 'c',
        suite: 's',
        origin: 'import',
        stratum: 'all',
        input: '{}',
        fingerprint: 'f',
        created_at: one.clock.now(),
      })
      .execute()
    await (await db()).insertInto('trials').values(trial).execute()
    await send(one, traceOf(1))
    await one.pass(0)
    assert.deepEqual(one.spool.waiting(), { entries: 0, bytes: 0 }, 'nobody waits for a root that stays with us')
    await send(one, [...traceOf(1).slice(0, 1), ...traceOf(2)])
    await one.pass(MINUTE)
    await send(one, traceOf(1).slice(1))
    await one.pass(MINUTE)
    assert.deepEqual(await census(), [{ rule: 'rest', received: 1, kept: 1, dropped: 0, incomplete: 0, late: 0 }])
    assert.equal(await traceById(await db(), traceIdOf(1)), undefined)
    assert.deepEqual(one.spool.waiting(), { entries: 0, bytes: 0 })
    await one.close()
  })

  it('lists traces by agent, rule and time, page by page', async () => {
    const one = await road()
    for (let n = 0; n < 5; n++) {
      await send(one, traceOf(n, 0, { attributes: { 'gen_ai.agent.name': n === 2 ? 'other' : 'support' } }))
      await one.pass(1000)
    }
    await one.pass(MINUTE)
    const ids = async (filter: Partial<Parameters<typeof viewTraces>[1]>) =>
      (await viewTraces(await db(), { limit: 10, ...filter })).rows.map((t) => t.traceId)
    assert.deepEqual(await ids({}), [4, 3, 2, 1, 0].map(traceIdOf))
    assert.deepEqual(await ids({ agent: 'other' }), [traceIdOf(2)])
    assert.deepEqual(await ids({ rule: 'none' }), [])
    const { rows, more } = await viewTraces(await db(), { limit: 2 })
    const [first, second] = rows
    assert.ok(first && second && more)
    const arrived = new Date(second.arrivedAt)
    assert.deepEqual(await ids({ before: { arrivedAt: arrived, traceId: second.traceId } }), [2, 1, 0].map(traceIdOf))
    assert.deepEqual(await ids({ from: arrived, to: new Date(first.arrivedAt) }), [second.traceId])
    await one.close()
  })
})
