/** The moves of a failure mode: whatever people do, in whatever order, it stays in a state that exists. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { InputError } from '../../../src/core/errors.ts'
import type { FailureMode, ModeState, ReviewAct } from '../../../src/core/taxonomy/failure-mode.ts'
import { applyAct } from '../../../src/core/taxonomy/review.ts'

const NOW = new Date('2026-12-01T09:00:00.000Z')
const AT = NOW.toISOString()

function mode(id: string, state: ModeState = 'proposed'): FailureMode {
  const mergedInto = state === 'merged' ? 'elsewhere' : null
  return { id, state, name: id, definition: null, category: null, mergedInto, createdAt: AT, updatedAt: AT }
}

const MOVES: Readonly<Record<ModeState, Readonly<Partial<Record<ReviewAct['act'], ModeState>>>>> = {
  proposed: { accept: 'accepted', rename: 'proposed', merge: 'merged', dismiss: 'dismissed' },
  accepted: { rename: 'accepted', merge: 'merged', dismiss: 'dismissed' },
  dismissed: { accept: 'accepted' },
  merged: {},
}
const ACTS: readonly ReviewAct[] = [
  { act: 'accept', name: 'named' },
  { act: 'rename', name: 'named' },
  { act: 'merge', into: 'other' },
  { act: 'dismiss' },
]

describe('an act on a failure mode', () => {
  for (const state of Object.keys(MOVES) as ModeState[]) {
    for (const act of ACTS) {
      const expected = MOVES[state][act.act]
      it(`${expected === undefined ? 'is refused' : `leaves it ${expected}`}: ${act.act} of ${state}`, () => {
        const before = mode('it', state)
        const run = () => applyAct(before, act, { now: NOW, into: mode('other') })
        if (expected === undefined) {
          assert.throws(run, (error) => error instanceof InputError && error.code === 'changed_meanwhile')
        } else {
          assert.equal(run().state, expected)
          assert.equal(run().mergedInto, expected === 'merged' ? 'other' : null)
          assert.deepEqual(before, mode('it', state))
        }
      })
    }
  }

  it('keeps what it does not speak of', () => {
    const given = { ...mode('it'), definition: 'what it is', category: 'wrong tool' }
    const accepted = applyAct(given, { act: 'accept' }, { now: NOW })
    assert.deepEqual([accepted.name, accepted.definition, accepted.category], ['it', 'what it is', 'wrong tool'])
  })

  it('moves the time of change on, also within a millisecond and when clocks go back', () => {
    const once = applyAct(mode('it'), { act: 'rename', name: 'a' }, { now: NOW })
    const twice = applyAct(once, { act: 'rename', name: 'b' }, { now: new Date(0) })
    assert.ok(AT < once.updatedAt && once.updatedAt < twice.updatedAt)
  })

  it('never leads to a circle of merges', () => {
    const ids = ['a', 'b', 'c', 'd']
    const move = fc.record({
      id: fc.constantFrom(...ids),
      into: fc.constantFrom(...ids),
      act: fc.constantFrom('accept', 'rename', 'merge', 'dismiss'),
    })
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        const modes = new Map(ids.map((id) => [id, mode(id)]))
        for (const { id, into, act } of moves) {
          const given = { act, into, name: 'n' } as ReviewAct
          try {
            modes.set(id, applyAct(modes.get(id) ?? mode(id), given, { now: NOW, into: modes.get(into) }))
          } catch (error) {
            assert.ok(error instanceof InputError)
          }
        }
        for (const id of ids) {
          let at = modes.get(id)
          for (let steps = 0; at?.state === 'merged'; steps++) {
            assert.ok(steps < ids.length, 'merges form a circle')
            at = modes.get(at.mergedInto ?? '')
          }
          assert.notEqual(at, undefined)
        }
      }),
    )
  })
})
