import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Case } from '../../../src/core/replay/case.ts'
import { checkGraded, checkPlan, manifestOf, planTrials, spanIdOf } from '../../../src/core/replay/plan.ts'

function makeCase(id: string): Case {
  return {
    id,
    suite: 's',
    drawId: null,
    origin: 'import',
    traceId: null,
    stratum: 'all',
    p: null,
    pDraw: null,
    family: null,
    input: { system: null, userInput: id, messages: [] },
    reference: null,
    observed: null,
    fingerprint: `f-${id}`,
  }
}

const CASES = ['a', 'b', 'c', 'd'].map(makeCase)
const IDS = CASES.map(({ id }) => id)
const PLAN = { trials: 5, k: 3, seed: 'seed' }

describe('the trials of a plan', () => {
  it('are all cases times all trials, each with keys of its own', () => {
    const trials = planTrials('r', IDS, PLAN)
    assert.equal(new Set(trials.map(({ caseId, trial }) => `${caseId} ${trial}`)).size, 20)
    assert.equal(new Set(trials.map(({ idempotencyKey }) => idempotencyKey)).size, 20)
    assert.equal(new Set(trials.map(({ traceId }) => traceId)).size, 20)
    assert.ok(trials.every(({ traceId }) => /^[0-9a-f]{32}$/.test(traceId) && /^[0-9a-f]{16}$/.test(spanIdOf(traceId))))
    assert.deepEqual([...new Set(trials.map(({ trial }) => trial))].sort(), [1, 2, 3, 4, 5])
  })

  it('come in an order shuffled by the seed, which is the order of their keys', () => {
    const names = (seed: string) => planTrials('r', IDS, { ...PLAN, seed }).map((t) => `${t.caseId}${t.trial}`)
    assert.deepEqual(names('one'), names('one'))
    assert.notDeepEqual(names('one'), names('two'))
    const trials = planTrials('r', IDS, PLAN)
    assert.deepEqual(
      trials.map((t) => t.idempotencyKey),
      trials.map((t) => t.idempotencyKey).sort(),
    )
  })

  it('have other keys in another replay of the same seed', () => {
    const keys = (replayId: string) => planTrials(replayId, IDS, PLAN).map((t) => t.idempotencyKey)
    assert.equal(new Set([...keys('r1'), ...keys('r2')]).size, 40)
  })
})

describe('a plan', () => {
  it('is refused when its numbers cannot give the figures', () => {
    assert.throws(
      () => checkPlan({ ...PLAN, k: 6 }, 4),
      /k 6 is not allowed, expected a whole number from 1 to trials \(5\)/,
    )
    assert.throws(() => checkPlan({ ...PLAN, k: 0 }, 4), { code: 'bad_k' })
    assert.throws(() => checkPlan({ ...PLAN, trials: 1.5 }, 4), { code: 'bad_trials' })
    assert.throws(() => checkPlan({ ...PLAN, trials: 1001 }, 4), { code: 'bad_trials' })
    assert.throws(() => checkPlan(PLAN, 0), { code: 'no_cases' })
    assert.throws(() => checkPlan({ ...PLAN, trials: 1000 }, 1001), { code: 'too_many_trials' })
    checkPlan({ ...PLAN, k: 5 }, 4)
  })

  it('is refused when no grader applies to a case, and names the case', () => {
    const applies = (grader: string, aCase: Case) => grader === aCase.id
    assert.throws(() => checkGraded(CASES, ['a', 'c'], applies), {
      code: 'case_without_check',
      message: /no grader applies to 2 of 4 cases: b, d; /,
    })
    assert.throws(() => checkGraded(CASES, [], applies), { code: 'case_without_check' })
    checkGraded(CASES, IDS, applies)
  })
})

describe('a manifest', () => {
  const parts = {
    about: { assay: '0.1.0', node: 'v24' },
    target: { name: 't', version: '1', config: { url: 'u', timeoutMs: 5 } },
    cases: CASES,
    graders: [{ name: 'g' }],
    plan: PLAN,
    completionOnly: false,
  }

  it('says the same of the same things in another order', () => {
    const other = {
      ...parts,
      cases: CASES.toReversed(),
      target: { ...parts.target, config: { timeoutMs: 5, url: 'u' } },
    }
    assert.deepEqual(manifestOf(parts), manifestOf(other))
  })

  it('differs where the cases, their references, the graders or the target differ', () => {
    const first = CASES[0] ?? makeCase('x')
    const texts = [
      parts,
      { ...parts, cases: CASES.slice(1) },
      { ...parts, cases: [{ ...first, reference: 'yes' }, ...CASES.slice(1)] },
      { ...parts, graders: [{ name: 'g', value: 2 }] },
      { ...parts, target: { ...parts.target, config: { url: 'v', timeoutMs: 5 } } },
    ].map((each) => JSON.stringify(manifestOf(each)))
    assert.equal(new Set(texts).size, texts.length)
  })
})
