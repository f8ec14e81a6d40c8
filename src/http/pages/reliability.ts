/**
 * The figures of a replay as its page shows them: each with its interval, its n and of what it speaks; where there is
 * none, the reason. The full table with every case's figures is the report's.
 */
import { html } from 'hono/html'
import type { Reliability, SuiteFigure } from '../../core/reporting/report.ts'
import { count, metricName, percent, range, share } from '../../core/reporting/wording.ts'
import { type Html, scrolled } from './layout.ts'
import { visible } from './values.ts'

export function reliabilitySection({ suite, traffic, notes, level }: Reliability): Html {
  const rows = [
    ...rowsOf('passAtK', suite.passAtK),
    ...rowsOf('passHatK', suite.passHatK),
    ...rowsOf('passHatK', traffic ?? {}),
  ]
  return html`${scrolled(
    'Figures of the suite',
    html`<table><caption>${suite.casesAllPassed} cases passed in all trials, ${suite.casesMixed} in some, ${suite.casesAtZero} in none</caption>
<thead><tr><th scope="col">Figure</th><th scope="col" class="number">Estimate</th><th scope="col" class="number">${percent(level)} interval</th>
<th scope="col" class="number">Cases</th><th scope="col">It speaks of</th></tr></thead><tbody>${rows}</tbody></table>`,
  )}
${notes.length === 0 ? '' : html`<ul>${notes.map((note) => html`<li>${visible(note)}</li>`)}</ul>`}`
}

function rowsOf(metric: 'passAtK' | 'passHatK', figures: Readonly<Record<string, SuiteFigure>>): readonly Html[] {
  return Object.entries(figures).map(
    ([
      k,
      figure,
    ]) => html`<tr><th scope="row">${metricName(metric, k)}</th><td class="number">${share(figure.estimate)}</td>
<td class="number">${range(figure) ?? '–'}</td><td class="number">${count(figure.n)}</td>
<td class="wide">${visible(figure.estimand)}${figure.reason === undefined ? '' : html` <span class="quiet">(${visible(figure.reason)})</span>`}</td></tr>`,
  )
}
