import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, it } from 'node:test'
import { takeFolder } from '../../src/store/owner.ts'

const freshFolder = () => mkdtempSync(path.join(os.tmpdir(), 'assay-owner-'))
const OWNER = path.join(import.meta.dirname, '../../src/store/owner.ts')

/** A real second process that takes the folder and keeps it until it is killed. */
async function otherOwner(folder: string) {
  const code = `import { takeFolder } from ${JSON.stringify(OWNER)}
    takeFolder(${JSON.stringify(folder)}).announce('http://127.0.0.1:4318'); console.log('taken'); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child
}

describe('the owner of a data folder', () => {
  it('is named to a second process, with the url to talk to', async () => {
    const folder = freshFolder()
    const other = await otherOwner(folder)
    assert.throws(() => takeFolder(folder), new RegExp(`in use by process ${other.pid} .*--url http://127.0.0.1:4318`))
    other.kill('SIGKILL')
  })

  it('loses the folder when it was killed', async () => {
    const folder = freshFolder()
    const other = await otherOwner(folder)
    const gone = new Promise((resolve) => other.once('exit', resolve))
    other.kill('SIGKILL')
    await gone
    takeFolder(folder).release()
  })

  it('is not confused by a process that was given the same id later', () => {
    const folder = freshFolder()
    const file = path.join(folder, 'owner.json')
    writeFileSync(
      file,
      JSON.stringify({ pid: process.ppid, host: os.hostname(), started: 'another boot 1', url: null }),
    )
    const ownership = takeFolder(folder)
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).pid, process.pid)
    ownership.release()
  })

  it('may take a folder whose mark was half written', () => {
    const folder = freshFolder()
    writeFileSync(path.join(folder, 'owner.json'), '{"pid": 1')
    takeFolder(folder).release()
  })
})
