/**
 * Every default figure with the cells that try its coverage. The tests run them small;
 * `npm run bench:statistics -- --coverage` prints the table of docs/statistics.md.
 */

import {
  type Cell,
  caseCells,
  familyCells,
  fewCasesAgainCells,
  pairedCells,
  populationCells,
  rerunCells,
  roganGladenCells,
  sessionCells,
  steadyPairedCells,
  suiteTrafficCells,
  summary,
  trafficCells,
  twoPhaseCells,
} from './simulation.ts'

/** Every default with the cells that try it. */
export const COVERAGE: readonly { readonly figure: string; readonly cells: (reps: number) => Cell[] }[] = [
  { figure: 'case pass rate, n = 5 (exact)', cells: () => caseCells(5) },
  { figure: 'case pass rate, n = 10 (exact)', cells: () => caseCells(10) },
  { figure: 'case pass rate, n = 20 (exact)', cells: () => caseCells(20) },
  { figure: 'suite pass^k, traffic like this', cells: populationCells },
  { figure: 'suite pass^k, families', cells: familyCells },
  { figure: 'suite pass^k, these cases again', cells: rerunCells },
  { figure: 'the same, 2 to 7 cases', cells: fewCasesAgainCells },
  { figure: 'version against version', cells: pairedCells },
  { figure: 'the same, trials without end', cells: steadyPairedCells },
  { figure: 'traffic, counted strata', cells: (reps) => trafficCells(reps, true) },
  { figure: 'traffic, strata not counted', cells: (reps) => trafficCells(reps, false) },
  { figure: 'traffic, sessions sampled', cells: sessionCells },
  { figure: 'pass^k over traffic, unequal p', cells: suiteTrafficCells },
  { figure: 'judge corrected, same window', cells: twoPhaseCells },
  { figure: 'judge corrected, labels elsewhere', cells: roganGladenCells },
]

/** A row a figure. Under 4000 repetitions the third digit says nothing. */
export function coverageTable(reps: number): string {
  const rows = COVERAGE.map(({ figure, cells }) => {
    const all = cells(reps)
    const { mean, worst, width } = summary(all)
    const least = worst.coverage.toFixed(3)
    return `| ${figure} | ${all.length} | ${mean.toFixed(3)} | ${least} | ${width.toFixed(3)} | ${worst.name} |`
  })
  const header = '| figure | cells | mean | least | mean width | worst cell |\n| --- | --- | --- | --- | --- | --- |'
  return [header, ...rows].join('\n')
}
