/**
 * Fires when schedules fall due. Each firing only says "look": what is due is decided by the slots in the database
 * (stages/report.ts), so that a firing that comes twice, late or not at all does no harm. A heartbeat looks every minute, for
 * clocks that jump and machines that slept.
 */
import cron from 'node-cron'
import type { Log } from '../core/ports.ts'
import { cronFields, isOpen } from '../core/schedule/cron.ts'

const HEARTBEAT = '* * * * *'

export type Schedule = { readonly name: string; readonly cron: string; readonly timezone: string }

/** Begins to fire; `stop` ends it and resolves when a look under way has ended. */
export function startSchedules({
  schedules,
  tick,
  log,
}: {
  readonly schedules: readonly Schedule[]
  readonly tick: () => Promise<void>
  readonly log: Log
}): { stop(): Promise<void> } {
  let looking: Promise<void> | undefined
  let again = false

  /** One look at a time; firings meanwhile become one more look after it. */
  function look(): void {
    again = looking !== undefined
    looking ??= tick()
      .catch((error: unknown) => log('error', 'schedules could not be looked at', { error: String(error) }))
      .finally(() => {
        looking = undefined
        if (again) look()
      })
  }

  const heartbeat: Schedule = { name: 'heartbeat', cron: HEARTBEAT, timezone: 'UTC' }
  const tasks = (schedules.length === 0 ? [] : [...schedules, heartbeat]).flatMap((schedule) =>
    firings(schedule.cron).map((expression) => cron.schedule(expression, look, { timezone: schedule.timezone })),
  )
  return {
    async stop() {
      for (const task of tasks) await task.destroy()
      again = false
      await looking
    },
  }
}

/**
 * Where day of month and day of week are both given, cron lets either be enough; node-cron asks for both. Two expressions
 * that leave one of them open each fire on all days on which the one would.
 */
export function firings(expression: string): readonly string[] {
  const { seconds, fields } = cronFields(expression)
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = fields
  const both =
    isOpen(day) || isOpen(weekday)
      ? [[day, weekday]]
      : [
          [day, '*'],
          ['*', weekday],
        ]
  return both.map(([d, w]) => [...(seconds === null ? [] : [seconds]), minute, hour, d, month, w].join(' '))
}
