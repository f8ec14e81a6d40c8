/**
 * Failure modes: the list, and one with its examples, its history and the four acts of review.
 *
 * Proposals are shown as proposals. The acts are forms of this page only (same origin), and each asks who decides.
 */
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { InputError } from '../../core/errors.ts'
import type { ReviewAct, ReviewEvent } from '../../core/taxonomy/failure-mode.ts'
import type { Db } from '../../store/schema.ts'
import {
  type ModeExample,
  type ModeRow,
  type ModeView,
  viewFailureMode,
  viewFailureModes,
} from '../../store/views/failure-modes.ts'
import { requireOwnForm } from '../access.ts'
import { REVIEW_BODIES, requireMode } from '../api/failure-modes.ts'
import { inputProblem } from '../errors.ts'
import { refuseUnstorable } from '../storable-request.ts'
import type { UseCases } from '../use-cases.ts'
import { empty, facts, type Html, layout, pathOf, scrolled, stateWord } from './layout.ts'
import { readReviewer, rememberReviewer, reviewForms } from './review.ts'
import { block, brief, lineOf, visible } from './values.ts'
import { orDash, timeOf } from './words.ts'

const MODES_MAX = 200
const STATES = ['proposed', 'accepted', 'dismissed', 'merged'] as const

type Needs = { readonly db: Db; readonly useCases: Pick<UseCases, 'review'> }

export function makeFailureModePages({ db, useCases }: Needs): Hono {
  const app = new Hono()
  app.get('/failure-modes', async (c) => c.html(await listPage(c, db)))
  app.get('/failure-modes/:id', async (c) => {
    const mode = await requireMode(db, c.req.param('id'))
    // A merged mode leads to the one it became part of, for ever; `?as=merged` shows its own history.
    if (mode.mergedInto !== null && c.req.query('as') !== 'merged') {
      return c.redirect(pathOf('failure-modes', await survivorOf(db, mode)), 302)
    }
    return c.html(await modePage(c, db, mode))
  })
  app.post('/failure-modes/:id/:act{accept|rename|merge|dismiss}', requireOwnForm, async (c) => {
    const { id, act } = c.req.param()
    try {
      const { who, why, review } = readForm(act as ReviewAct['act'], await c.req.parseBody())
      const mode = await useCases.review({ modeId: id, who, why, act: review })
      rememberReviewer(c, who)
      return c.redirect(pathOf('failure-modes', mode.mergedInto ?? mode.id), 303)
    } catch (error) {
      if (!(error instanceof InputError) || error.code === 'not_found') throw error
      return c.html(await modePage(c, db, await requireMode(db, id), error.message), inputProblem(error).status)
    }
  })
  return app
}

type Form = { readonly who: string; readonly why: string | null; readonly review: ReviewAct }

/** Fields that were left empty were not given. */
function readForm(act: ReviewAct['act'], form: Readonly<Record<string, unknown>>): Form {
  const given = Object.fromEntries(
    Object.entries(form).filter(([, value]) => typeof value === 'string' && value.trim() !== ''),
  )
  refuseUnstorable(given, 'form')
  const parsed = REVIEW_BODIES[act].safeParse(given)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const field = issue?.path.join('.') ?? ''
    const asked =
      field === 'who' && given.who === undefined ? 'Say who you are: it is kept in the history' : issue?.message
    throw new InputError('invalid_input', `${field}: ${asked}`, `form.${field}`)
  }
  const { who, why, ...rest } = parsed.data
  return { who, why: why ?? null, review: { act, ...rest } as ReviewAct }
}

/** Follows merges to the mode that is left. A chain cannot be longer than there are modes. */
async function survivorOf(db: Db, merged: ModeView): Promise<string> {
  let id = merged.mergedInto ?? merged.id
  for (let step = 0; step < MODES_MAX; step += 1) {
    const next = await viewFailureMode(db, id)
    if (next === undefined || next.mergedInto === null) return id
    id = next.mergedInto
  }
  return id
}

async function listPage(c: Context, db: Db): Promise<Html> {
  const wanted = STATES.find((state) => state === c.req.query('state'))
  const rows = await viewFailureModes(db, {
    states: wanted === undefined ? ['proposed', 'accepted'] : [wanted],
    limit: MODES_MAX,
  })
  const body = html`
<p>Groups of like failures. The machine proposes them; they are the team’s once a person has accepted them.</p>
<nav aria-label="States"><ul class="key"><li><a href="/failure-modes">Open</a></li>${STATES.map(
    (state) => html`<li><a href="/failure-modes?state=${state}">${state}</a></li>`,
  )}</ul></nav>
${rows.length === 0 ? emptyList(wanted) : modesTable(rows)}`
  return layout({ title: 'Failure modes', section: '/failure-modes', body })
}

function emptyList(wanted: string | undefined): Html {
  return wanted === undefined
    ? empty(
        'No failure has been seen yet. They come from trials that do not pass:',
        'assay reliability --target NAME --version V',
      )
    : empty(
        `No failure mode is ${wanted}. The same through the API:`,
        `curl 'localhost:4318/api/v1/failure-modes?state=${wanted}'`,
      )
}

