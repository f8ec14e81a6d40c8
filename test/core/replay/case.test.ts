import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { drawnCaseId, unreplayable } from '../../../src/core/replay/case.ts'

describe('a drawn case', () => {
  it('has the same short id each time', () => {
    const id = drawnCaseId('draw_01j00000zzabcdefghij', 'suite', 'trace')
    assert.equal(id, drawnCaseId('draw_01j00000zzabcdefghij', 'suite', 'trace'))
    assert.match(id, /^case_[0-9a-f]{14}$/)
    assert.notEqual(id, drawnCaseId('draw_01j00000zzabcdefghij', 'suite', 'other'))
    assert.notEqual(id, drawnCaseId('draw_01j00000zzabcdefghij', 'other', 'trace'))
  })

  it('comes from a whole trace that lacks nothing', () => {
    assert.deepEqual(unreplayable([], true), [])
    assert.deepEqual(unreplayable(['user input truncated'], false), [
      'spans of the trace are missing',
      'user input truncated',
    ])
  })
})
