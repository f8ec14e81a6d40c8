/**
 * The first page: what the newest report says in one line, whether the stages work, and what came in the last day.
 */
import { Hono } from 'hono'
import { html } from 'hono/html'
import type { Clock } from '../../core/ports.ts'
import { headline } from '../../core/reporting/headline.ts'
import type { Report } from '../../core/reporting/report.ts'
import { count } from '../../core/reporting/wording.ts'
import type { Db } from '../../store/schema.ts'
import { type CensusView, viewCensus } from '../../store/views/census.ts'
import { viewReport, viewReports } from '../../store/views/reports.ts'
import { readStatus, type StageStatus, type Status } from '../api/status.ts'
import type { UseCases } from '../use-cases.ts'
import { empty, type Html, layout, pathOf, scrolled, stateWord } from './layout.ts'
import { lineOf, visible } from './values.ts'
import { bytesOf, timeOf } from './words.ts'

const DAY_MS = 86_400_000

type Needs = { readonly db: Db; readonly clock: Clock; readonly useCases: Pick<UseCases, 'running'> }

export function makeOverviewPage({ db, clock, useCases }: Needs): Hono {
  const app = new Hono()
  app.get('/', async (c) => {
    const now = clock.now()
    const [report, status, census] = await Promise.all([
      newestReport(db),
      readStatus({ db, useCases }),
      viewCensus(db, { from: new Date(now.getTime() - DAY_MS), to: now }),
    ])
    const body = html`${report === undefined ? noReport() : reportLines(report)}
<h2>The pipeline</h2>
${pipelineTable(status)}
<h2>Schedules</h2>
${schedulesTable(status)}
<h2>Production in the last 24 hours</h2>
${censusTable(census)}`
    return c.html(layout({ title: 'Overview', section: '/', body }))
  })
  return app
}

async function newestReport(db: Db): Promise<Report | undefined> {
  const { rows } = await viewReports(db, { limit: 1 })
  const report = rows[0] === undefined ? undefined : await viewReport(db, rows[0].id)
  return report === undefined ? undefined : (JSON.parse(report.body) as Report)
}

function noReport(): Html {
  return empty('No report yet. See the whole flow with the example agent, or try your own target:', 'npm run demo')
}

function reportLines(report: Report): Html {
  return html`<p class="quiet">The newest report, <a href="${pathOf('reports', report.id)}">${lineOf(report.title)}</a>, of ${timeOf(report.createdAt)}, says:</p>
${headline(report).map((sentence) => html`<p class="lead">${visible(sentence)}</p>`)}`
}

const WORK: Readonly<Record<StageStatus['stage'], string>> = {
  ingest: 'requests in the spool',
  sample: 'traces that wait for their decision',
  select: '',
  replay: 'planned trials',
  grade: 'trials without an outcome',
  classify: 'trials, traces and feedback not looked at',
  report: 'windows that fell due',
  publish: 'digests not delivered',
}

function pipelineTable({ stages, version, engine, startedAt, spool }: Status): Html {
  return html`${scrolled(
    'The pipeline',
    html`<table><caption>In the order of the flow</caption><thead><tr><th scope="col">Stage</th><th scope="col" class="number">Waiting</th><th scope="col">What waits</th>
<th scope="col">Last worked</th><th scope="col">Last error</th></tr></thead><tbody>${stages.map(
      ({
        stage,
        waiting,
        lastWorkedAt,
        lastError,
      }) => html`<tr><th scope="row">${stage}</th><td class="number">${waiting === null ? '–' : count(waiting)}</td>
<td class="quiet">${WORK[stage] || 'acts when asked'}</td><td>${lastWorkedAt === null ? html`<span class="quiet">not since the start</span>` : timeOf(lastWorkedAt)}</td>
<td class="wide">${lastError === null ? html`<span class="quiet">none</span>` : html`${lineOf(lastError.message, 200)} <span class="quiet">${timeOf(lastError.at)}</span>`}</td></tr>`,
    )}</tbody></table>`,
  )}
<p class="quiet">Version ${version}, ${engine === 'pglite' ? 'embedded database' : 'PostgreSQL'}, running since ${timeOf(startedAt)}; the spool holds ${bytesOf(spool.bytes)}.</p>`
}

function schedulesTable({ schedules }: Status): Html {
  if (schedules.length === 0)
    return empty('None is configured. Add one under `schedules`, then see that the file is right:', 'assay doctor')
  return scrolled(
    'Schedules',
    html`<table><caption>What falls due, and what became of the last window</caption><thead><tr><th scope="col">Name</th><th scope="col">Cron</th><th scope="col">Next</th><th scope="col">Last window</th></tr></thead>
<tbody>${schedules.map(
      ({
        name,
        cron,
        timezone,
        nextAt,
        lastWindow,
      }) => html`<tr><th scope="row">${name}</th><td><code>${cron}</code> ${timezone}</td><td>${timeOf(nextAt)}</td>
<td class="wide">${lastWindow === null ? html`<span class="quiet">none yet</span>` : lastWindowCell(lastWindow)}</td></tr>`,
    )}</tbody></table>`,
  )
}

function lastWindowCell({
  state,
  to,
  late,
  reportId,
  error,
}: NonNullable<Status['schedules'][number]['lastWindow']>): Html {
  const link = reportId === null ? '' : html` <a href="${pathOf('reports', reportId)}">report</a>`
  return html`${stateWord(state)} up to ${timeOf(to)}${late ? ', late' : ''}${link}${error === null ? '' : `: ${lineOf(error, 200)}`}`
}

function censusTable({ rows, total }: CensusView): Html {
  if (rows.length === 0) {
    return empty(
      'No trace was decided. Point an OpenTelemetry SDK at this service:',
      'OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318',
    )
  }
  return scrolled(
    'Census',
    html`<table><caption>The census: received = kept + dropped + shed</caption><thead><tr><th scope="col">Rule</th><th scope="col">Stratum</th><th scope="col">Sampler</th>
<th scope="col" class="number">Received</th><th scope="col" class="number">Kept</th><th scope="col" class="number">Dropped</th><th scope="col" class="number">Shed</th><th scope="col" class="number">Incomplete</th></tr></thead>
<tbody>${rows.map(
      (row) =>
        html`<tr><th scope="row">${lineOf(row.rule, 80)}</th><td>${lineOf(row.stratum, 80)}</td><td>${row.sampler}</td>${counts(row)}</tr>`,
    )}</tbody><tfoot><tr><th scope="row" colspan="3">All</th>${counts(total)}</tr></tfoot></table>`,
  )
}

function counts({ received, kept, dropped, shed, incomplete }: CensusView['total']): Html {
  return html`${[received, kept, dropped, shed, incomplete].map((value) => html`<td class="number">${count(value)}</td>`)}`
}
