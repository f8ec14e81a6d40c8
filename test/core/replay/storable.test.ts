import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DEPTH_MAX, isNestedTooDeep, storable, storableText, whyUnstorable } from '../../../src/core/replay/storable.ts'

describe('a storable value', () => {
  it('has no NUL, no half of a surrogate pair and no depth without end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const clean = storableText(text)
        assert.ok(!clean.includes('\0') && clean.isWellFormed())
        assert.equal(storableText(clean), clean)
      }),
    )
    assert.deepEqual(storable({ 'a\0': ['\ud800', 1, null, true] }), { 'a\uFFFD': ['\uFFFD', 1, null, true] })
    let deep: unknown = 'bottom'
    for (let i = 0; i < 50_000; i++) deep = [deep]
    assert.ok(JSON.stringify(storable(deep)).includes('nested too deep'))
    let shallow: unknown = 'bottom'
    for (let i = 0; i < DEPTH_MAX; i++) shallow = { inner: shallow }
    assert.deepEqual(storable(shallow), shallow)
  })

  it('is told from one that is not, whatever the depth, and cleaning makes one of the other', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        assert.equal(whyUnstorable(storable(value)), null)
        if (whyUnstorable(value) === null) assert.deepEqual(storable(value), value)
      }),
    )
    assert.match(String(whyUnstorable({ a: ['\0'] })), /NUL/)
    assert.match(String(whyUnstorable({ '\0': 1 })), /NUL/)
    assert.match(String(whyUnstorable(['\ud800'])), /surrogate/)
    const nested = (levels: number) => {
      let value: unknown = 'bottom'
      for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { value }
      return value
    }
    assert.equal(isNestedTooDeep(nested(DEPTH_MAX)), false)
    assert.equal(isNestedTooDeep(nested(DEPTH_MAX + 1)), true)
    assert.match(String(whyUnstorable(nested(200_000))), /levels deep/)
  })
})
