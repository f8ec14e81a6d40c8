import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { STARTER_CATEGORIES } from '../../src/core/taxonomy/failure.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'

const MAIN = path.join(import.meta.dirname, '../../src/main.ts')
const K = 3

/** C(n, k) as a whole number: not the product's way of computing pass^k. */
function choose(n: number, k: number): bigint {
  if (k > n) return 0n
  let value = 1n
  for (let i = 1n; i <= BigInt(k); i++) value = (value * (BigInt(n) - i + 1n)) / i
  return value
}

const ratio = (a: bigint, b: bigint) => Number((a * 10n ** 15n) / b) / 1e15
const passHat = (n: number, c: number, k: number) => (k > n ? null : ratio(choose(c, k), choose(n, k)))
const passAt = (n: number, c: number, k: number) => (k > n ? null : 1 - ratio(choose(n - c, k), choose(n, k)))
const shown = (value: number | null) => (value === null ? 'n/a' : value.toFixed(3))

describe('npm run demo', () => {
  const data = mkdtempSync(path.join(os.tmpdir(), 'assay-demo-'))
  let stdout = ''
  let stderr = ''
  let database: Database

  before(async () => {
    const run = promisify(execFile)
    const env = { ...process.env, HOME: data }
    const args = [MAIN, 'demo', '--data', data, '--conversations', '160', '--seed', 'demo']
    ;({ stdout, stderr } = await run(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 }))
    database = await openDatabase({ folder: path.join(data, 'pglite') })
  })
  after(async () => {
    await database?.close()
    rmSync(data, { recursive: true, force: true })
  })

  it('prints the reliability that the stored trials have, recomputed another way', async () => {
    for (const version of ['1.0.0', '2.0.0']) {
      const trials = await database.db
        .selectFrom('trials')
        .innerJoin('replays', 'replays.id', 'trials.replay_id')
        .select(['case_id', 'outcome'])
        .where('version', '=', version)
        .execute()
      assert.ok(trials.length >= 100, `${trials.length} trials of ${version}`)
      for (const [caseId, own] of Map.groupBy(trials, (one) => one.case_id)) {
        const count = (outcome: string) => own.filter((one) => one.outcome === outcome).length
        const [passed, wrong, errored, ungraded] = ['passed', 'wrong', 'errored', 'ungraded'].map(count) as [
          number,
          number,
          number,
          number,
        ]
        assert.equal(passed + wrong + errored + ungraded, own.length, caseId)
        const n = passed + wrong + errored
        const cells = [
          caseId,
          `${passed}/${n}`,
          wrong,
          errored,
          ungraded,
          shown(passAt(n, passed, 1)),
          shown(passAt(n, passed, K)),
          shown(passHat(n, passed, K)),
        ]
        const line = new RegExp(
          `^${cells.map((cell) => String(cell).replace(/[/^.]/g, '\\$&')).join('\\s+')}\\s+${passed === n && n > 0 ? 'yes' : 'no'}\\s*$`,
          'm',
        )
        assert.match(sectionOf(stdout, version), line)
      }
    }
  })

  it('counts every trace once: kept and dropped are what was received', async () => {
    const census = await database.db.selectFrom('census').selectAll().execute()
    assert.ok(census.length > 0)
    for (const row of census) assert.equal(row.kept + row.dropped + row.shed, row.received, row.rule)
    const traces = await database.db.selectFrom('traces').select('rule').execute()
    for (const rule of new Set(census.map((row) => row.rule))) {
      const kept = census.filter((row) => row.rule === rule).reduce((sum, row) => sum + row.kept, 0)
      assert.equal(traces.filter((trace) => trace.rule === rule).length, kept, rule)
    }
  })

  it('receives what was sent, and none of the trials as production traffic', async () => {
    const [, turns] = /(\d+) turns of conversation sent/.exec(stderr) ?? []
    const census = await database.db.selectFrom('census').select('received').execute()
    const received = census.reduce((sum, row) => sum + row.received, 0)
    assert.equal(received, Number(turns))
    const trials = await database.db.selectFrom('trials').select('trace_id').execute()
    const traces = new Set(
      (await database.db.selectFrom('traces').select('trace_id').execute()).map((one) => one.trace_id),
    )
    assert.equal(trials.filter((trial) => traces.has(trial.trace_id)).length, 0)
  })

  it('keeps traces whose weights add up to what was received', async () => {
    const census = await database.db.selectFrom('census').selectAll().execute()
    const traces = await database.db.selectFrom('traces').select(['rule', 'p']).execute()
    for (const rule of new Set(census.map((row) => row.rule))) {
      const received = census.filter((row) => row.rule === rule).reduce((sum, row) => sum + row.received, 0)
      const weights = traces.filter((trace) => trace.rule === rule).map((trace) => 1 / (trace.p ?? Number.NaN))
      const total = weights.reduce((sum, weight) => sum + weight, 0)
      const sampler = census.find((row) => row.rule === rule)?.sampler
      if (sampler === 'always') assert.equal(total, received, rule)
      // Poisson sampling: the variance of the sum is received · (1 − p)/p; five standard errors miss once in two million.
      else if (weights[0] !== undefined)
        assert.ok(
          Math.abs(total - received) <= 5 * Math.sqrt(received * (weights[0] - 1)) + 1e-9,
          `${rule}: ${total} of ${received}`,
        )
    }
  })

  it('redacts the addresses and numbers that customers typed', async () => {
    const rows = await database.db.selectFrom('traces').select('summary').execute()
    const text = JSON.stringify(rows)
    assert.match(text, /\[email\]|\[phone\]/)
    assert.doesNotMatch(text, /@example\.(org|com|net)/)
  })

  it('publishes the report to files and says where', () => {
    const folder = path.join(data, 'reports')
    assert.ok(stdout.includes(folder))
    assert.deepEqual([...new Set(readdirSync(folder).map((name) => path.extname(name)))].sort(), [
      '.html',
      '.json',
      '.md',
      '.txt',
    ])
  })

  it('proposes failure modes, each in a starter category or in none', async () => {
    const modes = await database.db.selectFrom('failure_modes').select(['category', 'state']).execute()
    assert.ok(modes.every((mode) => mode.state === 'proposed'))
    const named = new Set(modes.flatMap(({ category }) => (category === null ? [] : [category])))
    for (const category of named) assert.ok((STARTER_CATEGORIES as readonly string[]).includes(category), category)
    // Which traces are kept is chance, and with it which mistakes are replayed: most kinds of them, in any draw.
    assert.ok(named.size >= 3, [...named].join(', '))
  })

  it('leaves no owner and frees its port', async () => {
    assert.equal(existsSync(path.join(data, 'owner.json')), false)
    const [, port] = /Assay listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(stdout) ?? []
    await new Promise<void>((resolve, reject) => {
      const probe = net.createServer().once('error', reject)
      probe.listen(Number(port), '127.0.0.1', () => probe.close(() => resolve()))
    })
  })
})

function sectionOf(text: string, version: string): string {
  const sections = text.split(/\n(?=[^\n]+\n─+\n)/)
  return (
    sections.find((one) => one.startsWith(`Reliability: support-agent ${version}`)) ??
    assert.fail(`no table of ${version}`)
  )
}
