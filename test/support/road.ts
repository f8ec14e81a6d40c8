/**
 * Ingest and sample put together as app.ts does, over a real spool and a real database, with a clock that the test moves.
 */
import { openSpool } from '../../src/clients/spool-lmdb.ts'
import type { Log } from '../../src/core/ports.ts'
import { makePolicy } from '../../src/core/sampling/policy.ts'
import { parseRules } from '../../src/core/sampling/rule.ts'
import type { EvidenceMakers } from '../../src/core/trace/evidence.ts'
import { makeRedactor } from '../../src/core/trace/redaction/redactor.ts'
import { summarise } from '../../src/core/trace/summarise.ts'
import { makeIngest } from '../../src/stages/ingest.ts'
import { makeSample } from '../../src/stages/sample.ts'
import type { Db } from '../../src/store/schema.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const ROAD_LIMITS = {
  decisionDelayMs: 30_000,
  idleTimeoutMs: 600_000,
  traceTimeoutMs: 1_800_000,
  spansMax: 1000,
  bytesMax: 1_000_000,
}

export const ALWAYS = [{ name: 'rest', sampler: { type: 'always' } }]

export type RoadGiven = {
  readonly db: Db
  readonly folder?: string
  readonly rules?: unknown
  readonly makers?: Partial<EvidenceMakers>
  readonly startAt?: number
}

export type Road = Awaited<ReturnType<typeof makeRoad>>

export async function makeRoad(given: RoadGiven) {
  const folder = given.folder ?? (await temporaryFolder())
  const logged: string[] = []
  const log: Log = (level, message, fields) => logged.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`)
  let now = given.startAt ?? Date.parse('2026-12-01T10:05:00Z')
  const clock = { now: () => new Date(now) }
  const spool = await openSpool(folder)
  const policy = makePolicy(parseRules(given.rules ?? ALWAYS), 'assay')
  const makers = { redact: makeRedactor().value, summarise, ...given.makers }
  const sample = makeSample({ db: given.db, spool, clock, log, policy, limits: ROAD_LIMITS, ...makers })
  /** Until nothing is left to do at this moment. */
  const run = async () => {
    while ((await sample.step()) === 'worked');
  }
  return {
    ...{ folder, spool, clock, log, logged, sample, run },
    ingest: makeIngest({ spool, clock, log }),
    /** Lets time pass and the sampler work. */
    async pass(ms: number) {
      now += ms
      await run()
    },
    close: () => spool.close(),
  }
}
