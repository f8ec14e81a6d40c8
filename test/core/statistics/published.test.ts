import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { pairedDifference } from '../../../src/core/statistics/compare.ts'
import { casePassAtK, casePassHatK } from '../../../src/core/statistics/interval.ts'
import { caseValue, type PassMetric } from '../../../src/core/statistics/pass-at-k.ts'
import { seededRandom } from '../../../src/core/statistics/random.ts'
import { meanOf, populationInterval, rerunInterval } from '../../../src/core/statistics/suite.ts'
import { assertClose, type Row } from './reference.ts'

const PUBLISHED = new URL('../../fixtures/published-pass-k.json', import.meta.url)
const runs: Row[] = JSON.parse(readFileSync(PUBLISHED, 'utf8'))

describe('published runs of repeated trials', () => {
  for (const run of runs) {
    const counts = run.counts.map(([n, c]: [number, number]) => ({ n, c }))
    const figures = [
      ...Object.entries(run.pass_at).map(([k, value]) => [
        'passAtK',
        Number(k),
        value,
        run.se_task_clustered.pass_at[k],
      ]),
      ...Object.entries(run.pass_hat).map(([k, value]) => [
        'passHatK',
        Number(k),
        value,
        run.se_task_clustered.pass_hat[k],
      ]),
    ] as [PassMetric, number, number, number][]

    it(`${run.name}: the mean over cases is what the counts give, its spread too`, () => {
      for (const [metric, k, wanted, error] of figures) {
        const values = counts.map((one: { n: number; c: number }) => caseValue({ ...one, k, metric }))
        const mean = meanOf(values) as number
        assertClose(mean, wanted, 1e-12, `${metric}, k ${k}`)
        const squares = values.reduce((sum: number, value: number) => sum + (value - mean) ** 2, 0)
        assertClose(Math.sqrt(squares / (values.length - 1) / values.length), error, 1e-12, `${metric}, k ${k}, error`)
      }
    })

    it(`${run.name}: no interval of zero width, and every one holds its figure`, () => {
      for (const [metric, k, mean] of figures) {
        const values = counts.map((one: { n: number; c: number }) => caseValue({ ...one, k, metric }))
        const population = populationInterval({ values, level: 0.95 })
        const again = rerunInterval({ counts, k, metric, level: 0.95 })
        for (const interval of [population, again])
          assert.ok(interval && interval.low < interval.high && interval.low <= mean && mean <= interval.high)
        const of = metric === 'passAtK' ? casePassAtK : casePassHatK
        for (const one of counts) {
          const interval = of({ ...one, k, level: 0.95 })
          assert.ok(interval && interval.low < interval.high)
        }
      }
    })
  }

  it('two runs over the same 127 cases differ with an interval narrower than either alone', () => {
    const values = (name: string) =>
      runs.find((run) => run.name === name).counts.map(([n, c]: [number, number]) => c / n) as number[]
    const [a, b] = [values('mcpmark/claude-sonnet-4'), values('mcpmark/claude-opus-4-5-high')]
    const got = pairedDifference({ a, b, level: 0.95, random: seededRandom('published') })
    const alone = populationInterval({ values: b, level: 0.95 })
    assert.ok(got.interval && alone)
    assert.ok(got.interval.high - got.interval.low < alone.high - alone.low)
    assert.ok(got.interval.low > 0 && (got.p as number) < 0.001)
  })
})
