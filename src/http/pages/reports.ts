/**
 * The reports: a list with what became of their digests. One report is shown as its own page, made from the frozen report
 * and from nothing else, exactly as it is mailed and archived.
 */
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { renderHtml } from '../../core/reporting/render-html.ts'
import type { Report } from '../../core/reporting/report.ts'
import type { Db } from '../../store/schema.ts'
import { type DeliveryView, type ReportRow, viewReports } from '../../store/views/reports.ts'
import { requireReport } from '../api/reports.ts'
import { REPORT_CSP } from '../security.ts'
import { empty, type Html, layout, paging, pathOf, scrolled, stateWord } from './layout.ts'
import { lineOf } from './values.ts'
import { timeOf } from './words.ts'

const LIST_ROWS = 50

/** The report stands alone when it is mailed; here it gets a line that leads back. Its text cannot hold a `<body>`. */
const WAY_BACK =
  '<nav aria-label="Sections" style="max-width:66rem;margin:0 auto;padding:1rem 1.5rem 0;font-size:.9rem">' +
  '<a href="/" style="color:inherit">Assay</a> › <a href="/reports" style="color:inherit">Reports</a></nav>'

export function makeReportPages({ db }: { readonly db: Db }): Hono {
  const app = new Hono()
  app.get('/reports', async (c) => c.html(await listPage(c, db)))
  app.get('/reports/:id', async (c) => {
    const { body } = await requireReport(db, c.req.param('id'))
    c.header('Content-Security-Policy', REPORT_CSP)
    return c.html(renderHtml(JSON.parse(body) as Report).replace('<body>', () => `<body>\n${WAY_BACK}`))
  })
  return app
}

async function listPage(c: Context, db: Db): Promise<Html> {
  const before = c.req.query('before')
  const { rows, more } = await viewReports(db, { before, limit: LIST_ROWS })
  const next = more ? (rows.at(-1)?.id ?? null) : null
  const body = html`
<p>Each is frozen: its figures never change, and a correction is a new report.</p>
${rows.length === 0 ? empty('No report yet. A schedule makes one when it falls due; or make one of a stored replay now:', 'assay report --replay NAME') : reportsTable(rows)}
${paging('/reports', {}, next, before === undefined)}`
  return layout({ title: 'Reports', section: '/reports', body })
}

function reportsTable(rows: readonly ReportRow[]): Html {
  return scrolled(
    'Reports',
    html`<table><caption>Newest first</caption><thead><tr><th scope="col">Title</th><th scope="col">Schedule</th><th scope="col">Window</th>
<th scope="col">Made</th><th scope="col">Delivered</th><th scope="col">Also as</th></tr></thead><tbody>${rows.map(reportRow)}</tbody></table>`,
  )
}

function reportRow(row: ReportRow): Html {
  const as = (suffix: string) => `/api/v1${pathOf('reports', `${row.id}${suffix}`)}`
  return html`<tr><th scope="row" class="wide"><a href="${pathOf('reports', row.id)}">${lineOf(row.title)}</a>${row.late ? html` ${stateWord('late')}` : ''}</th>
<td>${lineOf(row.schedule ?? 'by hand', 60)}</td>
<td>${row.window === null ? html`<span class="quiet">none</span>` : html`${timeOf(row.window.from)} to ${timeOf(row.window.to)}`}</td>
<td>${timeOf(row.createdAt)}</td>
<td class="wide">${row.deliveries.length === 0 ? html`<span class="quiet">no channel</span>` : row.deliveries.map(delivery)}</td>
<td><a href="${as('')}">JSON</a> <a href="${as('.md')}">Markdown</a> <a href="${as('.txt')}">text</a></td></tr>`
}

function delivery({ channel, state, attempts, lastError }: DeliveryView): Html {
  const why = state === 'delivered' || lastError === null ? '' : `: ${lineOf(lastError)} (${attempts} attempts)`
  return html`<div>${lineOf(channel, 60)} ${stateWord(state)}${why}</div>`
}
