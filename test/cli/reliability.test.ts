import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { compare } from '../../src/cli/compare.ts'
import { importCommand } from '../../src/cli/import.ts'
import { reliability } from '../../src/cli/reliability.ts'
import { report } from '../../src/cli/report.ts'
import type { Reliability } from '../../src/core/reporting/report.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { run, type Service, startService } from './serving.ts'

type Counts = readonly (readonly [n: number, passed: number])[]

type PublishedRun = {
  readonly name: string
  readonly counts: Counts
  readonly pass_at: Readonly<Record<string, number>>
  readonly pass_hat: Readonly<Record<string, number>>
  readonly published: { readonly pass_hat?: Readonly<Record<string, number>>; readonly 'pass^4'?: number }
}

const decimals = (value: number) => String(value).split('.')[1]?.length ?? 0
const PUBLISHED = new URL('../fixtures/published-pass-k.json', import.meta.url)
const runs = JSON.parse(readFileSync(PUBLISHED, 'utf8')) as readonly PublishedRun[]
const opus = runs.find(({ name }) => name === 'mcpmark/claude-opus-4-5-high')?.counts ?? []

/** Enough of the hundred trials a case of one run: all of them are in test/core/statistics/published.test.ts. */
const CASES_MAX = 130
const TRIALS_MAX = 4000
const small = runs.map(({ name, counts }) => {
  return { name, counts: counts.slice(0, Math.min(CASES_MAX, Math.floor(TRIALS_MAX / (counts[0]?.[0] ?? 1)))) }
})

/** Published runs, and of one the cases that nearly saturate it: where products live. */
const REPLAYS: readonly { readonly name: string; readonly counts: Counts; readonly k: number }[] = [
  ...small.map(({ name, counts }) => ({ name, counts, k: Math.min(3, counts[0]?.[0] ?? 1) })),
  { name: 'nearly saturated', counts: opus.filter(([n, passed]) => passed >= n - 1), k: 3 },
  { name: 'saturated', counts: opus.filter(([n, passed]) => passed === n), k: 3 },
  { name: 'never passed', counts: opus.filter(([, passed]) => passed === 0), k: 3 },
]

