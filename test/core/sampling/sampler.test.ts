import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { countTrace, totalled } from '../../../src/core/sampling/census.ts'
import type { Decision } from '../../../src/core/sampling/decision.ts'
import { NO_FACTS, withSpan } from '../../../src/core/sampling/facts.ts'
import { makePolicy, type Policy } from '../../../src/core/sampling/policy.ts'
import { parseRules } from '../../../src/core/sampling/rule.ts'
import { decide } from '../../../src/core/sampling/sampler.ts'
import { scanTraces } from '../../../src/core/trace/otlp/scan.ts'
import { otlpBody, type SpanGiven, spanIdOf, traceIdOf, traceOf } from '../../support/otlp-fixtures.ts'

const ARRIVED = Date.parse('2026-12-01T10:42:00Z')

const policyOf = (...rules: unknown[]) => makePolicy(parseRules(rules), 'assay')
const always = { name: 'rest', sampler: { type: 'always' } }
const drop = { name: 'rest', sampler: { type: 'drop' } }
const share = (percentage: number) => ({ name: 'rest', sampler: { type: 'probabilistic', percentage } })
const only = (condition: unknown, more: object = {}) =>
  policyOf({ name: 'hit', when: [condition].flat(), sampler: { type: 'always' }, ...more }, drop)

function decisionOf(spans: readonly SpanGiven[], policy: Policy): Decision {
  const scan = scanTraces(otlpBody(spans), policy.wanted)
  assert.equal(scan.rejected, 0)
  const facts = scan.spans.reduce((so, span) => withSpan(so, span, policy), NO_FACTS)
  const traceId = scan.spans[0]?.traceId ?? ''
  return decide({ traceId, facts, completion: 'root', whole: true, arrivedAt: ARRIVED }, policy, ARRIVED + 30_000)
}
const hits = (spans: readonly SpanGiven[], policy: Policy) => decisionOf(spans, policy).rule === 'hit'

/** A root of 5 ms and a child with the given fields. */
const trace = (child: Partial<SpanGiven>, root: Partial<SpanGiven> = {}) => {
  const [first, second] = traceOf(1, 1, root) as [SpanGiven, SpanGiven]
  return [first, { ...second, ...child }]
}

