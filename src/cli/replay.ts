/**
 * What `reliability`, `compare` and `demo` share: start a replay on the service and wait for it with progress.
 */
import { InputError } from '../core/errors.ts'
import type { Client } from './client.ts'
import type { Io } from './command.ts'
import { makeProgress } from './progress.ts'

const POLL_MS = 200

export type ReplayWish = {
  readonly suite?: string | undefined
  readonly draw?: string | undefined
  readonly fresh: boolean
  readonly target: string
  readonly version: string
  readonly trials: number
  readonly k: number
  readonly completionOnly: boolean
  readonly name?: string | undefined
}

export type PlannedReplay = { readonly id: string; readonly name: string; readonly draw: string | null }

type ReplayState = {
  readonly state: string
  readonly counts: { readonly planned: number; readonly ended: number; readonly graded: number }
}

export async function startReplay(client: Client, wish: ReplayWish): Promise<PlannedReplay> {
  return client.post<PlannedReplay>('/api/v1/replays', wish)
}

/** Waits until every trial is graded. Ctrl-C stops the waiting, not the replay: what is planned stays planned. */
export async function finishReplay(client: Client, replay: PlannedReplay, io: Io): Promise<void> {
  const progress = makeProgress(io, replay.name)
  for (;;) {
    const { state, counts } = await client.get<ReplayState>(`/api/v1/replays/${encodeURIComponent(replay.id)}`)
    progress.update(counts.graded, counts.planned)
    if (state !== 'running' && counts.graded >= counts.planned) break
    if (io.signal.aborted) {
      progress.end()
      throw new InputError(
        'interrupted',
        `stopped after ${counts.graded} of ${counts.planned} trials; nothing is lost: assay serve goes on with it, and assay reliability --replay ${replay.name} shows the figures`,
        `replay ${replay.name}`,
      )
    }
    await pause(POLL_MS, io.signal)
  }
  progress.end()
}

/** Resolves after the time, or at once when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
