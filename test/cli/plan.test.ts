import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { helpOf } from '../../src/cli/commands.ts'
import { importCommand } from '../../src/cli/import.ts'
import { plan, populationIn } from '../../src/cli/plan.ts'
import type { Plan } from '../../src/core/reporting/plan.ts'
import { casesPassing, makeReliability } from '../core/reporting/trials.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { run, type Service, startService } from './serving.ts'

const planned = async (...args: string[]): Promise<Plan> => JSON.parse((await run(plan, [...args, '--json'])).out)

describe('assay plan', () => {
  it('says what the design shows, of what, and on which assumption', async () => {
    const { code, out, err } = await run(plan, ['--cases', '40', '--trials', '5', '--k', '3'])
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^Plan: 40 cases × 5 trials = 200 trials, k = 3, intervals at 95 %$/m)
    assert.match(out, /^Assumed: a trial passes with a chance of 0\.800; 60 % of the spread .* between cases$/m)
    assert.match(out, /^figure +expected +traffic like this +these cases again +smallest difference noticed$/m)
    assert.match(out, /^pass\^3 +0\.699 +0\.\d{3} to 0\.\d{3} +0\.\d{3} to 0\.\d{3} +0\.\d{3}$/m)
  })

  it('answers each question with cases, trials and the chance that the answer is wrong', async () => {
    const { code, out } = await run(plan, ['--width', '0.1', '--difference', '0.1', '--margin', '0.05'])
    assert.equal(code, 0)
    assert.match(out, /^An interval of pass\^3, for traffic like this, that is 0\.1 wide$/m)
    assert.match(out, /misses the truth 5 % of the time\./)
    assert.match(out, /missed 20 % of the time\); versions that are alike are called different 5 % of the time\./)
    assert.match(out, /of one that is worse by just that much 2\.5 % of the time\./)
    assert.equal(out.match(/^trials a case +cases +trials in all$/gm)?.length, 3)
  })

  it('says what a gate does with agents of known worth', async () => {
    const { out } = await run(plan, ['--cases', '30', '--require', '0.8', '--require-all-k', '1'])
    assert.match(out, /^The gate "pass@3 of every case at least 0\.8"$/m)
    assert.match(out, /^It means 2 passes or more of 5 trials, in each of 30 cases\.$/m)
    for (const p of ['0.5', '0.8', '0.9', '0.95', '0.99'])
      assert.equal(out.match(new RegExp(`^${p.replace('.', '\\.')} .*\\d$`, 'gm'))?.length, 2, p)
    // "All passed" over 30 × 5 lets .99 through 22 % of the time.
    assert.match(out, /^0\.99 +0\.951 +0\.221 +0\.779$/m)
  })

  it('says how many trials without a failure prove a rate, and of what', async () => {
    const { out } = await run(plan, ['--zero-failures', '0.01'])
    assert.match(out, /^299 trials without a failure, at 95 % one-sided: .* prove it of this case,$/m)
  })

  it('gives the same as JSON, with null for what was not asked', async () => {
    const got = await planned('--cases', '30', '--trials', '4', '--k', '2', '--difference', '0.2')
    assert.deepEqual(got.design, { cases: 30, trials: 4, k: 2, total: 120 })
    assert.deepEqual([got.width, got.margin, got.gates, got.zeroFailures], [null, null, [], null])
    assert.ok((got.difference?.suites.length ?? 0) >= 4)
    assert.equal((await planned('--trials', '1')).design.k, 1)
  })

  it('exits 3 where no number of cases answers the question', async () => {
    const { code, out } = await run(plan, ['--width', '0.0001'])
    assert.equal(code, 3)
    assert.match(out, /no number is enough/)
  })

  it('refuses what is wrong by name and place', async () => {
    await assert.rejects(run(plan, ['--trials', '2', '--k', '3']), /3 is more than 2 trials/)
    await assert.rejects(
      run(plan, ['--width', '1.5']),
      /"1\.5" is not allowed, expected a number from 0\.0001 to 0\.9999/,
    )
    await assert.rejects(run(plan, ['--cases', '1']), /"1" is not allowed/)
    await assert.rejects(run(plan, ['forty']), /"forty" is no flag/)
    await assert.rejects(run(plan, ['--widht', '0.1']), /widht/)
  })

  it('has help for each of its flags', () => {
    const help = helpOf(plan)
    for (const flag of Object.keys(plan.flags)) assert.ok(help.includes(`--${flag} `), flag)
  })
})

describe('assay plan --replay', () => {
  let service: Service
  let url = ''
  before(async () => {
    service = await startService()
    url = service.url
    const file = path.join(await temporaryFolder(), 'trials.jsonl')
    writeFileSync(file, lines([5, 5, 5, 4, 3, 0, 5, 5, 2, 5]))
    await run(importCommand, ['trials', file, '--replay', 'seen', '--url', url])
    writeFileSync(file, lines([5, 5, 5]))
    await run(importCommand, ['trials', file, '--replay', 'saturated', '--url', url])
  })
  after(() => service?.close())

  it('plans with the pass rate and the spread of the stored replay, and names it', async () => {
    const { assumed } = await planned('--replay', 'seen', '--url', url)
    assert.ok(Math.abs(assumed.rate - 0.78) < 1e-12)
    // Within (0 + .2 + .3 + .3)/10 = .08 a trial; between: the variance of the rates less .08/5.
    const variance = [5, 5, 5, 4, 3, 0, 5, 5, 2, 5].reduce((sum, c) => sum + (c / 5 - 0.78) ** 2, 0) / 9
    assert.ok(Math.abs(assumed.icc - (variance - 0.016) / (variance - 0.016 + 0.08)) < 1e-12)
    assert.match(assumed.from, /^replay seen, 10 cases, 50 trials; taken as the truth/)
    const given = await planned('--replay', 'seen', '--rate', '0.9', '--url', url)
    assert.deepEqual([given.assumed.rate, given.assumed.icc], [0.9, assumed.icc])
  })

  it('refuses a replay that shows no spread, and one that does not exist', async () => {
    await assert.rejects(run(plan, ['--replay', 'saturated', '--url', url]), /every trial passed: it shows no spread/)
    await assert.rejects(run(plan, ['--replay', 'nothing', '--url', url]), /nothing/)
    assert.throws(() => populationIn(makeReliability(casesPassing([1, 0], 1)), 'x'), /no case with two trials/)
  })
})

function lines(passes: readonly number[]): string {
  return passes
    .flatMap((passed, i) =>
      [1, 2, 3, 4, 5].map((trial) =>
        JSON.stringify({
          case: `case-${i}`,
          trial,
          target: 'agent',
          version: '1',
          status: 'completed',
          verdict: trial <= passed ? 'pass' : 'fail',
        }),
      ),
    )
    .join('\n')
}
