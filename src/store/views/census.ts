/**
 * The census as it is read by people: sums per rule and stratum over the hours of a period. It counts traces that were
 * decided; it estimates nothing.
 *
 * Invariant: received = kept + dropped + shed in each row and in the totals, as it does in each hour.
 */
import type { Db } from '../schema.ts'

export type CensusCounts = {
  readonly received: number
  readonly kept: number
  readonly dropped: number
  readonly shed: number
  readonly incomplete: number
}

export type CensusStratum = CensusCounts & {
  readonly rule: string
  readonly sampler: string
  readonly stratum: string
}

export type CensusView = {
  readonly from: string
  readonly to: string
  readonly rows: readonly CensusStratum[]
  readonly total: CensusCounts
}

/** The hours that start in [from, to). Hours are whole: a period that cuts one holds it if its start lies inside. */
export async function viewCensus(db: Db, { from, to }: { from: Date; to: Date }): Promise<CensusView> {
  const sums = await db
    .selectFrom('census')
    .where('window_start', '>=', from)
    .where('window_start', '<', to)
    .select((eb) => [
      'rule',
      'sampler',
      'stratum',
      eb.cast<number>(eb.fn.sum('received'), 'float8').as('received'),
      eb.cast<number>(eb.fn.sum('kept'), 'float8').as('kept'),
      eb.cast<number>(eb.fn.sum('dropped'), 'float8').as('dropped'),
      eb.cast<number>(eb.fn.sum('shed'), 'float8').as('shed'),
      eb.cast<number>(eb.fn.sum('incomplete'), 'float8').as('incomplete'),
    ])
    .groupBy(['rule', 'sampler', 'stratum'])
    .orderBy('rule')
    .orderBy('stratum')
    .orderBy('sampler')
    .execute()
  return { from: from.toISOString(), to: to.toISOString(), rows: sums, total: sums.reduce(added, NOTHING) }
}

const NOTHING: CensusCounts = { received: 0, kept: 0, dropped: 0, shed: 0, incomplete: 0 }

function added(a: CensusCounts, b: CensusCounts): CensusCounts {
  return {
    received: a.received + b.received,
    kept: a.kept + b.kept,
    dropped: a.dropped + b.dropped,
    shed: a.shed + b.shed,
    incomplete: a.incomplete + b.incomplete,
  }
}
