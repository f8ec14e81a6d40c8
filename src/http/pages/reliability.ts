/**
 * The figures of a replay as its page shows them: each with its interval, its n and of what it speaks; where there is
 * none, the reason. The full table with every case's figures is the report's.
 */
import { html } from 'hono/html'
import { type NamedFigure, suiteRows } from '../../core/reporting/outline-figures.ts'
import type { Reliability } from '../../core/reporting/report.ts'
import { count, percent, range, share } from '../../core/reporting/wording.ts'
import { type Html, scrolled } from './layout.ts'
import { visible } from './values.ts'

export function reliabilitySection(reliability: Reliability): Html {
  const { suite, notes, level } = reliability
  return html`${scrolled(
    'Figures of the suite',
    html`<table><caption>${suite.casesAllPassed} cases passed in all trials, ${suite.casesMixed} in some, ${suite.casesAtZero} in none; intervals at ${percent(level)}</caption>
<thead><tr><th scope="col">Figure</th><th scope="col" class="number">Estimate</th><th scope="col" class="number">Traffic like this</th>
<th scope="col" class="number">These cases again</th><th scope="col" class="number">Cases</th><th scope="col">It speaks of</th></tr></thead><tbody>${suiteRows(reliability).map(figureRow)}</tbody></table>`,
  )}
${notes.length === 0 ? '' : html`<ul>${notes.map((note) => html`<li>${visible(note)}</li>`)}</ul>`}`
}

function figureRow({ name, figure }: NamedFigure): Html {
  const again = figure.again === undefined ? null : range(figure.again)
  return html`<tr><th scope="row">${name}</th><td class="number">${share(figure.estimate)}</td>
<td class="number">${range(figure) ?? '–'}</td><td class="number">${again ?? '–'}</td><td class="number">${count(figure.n)}</td>
<td class="wide">${visible(figure.estimand)}${figure.reason === undefined ? '' : html` <span class="quiet">(${visible(figure.reason)})</span>`}</td></tr>`
}
