import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { worstFirst } from '../../../src/core/reporting/case-row.ts'
import { isInterpretable } from '../../../src/core/reporting/reliability.ts'
import { casesPassing, makeCase, makeReliability } from './trials.ts'

type Published = {
  readonly name: string
  /** [n, c] of each task. */
  readonly counts: readonly (readonly [number, number])[]
  readonly pass_at: Readonly<Record<string, number>>
  readonly pass_hat: Readonly<Record<string, number>>
  readonly all_passed: number
  readonly none_passed: number
  readonly published: Readonly<Record<string, unknown>>
}

// Per-task counts of published repeated-trial runs: tau-bench, MCPMark, HumanEval samples.
const file = new URL('../../fixtures/published-pass-k.json', import.meta.url)
const publishedRuns = JSON.parse(readFileSync(file, 'utf8')) as readonly Published[]

function ofPublished(run: Published, k: number) {
  const cases = run.counts.map(([n, c], i) => makeCase(`task-${i}`, { passed: c, wrong: n - c }))
  return makeReliability(cases, { k, target: run.name })
}

function published(name: string): Published {
  return publishedRuns.find((run) => run.name === name) as Published
}

describe('reliability of published runs', () => {
  for (const run of publishedRuns) {
    it(`gives the pass@k and pass^k of ${run.name}`, () => {
      for (const key of Object.keys(run.pass_at)) {
        const { suite } = ofPublished(run, Number(key))
        assert.ok(Math.abs((suite.passAtK[key]?.estimate ?? -1) - (run.pass_at[key] ?? 0)) < 1e-12, `pass@${key}`)
        assert.ok(Math.abs((suite.passHatK[key]?.estimate ?? -1) - (run.pass_hat[key] ?? 0)) < 1e-12, `pass^${key}`)
        assert.equal(suite.casesAllPassed, run.all_passed)
        assert.equal(suite.casesAtZero, run.none_passed)
        assert.equal(suite.casesMixed, run.counts.length - run.all_passed - run.none_passed)
      }
    })
  }

  it('agrees with the tau-bench leaderboard to its printed digits', () => {
    const run = published('tau-bench/gpt-4o-airline')
    const printed = [1, 2, 3, 4].map((k) => ofPublished(run, k).suite.passHatK[String(k)]?.estimate?.toFixed(3))
    assert.deepEqual(printed, ['0.420', '0.273', '0.220', '0.200'])
  })

  it('agrees with the MCPMark summaries to their printed digits', () => {
    const withFour = publishedRuns.filter((run) => run.name.startsWith('mcpmark/') && run.pass_at['4'] !== undefined)
    assert.ok(withFour.length >= 5)
    for (const run of withFour) {
      const { suite } = ofPublished(run, 4)
      const ours = [suite.passAtK['1'], suite.passAtK['4'], suite.passHatK['4']].map((f) =>
        Number(f?.estimate?.toFixed(4)),
      )
      const pass1 = run.published['pass@1'] as { avg: number }
      assert.deepEqual(ours, [pass1.avg, run.published['pass@4'], run.published['pass^4']], run.name)
    }
  })
})

