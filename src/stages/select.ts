/**
 * Select: draw replayable cases from the kept traces of a window, stratum by stratum, with a known probability.
 *
 * The whole draw is one transaction. It keeps no state and nobody else moves it: a draw of the same id is made once, and
 * asking for it again gives what was drawn. What could not be drawn is counted by reason, never passed over.
 */
import { InputError } from '../core/errors.ts'
import type { Clock, Random } from '../core/ports.ts'
import { drawnCaseId } from '../core/replay/case.ts'
import { type DrawKey, type DrawnStratum, draw } from '../core/sampling/draw.ts'
import {
  casesOfDraw,
  findDraw,
  insertDraw,
  type Population,
  type PopulationTrace,
  populationOf,
} from '../store/cases.ts'
import type { Db } from '../store/schema.ts'

export type SelectNeeds = { readonly db: Db; readonly clock: Clock; readonly random: Random }

export type DrawRequest = {
  readonly suite: string
  readonly from: { readonly agent?: string | undefined; readonly service?: string | undefined }
  /** By arrival, half open; null leaves a side open. */
  readonly window: { readonly from: Date | null; readonly to: Date | null }
  readonly count: number
  readonly stratifyBy: readonly DrawKey[]
  /** Given by whoever must be able to ask again for the same draw; else new ones. */
  readonly drawId?: string
  readonly seed?: string
}

export type DrawResult = {
  readonly drawId: string
  readonly seed: string
  readonly strata: readonly DrawnStratum[]
  readonly caseIds: readonly string[]
  /** Kept traces of the window. */
  readonly kept: number
  /** Of these, how many lack what a replay needs, by reason; a trace counts under each of its reasons. */
  readonly notReplayable: { readonly traces: number; readonly reasons: readonly Reason[] }
}

export type Reason = { readonly reason: string; readonly traces: number }

const CASES_MAX = 10_000

/** Draws cases, or throws InputError `no_replayable_trace` with the counts that explain why there is none. */
export function makeSelect({ db, clock, random }: SelectNeeds): (request: DrawRequest) => Promise<DrawResult> {
  return async function drawCases(request) {
    if (!Number.isInteger(request.count) || request.count < 1 || request.count > CASES_MAX) {
      throw new InputError('bad_cases', `cases ${request.count} is not allowed, expected 1 to ${CASES_MAX}`)
    }
    const drawId = request.drawId ?? random.id('draw')
    const population = await populationOf(db, { ...request.from, ...request.window })
    const earlier = request.drawId === undefined ? undefined : await findDraw(db, drawId)
    if (earlier !== undefined) return result(db, earlier, population)

    const candidates = population.filter(({ lacks }) => lacks.length === 0)
    if (candidates.length === 0) throw emptyPopulation(request, population)
    const seed = request.seed ?? random.seed()
    const { strata, traces } = draw(candidates, { count: request.count, stratifyBy: request.stratifyBy, seed })
    const made = { id: drawId, suite: request.suite, ...request.window, seed, strata, createdAt: clock.now() }
    await db
      .transaction()
      .execute((tx) => insertDraw(tx, made, traces, (traceId) => drawnCaseId(drawId, request.suite, traceId)))
    return result(db, made, population)
  }
}

type StoredDraw = { readonly id: string; readonly seed: string; readonly strata: readonly DrawnStratum[] }

async function result(db: Db, drawn: StoredDraw, population: readonly PopulationTrace[]): Promise<DrawResult> {
  const cases = await casesOfDraw(db, drawn.id)
  return {
    drawId: drawn.id,
    seed: drawn.seed,
    strata: drawn.strata,
    caseIds: cases.map(({ id }) => id),
    kept: population.length,
    notReplayable: notReplayable(population),
  }
}

function notReplayable(population: readonly PopulationTrace[]): DrawResult['notReplayable'] {
  const lacking = population.filter(({ lacks }) => lacks.length > 0)
  const byReason = Map.groupBy(
    lacking.flatMap(({ lacks }) => lacks),
    (reason) => reason,
  )
  const reasons = [...byReason].map(([reason, traces]) => ({ reason, traces: traces.length }))
  return {
    traces: lacking.length,
    reasons: reasons.sort((a, b) => b.traces - a.traces || (a.reason < b.reason ? -1 : 1)),
  }
}

function emptyPopulation({ suite, from, window }: DrawRequest, population: readonly PopulationTrace[]): InputError {
  const source = [
    ...(from.agent === undefined ? [] : [`agent ${JSON.stringify(from.agent)}`]),
    ...(from.service === undefined ? [] : [`service ${JSON.stringify(from.service)}`]),
  ]
  const where = `${source.join(', ') || 'any agent'} in ${windowText(window)}`
  const { traces, reasons } = notReplayable(population)
  const why =
    population.length === 0
      ? 'no trace was kept'
      : `${traces} kept, none replayable: ${reasons.map((r) => `${r.reason} (${r.traces})`).join(', ')}`
  return new InputError('no_replayable_trace', `suite ${JSON.stringify(suite)} has no case: ${why}, from ${where}`)
}

function windowText({ from, to }: Pick<Population, 'from' | 'to'>): string {
  return `[${from?.toISOString() ?? 'the beginning'}, ${to?.toISOString() ?? 'now'})`
}