describe('assay reliability on published trials, taken in by assay import', () => {
  let service: Service
  let url = ''
  before(async () => {
    service = await startService()
    url = service.url
    const folder = await temporaryFolder()
    for (const { name, counts, k } of REPLAYS) {
      const file = path.join(folder, `${name.replace('/', '-')}.jsonl`)
      writeFileSync(file, linesOf(name, counts))
      await run(importCommand, ['trials', file, '--replay', name, '--k', String(k), '--url', url])
    }
  })
  after(() => service?.close())

  for (const { name, counts, k } of REPLAYS) {
    it(`prints no interval of zero width for ${name}`, async () => {
      const { code, out } = await run(reliability, ['--replay', name, '--methods', '--url', url])
      assert.equal(code, 0)
      const printed = [...out.matchAll(/([\d.]+) to ([\d.]+)/g)]
      const figures = out.split('\n').filter((line) => /^pass[@^]\d+[, ]/.test(line))
      assert.ok(figures.length >= (k === 1 ? 1 : 3))
      assert.ok(printed.length >= 2 * figures.length)
      for (const [range, low, high] of printed) assert.ok(Number(low) < Number(high), range)
      for (const line of figures)
        assert.match(line, / interval .*, for these cases again .*, n = \d+: .*; for traffic like this$/)
      const { out: json } = await run(reliability, ['--replay', name, '--json', '--url', url])
      for (const [low, high] of intervalsIn(JSON.parse(json))) assert.ok(low < high, `${low} to ${high}`)
    })

    it(`forms no p^k of pooled trials for ${name}`, async () => {
      const { out } = await run(reliability, ['--replay', name, '--json', '--k', String(k), '--url', url])
      const numbers = numbersIn(JSON.parse(out))
      const trials = counts.reduce((sum, [n]) => sum + n, 0)
      const passed = counts.reduce((sum, [, c]) => sum + c, 0)
      const pooled = passed / trials
      // At the very ends, and at k = 1 where all cases have as many trials, the two are one number.
      if (k === 1 || pooled === 0 || pooled === 1) return
      for (const wrong of [pooled ** k, 1 - (1 - pooled) ** k])
        for (const number of numbers) assert.ok(Math.abs(number - wrong) > 1e-9, `${number}`)
    })
  }

  it('gives the pass@k and pass^k that were published, to their printed digits', async () => {
    const published = runs.filter(({ counts }) => counts.every(([n]) => n === 4))
    assert.equal(published.length, 6)
    for (const { name, pass_at, pass_hat, published: printed } of published) {
      for (const k of [1, 2, 3, 4]) {
        const { out } = await run(reliability, ['--replay', name, '--json', '--k', String(k), '--url', url])
        const { suite } = JSON.parse(out) as Reliability
        const [at, hat] = [suite.passAtK[k]?.estimate ?? Number.NaN, suite.passHatK[k]?.estimate ?? Number.NaN]
        assert.ok(Math.abs(at - (pass_at[k] ?? Number.NaN)) < 1e-12, `${name} pass@${k} ${at}`)
        assert.ok(Math.abs(hat - (pass_hat[k] ?? Number.NaN)) < 1e-12, `${name} pass^${k} ${hat}`)
        const said = printed.pass_hat?.[k] ?? (k === 4 ? printed['pass^4'] : undefined)
        if (said !== undefined)
          assert.equal(hat.toFixed(decimals(said)), said.toFixed(decimals(said)), `${name} pass^${k}`)
      }
    }
  })

  it('names no grader of ours as what an imported verdict came from', async () => {
    const { out } = await run(reliability, ['--replay', 'saturated', '--url', url])
    assert.match(out, /^Note: No grader of ours was in force: .* imported with\.$/m)
  })

  it('exits 1 and names each case under a requirement, and 0 where all hold', async () => {
    const { code, err } = await run(reliability, [
      '--replay',
      'nearly saturated',
      '--require-all-k',
      '0.9',
      '--url',
      url,
    ])
    assert.equal(code, 1)
    const under = opus.filter(([n, passed]) => passed === n - 1).length
    assert.equal(err.match(/^Requirement failed: case task-\d+: pass\^3 is 0\.250, required 0\.9$/gm)?.length, under)
    assert.equal((await run(reliability, ['--replay', 'saturated', '--require-all-k', '1', '--url', url])).code, 0)
  })

  it('finds nothing out, and exits 3, where two replays share no case', async () => {
    const file = path.join(await temporaryFolder(), 'others.jsonl')
    const others = Array.from({ length: 9 }, (_, i) => ({
      case: `other-${i}`,
      trial: 1,
      target: 'agent',
      version: '9',
    }))
    writeFileSync(
      file,
      others.map((one) => JSON.stringify({ ...one, status: 'completed', verdict: 'pass' })).join('\n'),
    )
    await run(importCommand, ['trials', file, '--replay', 'others', '--url', url])
    const { code } = await run(compare, ['saturated', 'others', '--url', `${url}/`])
    assert.equal(code, 3)
  })

  it('compares with an interval that has width also where nothing moved, and reports the same', async () => {
    const { out } = await run(compare, ['saturated', 'saturated', '--methods', '--url', url])
    assert.match(out, /^pass\^3 0\.000, 95 % interval −0\.\d{3} to \+0\.\d{3}, n = 43: .*sign-flip p = 1\.000$/m)
    assert.match(out, /^Intervals\. Of versions compared: mover-paired/m)
    const { out: text } = await run(report, ['--replay', 'saturated', '--url', url])
    assert.match(text, /^pass\^3 +1\.000 +0\.\d{3} to 1\.000 +0\.\d{3} to 1\.000 +43$/m)
  })
})

function linesOf(replay: string, counts: Counts): string {
  return counts
    .flatMap(([n, passed], i) =>
      Array.from({ length: n }, (_, trial) =>
        JSON.stringify({
          case: `task-${i}`,
          trial: trial + 1,
          target: replay,
          version: '1',
          status: 'completed',
          verdict: trial < passed ? 'pass' : 'fail',
        }),
      ),
    )
    .join('\n')
}

/** Every pair of limits in a value: `{ low, high }`, and `[low, high]` under `intervals`. */
function intervalsIn(value: unknown): (readonly [number, number])[] {
  if (Array.isArray(value)) {
    const pair = value.length === 2 && value.every((one) => typeof one === 'number')
    return pair ? [value as unknown as readonly [number, number]] : value.flatMap(intervalsIn)
  }
  if (typeof value !== 'object' || value === null) return []
  const own =
    'low' in value && 'high' in value && typeof value.low === 'number' && typeof value.high === 'number'
      ? [[value.low, value.high] as const]
      : []
  return [...own, ...Object.values(value).flatMap(intervalsIn)]
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}
