/**
 * Runs once before all test files: one PostgreSQL for all, and the bytes of an initialised PGlite, since making one
 * takes seconds and loading one does not. Test files that run alone make their own (databases.ts).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { startPostgres } from './postgres-server.ts'

let stop: (() => Promise<void>) | undefined

export async function globalSetup(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'assay-test-'))
  const [postgres, dump] = await Promise.all([startPostgres(), initialisedPglite()])
  const file = path.join(folder, 'pglite.tar')
  await writeFile(file, dump)
  process.env.ASSAY_TEST_POSTGRES_PORT = String(postgres.port)
  process.env.ASSAY_TEST_PGLITE = file
  stop = async () => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

export async function globalTeardown(): Promise<void> {
  await stop?.()
}

async function initialisedPglite(): Promise<Uint8Array> {
  const pglite = await PGlite.create()
  const dump = await pglite.dumpDataDir('none')
  await pglite.close()
  return new Uint8Array(await dump.arrayBuffer())
}
