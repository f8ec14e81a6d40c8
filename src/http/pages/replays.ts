/**
 * Replays: the list, and one as a grid of cases × trials in which every trial is one cell with the letter and the colour
 * of its outcome. All trials are there, errored and ungraded ones too; no rate is shown without its interval.
 */
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { plural } from '../../core/reporting/wording.ts'
import type { Db } from '../../store/schema.ts'
import { type ReplayCounts, type ReplayView, viewReplays } from '../../store/views/replays.ts'
import { type GridCell, type GridRow, viewGrid } from '../../store/views/trials.ts'
import { requireReplay } from '../api/replays.ts'
import type { UseCases } from '../use-cases.ts'
import { empty, facts, type Html, layout, paging, pathOf, scrolled, stateWord, withQuery } from './layout.ts'
import { reliabilitySection } from './reliability.ts'
import { lineOf, textOf, titleOf, visible } from './values.ts'
import { orDash, timeOf } from './words.ts'

const LIST_ROWS = 50
const GRID_CASES = 100
const LEVEL = 0.95

type Needs = { readonly db: Db; readonly useCases: Pick<UseCases, 'reliability'> }

export function makeReplayPages({ db, useCases }: Needs): Hono {
  const app = new Hono()
  app.get('/replays', async (c) => c.html(await listPage(c, db)))
  app.get('/replays/:idOrName', async (c) => c.html(await replayPage(c, { db, useCases }, c.req.param('idOrName'))))
  return app
}

async function listPage(c: Context, db: Db): Promise<Html> {
  const before = c.req.query('before')
  const { rows, more } = await viewReplays(db, { before, limit: LIST_ROWS })
  const next = more ? (rows.at(-1)?.id ?? null) : null
  const body = html`
<p>Batches of cases × trials, each against one target at one exact version.</p>
${rows.length === 0 ? empty('No replay yet. Try the cases of a suite against a target:', 'assay reliability --target NAME --version V') : replaysTable(rows)}
${paging('/replays', {}, next, before === undefined)}`
  return layout({ title: 'Replays', section: '/replays', body })
}

function replaysTable(rows: readonly ReplayView[]): Html {
  return scrolled(
    'Replays',
    html`<table><caption>Newest first; counts are of trials</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Target</th><th scope="col">State</th><th scope="col" class="number">Cases</th>
<th scope="col" class="number">Planned</th><th scope="col" class="number">Passed</th><th scope="col" class="number">Wrong</th>
<th scope="col" class="number">Errored</th><th scope="col" class="number">Ungraded</th><th scope="col">Created</th></tr></thead>
<tbody>${rows.map(
      ({
        counts,
        ...row
      }) => html`<tr><th scope="row" class="wide"><a href="${pathOf('replays', row.id)}">${lineOf(row.name)}</a></th>
<td>${lineOf(row.target, 60)} <span class="quiet">${lineOf(row.version, 40)}</span></td><td>${stateWord(row.state)}</td>
<td class="number">${counts.cases}</td><td class="number">${counts.planned}</td><td class="number">${counts.passed}</td>
<td class="number">${counts.wrong}</td><td class="number">${counts.errored}</td><td class="number">${counts.ungraded}</td>
<td>${timeOf(row.createdAt)}</td></tr>`,
    )}</tbody></table>`,
  )
}

async function replayPage(c: Context, { db, useCases }: Needs, idOrName: string): Promise<Html> {
  const replay = await requireReplay(db, idOrName)
  const after = c.req.query('after')
  const grid = await viewGrid(db, replay.id, { after, limit: GRID_CASES })
  const last = grid.rows.at(-1)
  const path = pathOf('replays', replay.id)
  const next = grid.more && last !== undefined ? withQuery(path, { after: last.caseId }) : null
  return layout({
    title: lineOf(replay.name),
    section: '/replays',
    crumbs: [{ href: '/replays', text: 'Replays' }],
    body: html`
<p class="id">${replay.id}</p>
${replayFacts(replay)}
<p>${countsInWords(replay.counts)}</p>
<h2>Figures</h2>
${await figuresOf(replay, useCases)}
<h2>Cases × trials</h2>
${letterKey()}
${grid.rows.length === 0 ? empty('This replay has no trial here.', 'assay reliability --target NAME --version V') : gridTable(replay, grid.rows)}
${next === null && after === undefined ? '' : html`<nav class="pages" aria-label="Pages">${after === undefined ? '' : html`<a href="${path}">First cases</a>`}${next === null ? '' : html`<a rel="next" href="${next}">Next cases</a>`}</nav>`}
${gradersSection(replay)}`,
  })
}

