import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { makeRandom } from '../../src/core/random-id.ts'

describe('an id', () => {
  it('sorts by time of creation', () => {
    let now = Date.parse('2026-11-30T00:00:00Z')
    const random = makeRandom({ clock: { now: () => new Date(now) }, bytes: (n) => randomBytes(n) })
    const ids = Array.from({ length: 50 }, () => {
      now += 1 + (randomBytes(1)[0] ?? 0) * 1000
      return random.id('trial')
    })
    assert.deepEqual([...ids].sort(), ids)
    assert.match(ids[0] ?? '', /^trial_[0-9a-z]{20}$/)
  })

  it('differs from all others of its millisecond', () => {
    const random = makeRandom({ clock: { now: () => new Date(0) }, bytes: (n) => randomBytes(n) })
    assert.equal(new Set(Array.from({ length: 10_000 }, () => random.id('x'))).size, 10_000)
  })
})
