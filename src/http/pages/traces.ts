/**
 * The kept traces: a list with filters, and one trace with everything that it says and why it was kept.
 */
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { InputError, NotFoundError } from '../../core/errors.ts'
import type { Db } from '../../store/schema.ts'
import { type FeedbackView, type TraceRow, type TraceView, viewTrace, viewTraces } from '../../store/views/traces.ts'
import { nextTracePlace, toTraceFilter, tracesQuery } from '../api/traces.ts'
import { empty, facts, type Html, layout, paging, pathOf, scrolled } from './layout.ts'
import { block, brief, conversation, lineOf, titleOf, toolCalls, visible } from './values.ts'
import { durationOf, moneyOf, orDash, probabilityOf, timeOf, whyKept } from './words.ts'

const FILTERS = ['agent', 'rule', 'from', 'to'] as const

export function makeTracePages({ db }: { readonly db: Db }): Hono {
  const app = new Hono()
  app.get('/traces', async (c) => c.html(await listPage(c, db)))
  app.get('/traces/:traceId', async (c) => {
    const traceId = c.req.param('traceId')
    const trace = await viewTrace(db, traceId)
    if (trace === undefined) throw new NotFoundError(`No kept trace has the id ${JSON.stringify(traceId)}`)
    return c.html(tracePage(trace))
  })
  return app
}

/** A form sends empty fields for filters that are not set. */
function givenQuery(c: Context): Record<string, string> {
  return Object.fromEntries(Object.entries(c.req.query()).filter(([, value]) => value !== ''))
}

async function listPage(c: Context, db: Db): Promise<Html> {
  const given = givenQuery(c)
  const parsed = tracesQuery.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new InputError(
      'invalid_input',
      `${issue?.path.join('.')}: ${issue?.message}`,
      `query.${issue?.path.join('.')}`,
    )
  }
  const { before: _, ...query } = given
  const page = await viewTraces(db, toTraceFilter(parsed.data))
  const isFiltered = FILTERS.some((name) => given[name] !== undefined)
  const body = html`
<p>What was kept of production, each with the probability with which it was kept.</p>
${filterForm(given)}
${page.rows.length === 0 ? emptyList(isFiltered || given.before !== undefined) : tracesTable(page.rows)}
${paging('/traces', query, nextTracePlace(page), given.before === undefined)}`
  return layout({ title: 'Traces', section: '/traces', body })
}

function filterForm(given: Readonly<Record<string, string>>): Html {
  const field = (name: (typeof FILTERS)[number], label: string, type: string) =>
    html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type}" value="${given[name] ?? ''}"></div>`
  return html`<form class="filter" method="get" action="/traces">
${field('agent', 'Agent', 'text')}${field('rule', 'Rule', 'text')}${field('from', 'Arrived from (UTC)', dateType(given.from))}
${field('to', 'Arrived before (UTC)', dateType(given.to))}<button type="submit">Filter</button></form>`
}

/** A date field would lose a full time that came by a link. */
function dateType(value: string | undefined): string {
  return value === undefined || /^\d{4}-\d\d-\d\d$/.test(value) ? 'date' : 'text'
}

function emptyList(isFiltered: boolean): Html {
  if (isFiltered)
    return empty(
      'No kept trace matches. Take a filter away, or see what was dropped in the census:',
      'curl localhost:4318/api/v1/census',
    )
  return empty(
    'No trace has been kept yet. Point an OpenTelemetry SDK at this service and wait for the sampling decision (30 s after a trace ends):',
    'OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318',
  )
}

function tracesTable(rows: readonly TraceRow[]): Html {
  return scrolled(
    'Kept traces',
    html`<table>
<caption>Newest first</caption>
<thead><tr><th scope="col">Arrived</th><th scope="col">Agent</th><th scope="col">Rule</th><th scope="col" class="number">p</th>
<th scope="col" class="number">Duration</th><th scope="col" class="number">Cost</th><th scope="col">Error</th></tr></thead>
<tbody>${rows.map(
      (row) => html`<tr>
<th scope="row"><a href="${pathOf('traces', row.traceId)}">${timeOf(row.arrivedAt)}</a></th>
<td>${lineOf(orDash(row.agent), 60)} <span class="quiet">${lineOf(row.agentVersion ?? '', 40)}</span></td>
<td>${lineOf(row.rule, 60)}</td><td class="number">${probabilityOf(row.p)}</td>
<td class="number">${durationOf(row.durationMs)}</td><td class="number">${moneyOf(row.costUsd)}</td>
<td class="wide">${lineOf(row.error ?? '')}</td></tr>`,
    )}</tbody></table>`,
  )
}