/** Figures of a part of the trials would favour the quick ones: there are none before the last is graded. */
async function figuresOf({ id, counts }: ReplayView, useCases: Needs['useCases']): Promise<Html> {
  if (counts.graded < counts.planned || counts.planned === 0) {
    return html`<p class="quiet">They come when all trials are graded.</p>`
  }
  return reliabilitySection(await useCases.reliability({ replayId: id, k: null, level: LEVEL }))
}

function replayFacts(replay: ReplayView): Html {
  return facts([
    ['State', stateWord(replay.state)],
    ['Target', visible(replay.target)],
    ['Version', visible(replay.version)],
    ['Suite', visible(orDash(replay.suite))],
    ['Trials per case', String(replay.trials)],
    ['k', String(replay.k)],
    ['Origin', replay.origin === 'import' ? 'imported from another harness' : 'run here'],
    ['Seed', html`<span class="id">${replay.seed}</span>`],
    ['Created', timeOf(replay.createdAt)],
    ['Finished', timeOf(replay.finishedAt)],
  ])
}

function countsInWords({ planned, ended, graded, passed, wrong, errored, ungraded }: ReplayCounts): string {
  const open = planned - graded
  const waits = open === 0 ? '' : ` ${planned - ended} wait for the target, ${ended - graded} for their graders.`
  return `Of ${planned} planned trials ${passed} passed, ${wrong} were wrong, ${errored} errored, ${ungraded} are ungraded.${waits}`
}

const LETTERS = { passed: 'P', wrong: 'W', errored: 'E', ungraded: 'U', waiting: '·' } as const
const MEANINGS = {
  passed: 'passed',
  wrong: 'wrong: completed, a grader says fail',
  errored: 'errored: the agent did not complete',
  ungraded: 'ungraded: our side could not judge',
  waiting: 'not graded yet',
} as const

function letterKey(): Html {
  return html`<ul class="key">${Object.entries(MEANINGS).map(
    ([word, meaning]) =>
      html`<li><span class="cell ${word}" aria-hidden="true">${LETTERS[word as keyof typeof LETTERS]}</span>${meaning}</li>`,
  )}</ul>`
}

function gridTable(replay: ReplayView, rows: readonly GridRow[]): Html {
  const trials = [...new Set(rows.flatMap((row) => row.cells.map((cell) => cell.trial)))].sort((a, b) => a - b)
  return scrolled(
    'Cases and their trials',
    html`<table class="grid"><caption>One row a case, one cell a trial; each cell opens its trial</caption>
<thead><tr><th scope="col">Case</th><th scope="col" class="number">Passed</th>${trials.map((trial) => html`<th scope="col"><span class="quiet">${trial}</span></th>`)}</tr></thead>
<tbody>${rows.map((row) => gridRow(replay.id, row, trials))}</tbody></table>`,
  )
}

function gridRow(replayId: string, { caseId, input, cells }: GridRow, trials: readonly number[]): Html {
  const byTrial = new Map(cells.map((cell) => [cell.trial, cell]))
  const passed = cells.filter((cell) => cell.outcome === 'passed').length
  const counted = cells.filter((cell) => cell.outcome !== null && cell.outcome !== 'ungraded').length
  return html`<tr><th scope="row">${titleOf(input)}<br><span class="id">${caseId}</span></th><td class="number">${passed}/${counted}</td>
${trials.map((trial) => html`<td>${gridCell(replayId, caseId, byTrial.get(trial))}</td>`)}</tr>`
}

function gridCell(replayId: string, caseId: string, cell: GridCell | undefined): Html {
  if (cell === undefined) return html``
  const word = cell.outcome ?? 'waiting'
  const said = cell.outcome ?? (cell.status === null ? 'planned' : `${cell.status}, not graded yet`)
  const path = pathOf('replays', replayId, 'cases', caseId, 'trials', cell.trial)
  return html`<a class="cell ${word}" href="${path}" aria-label="Trial ${cell.trial}: ${said}" title="Trial ${cell.trial}: ${said}">${LETTERS[word]}</a>`
}

function gradersSection({ graders, completionOnly, manifest }: ReplayView): Html {
  const judged =
    graders.length === 0
      ? html`<p>${completionOnly ? 'None: completing is all that was asked.' : 'None are recorded; the verdicts came with the import.'}</p>`
      : html`<details><summary>${plural(graders.length, 'definition')} in force when it was planned</summary><pre>${visible(textOf(graders))}</pre></details>`
  return html`<h2>Graders</h2>${judged}
${Object.keys(manifest).length === 0 ? '' : html`<details><summary>Manifest</summary><pre>${visible(textOf(manifest))}</pre></details>`}`
}
