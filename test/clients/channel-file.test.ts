import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { makeFileChannel } from '../../src/clients/channel-file.ts'
import { digestOf } from '../../src/core/reporting/digest.ts'
import { sampleReport } from '../core/reporting/sample-report.ts'

const root = await mkdtemp(path.join(os.tmpdir(), 'assay-channel-'))
after(() => rm(root, { recursive: true, force: true }))
const digest = digestOf(sampleReport())

describe('file channel', () => {
  it('writes the four forms under one name and makes the folder', async () => {
    const folder = path.join(root, 'a', 'b')
    assert.deepEqual(await makeFileChannel({ folder }).send(digest, 'dlv_1'), { outcome: 'delivered' })
    const name = 'weekly-2026-11-30T0800Z-rep_01jfk8m2q9x4'
    const files = await readdir(folder)
    assert.deepEqual(
      files.toSorted(),
      ['html', 'json', 'md', 'txt'].map((extension) => `${name}.${extension}`),
    )
    assert.equal(await readFile(path.join(folder, `${name}.html`), 'utf8'), digest.html)
    assert.equal(await readFile(path.join(folder, `${name}.json`), 'utf8'), digest.json)
  })

  it('leaves the same files when the same delivery is written again', async () => {
    const folder = path.join(root, 'again')
    const channel = makeFileChannel({ folder })
    await channel.send(digest, 'dlv_1')
    const before = await readdir(folder)
    await channel.send(digest, 'dlv_1')
    assert.deepEqual(await readdir(folder), before)
  })

  it('stays in its folder, whatever a schedule is called', async () => {
    const folder = path.join(root, 'inside')
    const hostile = digestOf(sampleReport({ schedule: '../../etc/cron.d/x\u0000', id: '../../../tmp/evil' }))
    await makeFileChannel({ folder }).send(hostile, 'dlv_1')
    assert.equal((await readdir(folder)).length, 4)
    assert.match(hostile.fileName, /^[A-Za-z0-9_-]+$/)
  })

  it('can be tried again when the disk refuses', async () => {
    const folder = path.join(root, 'file')
    await writeFile(folder, 'in the way')
    const result = await makeFileChannel({ folder }).send(digest, 'dlv_1')
    assert.equal(result.outcome, 'failed')
    assert.ok(result.outcome === 'failed' && !result.permanent && result.cause.includes(folder))
  })
})
