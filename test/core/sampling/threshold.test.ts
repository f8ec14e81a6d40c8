import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { randomnessOf } from '../../../src/core/sampling/randomness.ts'
import { printedThreshold, probabilityOf, thresholdFor } from '../../../src/core/sampling/threshold.ts'
import { traceStateMembers, upstreamSampling } from '../../../src/core/sampling/tracestate.ts'

describe('a threshold', () => {
  it('has the worked values of OTEP 235', () => {
    for (const [p, th] of [
      [1, '0'],
      [0.5, '8'],
      [0.25, 'c'],
      [0.75, '4'],
      [0.0625, 'f'],
    ] as const) {
      assert.equal(printedThreshold(thresholdFor(p)), th)
      assert.equal(probabilityOf(thresholdFor(p)), p)
    }
    assert.equal(printedThreshold(thresholdFor(0.01)), 'fd70a')
    assert.equal(printedThreshold(thresholdFor(1 / 3)), 'aaab')
    assert.equal(1 / probabilityOf('c0000000000000'), 4)
  })

  it('is applied as it is printed, close to what was asked for', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-8, max: 1, noNaN: true }), (p) => {
        const threshold = thresholdFor(p)
        assert.match(threshold, /^[0-9a-f]{14}$/)
        assert.equal(upstreamSampling(`ot=th:${printedThreshold(threshold)}`).threshold, threshold)
        assert.ok(Math.abs(probabilityOf(threshold) / p - 1) <= 1 / 4096, `${p} became ${probabilityOf(threshold)}`)
      }),
      { numRuns: 2000 },
    )
  })

  it('falls as the probability rises', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-8, max: 1, noNaN: true }),
        fc.double({ min: 1e-8, max: 1, noNaN: true }),
        (a, b) => {
          if (a < b) assert.ok(thresholdFor(a) >= thresholdFor(b))
        },
      ),
    )
  })
})

describe('the tracestate', () => {
  it('gives the ot member among others and leaves malformed values out', () => {
    const given = 'congo=t61rcWkgMzE, ot = th:c;rv:abcdef01234567;x:y ,rojo=1'
    assert.deepEqual(upstreamSampling(given.replace(' = ', '=')), {
      threshold: 'c0000000000000',
      randomness: 'abcdef01234567',
    })
    assert.deepEqual(upstreamSampling('ot=th:;rv:abc'), { threshold: null, randomness: null })
    assert.deepEqual(upstreamSampling('ot=th:zz;rv:ABCDEF01234567'), { threshold: null, randomness: null })
    assert.deepEqual(upstreamSampling('xot=th:8'), { threshold: null, randomness: null })
    assert.deepEqual(traceStateMembers(given), [
      ['congo', 't61rcWkgMzE'],
      ['ot', 'th:c;rv:abcdef01234567;x:y'],
      ['rojo', '1'],
    ])
  })
})

describe('randomness', () => {
  const traceId = '5eed000000000000000000000000002a'
  it('is the explicit value where there is one, the id where it is vouched for, else a hash', () => {
    assert.equal(randomnessOf({ traceId, randomness: 'abcdef01234567', isIdRandom: true }, 's'), 'abcdef01234567')
    assert.equal(randomnessOf({ traceId, randomness: null, isIdRandom: true }, 's'), '0000000000002a')
    const hashed = randomnessOf({ traceId, randomness: null, isIdRandom: false }, 's')
    assert.match(hashed, /^[0-9a-f]{14}$/)
    assert.notEqual(hashed, randomnessOf({ traceId, randomness: null, isIdRandom: false }, 'other'))
  })

  it('never changes from version to version', () => {
    // printf 'assay.sampling.randomness/1\nassay\n%s' 5eed000000000000000000000000002a | sha256sum | cut -c1-14
    assert.equal(randomnessOf({ traceId, randomness: null, isIdRandom: false }, 'assay'), '14152a5e714114')
  })
})
