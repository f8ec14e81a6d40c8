import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { InputError } from '../../src/core/errors.ts'
import { assembleReport, freeze } from '../../src/core/reporting/assemble.ts'
import { sha256 } from '../../src/core/reporting/canonical-json.ts'
import type { Report } from '../../src/core/reporting/report.ts'
import { compareReplays, reliabilityOf, reportByHand } from '../../src/stages/report.ts'
import { gatherEvidence } from '../../src/store/report-evidence.ts'
import { findReport, reportBefore } from '../../src/store/reports.ts'
import type { Db } from '../../src/store/schema.ts'
import { onBothEngines } from '../support/databases.ts'
import { clear, endTrials, givenTraffic, reportBench, WEEKLY, windowsOf } from '../support/reporting.ts'

const SLOT = '2026-11-30T08:00:00.000Z'

onBothEngines('report', (get) => {
  let db: Db
  beforeEach(async () => {
    db = (await get()).db
    await clear(db)
  })

  async function reports(): Promise<readonly Report[]> {
    const rows = await db.selectFrom('reports').select('id').orderBy('created_at').execute()
    return Promise.all(rows.map(async ({ id }) => (await findReport(db, id))?.report as Report))
  }

  /** A schedule that is known, at the moment its slot falls due. */
  async function dueBench(options: Parameters<typeof reportBench>[1] = {}) {
    const bench = reportBench(db, options)
    await bench.tick()
    bench.clock.set(SLOT)
    await bench.tick()
    return bench
  }

  it('does not backfill a schedule that it sees for the first time', async () => {
    const bench = reportBench(db)
    await bench.tick()
    assert.equal(await bench.step(), 'idle')
    assert.deepEqual(
      (await windowsOf(db)).map(({ state, window_to }) => [state, window_to.toISOString()]),
      [['skipped', '2026-11-23T08:00:00.000Z']],
    )
  })

  it('takes a window from due to one frozen report with its deliveries', async () => {
    await givenTraffic(db, '2026-11-25T10:00:00Z')
    const bench = await dueBench()
    assert.equal(await bench.step(), 'worked')
    const [, window] = await windowsOf(db)
    assert.equal(window?.state, 'replaying')
    assert.equal(window?.replay_ids.length, 2)
    assert.deepEqual(
      (await db.selectFrom('replays').select('name').orderBy('name').execute()).map(({ name }) => name),
      ['weekly 2026-11-30T08:00Z support-agent@1', 'weekly 2026-11-30T08:00Z support-agent@2'],
    )
    assert.equal(await bench.step(), 'idle', 'its trials are still planned')

    for (const [i, id] of (window?.replay_ids ?? []).entries())
      await endTrials(db, id, (place) => (place < 3 - i ? 'wrong' : 'passed'))
    bench.clock.pass(2000)
    assert.equal(await bench.step(), 'worked')
    assert.equal(await bench.step(), 'idle')

    const [report, ...others] = await reports()
    assert.deepEqual(others, [])
    assert.ok(report !== undefined)
    assert.equal(report.title, 'support reliability, weekly')
    assert.deepEqual(report.window, { from: '2026-11-23T08:00:00.000Z', to: SLOT, timezone: 'Europe/Berlin' })
    assert.equal(report.late, false)
    assert.deepEqual(
      report.replays.map(({ version, trials, suite }) => [version, trials.planned, suite.passHatK['2']?.estimate]),
      [
        ['1', 30, 0.7],
        ['2', 30, 0.8],
      ],
    )
    assert.ok(report.replays[0]?.cases.every((row) => row.title.startsWith('Where is order')))
    assert.ok(Math.abs((report.replays[0]?.traffic?.['2']?.n ?? 0) - 10) < 1e-9)
    assert.match(
      report.comparison?.verdict ?? '',
      /^2 against 1, for cases drawn like these: no difference shown on pass\^2/,
    )
    assert.deepEqual(report.production[0]?.figure.estimate, 0.2)
    assert.deepEqual(report.coverage, {
      rows: [
        { rule: 'rest', sampler: 'probabilistic', received: 200, kept: 20, dropped: 180, shed: 0, incomplete: 0 },
        { rule: 'health', sampler: 'drop', received: 7, kept: 0, dropped: 7, shed: 0, incomplete: 0 },
      ],
      received: 207,
      kept: 20,
      dropped: 187,
      shed: 0,
    })
    assert.match(report.notMeasured.join('\n'), /Rule health drops what it matches: 7 traces/)

    const deliveries = await db.selectFrom('deliveries').selectAll().orderBy('channel').execute()
    assert.deepEqual(
      deliveries.map(({ channel, state, report_id }) => [channel, state, report_id]),
      [
        ['folder', 'pending', report.id],
        ['team', 'pending', report.id],
      ],
    )
  })

  it('gives the same bytes when it is recomputed from the same rows', async () => {
    await givenTraffic(db, '2026-11-25T10:00:00Z')
    const bench = await dueBench()
    await bench.step()
    for (const id of (await windowsOf(db))[1]?.replay_ids ?? [])
      await endTrials(db, id, (place, trial) => ((place + trial) % 4 === 0 ? 'errored' : 'passed'))
    bench.clock.pass(2000)
    await bench.step()
    const row = await db.selectFrom('reports').selectAll().executeTakeFirstOrThrow()
    assert.equal(sha256(row.body), row.sha256)

    const { id, title, seed, createdAt, level } = JSON.parse(row.body) as Report
    const [, window] = await windowsOf(db)
    assert.ok(window !== undefined)
    const again = await gatherEvidence(db, {
      ...{ id, title, seed, level, createdAt: new Date(createdAt), k: WEEKLY.k, finalAfterMs: 1_800_000 },
      replayIds: window.replay_ids,
      window: {
        ...{ schedule: 'weekly', from: window.window_from, to: window.window_to, timezone: WEEKLY.timezone },
        ...{ late: window.late, remarks: window.remarks },
      },
    })
    assert.deepEqual(freeze(assembleReport(again)), {
      report: JSON.parse(row.body),
      body: row.body,
      sha256: row.sha256,
    })
  })

  it('makes one report though two workers are at it and both tick', async () => {
    await givenTraffic(db, '2026-11-25T10:00:00Z')
    const [one, other] = [reportBench(db), reportBench(db)]
    await Promise.all([one.tick(), other.tick()])
    for (const bench of [one, other]) bench.clock.set(SLOT)
    await Promise.all([one.tick(), other.tick()])
    const workers = [one, other]
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(workers.map((bench) => bench.step()))
      for (const window of await windowsOf(db))
        for (const id of window.replay_ids) await endTrials(db, id, () => 'passed')
      for (const bench of workers) bench.clock.pass(2000)
    }
    assert.equal((await reports()).length, 1)
    assert.equal((await db.selectFrom('replays').select('id').execute()).length, 2)
    assert.equal((await db.selectFrom('deliveries').select('id').execute()).length, 2)
  })

  it('goes on where it was killed, without a second draw or replay', async () => {
    await givenTraffic(db, '2026-11-25T10:00:00Z')
    let plans = 0
    const dying = await dueBench({
      onPlan: () => {
        plans += 1
        if (plans === 2) throw new Error('killed')
      },
    })
    await assert.rejects(dying.step(), /killed/)
    const first = await db.selectFrom('replays').select('id').execute()
    assert.equal(first.length, 1)

    const next = reportBench(db)
    next.clock.set('2026-11-30T08:00:05Z')
    assert.equal(await next.step(), 'idle', 'the window is still leased')
    next.clock.pass(60_000)
    assert.equal(await next.step(), 'worked')
    const [, window] = await windowsOf(db)
    assert.equal(window?.state, 'replaying')
    assert.equal(window?.replay_ids[0], first[0]?.id)
    assert.equal((await db.selectFrom('draws').select('id').execute()).length, 1)
    assert.equal((await db.selectFrom('replays').select('id').execute()).length, 2)
  })

  it('catches up the latest missed slot once, marks it late and names the older ones', async () => {
    await givenTraffic(db, '2026-12-16T10:00:00Z')
    const before = reportBench(db)
    await before.tick()
    const bench = reportBench(db)
    bench.clock.set('2026-12-22T12:00:00Z')
    await bench.tick()
    await bench.tick()
    assert.deepEqual(
      (await windowsOf(db)).map(({ state, late, window_to }) => [state, late, window_to.toISOString().slice(0, 10)]),
      [
        ['skipped', false, '2026-11-23'],
        ['skipped', false, '2026-11-30'],
        ['skipped', false, '2026-12-07'],
        ['skipped', false, '2026-12-14'],
        ['due', true, '2026-12-21'],
      ],
    )
    await bench.step()
    for (const window of await windowsOf(db))
      for (const id of window.replay_ids) await endTrials(db, id, () => 'passed')
    bench.clock.pass(2000)
    await bench.step()
    const [report] = await reports()
    assert.equal(report?.late, true)
    assert.match(
      report?.notMeasured.join('\n') ?? '',
      /3 earlier windows, from 2026-11-23 09:00 to 2026-12-14 09:00, fell due while the service was down/,
    )
  })

  it('reports a window without traffic, and says that there was none', async () => {
    const bench = await dueBench()
    await bench.step()
    await bench.step()
    const [report] = await reports()
    assert.deepEqual(report?.replays, [])
    assert.equal(report?.comparison, null)
    assert.match(
      report?.notMeasured.join('\n') ?? '',
      /Nothing was replayed: suite "support" has no case: no trace was kept/,
    )
    assert.match(report?.notMeasured.join('\n') ?? '', /No trace arrived in the window/)
    assert.equal(report?.production[0]?.figure.estimate, null)
  })

  it('reports what it can when a target cannot be replayed', async () => {
    await givenTraffic(db, '2026-11-25T10:00:00Z')
    let plans = 0
    const bench = await dueBench({
      onPlan: () => {
        plans += 1
        if (plans === 2) throw new InputError('unknown_target', 'target "support-agent" has no version 2')
      },
    })
    await bench.step()
    const [, window] = await windowsOf(db)
    await endTrials(db, window?.replay_ids[0] ?? '', () => 'passed')
    bench.clock.pass(2000)
    await bench.step()
    const [report] = await reports()
    assert.equal(report?.replays.length, 1)
    assert.match(report?.notMeasured.join('\n') ?? '', /support-agent@2 was not replayed: target .* has no version 2\./)
  })

  it('fails a window whose schedule has left the configuration', async () => {
    await dueBench()
    const without = reportBench(db, { schedules: [] })
    without.clock.set('2026-11-30T08:01:00Z')
    assert.equal(await without.step(), 'worked')
    const [, window] = await windowsOf(db)
    assert.deepEqual([window?.state, window?.error], ['failed', 'schedule weekly is no longer in the configuration'])
  })

  it('compares with the report of the window before', async () => {
    await givenTraffic(db, '2026-11-25T10:00:00Z')
    await givenTraffic(db, '2026-12-02T10:00:00Z', { prefix: 'b' })
    const bench = await dueBench()
    for (const slot of [SLOT, '2026-12-07T08:00:00Z']) {
      bench.clock.set(slot)
      await bench.tick()
      await bench.step()
      const window = (await windowsOf(db)).at(-1)
      for (const id of window?.replay_ids ?? []) await endTrials(db, id, () => (slot === SLOT ? 'passed' : 'wrong'))
      bench.clock.pass(2000)
      await bench.step()
    }
    const [first, second] = await reports()
    assert.equal(first?.since, null)
    assert.equal(second?.since?.report, first?.id)
    assert.equal(second?.since?.differences[0]?.figure.estimate, -1)
    assert.ok(Number(second?.since?.differences[0]?.figure.high) < 0)
    assert.equal((await reportBefore(db, { schedule: 'weekly', to: new Date(SLOT) }))?.id, undefined)
  })

  it('makes reports by hand, from finished replays only', async () => {
    await givenTraffic(db, '2026-11-25T10:00:00Z')
    const bench = await dueBench()
    await bench.step()
    const [a = '', b = ''] = (await windowsOf(db))[1]?.replay_ids ?? []
    const needs = { db, clock: bench.clock, random: bench.random }
    const wish = { replays: [a, b], title: 'Release 2', level: 0.9 }
    await assert.rejects(
      reportByHand(needs, wish),
      (error) =>
        error instanceof InputError && error.code === 'replay_unfinished' && /30 of 30 trials/.test(error.message),
    )
    for (const id of [a, b]) await endTrials(db, id, (place) => (id === b && place < 5 ? 'wrong' : 'passed'))
    const report = await reportByHand(needs, wish)
    assert.deepEqual((await findReport(db, report.id))?.report, report)
    assert.deepEqual([report.title, report.window, report.level], ['Release 2', null, 0.9])
    assert.deepEqual(report.production, [])

    const alone = await reliabilityOf(db, { replay: a, k: 3, level: 0.95 })
    assert.deepEqual([alone.k, alone.suite.passHatK['3']?.estimate], [3, 1])
    const comparison = await compareReplays(db, { a, b, k: null, level: 0.95 })
    assert.equal(comparison.differences['pass^2']?.estimate, -0.5)
    assert.deepEqual(comparison, await compareReplays(db, { a, b, k: null, level: 0.95 }))
    await assert.rejects(reliabilityOf(db, { replay: 'nowhere', k: null, level: 0.95 }), /no replay "nowhere"/)
    await assert.rejects(reportByHand(needs, { ...wish, replays: [] }), /no replay was named/)
  })
})