function tracePage(trace: TraceView): Html {
  const { summary } = trace
  return layout({
    title: titleOf(summary),
    section: '/traces',
    crumbs: [{ href: '/traces', text: 'Traces' }],
    body: html`
<p class="id">${trace.traceId}</p>
${traceFacts(trace)}
<h2>Why it was kept</h2>
<p>${visible(whyKept(trace))}</p>
<h2>Input</h2>
${block(summary.userInput)}
${summary.system === null ? '' : html`<details><summary>System text</summary>${block(summary.system)}</details>`}
<div class="two">
<section><h2>Output</h2>${block(summary.output)}
${trace.error === null ? '' : html`<h2>Error</h2>${block(trace.error)}`}</section>
<section><h2>Tool calls</h2>${toolCalls(summary.tools)}</section>
</div>
${summary.messages.length === 0 ? '' : html`<h2>Messages</h2><details><summary>All ${summary.messages.length} messages, as the first model call saw them</summary>${conversation(summary.messages)}</details>`}
${retrievedSection(trace)}
<h2>Feedback</h2>
${feedbackTable(trace.feedback)}
<h2>Cases from this trace</h2>
${casesList(trace)}`,
  })
}

function traceFacts({ summary, ...trace }: TraceView): Html {
  const { usage } = summary
  return facts([
    ['Agent', visible(orDash(trace.agent))],
    ['Version', visible(orDash(trace.agentVersion))],
    ['Service', visible(orDash(trace.service))],
    ['Model', visible(orDash(summary.model))],
    ['Session', visible(orDash(trace.session))],
    ['User', visible(orDash(summary.user))],
    ['Started', timeOf(trace.startedAt)],
    ['Duration', durationOf(trace.durationMs)],
    ['Cost', moneyOf(trace.costUsd)],
    ['Tokens', usage === null ? 'not captured' : `${usage.input} in, ${usage.output} out`],
    ['Model calls', String(summary.llmCalls)],
    ['Spans', String(trace.spanCount)],
  ])
}

function retrievedSection({ summary }: TraceView): Html {
  if (summary.retrieved.length === 0) return html``
  return html`<h2>Retrieved documents</h2><ol class="turns">${summary.retrieved.map(
    ({ id, score, content, source }) => html`<li>
<div class="who">${visible(source ?? id ?? 'document')}${score === null ? '' : html` <span class="quiet">score ${score}</span>`}</div>
${block(content)}</li>`,
  )}</ol>`
}

function feedbackTable(feedback: readonly FeedbackView[]): Html {
  if (feedback.length === 0) return html`<p class="quiet">None has come in for this trace.</p>`
  return scrolled(
    'Feedback',
    html`<table><caption>As it was sent</caption><thead><tr><th scope="col">At</th><th scope="col">Source</th><th scope="col">Name</th>
<th scope="col">Label</th><th scope="col" class="number">Score</th><th scope="col">Comment</th></tr></thead><tbody>${feedback.map(
      (
        row,
      ) => html`<tr><th scope="row">${timeOf(row.at)}</th><td>${visible(row.source)}</td><td>${visible(row.name)}</td>
<td>${visible(row.label ?? '')}</td><td class="number">${row.score ?? ''}</td><td class="wide">${row.comment === null ? '' : brief(row.comment)}</td></tr>`,
    )}</tbody></table>`,
  )
}

function casesList({ cases, summary }: TraceView): Html {
  if (cases.length > 0) {
    return html`<ul>${cases.map(({ id, suite }) => html`<li><span class="id">${id}</span> in suite ${suite}</li>`)}</ul>`
  }
  if (summary.completeness.length === 0) return html`<p class="quiet">None yet; it can be drawn.</p>`
  return html`<p>It cannot be replayed: ${visible(summary.completeness.join('; '))}.</p>`
}
