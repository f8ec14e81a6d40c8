import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { temporaryFolder } from './support/temporary-folder.ts'

const MAIN = path.join(import.meta.dirname, '..', 'src', 'main.ts')

function start(args: readonly string[]) {
  return spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function assay(...args: readonly string[]) {
  const child = start(args)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: code as number | null, out, err }
}

describe('the command line', () => {
  it('refuses help for a command that it does not have', async () => {
    const { code, err } = await assay('help', 'nosuch')
    assert.equal(code, 2)
    assert.match(err, /"nosuch" is no command; there are demo, serve/)
  })

  it('refuses what a command on this machine would pass over, before it undoes a migration here', async () => {
    const elsewhere = await assay('migrate', '--down', '--url', 'http://127.0.0.1:1')
    assert.equal(elsewhere.code, 2)
    assert.match(elsewhere.err, /--url/)
    assert.equal((await assay('migrate', 'down')).code, 2)
    assert.doesNotMatch((await assay('help', 'migrate')).out, /--url/)
    assert.match((await assay('help', 'compare')).out, /--url/)
  })

  it('takes a disk that refuses as no fault of its own', async () => {
    const file = path.join(await temporaryFolder(), 'a-file')
    writeFileSync(file, '')
    const { code, err } = await assay('serve', '--port', '0', '--data', path.join(file, 'data'))
    assert.equal(code, 2)
    assert.match(err, /^assay: ENOTDIR.*a-file/)
    assert.doesNotMatch(err, /fault of ours/)
  })

  it('refuses an import that is not UTF-8, and stores no replacement characters', async () => {
    const file = path.join(await temporaryFolder(), 'latin.jsonl')
    writeFileSync(file, Buffer.from('{"id":"caf\u00e9","input":"x"}\n', 'latin1'))
    const { code, err } = await assay('import', 'cases', file, '--suite', 's')
    assert.equal(code, 2)
    assert.match(err, /is not UTF-8/)
  })

  it('names the place of a mistake once', async (t) => {
    const file = path.join(await temporaryFolder(), 'cases.jsonl')
    writeFileSync(file, '{}\n')
    const error = { code: 'bad_line', message: 'line 1: input is missing', at: 'line 1' }
    const service = createServer((_, answer) => answer.writeHead(400).end(JSON.stringify({ error })))
    await once(service.listen(0, '127.0.0.1'), 'listening')
    t.after(() => service.close())
    const { port } = service.address() as { port: number }
    const { code, err } = await assay('import', 'cases', file, '--suite', 's', '--url', `http://127.0.0.1:${port}`)
    assert.equal(code, 2)
    assert.equal(err, 'assay: line 1: input is missing\n')
  })

  it('ends in order when the reader of its output goes away', async () => {
    const data = path.join(await temporaryFolder(), 'data')
    const child = start(['serve', '--port', '0', '--data', data])
    child.stdout.destroy()
    child.stderr.resume()
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    assert.ok(existsSync(path.join(data, 'spool')))
    assert.equal(existsSync(path.join(data, 'owner.json')), false)
  })
})
