import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { canonicalJson } from '../../../src/core/reporting/canonical-json.ts'
import { compareVersions } from '../../../src/core/reporting/comparison.ts'
import { casesPassing, makeCase, makeReliability } from './trials.ts'

const SETTINGS = { level: 0.95, seed: 's1' }
const TWENTY = Array.from({ length: 20 }, (_, i) => (i % 4 === 0 ? 3 : 5))

function version(passes: readonly number[], name: string, given = {}) {
  return makeReliability(casesPassing(passes, 5), { version: name, replay: `rpl_${name}`, ...given })
}

describe('compareVersions', () => {
  it('finds a version that is worse on most cases, with interval and p', () => {
    const a = version(TWENTY, '1.0.0')
    const b = version(
      TWENTY.map((passed) => passed - 3),
      '2.0.0',
    )
    const comparison = compareVersions({ a, b, ...SETTINGS })
    const primary = comparison.differences['pass^3']
    assert.deepEqual(Object.keys(comparison.differences), ['pass@1', 'pass^3'])
    assert.equal(comparison.pairs, 20)
    assert.ok(primary?.high !== null && Number(primary?.high) < 0)
    assert.ok(Number(primary?.p) < 0.001)
    assert.match(
      comparison.verdict,
      /^2\.0\.0 against 1\.0\.0, for traffic like this: worse on pass\^3 \(−0\.\d{3}, 95 % interval −.*, n = 20\); worse on pass@1/,
    )
    assert.equal(comparison.moved.length, 10)
    assert.deepEqual(comparison.moved[0], { case: 'case-001', title: 'What about case-001?', a: '3/5', b: '0/5' })
  })

  it('says that no difference was shown between a version and itself, and shows how much there could be', () => {
    const comparison = compareVersions({ a: version(TWENTY, '1'), b: version(TWENTY, '2'), ...SETTINGS })
    const { low, high, estimate, p } = comparison.differences['pass^3'] ?? {}
    assert.deepEqual([estimate, p], [0, 1])
    assert.ok(Number(low) < 0 && Number(high) > 0)
    assert.match(
      comparison.verdict,
      /no difference shown on pass\^3 \(0\.000, 95 % interval −0\.\d+ to \+0\.\d+, p = 1\.000, n = 20\)/,
    )
    assert.deepEqual(comparison.moved, [])
  })

  it('leaves out and names the cases that only one side has', () => {
    const b = makeReliability([...casesPassing(TWENTY, 5).slice(2), makeCase('new', { passed: 5 })], {
      replay: 'rpl_b',
    })
    const comparison = compareVersions({ a: version(TWENTY, '1'), b, ...SETTINGS })
    assert.equal(comparison.pairs, 18)
    assert.deepEqual(comparison.notes, [
      '2 cases only in rpl_1 (1), left out: case-001, case-002.',
      '1 case only in rpl_b (1.0.0), left out: new.',
    ])
  })

  it('compares at the smaller k, and says that graders differed', () => {
    const a = version(TWENTY, '1', { k: 5 })
    const b = version(TWENTY, '2', { k: 2 })
    const graders = { a: [{ name: 'x', max: 1 }], b: [{ name: 'x', max: 2 }] }
    const comparison = compareVersions({ a, b, ...SETTINGS, graders })
    assert.deepEqual(Object.keys(comparison.differences), ['pass@1', 'pass^2'])
    assert.match(comparison.notes.join('\n'), /planned for k = 5 and k = 2; compared at k = 2/)
    assert.match(comparison.notes.join('\n'), /judged by different graders/)
    const alike = { a: [{ name: 'x', max: 1 }], b: [{ max: 1, name: 'x' }] }
    assert.deepEqual(compareVersions({ a, b: a, ...SETTINGS, graders: alike }).notes, [])
  })

  it('withholds the interval under eight shared cases and does not decide', () => {
    const comparison = compareVersions({ a: version([5, 5, 5], '1'), b: version([0, 0, 0], '2'), ...SETTINGS })
    assert.equal(comparison.differences['pass^3']?.estimate, -1)
    assert.equal(comparison.differences['pass^3']?.low, null)
    assert.match(comparison.verdict, /undecided on pass\^3, −1\.000 \(3 cases: an interval/)
  })

  it('compares nothing when no case is shared', () => {
    const b = makeReliability([makeCase('other', { passed: 3 })], { version: '2' })
    const comparison = compareVersions({ a: version([5], '1'), b, ...SETTINGS })
    assert.equal(comparison.differences['pass^3']?.estimate, null)
    assert.match(comparison.verdict, /no figure on pass\^3/)
  })

  it('takes each session once, with the mean of its cases', () => {
    const inSessions = (passes: readonly number[]) =>
      casesPassing(passes, 5).map((one, i) => ({ ...one, family: `s${Math.floor(i / 2)}` }))
    const a = makeReliability(inSessions(TWENTY))
    const b = makeReliability(inSessions(TWENTY.map((passed) => passed - 1)), { version: '2' })
    const comparison = compareVersions({ a, b, ...SETTINGS })
    assert.equal(comparison.pairs, 10)
    assert.equal(comparison.differences['pass@1']?.n, 10)
    assert.match(comparison.notes.join('\n'), /20 shared cases come from 10 sessions/)
  })

  it('passes no judgement on figures that are not interpretable', () => {
    const broken = makeReliability(
      casesPassing(TWENTY, 5).map(({ id }) => makeCase(id, { passed: 1, errored: 4 })),
      { version: '2' },
    )
    const comparison = compareVersions({ a: version(TWENTY, '1'), b: broken, ...SETTINGS })
    assert.equal(comparison.verdict, '2 against 1: not interpretable, see the notes')
    assert.match(comparison.notes.join('\n'), /support-agent 2: not interpretable: 80 of 100 trials errored/)
  })

  it('gives the same bytes for the same seed and rows', () => {
    const many = Array.from({ length: 40 }, (_, i) => (i * 7) % 6)
    const a = version(many, '1')
    const b = version(many.toReversed(), '2')
    const run = (seed: string) => canonicalJson(compareVersions({ a, b, level: 0.95, seed }))
    assert.equal(run('s1'), run('s1'))
    assert.notEqual(run('s1'), run('s2'))
  })
})
