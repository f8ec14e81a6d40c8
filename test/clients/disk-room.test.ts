import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { makeDiskRoom } from '../../src/clients/disk-room.ts'
import { openSpool } from '../../src/clients/spool-lmdb.ts'
import { UnavailableError } from '../../src/core/errors.ts'
import { openDatabase } from '../../src/store/database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('the room on the disk', () => {
  it('is enough or is said with its numbers', async () => {
    const folder = await temporaryFolder()
    assert.doesNotThrow(makeDiskRoom(folder, 0))
    assert.throws(makeDiskRoom(folder, 1e18), (error) => {
      assert.ok(error instanceof UnavailableError)
      assert.match(error.message, /has \d+ MiB left, at least \d+ MiB are needed/)
      return true
    })
  })

  it('is asked before each query of the embedded database and each append, which go on when there is some', async () => {
    const folder = await temporaryFolder()
    let short = false
    const room = () => {
      if (short) throw new UnavailableError('no room')
    }
    const database = await openDatabase({ folder: path.join(folder, 'pglite'), room })
    const spool = await openSpool(path.join(folder, 'spool'), room)
    const entry = { kind: 'otlp', arrivedAt: 1, body: new Uint8Array([1]) } as const
    const works = [
      () => sql`select 1`.execute(database.db),
      () => database.jobs.db.executeSql('select 1', []),
      () => spool.append(entry),
    ]
    for (const work of works) {
      short = true
      await assert.rejects(async () => work(), UnavailableError)
      short = false
      await work()
    }
    assert.equal(spool.waiting().entries, 1)
    await spool.close()
    await database.close()
  })
})