describe('the conditions', () => {
  it('of status look at any span, or at the root alone', () => {
    const errors = { status_code: ['ERROR'] }
    assert.ok(hits(trace({ status: 2 }), only(errors)))
    assert.ok(!hits(trace({ status: 1 }), only(errors)))
    assert.ok(!hits(trace({ status: 2 }), only(errors, { match: 'root' })))
    assert.ok(hits(trace({}, { status: 2 }), only(errors, { match: 'root' })))
  })

  it('of text compare values, patterns and their inversion, on spans and resources', () => {
    const text = (condition: object) => only({ string_attribute: { key: 'tenant', values: ['acme'], ...condition } })
    const acme = trace({ attributes: { tenant: 'acme' } })
    const other = trace({ attributes: { tenant: 'acme corp' } })
    assert.deepEqual(
      [acme, other].map((t) => hits(t, text({}))),
      [true, false],
    )
    assert.deepEqual(
      [acme, other].map((t) => hits(t, text({ enabled_regex_matching: true }))),
      [true, true],
    )
    assert.deepEqual(
      [acme, other, trace({})].map((t) => hits(t, text({ invert_match: true }))),
      [false, true, true],
    )
    assert.ok(hits(trace({}), only({ string_attribute: { key: 'service.name', values: ['support-bot'] } })))
    assert.ok(!hits(trace({ attributes: { tenant: 5 } }), text({})))
  })

  it('of numbers and booleans compare them, whole and not', () => {
    const tokens = (condition: object) => only({ numeric_attribute: { key: 'tokens', ...condition } })
    const all = [4, 5, 5.5, -1, 'five'].map((value) => trace({ attributes: { tokens: value } }))
    assert.deepEqual(
      all.map((t) => hits(t, tokens({ min_value: 5, max_value: 5 }))),
      [false, true, false, false, false],
    )
    assert.deepEqual(
      all.map((t) => hits(t, tokens({ min_value: 5 }))),
      [false, true, true, false, false],
    )
    assert.deepEqual(
      all.map((t) => hits(t, tokens({ max_value: 0 }))),
      [false, false, false, true, false],
    )
    const cached = only({ boolean_attribute: { key: 'cached', value: false } })
    assert.deepEqual(
      [false, true, 0].map((value) => hits(trace({ attributes: { cached: value } }), cached)),
      [true, false, false],
    )
  })

  it('of time and size look at the whole trace, and with root at the root', () => {
    const slow = { latency: { threshold_ms: 50, upper_threshold_ms: 100 } }
    assert.deepEqual(
      [49, 50, 100, 101].map((ms) => hits(trace({ durationMs: ms }), only(slow))),
      [false, true, true, false],
    )
    assert.ok(!hits(trace({ durationMs: 70 }), only(slow, { match: 'root' })))
    assert.ok(hits(trace({}, { durationMs: 70 }), only(slow, { match: 'root' })))
    const size = only({ span_count: { min_spans: 2, max_spans: 3 } })
    assert.deepEqual(
      [0, 1, 2, 3].map((children) => hits(traceOf(1, children), size)),
      [false, true, true, false],
    )
  })

  it('of the tracestate look at one member', () => {
    const vendor = only({ trace_state: { key: 'vendor', values: ['a', 'b'] } })
    assert.deepEqual(
      ['vendor=b', 'x=1,vendor=a', 'vendor=c', ''].map((traceState) => hits(trace({ traceState }), vendor)),
      [true, true, false, false],
    )
  })

  it('must all hold, and the first rule whose do decides', () => {
    const both = only([{ status_code: ['ERROR'] }, { span_count: { min_spans: 3 } }])
    assert.ok(!hits(trace({ status: 2 }), both))
    const first = policyOf(
      { name: 'a', when: [{ status_code: ['ERROR'] }], sampler: { type: 'drop' } },
      { name: 'hit', when: [{ status_code: ['ERROR'] }], sampler: { type: 'always' } },
      always,
    )
    assert.equal(decisionOf(trace({ status: 2 }), first).rule, 'a')
  })
})

