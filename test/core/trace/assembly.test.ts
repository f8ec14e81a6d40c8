import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { makePolicy } from '../../../src/core/sampling/policy.ts'
import { parseRules } from '../../../src/core/sampling/rule.ts'
import { type Assembly, makeAssembly } from '../../../src/core/trace/assembly.ts'
import { scanTraces } from '../../../src/core/trace/otlp/scan.ts'
import { otlpBody, type SpanGiven, traceIdOf, traceOf } from '../../support/otlp-fixtures.ts'

const POLICY = makePolicy(parseRules([{ name: 'all', sampler: { type: 'always' } }]), 's')
const LIMITS = {
  decisionDelayMs: 30_000,
  idleTimeoutMs: 600_000,
  traceTimeoutMs: 1_800_000,
  spansMax: 100,
  bytesMax: 100_000,
}

const assembly = (limits = {}) => makeAssembly({ ...LIMITS, ...limits }, POLICY)
const add = (to: Assembly, spans: readonly SpanGiven[], entry: number, at: number) => {
  const { spans: scanned } = scanTraces(otlpBody(spans), POLICY.wanted)
  for (const [traceId, own] of Map.groupBy(scanned, (span) => span.traceId)) to.add(traceId, own, entry, at)
}
const all = (of: Assembly, now: number) => of.complete(now, 1000, 1e9)

describe('a trace is complete', () => {
  const [root, child] = traceOf(1) as [SpanGiven, SpanGiven]

  it('when its root has ended and it was quiet for the decision delay', () => {
    const index = assembly()
    add(index, [child], 1, 0)
    add(index, [root], 2, 10_000)
    assert.deepEqual(all(index, 39_999), [])
    const [trace] = all(index, 40_000)
    assert.equal(trace?.completion, 'root')
    assert.equal(trace?.whole, true)
    assert.equal(trace?.arrivedAt, 0)
    assert.deepEqual(trace?.entries, [1, 2])
  })

  it('later when more spans come, each of which starts the quiet time again', () => {
    const index = assembly()
    add(index, [root], 1, 0)
    add(index, [child], 2, 29_000)
    assert.deepEqual(all(index, 30_000), [])
    assert.equal(all(index, 59_000).length, 1)
  })

  it('after the idle timeout without a root, and then it is not whole', () => {
    const index = assembly()
    add(index, [child], 1, 0)
    assert.deepEqual(all(index, 599_999), [])
    const [trace] = all(index, 600_000)
    assert.equal(trace?.completion, 'idle')
    assert.equal(trace?.whole, false)
  })

  it('after the trace timeout, however busy it is', () => {
    const index = assembly()
    for (let at = 0; at < 1_800_000; at += 500_000) add(index, [child], at / 500_000 + 1, at)
    const [trace] = all(index, 1_800_000)
    assert.equal(trace?.completion, 'timeout')
    assert.equal(trace?.facts.spanCount, 1)
  })

  it('at once when it has grown to its limit of spans or bytes', () => {
    for (const limits of [{ spansMax: 2 }, { bytesMax: 50 }]) {
      const index = assembly(limits)
      add(index, [root, child], 1, 0)
      assert.equal(all(index, 0)[0]?.completion, 'size')
    }
  })

  it('and not whole while a parent is missing', () => {
    const index = assembly()
    add(index, [root, { ...child, parentSpanId: 'ffffffffffffffff' }], 1, 0)
    assert.equal(all(index, 30_000)[0]?.whole, false)
  })
})

describe('the index of open traces', () => {
  it('counts a span that comes twice once, and still needs both entries', () => {
    const index = assembly()
    add(index, traceOf(1), 1, 0)
    add(index, traceOf(1), 2, 0)
    const [trace] = all(index, 30_000)
    assert.equal(trace?.facts.spanCount, 2)
    assert.deepEqual(trace?.entries, [1, 2])
  })

  it('gives complete traces until they are removed, and then forgets them', () => {
    const index = assembly()
    add(index, [...traceOf(1), ...traceOf(2)], 1, 0)
    assert.equal(all(index, 30_000).length, 2)
    assert.equal(all(index, 30_000).length, 2)
    index.remove([traceIdOf(1)])
    assert.deepEqual(
      all(index, 30_000).map((trace) => trace.traceId),
      [traceIdOf(2)],
    )
    index.remove([traceIdOf(2)])
    assert.equal(index.open, 0)
  })

  it('gives no more than was asked for, but always one', () => {
    const index = assembly()
    for (let n = 0; n < 10; n++) add(index, traceOf(n), n, 0)
    assert.equal(index.complete(30_000, 3, 1e9).length, 3)
    assert.equal(index.complete(30_000, 1000, 1).length, 1)
  })

  it('completes each trace at the moment its spans say, in any order of arrivals', () => {
    const arrival = fc.record({ n: fc.nat(5), at: fc.nat(100_000), isRoot: fc.boolean() })
    fc.assert(
      fc.property(fc.array(arrival, { minLength: 1, maxLength: 40 }), fc.nat(800_000), (arrivals, now) => {
        const inOrder = arrivals.toSorted((a, b) => a.at - b.at)
        const index = assembly()
        for (const [entry, { n, at, isRoot }] of inOrder.entries())
          add(index, traceOf(n).slice(isRoot ? 0 : 1, isRoot ? 1 : 2), entry, at)
        const expected = [...Map.groupBy(inOrder, ({ n }) => n)].filter(([, own]) => {
          const last = own.at(-1)?.at ?? 0
          return last + (own.some(({ isRoot }) => isRoot) ? 30_000 : 600_000) <= now
        })
        assert.deepEqual(new Set(all(index, now).map((t) => t.traceId)), new Set(expected.map(([n]) => traceIdOf(n))))
      }),
    )
  })
})
