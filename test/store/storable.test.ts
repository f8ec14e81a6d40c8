import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { storableText } from '../../src/core/replay/storable.ts'
import { storableJson, storableWord } from '../../src/store/storable.ts'

describe('storable text', () => {
  it('replaces what PostgreSQL has no character for, in values and keys, and nothing else', () => {
    assert.equal(storableText('a\u0000b\ud83dc \u{1f600} é'), 'a\ufffdb\ufffdc \u{1f600} é')
    assert.equal(
      storableJson({ 'k\u0000': ['\ud83d', { x: null, y: undefined, n: 5 }] }),
      '{"k\ufffd":["\ufffd",{"x":null,"n":5}]}',
    )
    assert.equal(storableJson(undefined), 'null')
    assert.equal(storableJson({ ['__proto__']: '\u0000' }), '{"__proto__":"\ufffd"}')
  })

  it('cuts a word without leaving half a character', () => {
    assert.equal(storableWord('ab\u{1f600}', 3), 'ab\ufffd')
    assert.equal(storableWord(null, 3), null)
  })
})
