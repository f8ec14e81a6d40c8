import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseTrialLine } from '../../../src/core/replay/import-line.ts'

describe('a line of an import', () => {
  it('is read or refused with its number, whatever it holds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseTrialLine(text, 7)
        } catch (error) {
          assert.match(String(error), /^InputError: line 7: /)
        }
      }),
    )
  })
})
