import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { migrate, migrateDown, migrator } from '../../src/store/database.ts'
import { freshDatabase, onBothEngines } from '../support/databases.ts'

onBothEngines('the migrations', (get, engine) => {
  it('leave the tables of the whole flow', async () => {
    const { db } = await get()
    const tables = (await db.introspection.getTables()).map((table) => table.name)
    for (const name of [
      'traces',
      'census',
      'cases',
      'replays',
      'trials',
      'failure_modes',
      'windows',
      'reports',
      'deliveries',
    ]) {
      assert.ok(tables.includes(name), `${name} is missing on ${engine}`)
    }
  })

  it('do nothing the second time', async () => {
    const { db } = await get()
    assert.deepEqual(await migrate(db), [])
  })

  it('read a json column back as a value and a time as a Date', async () => {
    const { db } = await get()
    await db
      .insertInto('draws')
      .values({
        id: 'd1',
        suite: 's',
        seed: 'x',
        strata: JSON.stringify([{ stratum: 'a', population: 2, drawn: 1 }]),
        created_at: '2026-01-02T03:04:05.000Z',
      })
      .execute()
    const row = await db.selectFrom('draws').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual(row.strata, [{ stratum: 'a', population: 2, drawn: 1 }])
    assert.equal(row.created_at.toISOString(), '2026-01-02T03:04:05.000Z')
  })
})

describe('a connection that PostgreSQL ends', () => {
  it('in the middle of a transaction fails the transaction, and nothing else', async () => {
    const { db, close } = await freshDatabase('postgres')
    const backend = sql<{ pid: number }>`select pg_backend_pid() as pid`
    let begun: (pid: number) => void = () => undefined
    const pid = new Promise<number>((resolve) => {
      begun = resolve
    })
    let goOn: () => void = () => undefined
    const ended = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const transaction = db.transaction().execute(async (tx) => {
      begun((await backend.execute(tx)).rows[0]?.pid ?? 0)
      await ended
      await backend.execute(tx)
    })
    const failed = assert.rejects(transaction)
    await sql`select pg_terminate_backend(${await pid})`.execute(db)
    // The connection's end reaches us between two queries, when nobody waits for an answer on it.
    while ((await sql`select from pg_stat_activity where pid = ${await pid}`.execute(db)).rows.length > 0);
    await new Promise((resolve) => setImmediate(resolve))
    goOn()
    await failed
    assert.equal((await backend.execute(db)).rows.length, 1)
    await close()
  })
})

describe('a migration', () => {
  for (const engine of ['pglite', 'postgres'] as const) {
    it(`has a down step for each step up on ${engine}`, async () => {
      const database = await freshDatabase(engine)
      const steps = await migrator(database.db).getMigrations()
      for (let i = 0; i < steps.length; i++) await migrateDown(database.db)
      const left = await sql<{
        n: number
      }>`select count(*)::int as n from information_schema.tables where table_schema = 'public' and table_name not like 'kysely%'`.execute(
        database.db,
      )
      assert.equal(left.rows[0]?.n, 0)
      assert.equal((await migrate(database.db)).length, steps.length)
      await database.close()
    })
  }

  it('runs once when several processes start together', async () => {
    const database = await freshDatabase('postgres')
    await migrateDown(database.db)
    const ran = await Promise.all([migrate(database.db), migrate(database.db), migrate(database.db)])
    assert.equal(ran.flat().length, 1)
    await database.close()
  })
})