describe('the decision', () => {
  it('is the same whatever the order of the spans', () => {
    const policy = policyOf(
      { name: 'errors', when: [{ status_code: ['ERROR'] }], sampler: { type: 'always' } },
      share(50),
    )
    const spans = traceOf(7, 5).map((span, i) => ({ ...span, status: i === 3 ? 2 : 0, durationMs: i }))
    fc.assert(
      fc.property(fc.shuffledSubarray([...spans], { minLength: spans.length }), (shuffled) => {
        assert.deepEqual(decisionOf(shuffled, policy), decisionOf(spans, policy))
      }),
    )
  })

  it('carries its hour of arrival, its rule, r, threshold and p', () => {
    const decision = decisionOf(traceOf(3), policyOf(share(25)))
    assert.equal(decision.windowStart, '2026-12-01T10:00:00.000Z')
    assert.equal(decision.threshold, 'c0000000000000')
    assert.equal(decision.p, 0.25)
    assert.equal(decision.keep, decision.r >= 'c0000000000000')
    assert.deepEqual(decisionOf(traceOf(3), policyOf(drop)).p, 0)
  })

  it('with a lower percentage keeps a subset of what a higher one keeps', () => {
    const kept = (percentage: number) => {
      const policy = policyOf(share(percentage))
      return new Set(
        Array.from({ length: 2000 }, (_, n) => decisionOf(traceOf(n, 0), policy))
          .filter((d) => d.keep)
          .map((d) => d.traceId),
      )
    }
    const [few, some, many] = [kept(3), kept(20), kept(60)] as const
    assert.ok([...few].every((id) => some.has(id)) && [...some].every((id) => many.has(id)))
    assert.ok(few.size > 0 && few.size < some.size && some.size < many.size)
  })

  it('keeps the same share behind a sampler that chose by the low bits of the trace id and said nothing', () => {
    // What a legacy TraceIdRatio sampler at 0.1 % lets through: ids whose low 64 bits are small.
    const policy = policyOf(share(50))
    const decisions = Array.from({ length: 4000 }, (_, n) => {
      const low = BigInt(n) * 4_000_000_000n
      const traceId = `5eed${String(n).padStart(12, '0')}${low.toString(16).padStart(16, '0')}`
      return decisionOf([{ traceId, spanId: spanIdOf(0) }], policy)
    })
    const kept = decisions.filter((d) => d.keep).length
    // 3 standard errors of a half of 4000.
    assert.ok(Math.abs(kept - 2000) < 3 * Math.sqrt(1000), `${kept} of 4000`)
  })

  it('raises the upstream threshold and never lowers it', () => {
    const half = { traceState: 'ot=th:8', flags: 2 }
    const at = (low: string, fields: Partial<SpanGiven>) => [
      { traceId: `5eed00000000000000${low}`, spanId: spanIdOf(0), ...fields },
    ]
    const kept = decisionOf(at('90000000000000', half), policyOf(always))
    assert.deepEqual([kept.keep, kept.p, kept.threshold], [true, 0.5, '80000000000000'])
    const dropped = decisionOf(at('90000000000000', half), policyOf(share(25)))
    assert.deepEqual([dropped.keep, dropped.p], [false, 0.25])
    const explicit = decisionOf(at('00000000000000', { traceState: 'ot=th:8;rv:ffffffffffffff' }), policyOf(share(25)))
    assert.deepEqual([explicit.keep, explicit.r, explicit.p], [true, 'ffffffffffffff', 0.25])
  })

  it('says that p is unknown where upstream cannot be believed', () => {
    const inconsistent = decisionOf(
      [{ traceId: traceIdOf(1), spanId: spanIdOf(0), traceState: 'ot=th:8' }],
      policyOf(always),
    )
    assert.deepEqual([inconsistent.keep, inconsistent.p, inconsistent.weightSource], [true, null, 'unknown'])
    const [root, child] = traceOf(1) as [SpanGiven, SpanGiven]
    const mixed = decisionOf(
      [
        { ...root, traceState: 'ot=th:8;rv:ffffffffffffff' },
        { ...child, traceState: 'ot=th:4;rv:ffffffffffffff' },
      ],
      policyOf(always),
    )
    assert.deepEqual([mixed.keep, mixed.p, mixed.threshold], [true, null, '80000000000000'])
  })
})

describe('the census', () => {
  it('adds up: kept and dropped are what was received, weights near it, exactly for always', () => {
    const errors = { name: 'errors', when: [{ status_code: ['ERROR'] }], sampler: { type: 'always' } }
    const policy = policyOf(errors, share(10))
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (seed) => {
        const decisions = Array.from({ length: 3000 }, (_, n) =>
          decisionOf(traceOf(seed * 3000 + n, 0, { status: n % 20 === 0 ? 2 : 0 }), policy),
        )
        const rows = totalled(decisions.map((decision) => countTrace(decision, true)))
        for (const row of rows) assert.equal(row.kept + row.dropped + row.shed, row.received)
        const weight = (rule: string) =>
          decisions.filter((d) => d.keep && d.rule === rule).reduce((sum, d) => sum + 1 / (d.p as number), 0)
        assert.equal(weight('errors'), 150)
        assert.equal(rows.find((row) => row.rule === 'errors')?.received, 150)
        // sd of the sum of weights is sqrt(N (1 - p) / p); 5 of them.
        assert.ok(Math.abs(weight('rest') - 2850) < 5 * Math.sqrt(2850 * 9), `${weight('rest')}`)
      }),
      { numRuns: 5, seed: 7 },
    )
  })

  it('counts a kept trace that could not be stored as dropped, and a fragment as incomplete', () => {
    const decision = { ...decisionOf(traceOf(1), policyOf(always)), whole: false }
    const [row] = totalled([countTrace(decision, true), countTrace(decision, false)])
    assert.deepEqual([row?.received, row?.kept, row?.dropped, row?.incomplete], [2, 1, 1, 2])
  })
})
