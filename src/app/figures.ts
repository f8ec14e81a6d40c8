/**
 * The use cases that compute: figures of replays, comparisons, and reports by hand.
 */
import type { Clock, Random } from '../core/ports.ts'
import type { UseCases } from '../http/use-cases.ts'
import { compareReplays, reliabilityOf, reportByHand } from '../stages/report.ts'
import type { Db } from '../store/schema.ts'

export type FiguresNeeds = { readonly db: Db; readonly clock: Clock; readonly random: Random }

export function makeFigures({
  db,
  clock,
  random,
}: FiguresNeeds): Pick<UseCases, 'reliability' | 'compare' | 'makeReport'> {
  return {
    reliability: ({ replayId, k, level }) => reliabilityOf(db, { replay: replayId, k, level }),
    compare: (wish) => compareReplays(db, wish),
    async makeReport(wish) {
      const { id } = await reportByHand({ db, clock, random }, wish)
      return { id }
    },
  }
}
