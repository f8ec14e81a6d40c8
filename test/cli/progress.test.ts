import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeProgress, progressLine } from '../../src/cli/progress.ts'

function screen(isTerminal: boolean) {
  let now = 0
  const written: string[] = []
  const io = {
    err: (text: string) => void written.push(text),
    isTerminal,
    columns: 80,
    clock: { now: () => new Date(now) },
  }
  return { io, written, pass: (ms: number) => (now += ms) }
}

describe('progress', () => {
  it('says how many, how fast and how long yet', () => {
    const line = progressLine({ title: 'nightly', done: 50, total: 200, elapsedMs: 10_000, note: '' })
    assert.match(line, /nightly █{6}░{18} 50\/200 {2}5\.0\/s 30s left/)
  })

  it('says nothing of time left when all is done', () => {
    assert.doesNotMatch(progressLine({ title: 't', done: 2, total: 2, elapsedMs: 10, note: '' }), /left/)
  })

  it('redraws one line on a terminal and never fills it', () => {
    const { io, written, pass } = screen(true)
    const progress = makeProgress({ ...io, columns: 20 }, 'a long title that does not fit')
    progress.update(1, 10)
    pass(200)
    progress.update(2, 10)
    assert.equal(written.length, 2)
    for (const text of written) {
      assert.ok(text.startsWith('\r\x1b[K'))
      assert.ok(text.length - '\r\x1b[K'.length < 20)
    }
  })

  it('writes a line now and then where there is no terminal', () => {
    const { io, written, pass } = screen(false)
    const progress = makeProgress(io, 't')
    for (let i = 0; i < 25; i++) {
      progress.update(i, 25)
      pass(1000)
    }
    assert.equal(written.length, 3)
    assert.ok(written.every((text) => text.endsWith('\n') && !text.includes('\r')))
  })
})
