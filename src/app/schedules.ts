/**
 * The configured schedules: what fires them, what their windows ask of select and replay, when they fall due next, and how
 * one is run by hand.
 */
import { startSchedules } from '../clients/schedules-cron.ts'
import { type Config, targetOf } from '../config.ts'
import { NotFoundError } from '../core/errors.ts'
import type { Clock, Log } from '../core/ports.ts'
import { lastSlot, nextSlot } from '../core/schedule/due-slots.ts'
import type { Running, UseCases } from '../http/use-cases.ts'
import type { ReportNeeds } from '../stages/report.ts'
import { planReplay } from '../store/replays.ts'
import type { Db } from '../store/schema.ts'
import { insertDueWindow } from '../store/windows.ts'
import { type ReplayingNeeds, replayParts, suiteNamed } from './replaying.ts'

/** Looks once now, and at every firing. The function it gives stops that. */
export function startFiring({ schedules }: Config, tick: () => Promise<void>, log: Log): () => Promise<void> {
  const begun = tick().catch((error: unknown) =>
    log('error', 'schedules could not be looked at', { error: String(error) }),
  )
  const firing = startSchedules({ schedules, tick, log })
  return async () => {
    await firing.stop()
    await begun
  }
}

/** What a window asks of select and replay, in the terms of the configuration. */
export function windowWork(needs: ReplayingNeeds): Pick<ReportNeeds, 'drawCases' | 'planReplay'> {
  const { config, db, jobs } = needs
  return {
    drawCases: (wish) => {
      const { from, cases, stratifyBy } = suiteNamed(config, wish.suite)
      return needs.drawCases({ ...wish, from, count: cases, stratifyBy })
    },
    planReplay: ({ target: reference, suite: name, drawId, ...wish }) => {
      const suite = suiteNamed(config, name)
      const parts = replayParts(needs, { suite, ...targetOf(config, reference) })
      return planReplay(db, jobs, { ...parts, ...wish, cases: { drawId }, completionOnly: suite.completionOnly })
    },
  }
}

export function nextSlots({ schedules }: Pick<Config, 'schedules'>, clock: Clock): Running['schedules'] {
  return schedules.map(({ name, cron, timezone }) => ({
    name,
    cron,
    timezone,
    nextAt: nextSlot({ cron, timezone, now: clock.now() }).toISOString(),
  }))
}

type RunNeeds = {
  readonly config: Pick<Config, 'schedules'>
  readonly db: Db
  readonly clock: Clock
  readonly tick: () => Promise<void>
}

/** The time since the last slot becomes a window that is due now; the next slot falls due as if it had not been. */
export function makeRunSchedule({ config, db, clock, tick }: RunNeeds): UseCases['runSchedule'] {
  return async ({ schedule: name }) => {
    const schedule = config.schedules.find((one) => one.name === name)
    if (schedule === undefined) {
      const names = config.schedules.map((one) => one.name).join(', ')
      throw new NotFoundError(
        `schedule ${JSON.stringify(name)} is not known; schedules are ${names || 'none'}`,
        'path.schedule',
      )
    }
    // A slot that fell due a moment ago must be noted before a later window is, or it would be passed over.
    await tick()
    const now = clock.now()
    const { to: from } = lastSlot({ ...schedule, now })
    await insertDueWindow(db, name, { from, to: now }, { late: false, now })
    return { schedule: name, from: from.toISOString(), to: now.toISOString() }
  }
}