describe('reliability', () => {
  it('counts errored trials as not passing, leaves ungraded ones out and says what each does', () => {
    const cases = casesPassing([5, 5, 5, 5, 5, 5, 5, 5, 5], 5)
    const mixed = makeCase('x', { passed: 2, wrong: 0, errored: 1, ungraded: 2 }, { erroredButPassing: 1 })
    const result = makeReliability([...cases, mixed])
    const row = result.cases.find((one) => one.case === 'x')
    assert.deepEqual([row?.n, row?.planned, row?.passAtK['1'], row?.passHatK['3']], [3, 5, 2 / 3, 0])
    assert.deepEqual(result.trials, { planned: 50, passed: 47, wrong: 0, errored: 1, ungraded: 2 })
    assert.deepEqual(result.notes, [
      '1 trial errored and counts as not passing. The checks of 1 would have passed.',
      '2 trials are ungraded and in no figure but the strict one.',
    ])
  })

  it('says what the suite is worth without errored trials, and the bracket that they leave open', () => {
    const cases = casesPassing([5, 5, 4, 0, 5, 5, 3, 5, 5], 5)
    const mixed = makeCase('x', { passed: 2, wrong: 1, errored: 2, ungraded: 5 })
    const { suite } = makeReliability([...cases, mixed])
    const { completedOnly, erroredAsFailed, erroredAsPassed, ungradedAsFailed } = suite.beside
    const alone = (passed: number, n: number) =>
      makeReliability([...cases, makeCase('x', { passed, wrong: n - passed })]).suite.passHatK
    for (const k of ['1', '3']) {
      const numbers = (figures: typeof completedOnly) => {
        const { estimate, low, high, again, n, method } = figures?.[k] ?? {}
        return { estimate, low, high, again, n, method }
      }
      assert.deepEqual(numbers(completedOnly), numbers(alone(2, 3)))
      assert.deepEqual(erroredAsFailed?.[k]?.low, suite.passHatK[k]?.low)
      assert.deepEqual(numbers(erroredAsFailed), numbers(suite.passHatK))
      assert.deepEqual(numbers(erroredAsPassed), numbers(alone(4, 5)))
      assert.deepEqual(numbers(ungradedAsFailed), numbers(alone(2, 10)))
    }
    assert.match(
      completedOnly?.['3']?.estimand ?? '',
      /^the chance that all 3 trials .* where only completed trials count/,
    )
    assert.match(
      erroredAsPassed?.['3']?.estimand ?? '',
      /if every errored trial had passed, .*; for traffic like this$/,
    )
  })

  it('leaves a case of which every trial errored out of the figure without errored trials, by its n', () => {
    const { suite } = makeReliability([...casesPassing([5, 5, 5, 5, 5, 5, 5, 5], 5), makeCase('x', { errored: 5 })])
    assert.deepEqual([suite.passHatK['3']?.n, suite.beside.completedOnly?.['3']?.n], [9, 8])
    const none = makeReliability([makeCase('x', { errored: 5 })]).suite.beside.completedOnly?.['3']
    assert.deepEqual([none?.estimate, none?.reason], [null, 'no case has the 3 trials that pass^3 needs'])
  })

  it('puts nothing beside the figures where no trial errored or is ungraded', () => {
    const { suite } = makeReliability(casesPassing([5, 5, 4], 5))
    assert.deepEqual(Object.values(suite.beside), [null, null, null, null])
  })

  it('gives the interval for these cases again from two cases up, also where there is none for traffic', () => {
    const [one, two] = [[4], [4, 5]].map((passes) => makeReliability(casesPassing(passes, 5)).suite.passHatK['3'])
    assert.equal(one?.again, undefined)
    assert.ok(two?.again !== undefined && two.low === null)
    assert.ok(two.again.low < 0.7 && 0.7 < two.again.high)
  })

  it('gives no figure for a case with fewer than k trials, names the case and keeps k', () => {
    const result = makeReliability([...casesPassing([3, 3, 3, 3, 3, 3, 3, 3], 3), makeCase('short', { passed: 2 })])
    const row = result.cases.find((one) => one.case === 'short')
    assert.deepEqual(
      [row?.passAtK, row?.passHatK],
      [
        { 1: 1, 3: null },
        { 1: 1, 3: null },
      ],
    )
    assert.equal(row?.reason, '2 of the 3 trials that pass^3 needs')
    assert.equal(row?.intervals.passHatK['3'], null)
    assert.equal(result.suite.passHatK['3']?.n, 8)
    assert.equal(result.suite.passHatK['1']?.n, 9)
    assert.match(result.notes.join('\n'), /1 case of 9 has fewer than 3 trials that count .*: short \(2\)\./)
  })

  it('keeps a case of which no trial counts in the table, without figures', () => {
    const result = makeReliability([makeCase('lost', { ungraded: 5 })])
    assert.deepEqual(result.cases[0]?.passAtK, { 1: null, 3: null })
    assert.equal(result.cases[0]?.reason, 'no trial counts, 5 ungraded')
    assert.equal(result.cases[0]?.allPassed, false)
    assert.deepEqual([result.suite.casesAtZero, result.suite.casesMixed, result.suite.casesAllPassed], [0, 0, 0])
    assert.equal(result.suite.passAtK['1']?.estimate, null)
    assert.equal(result.suite.passAtK['1']?.reason, 'no case has the 1 trial that pass@1 needs')
  })

  it('says "not interpretable" when more than a fifth of the trials errored, and not at a fifth', () => {
    const [fifth, more] = [1, 2].map((errored) => makeReliability([makeCase('a', { passed: 5 - errored, errored })]))
    assert.ok(fifth !== undefined && more !== undefined)
    assert.ok(isInterpretable(fifth))
    assert.ok(!isInterpretable(more))
    assert.match(more.notes[0] ?? '', /^not interpretable: 2 of 5 trials errored \(40 %, the limit is 20 %\)/)
  })

  it('keeps the estimate and withholds the interval under eight cases', () => {
    const seven = makeReliability(casesPassing([5, 5, 5, 5, 5, 5, 0], 5)).suite.passHatK['3']
    assert.equal(seven?.estimate, 6 / 7)
    assert.deepEqual([seven?.low, seven?.high], [null, null])
    assert.equal(seven?.reason, '7 cases: an interval for traffic like this needs 8 or more')
    const eight = makeReliability(casesPassing([5, 5, 5, 5, 5, 5, 5, 0], 5)).suite.passHatK['3']
    assert.ok(eight?.low !== null && eight?.reason === undefined)
    assert.equal(eight?.method, 'wilson-t+2')
  })

  it('counts the cases of one session as one family', () => {
    const cases = casesPassing([5, 5, 5, 0, 0, 0, 5, 5, 5, 0, 5, 5], 5).map((one, i) => ({
      ...one,
      family: i < 6 ? `session-${Math.floor(i / 3)}` : null,
    }))
    const result = makeReliability(cases)
    const free = makeReliability(cases.map((one) => ({ ...one, family: null })))
    const [own, other] = [result.suite.passHatK['3'], free.suite.passHatK['3']]
    assert.equal(own?.method, 'wilson-t+2, families')
    assert.equal(own?.estimate, other?.estimate)
    assert.ok((own?.high ?? 0) - (own?.low ?? 0) > (other?.high ?? 0) - (other?.low ?? 0))
    assert.match(result.notes.join('\n'), /6 cases come from 2 sessions/)
    assert.equal(result.cases[0]?.family, 'session-0')
    assert.equal(result.cases.at(-1)?.family, undefined)
  })

  it('weights to traffic by 1/p where p is known, and is null where none is', () => {
    const failing = casesPassing([0, 0, 0, 0, 0], 5, { weight: 1, stratumKey: 'errors' })
    const passing = casesPassing([5, 5, 5, 5, 5], 5, { weight: 19, stratumKey: 'rest' }).map((one) => ({
      ...one,
      id: `rest-${one.id}`,
    }))
    const { suite, traffic } = makeReliability([...failing, ...passing])
    assert.equal(suite.passHatK['1']?.estimate, 0.5)
    assert.ok(Math.abs((traffic?.['1']?.estimate ?? 0) - 0.95) < 1e-12)
    assert.equal(makeReliability(casesPassing([5, 5], 5)).traffic, null)
    const partly = makeReliability([...failing, ...passing, makeCase('imported', { passed: 5 })])
    assert.match(partly.notes.join('\n'), /1 case without a known sampling probability/)
  })

  it('gives every row whole counts and figures inside their intervals', () => {
    const counts = fc.record({
      passed: fc.nat(12),
      wrong: fc.nat(12),
      errored: fc.nat(12),
      ungraded: fc.nat(12),
    })
    fc.assert(
      fc.property(fc.array(counts, { maxLength: 12 }), fc.integer({ min: 1, max: 6 }), (list, k) => {
        const result = makeReliability(
          list.map((one, i) => makeCase(`c${i}`, one)),
          { k },
        )
        for (const row of result.cases) {
          assert.equal(row.planned, row.passed + row.wrong + row.errored + row.ungraded)
          for (const metric of ['passAtK', 'passHatK'] as const)
            for (const [key, value] of Object.entries(row[metric])) {
              const limits = row.intervals[metric][key] ?? null
              if (value === null) assert.equal(limits, null)
              else assert.ok(limits !== null && limits[0] <= value && value <= limits[1])
              assert.equal(value === null, Number(key) > row.n)
            }
        }
        for (const figures of [result.suite.passAtK, result.suite.passHatK])
          for (const figure of Object.values(figures)) {
            assert.ok(figure.estimate !== null || figure.reason !== undefined)
            assert.ok(figure.low === null || figure.low <= (figure.estimate ?? -1))
          }
        const { casesAtZero, casesMixed, casesAllPassed } = result.suite
        assert.equal(casesAtZero + casesMixed + casesAllPassed, result.cases.filter((row) => row.n > 0).length)
      }),
      { numRuns: 60 },
    )
  })

  it('refuses counts that do not add up', () => {
    const broken = {
      ...makeCase('a', { passed: 3 }),
      counts: { planned: 5, passed: 3, wrong: 1, errored: 0, ungraded: 0 },
    }
    assert.throws(() => makeReliability([broken]), /Broken invariant: case a: planned 5 is not passed 3/)
  })

  it('puts the worst case first for readers', () => {
    const { cases } = makeReliability([...casesPassing([5, 0, 3], 5), makeCase('none', { ungraded: 1 })])
    assert.deepEqual(
      worstFirst(cases, 3).map((row) => row.case),
      ['case-002', 'case-003', 'case-001', 'none'],
    )
  })
})