function modesTable(rows: readonly ModeRow[]): Html {
  return scrolled(
    'Failure modes',
    html`<table><caption>Most failures first</caption><thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col">Category</th>
<th scope="col" class="number">Failures</th><th scope="col" class="number">Cases</th><th scope="col" class="number">In production</th><th scope="col">Last seen</th></tr></thead>
<tbody>${rows.map(
      (
        row,
      ) => html`<tr><th scope="row" class="wide"><a href="${hrefOf(row)}">${lineOf(row.name)}</a></th><td>${stateWord(row.state)}</td>
<td>${lineOf(orDash(row.category), 60)}</td><td class="number">${row.failures}</td><td class="number">${row.cases}</td>
<td class="number">${row.traces}</td><td>${timeOf(row.lastSeenAt)}</td></tr>`,
    )}</tbody></table>`,
  )
}

function hrefOf({ id, state }: Pick<ModeRow, 'id' | 'state'>): string {
  return `${pathOf('failure-modes', id)}${state === 'merged' ? '?as=merged' : ''}`
}

async function modePage(c: Context, db: Db, mode: ModeView, problem?: string): Promise<Html> {
  const others = await viewFailureModes(db, { states: ['accepted', 'proposed'], limit: MODES_MAX })
  const targets = others.filter(({ id }) => id !== mode.id)
  return layout({
    title: lineOf(mode.name),
    section: '/failure-modes',
    crumbs: [{ href: '/failure-modes', text: 'Failure modes' }],
    body: html`
<p class="id">${mode.id}</p>
${problem === undefined ? '' : html`<p class="alert" role="alert">${problem}</p>`}
${facts([
  ['State', stateWord(mode.state)],
  ['Category', visible(orDash(mode.category))],
  ['Failures', String(mode.failures)],
  ['Cases', String(mode.cases)],
  ['In production', String(mode.traces)],
  ['Last seen', timeOf(mode.lastSeenAt)],
])}
${mode.mergedInto === null ? '' : html`<p>Merged into <a href="${pathOf('failure-modes', mode.mergedInto)}">another failure mode</a>, to which its failures now belong.</p>`}
${mode.definition === null ? '' : html`<p>${visible(mode.definition)}</p>`}
${mode.mergedFrom.length === 0 ? '' : html`<p>Holds what was ${mode.mergedFrom.map(({ id, name }, i) => html`${i === 0 ? '' : ', '}<a href="${pathOf('failure-modes', id)}?as=merged">${lineOf(name)}</a>`)}.</p>`}
<h2>Examples</h2>
${examplesTable(mode)}
<h2>Review</h2>
${reviewForms({ mode, targets, who: readReviewer(c) })}
<h2>History</h2>
${historyTable(mode.history)}`,
  })
}

function examplesTable({ examples, failures }: ModeView): Html {
  if (examples.length === 0) return html`<p class="quiet">None are left here.</p>`
  return scrolled(
    'Examples',
    html`<table><caption>The newest ${examples.length} of ${failures}</caption><thead><tr><th scope="col">Seen in</th><th scope="col">By</th>
<th scope="col">Tool</th><th scope="col">What</th></tr></thead><tbody>${examples.map(exampleRow)}</tbody></table>`,
  )
}

function exampleRow({ source, grader, errorKind, tool, message, excerpt, createdAt }: ModeExample): Html {
  const [href, words] =
    source.kind === 'trial'
      ? [pathOf('replays', source.replayId, 'cases', source.caseId, 'trials', source.trial), `trial ${source.trial}`]
      : [pathOf('traces', source.traceId), 'production']
  return html`<tr><th scope="row"><a href="${href}">${words}</a><br><span class="quiet">${timeOf(createdAt)}</span></th>
<td>${lineOf(grader ?? errorKind, 80)}</td><td>${lineOf(orDash(tool), 60)}</td>
<td class="wide">${brief(message)}${excerpt === '' || excerpt === message ? '' : html`<details><summary>Excerpt</summary>${block(excerpt)}</details>`}</td></tr>`
}

function historyTable(history: readonly ReviewEvent[]): Html {
  if (history.length === 0) return html`<p class="quiet">Nothing is recorded.</p>`
  return scrolled(
    'History',
    html`<table><caption>Every act, oldest first</caption><thead><tr><th scope="col">At</th><th scope="col">Who</th><th scope="col">Act</th>
<th scope="col">Name after it</th><th scope="col">Why</th></tr></thead><tbody>${history.map(
      ({
        at,
        who,
        act,
        after,
        why,
      }) => html`<tr><th scope="row">${timeOf(at)}</th><td>${lineOf(who, 80)}</td><td>${act}</td>
<td class="wide">${lineOf(after.name)}</td><td class="wide">${why === null ? '' : brief(why)}</td></tr>`,
    )}</tbody></table>`,
  )
}
