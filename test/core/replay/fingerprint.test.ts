import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, fingerprintOf } from '../../../src/core/replay/fingerprint.ts'

describe('a fingerprint', () => {
  it('does not depend on the order of keys, at any depth', () => {
    assert.equal(fingerprintOf({ a: [{ b: 1, c: 2 }], d: 3 }), fingerprintOf({ d: 3, a: [{ c: 2, b: 1 }] }))
    assert.notEqual(fingerprintOf([1, 2]), fingerprintOf([2, 1]))
    assert.notEqual(fingerprintOf('1'), fingerprintOf(1))
    assert.match(fingerprintOf(undefined), /^[0-9a-f]{32}$/)
  })

  it('is made of JSON that means the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})
