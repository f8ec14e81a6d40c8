/**
 * Opens the one database: PostgreSQL where a URL is given, else PGlite in a folder of its own. The same SQL runs on both.
 * Migrations run at start, under kysely's lock, so that of several processes that start together one migrates.
 *
 * It does not know what the tables hold; see schema.ts and the file of each noun.
 */
import { promises as fs } from 'node:fs'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, type KyselyPlugin, PGliteDialect, PostgresDialect, sql } from 'kysely'
import { FileMigrationProvider, type MigrationResultSet, Migrator } from 'kysely/migration'
import pg from 'pg'
import { type BackendProfile, fromKysely, fromPglite, type Db as JobsDb } from 'pg-boss'
import type { DiskRoom } from '../core/ports.ts'
import type { Tables } from './schema.ts'

/** PGlite's whole engine is one connection; PostgreSQL gets a pool. */
const POOL_CONNECTIONS_MAX = 10

export type Database = {
  readonly db: Kysely<Tables>
  readonly engine: 'pglite' | 'postgres'
  /** How the job queue reaches the same database outside a transaction of ours. */
  readonly jobs: { readonly db: JobsDb; readonly backend: BackendProfile }
  close(): Promise<void>
}

/** `folder` of null keeps the embedded database in memory (for tests); `room` is asked before each of its queries. */
export type DatabasePlace = { readonly url: string } | { readonly folder: string | null; readonly room?: DiskRoom }

/** Does not migrate. */
export async function openDatabase(place: DatabasePlace): Promise<Database> {
  if ('url' in place) {
    const pool = new pg.Pool({ connectionString: place.url, max: POOL_CONNECTIONS_MAX })
    // A connection that breaks says so to whoever waits on it, and the pool replaces it. Without listeners it would end the
    // process: the pool's is for idle connections, the client's for those of a transaction between two of its queries.
    pool.on('error', () => undefined)
    pool.on('connect', (client) => client.on('error', () => undefined))
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
    return { db, engine: 'postgres', jobs: { db: fromPool(pool), backend: 'postgres' }, close: () => db.destroy() }
  }
  if (place.folder !== null) await fs.mkdir(place.folder, { recursive: true, mode: 0o700 })
  place.room?.()
  return overPglite(await PGlite.create(place.folder === null ? {} : { dataDir: place.folder }), place.room)
}

export function overPglite(pglite: PGlite, room: DiskRoom = () => undefined): Database {
  const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }), plugins: [askingFirst(room)] })
  const jobs = fromPglite(pglite)
  const executeSql: JobsDb['executeSql'] = async (text, values) => {
    room()
    return jobs.executeSql(text, values)
  }
  const close = () => db.destroy()
  return { db, engine: 'pglite', jobs: { db: { ...jobs, executeSql }, backend: 'pglite' }, close }
}

/** Commits and rollbacks are not asked about: what has begun may end. */
function askingFirst(room: DiskRoom): KyselyPlugin {
  return {
    transformQuery({ node }) {
      room()
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

/** The same over a kysely transaction: what is enqueued is enqueued if and only if the transaction commits. */
export function jobsInside(tx: Kysely<Tables>): JobsDb {
  return fromKysely(tx)
}

function fromPool(pool: pg.Pool): JobsDb {
  return {
    async executeSql(text, values) {
      return pool.query(text, values)
    },
  }
}

/** The engine's own name and version; also the cheapest proof that it answers. */
export async function engineVersion(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ v: string }>`select current_setting('server_version') as v`.execute(db)
  return `PostgreSQL ${rows[0]?.v ?? 'of an unknown version'}`
}

const MIGRATIONS = path.join(import.meta.dirname, '..', '..', 'migrations')

export function migrator(db: Kysely<Tables>): Migrator {
  return new Migrator({ db, provider: new FileMigrationProvider({ fs, path, migrationFolder: MIGRATIONS }) })
}

/** Brings the database to the newest state. Returns the names of the steps that ran; throws the step's own error. */
export async function migrate(db: Kysely<Tables>): Promise<readonly string[]> {
  return ran(await migrator(db).migrateToLatest())
}

/** Undoes the newest step. */
export async function migrateDown(db: Kysely<Tables>): Promise<readonly string[]> {
  return ran(await migrator(db).migrateDown())
}

function ran({ error, results }: MigrationResultSet): readonly string[] {
  if (error !== undefined) {
    const step = results?.find((r) => r.status === 'Error')?.migrationName ?? 'reading the migrations'
    throw new Error(`Migration ${step} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
  return (results ?? []).map((r) => r.migrationName)
}
