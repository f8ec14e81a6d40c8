/**
 * Real databases for tests: PGlite, and a PostgreSQL of npm's own; a fresh database per call. Nothing here stands in
 * for a database.
 */
import { readFile } from 'node:fs/promises'
import { after, describe } from 'node:test'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { type Database, migrate, openDatabase, overPglite } from '../../src/store/database.ts'
import { startPostgres } from './postgres-server.ts'

export type Engine = 'pglite' | 'postgres'
export const ENGINES: readonly Engine[] = ['pglite', 'postgres']

let own: ReturnType<typeof startPostgres> | undefined
let created = 0
after(async () => (await own)?.stop())

/** URL of a fresh, empty PostgreSQL database. */
export async function freshPostgresUrl(): Promise<string> {
  const port = process.env.ASSAY_TEST_POSTGRES_PORT ?? (await ownPostgres()).port
  const name = `t${process.pid}_${created++}`
  const server = `postgres://postgres:postgres@127.0.0.1:${port}`
  const client = new pg.Client({ connectionString: `${server}/postgres` })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return `${server}/${name}`
}

function ownPostgres() {
  own ??= startPostgres()
  return own
}

async function freshPglite(): Promise<Database> {
  const dump = process.env.ASSAY_TEST_PGLITE
  if (dump === undefined) return openDatabase({ folder: null })
  return overPglite(await PGlite.create({ loadDataDir: new Blob([await readFile(dump)]) }))
}

/** A fresh, migrated database on the engine; close it when done. */
export async function freshDatabase(engine: Engine): Promise<Database> {
  const database = engine === 'pglite' ? await freshPglite() : await openDatabase({ url: await freshPostgresUrl() })
  await migrate(database.db)
  return database
}

/** Runs the suite once per engine; `get()` gives the suite's own database, shared by its tests. */
export function onBothEngines(name: string, suite: (get: () => Promise<Database>, engine: Engine) => void): void {
  for (const engine of ENGINES) {
    describe(`${name} on ${engine}`, () => {
      let database: Promise<Database> | undefined
      const get = () => {
        database ??= freshDatabase(engine)
        return database
      }
      after(async () => (await database)?.close())
      suite(get, engine)
    })
  }
}
