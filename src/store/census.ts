/**
 * The census: what was received under each policy, rule, stratum and hour of arrival, and what became of it.
 *
 * Written by the sampler alone, in the transaction that stores what it counts (batches.ts).
 */
import type { CensusIncrement } from '../core/sampling/census.ts'
import { totalled } from '../core/sampling/census.ts'
import type { Tx } from './schema.ts'

export async function addCensus(tx: Tx, increments: readonly CensusIncrement[]): Promise<void> {
  const rows = totalled(increments)
    .map((i) => ({
      policy: i.policy,
      rule: i.rule,
      sampler: i.sampler,
      stratum: i.stratum,
      window_start: i.windowStart,
      received: i.received,
      kept: i.kept,
      dropped: i.dropped,
      shed: i.shed,
      incomplete: i.incomplete,
      late_spans: i.lateSpans,
    }))
    // Always in the same order, so that two samplers cannot wait for each other.
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  if (rows.length === 0) return
  await tx
    .insertInto('census')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['policy', 'rule', 'stratum', 'window_start']).doUpdateSet((eb) => ({
        received: eb('census.received', '+', eb.ref('excluded.received')),
        kept: eb('census.kept', '+', eb.ref('excluded.kept')),
        dropped: eb('census.dropped', '+', eb.ref('excluded.dropped')),
        shed: eb('census.shed', '+', eb.ref('excluded.shed')),
        incomplete: eb('census.incomplete', '+', eb.ref('excluded.incomplete')),
        late_spans: eb('census.late_spans', '+', eb.ref('excluded.late_spans')),
      })),
    )
    .execute()
}

function keyOf(row: { policy: string; rule: string; stratum: string; window_start: string }): string {
  return JSON.stringify([row.policy, row.rule, row.stratum, row.window_start])
}
