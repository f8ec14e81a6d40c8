/**
 * Whether the data folder's disk has room left. The embedded database cannot be told that its disk is full: PGlite then
 * tries the same write for ever, and the whole process stands still, signals included. So we stop before that.
 *
 * Asked before each query and each append: one system call, which takes microseconds.
 */
import { statfsSync } from 'node:fs'
import { UnavailableError } from '../core/errors.ts'
import type { DiskRoom } from '../core/ports.ts'

const MIB = 1024 * 1024

/** Four segments of the database's log: what is under way may end. */
export const ROOM_BYTES_MIN = 64 * MIB

export function makeDiskRoom(folder: string, bytesMin: number = ROOM_BYTES_MIN): DiskRoom {
  return () => {
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    if (free >= bytesMin) return
    const needed = `at least ${Math.ceil(bytesMin / MIB)} MiB are needed`
    throw new UnavailableError(`the disk of ${folder} has ${Math.floor(free / MIB)} MiB left, ${needed}: make room`)
  }
}
