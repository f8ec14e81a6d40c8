/**
 * Runs the stages: each has a loop of its own that steps until it is idle and then waits. An error is logged, remembered
 * and followed by a pause; it never ends the loop, and one stage never holds up another.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, type Log, STAGES, type StageName } from '../core/ports.ts'
import type { StageActivity } from '../http/use-cases.ts'
import type { Stage } from '../stages/pipeline.ts'

const ERROR_PAUSE_MS = 2000
/** A stage that stays idle looks ever more rarely, up to this: an idle service must cost next to nothing. */
const IDLE_MS_MAX = 2000

export type Loops = {
  activity(): Readonly<Record<StageName, StageActivity>>
  /** For work that is not a loop's: what ingest did, what a draw ran into. */
  note(stage: StageName, error?: unknown): void
  /** Resolves when each loop has ended its step. */
  stop(): Promise<void>
}

export function startLoops(
  stages: readonly Stage[],
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Loops {
  const stopping = new AbortController()
  const activity = Object.fromEntries(
    STAGES.map((name) => [name, { lastWorkedAt: null, lastError: null } as StageActivity]),
  ) as Record<StageName, StageActivity>
  const note = (name: StageName, error?: unknown) => {
    const at = clock.now().toISOString()
    const before = activity[name]
    activity[name] =
      error === undefined
        ? { ...before, lastWorkedAt: at }
        : { ...before, lastError: { at, message: error instanceof Error ? error.message : String(error) } }
  }

  async function loop({ name, step, idleMs }: Stage): Promise<void> {
    let idle = 0
    while (step !== null && !stopping.signal.aborted) {
      let wait = 0
      try {
        if ((await step()) === 'worked') {
          idle = 0
          note(name)
        } else wait = Math.min(idleMs * 2 ** idle++, Math.max(idleMs, IDLE_MS_MAX))
      } catch (error) {
        note(name, error)
        log('error', `stage ${name} stumbled and goes on`, { cause: activity[name].lastError?.message })
        wait = ERROR_PAUSE_MS
      }
      // Also after work: a busy stage must let requests in.
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const running = stages.map(loop)
  return {
    activity: () => ({ ...activity }),
    note,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
