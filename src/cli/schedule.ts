/**
 * Running a schedule now and waiting for its report: what `report --schedule` and `demo` share.
 */
import { InputError } from '../core/errors.ts'
import type { Client } from './client.ts'
import type { Io } from './command.ts'
import { makeProgress } from './progress.ts'
import { pause } from './replay.ts'

const POLL_MS = 250

/** What is read of /status. */
export type Status = {
  readonly spool: { readonly entries: number }
  readonly openTraces: number
  readonly stages: readonly { readonly stage: string; readonly waiting: number | null }[]
  readonly schedules: readonly { readonly name: string; readonly lastWindow: LastWindow | null }[]
}

type LastWindow = {
  readonly to: string
  readonly state: string
  readonly reportId: string | null
  readonly error: string | null
}

type ReplayCounts = { readonly name: string; readonly counts: { readonly planned: number; readonly graded: number } }

/** Gives the id of the report, once it is frozen and its deliveries are over. */
export async function runSchedule(client: Client, schedule: string, io: Io): Promise<string> {
  const window = await client.post<{ to: string }>(`/api/v1/schedules/${encodeURIComponent(schedule)}/run`, {})
  const progress = makeProgress(io, 'trials')
  for (;;) {
    const status = await client.get<Status>('/api/v1/status')
    const last = status.schedules.find((one) => one.name === schedule)?.lastWindow
    const { replays } = await client.get<{ replays: readonly ReplayCounts[] }>('/api/v1/replays')
    const ours = replays.filter((one) => one.name.startsWith(`${schedule} ${window.to.slice(0, 16)}`))
    const total = (of: (one: ReplayCounts['counts']) => number) => ours.reduce((sum, { counts }) => sum + of(counts), 0)
    if (ours.length > 0)
      progress.update(
        total((c) => c.graded),
        total((c) => c.planned),
      )
    if (last?.to === window.to && last.state === 'failed') {
      throw new InputError('window_failed', `the report was not made: ${last.error}`, `schedule ${schedule}`)
    }
    if (last?.to === window.to && last.reportId !== null) {
      progress.end('trials graded, failures classified, report frozen')
      await delivered(client, last.reportId, io)
      return last.reportId
    }
    await pauseOrStop(io)
  }
}

type Delivery = {
  readonly channel: string
  readonly state: string
  readonly attempts: number
  readonly error?: string | null
}

/** Waits for each channel's first attempt; what a channel refuses is tried again by the service, for hours if need be. */
async function delivered(client: Client, reportId: string, io: Io): Promise<void> {
  for (;;) {
    const { reports } = await client.get<{ reports: readonly { id: string; deliveries: readonly Delivery[] }[] }>(
      '/api/v1/reports',
    )
    const deliveries = reports.find(({ id }) => id === reportId)?.deliveries ?? []
    if (deliveries.every(({ state, attempts }) => state !== 'sending' && (state !== 'pending' || attempts > 0))) {
      for (const { channel, state } of deliveries)
        io.err(`channel ${channel}: ${state === 'pending' ? 'not delivered yet, it is tried again' : state}\n`)
      return
    }
    await pauseOrStop(io)
  }
}

/** Throws when Ctrl-C was pressed: the service, or the next start, goes on with what is planned. */
export async function pauseOrStop(io: Io): Promise<void> {
  await pause(POLL_MS, io.signal)
  if (io.signal.aborted) {
    throw new InputError('interrupted', 'stopped; nothing is lost, and assay serve goes on with what is planned')
  }
}
