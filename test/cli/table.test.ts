import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { comparisonText, reliabilityText } from '../../src/cli/table.ts'
import { compareVersions } from '../../src/core/reporting/comparison.ts'
import { casesPassing, makeCase, makeReliability } from '../core/reporting/trials.ts'

const PASSES = [5, 5, 4, 0, 5, 5, 3, 5, 5, 5]

describe('the reliability that the command line prints', () => {
  const text = reliabilityText(
    makeReliability([...casesPassing(PASSES, 5), makeCase('slow', { passed: 4, errored: 1 })]),
  )

  it('has a line a case that ends with whether all passed', () => {
    assert.match(text, /^case +passed +wrong +errored +ungraded +pass@1 +pass@3 +pass\^3 +all passed$/m)
    assert.match(text, /^slow +4\/5 +0 +1 +0 +0\.800 +1\.000 +0\.400 +no$/m)
  })

  it('says the intervals of each count of passes once, and that they speak of this case', () => {
    assert.match(text, /^Each count of passes speaks of this case alone; intervals at 95 %\.$/m)
    assert.equal(text.match(/^4\/5 +0\.800 \(0\.371 to 0\.977\)/gm)?.length, 1)
  })

  it('gives each suite figure with both intervals, its n and of what it speaks', () => {
    const figures = text.split('\n').filter((line) => /^pass[@^]/.test(line))
    assert.ok(figures.length >= 6)
    for (const line of figures)
      assert.match(
        line,
        /0\.\d{3}, 95 % interval 0\.\d{3} to [01]\.\d{3}, for these cases again 0\.\d{3} to [01]\.\d{3}, n = 11: .*; for traffic like this$/,
      )
  })

  it('says what the figure would be without the errored trials, and the bracket', () => {
    for (const said of ['completed only', 'errored as failed', 'errored as passed'])
      assert.ok(text.includes(`\npass^3, ${said} 0.`), said)
    assert.doesNotMatch(reliabilityText(makeReliability(casesPassing(PASSES, 5))), /errored as|completed only/)
  })

  it('names the methods when asked, and not otherwise', () => {
    const figures = makeReliability(casesPassing(PASSES, 5))
    assert.doesNotMatch(reliabilityText(figures), /wilson|Jeffreys/)
    const asked = reliabilityText(figures, { methods: true })
    assert.match(asked, /^Intervals\. Of one case: Jeffreys/m)
    assert.match(asked, /^Intervals\. Of the suite, traffic like this: wilson-t\+2\.$/m)
    assert.match(asked, /^Intervals\. Of the suite, these cases again: wilson, trials within cases\.$/m)
  })
})

describe('the comparison that the command line prints', () => {
  const side = (passes: readonly number[], version: string) => makeReliability(casesPassing(passes, 5), { version })
  const comparison = compareVersions({
    a: side(PASSES, '1'),
    b: side(
      PASSES.map((passed) => Math.max(0, passed - 2)),
      '2',
    ),
    level: 0.95,
    seed: 'table',
  })

  it('gives differences with sign, interval, n, p and what they speak of', () => {
    assert.match(
      comparisonText(comparison),
      /^pass@1 −0\.360, 95 % interval −0\.\d{3} to −0\.\d{3}, n = 10: .*; for traffic like this; sign-flip p = 0\.\d{3}$/m,
    )
  })

  it('names the methods when asked', () => {
    assert.doesNotMatch(comparisonText(comparison), /mover/)
    assert.match(comparisonText(comparison, { methods: true }), /^Intervals\. Of versions compared: mover-paired/m)
  })
})
