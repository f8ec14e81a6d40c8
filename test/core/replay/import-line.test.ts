import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseCaseLine, parseTrialLine } from '../../../src/core/replay/import-line.ts'

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

  it('that is nested without end is refused and not cut', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const refused = /^InputError: line 3: .* is nested too deep/
    assert.throws(() => parseCaseLine(`{"input":{"a":${deep}}}`, 3, 's'), refused)
    assert.throws(() => parseCaseLine(`{"input":"x","reference":${deep}}`, 3, 's'), refused)
    assert.throws(() => parseTrialLine(`{"case":${deep}}`, 3), refused)
  })
})
