import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { caseSchema, replaySchema, trialSchema } from '../../../src/http/api/schemas/replays.ts'
import { onBothEngines } from '../../support/databases.ts'
import {
  CASE_COUNT,
  caseId,
  MERGED_MODE_ID,
  MODE_ID,
  OLDER_TRACE_ID,
  OTHER_MODE_ID,
  REPLAY_ID,
  REPORT,
  REPORT_ID,
  replayRow,
  SUMMARY,
  seed,
  TRACE_ID,
  traceRow,
} from '../seed.ts'
import { bodyOf, serverOver } from '../serving.ts'

onBothEngines('reading through the API', (get) => {
  let server: ReturnType<typeof serverOver>
  const ask = async (path: string, status = 200) => {
    const response = await server.request(`/api/v1${path}`)
    assert.equal(response.status, status, `${path}: ${await response.clone().text()}`)
    return bodyOf(response)
  }
  before(async () => {
    const { db } = await get()
    await seed(db)
    server = serverOver(db)
  })

  it('sums the census by rule and stratum over whole hours, the last day by default', async () => {
    const day = await ask('/census')
    assert.deepEqual(day.total, { received: 512, kept: 137, dropped: 375, shed: 0, incomplete: 1 })
    assert.equal(day.rows.length, 2)
    const rest = day.rows.find((row: { rule: string }) => row.rule === 'rest')
    assert.deepEqual([rest.received, rest.kept, rest.dropped, rest.stratum], [500, 125, 375, 'support-agent'])
    const hour = await ask('/census?from=2026-10-05T07:00:00Z&to=2026-10-05T08:00:00Z')
    assert.equal(hour.total.received, 100)
    const none = await ask('/census?from=2025-01-01&to=2025-01-02')
    assert.deepEqual([none.rows, none.total.received], [[], 0])
  })

  it('lists traces newest first, by filter and page by page', async () => {
    const all = await ask('/traces')
    assert.deepEqual(
      all.traces.map((t: { traceId: string }) => t.traceId),
      [TRACE_ID, OLDER_TRACE_ID],
    )
    assert.equal(all.next, null)
    assert.equal((await ask('/traces?rule=errors')).traces[0].traceId, OLDER_TRACE_ID)
    assert.equal((await ask('/traces?agent=support-agent')).traces.length, 1)
    assert.equal((await ask('/traces?from=2026-10-05T08:30:00%2B00:00')).traces.length, 1)
    assert.equal((await ask('/traces?to=2026-10-05')).traces.length, 0)
    const first = await ask('/traces?limit=1')
    const second = await ask(`/traces?limit=1&before=${encodeURIComponent(first.next)}`)
    assert.deepEqual([first.traces[0].traceId, second.traces[0].traceId, second.next], [TRACE_ID, OLDER_TRACE_ID, null])
  })

  it('pages through traces that arrived in the same millisecond without loss or repeat', async () => {
    const { db } = await get()
    const ids = Array.from({ length: 7 }, (_, i) => `${i}`.padStart(32, 'a'))
    const arrived_at = '2026-09-01T00:00:00.123Z'
    await db
      .insertInto('traces')
      .values(ids.map((trace_id) => traceRow({ trace_id, arrived_at, rule: 'alike' })))
      .execute()
    const seen: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page = await ask(`/traces?rule=alike&limit=2${next === '' ? '' : `&before=${encodeURIComponent(next)}`}`)
      seen.push(...page.traces.map((t: { traceId: string }) => t.traceId))
      next = page.next
    }
    assert.deepEqual(seen, ids.toReversed())
    await db.deleteFrom('traces').where('rule', '=', 'alike').execute()
  })

  it('gives one trace with summary, feedback and cases', async () => {
    const trace = await ask(`/traces/${TRACE_ID}`)
    assert.deepEqual(trace.summary, SUMMARY)
    assert.equal(trace.p, 0.25)
    assert.equal(trace.feedback[0].label, 'down')
    assert.deepEqual(trace.cases, [{ id: caseId(0), suite: 'support', drawId: 'draw_1' }])
    assert.equal('otlp' in trace, false)
    const { error } = await ask('/traces/0000', 404)
    assert.equal(error.code, 'not_found')
  })

  it('lists cases by suite and draw', async () => {
    const { cases } = await ask('/cases?suite=support&draw=draw_1')
    assert.equal(cases.length, CASE_COUNT)
    for (const one of cases) caseSchema.parse(one)
    assert.equal((await ask('/cases?suite=other')).cases.length, 0)
    const first = await ask('/cases?limit=4')
    const second = await ask(`/cases?limit=4&before=${first.next}`)
    assert.deepEqual([first.cases.length, second.cases.length, second.next], [4, CASE_COUNT - 4, null])
  })

  it('gives a replay by id and by name, with counts that add up', async () => {
    for (const name of [REPLAY_ID, encodeURIComponent('weekly 2026-10-05')]) {
      const replay = await ask(`/replays/${name}`)
      replaySchema.parse(replay)
      const { planned, ended, graded, passed, wrong, errored, ungraded } = replay.counts
      assert.deepEqual([planned, ended, graded], [30, 28, 27])
      assert.equal(passed + wrong + errored + ungraded, graded)
      assert.deepEqual([passed, wrong, errored, ungraded], [15, 7, 3, 2])
    }
    assert.equal((await ask('/replays')).replays[0].counts.cases, CASE_COUNT)
    await ask('/replays/none', 404)
  })

  it('prefers an id to a name that reads like it', async () => {
    const { db } = await get()
    await db
      .insertInto('replays')
      .values(replayRow({ id: 'replay_z', name: REPLAY_ID }))
      .execute()
    assert.equal((await ask(`/replays/${REPLAY_ID}`)).id, REPLAY_ID)
    await db.deleteFrom('replays').where('id', '=', 'replay_z').execute()
  })

  it('pages through all trials with their verdicts', async () => {
    const keys: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page = await ask(
        `/replays/${REPLAY_ID}/trials?limit=7${next === '' ? '' : `&after=${encodeURIComponent(next)}`}`,
      )
      for (const trial of page.trials) {
        trialSchema.parse(trial)
        keys.push(`${trial.caseId}/${trial.trial}`)
        if (trial.caseId === caseId(1) && trial.trial === 2) {
          assert.deepEqual(
            trial.verdicts.map((v: { grader: string }) => v.grader),
            ['no-refund-without-order', 'polite'],
          )
        } else assert.deepEqual(trial.verdicts, [])
        assert.equal(trial.answer === null, trial.status === null)
      }
      next = page.next
    }
    assert.equal(keys.length, 30)
    assert.equal(new Set(keys).size, 30)
    assert.deepEqual(keys, keys.toSorted())
  })

  it('lists failure modes with counts, and one with examples and history', async () => {
    const { failureModes } = await ask('/failure-modes')
    assert.deepEqual(
      failureModes.map((m: { id: string; failures: number }) => [m.id, m.failures]),
      [
        [MODE_ID, 2],
        [OTHER_MODE_ID, 1],
        [MERGED_MODE_ID, 0],
      ],
    )
    assert.deepEqual([failureModes[0].cases, failureModes[0].traces, failureModes[1].traces], [2, 0, 1])
    assert.equal((await ask('/failure-modes?state=accepted')).failureModes.length, 1)
    const mode = await ask(`/failure-modes/${MODE_ID}`)
    assert.deepEqual(
      mode.examples.map((e: { id: string }) => e.id),
      ['fail_2', 'fail_1'],
    )
    assert.deepEqual(mode.examples[1].source, { kind: 'trial', replayId: REPLAY_ID, caseId: caseId(1), trial: 2 })
    assert.equal(mode.history[0].act, 'propose')
    const merged = await ask(`/failure-modes/${MERGED_MODE_ID}`)
    assert.equal(merged.mergedInto, OTHER_MODE_ID)
    assert.deepEqual((await ask(`/failure-modes/${OTHER_MODE_ID}`)).mergedFrom, [
      { id: MERGED_MODE_ID, name: 'Slow orders' },
    ])
  })

  it('gives a report in the bytes in which it was frozen, and in its other forms', async () => {
    const { reports } = await ask('/reports')
    assert.deepEqual(
      reports[0].deliveries.map((d: { state: string }) => d.state),
      ['delivered', 'failed'],
    )
    for (const id of [REPORT_ID, 'latest']) {
      const frozen = await server.request(`/api/v1/reports/${id}`)
      assert.equal(await frozen.text(), JSON.stringify(REPORT))
      assert.equal(frozen.headers.get('etag'), '"ab12"')
    }
    const types = { html: 'text/html', md: 'text/markdown', txt: 'text/plain' }
    for (const [suffix, type] of Object.entries(types)) {
      const form = await server.request(`/api/v1/reports/latest.${suffix}`)
      assert.equal(form.status, 200)
      assert.equal(form.headers.get('content-type'), `${type}; charset=utf-8`)
      const text = await form.text()
      assert.match(text, /Weekly reliability/)
      if (suffix === 'html') assert.doesNotMatch(text, /<script|<img/)
      assert.match(form.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    }
    await ask('/reports/none', 404)
    await ask('/reports/none.html', 404)
  })

  it('says for each stage what waits, and for each schedule what became of its last window', async () => {
    const status = await ask('/status')
    const waiting = Object.fromEntries(
      status.stages.map((s: { stage: string; waiting: number }) => [s.stage, s.waiting]),
    )
    assert.deepEqual(waiting, {
      ingest: 3,
      sample: 2,
      select: null,
      replay: 2,
      grade: 1,
      classify: 30,
      report: 0,
      publish: 0,
    })
    assert.match(status.stages.at(-1).lastError.message, /connection refused/)
    const [weekly, nightly] = status.schedules
    assert.deepEqual(
      [weekly.lastWindow.state, weekly.lastWindow.reportId, nightly.lastWindow],
      ['reported', REPORT_ID, null],
    )
  })

  it('names the value, the place and what was expected of a wrong query', async () => {
    const cases: readonly (readonly [path: string, at: string, pattern: RegExp])[] = [
      ['/traces?limit=0', 'query.limit', /query\.limit "0": .*>=1/],
      ['/traces?limit=1000', 'query.limit', /200/],
      ['/traces?limit=many', 'query.limit', /number/],
      ['/traces?from=yesterday', 'query.from', /query\.from "yesterday"/],
      ['/traces?before=x', 'query.before', /`next` of the page before/],
      ['/failure-modes?state=gone', 'query.state', /accepted/],
      [`/replays/${REPLAY_ID}/trials?after=x`, 'query.after', /next/],
      ['/compare?a=x', 'query.b', /query\.b/],
    ]
    for (const [path, at, pattern] of cases) {
      const { error } = await ask(path, 400)
      assert.equal(error.code, 'invalid_input')
      assert.equal(error.at, at)
      assert.match(error.message, pattern)
    }
  })

  it('answers empty lists from an empty database, and no latest report', async () => {
    const { db } = await get()
    await db.deleteFrom('deliveries').execute()
    await db.deleteFrom('reports').execute()
    assert.deepEqual(await ask('/reports'), { reports: [], next: null })
    assert.equal((await ask('/reports/latest', 404)).error.message, 'There is no report yet')
  })
})
