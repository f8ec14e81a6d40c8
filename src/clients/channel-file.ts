/**
 * A channel that writes the digest into a folder: .html, .md, .txt and .json under one name. Each file appears whole or not
 * at all; the same digest gives the same names and bytes, so that writing it again changes nothing.
 */
import { mkdir, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Channel, SendResult } from '../core/ports.ts'
import type { Digest } from '../core/reporting/digest.ts'

const FORMS = [
  ['html', (digest: Digest) => digest.html],
  ['md', (digest: Digest) => digest.markdown],
  ['txt', (digest: Digest) => digest.text],
  ['json', (digest: Digest) => digest.json],
] as const

/** Faults of the disk (full, not allowed, gone) are tried again: an operator mends them. */
export function makeFileChannel({ folder }: { readonly folder: string }): Channel {
  return {
    async send(digest, deliveryId): Promise<SendResult> {
      try {
        await mkdir(folder, { recursive: true })
        for (const [extension, bytes] of FORMS) {
          await writeWhole(path.join(folder, `${digest.fileName}.${extension}`), bytes(digest), deliveryId)
        }
        return { outcome: 'delivered' }
      } catch (error) {
        return { outcome: 'failed', cause: `${folder}: ${(error as Error).message}`, permanent: false }
      }
    },
  }
}

async function writeWhole(file: string, text: string, deliveryId: string): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${deliveryId}.tmp`)
  try {
    const handle = await open(temporary, 'w')
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
