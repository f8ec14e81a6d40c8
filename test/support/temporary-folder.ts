/** Folders for tests that need a disk; gone when the test file ends. */
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'

const made: string[] = []
after(async () => {
  for (const folder of made) await rm(folder, { recursive: true, force: true })
})

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'assay-'))
  made.push(folder)
  return folder
}
