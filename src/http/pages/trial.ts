/**
 * One trial: what was asked, what came back, what each grader said of it, and beside it what production did.
 */
import { Hono } from 'hono'
import { html } from 'hono/html'
import { NotFoundError } from '../../core/errors.ts'
import type { Verdict } from '../../core/grading/verdict.ts'
import type { Db } from '../../store/schema.ts'
import { type TrialDetail, viewTrial } from '../../store/views/trials.ts'
import { requireReplay } from '../api/replays.ts'
import { facts, type Html, layout, pathOf, scrolled, stateWord } from './layout.ts'
import { block, brief, inputBlocks, isAbsent, lineOf, titleOf, toolCalls, visible } from './values.ts'
import { durationOf, moneyOf, orDash, probabilityOf, timeOf } from './words.ts'

export function makeTrialPages({ db }: { readonly db: Db }): Hono {
  const app = new Hono()
  app.get('/replays/:idOrName/cases/:caseId/trials/:trial{[0-9]{1,6}}', async (c) => {
    const { idOrName, caseId, trial } = c.req.param()
    const replay = await requireReplay(db, idOrName)
    const detail = await viewTrial(db, { replayId: replay.id, caseId, trial: Number(trial) })
    if (detail === undefined) {
      throw new NotFoundError(`Replay ${replay.name} has no trial ${trial} of case ${JSON.stringify(caseId)}`)
    }
    return c.html(trialPage(replay, detail))
  })
  return app
}

function trialPage(replay: { readonly id: string; readonly name: string }, detail: TrialDetail): Html {
  const { trial, case: aCase } = detail
  const { answer } = trial
  return layout({
    title: titleOf(aCase.input),
    section: '/replays',
    crumbs: [
      { href: '/replays', text: 'Replays' },
      { href: pathOf('replays', replay.id), text: lineOf(replay.name, 60) },
    ],
    body: html`
<p>Trial ${trial.trial} of case <span class="id">${trial.caseId}</span> ${stateWord(trial.outcome ?? 'waiting')}</p>
${trialFacts(detail)}
${failureLine(detail)}
<h2>Verdicts</h2>
${verdictsTable(trial.verdicts, trial.outcome !== null)}
<h2>Input</h2>
${inputBlocks(aCase.input)}
${isAbsent(aCase.reference) ? '' : html`<h2>Reference</h2>${block(aCase.reference)}`}
<div class="two">
<section><h2>Output of this trial</h2>
${answer === null ? html`<p class="quiet">Nothing yet: the trial is planned.</p>` : block(answer.output, 'none')}
${answer === null || answer.error === null ? '' : html`<h2>Error</h2><p>${stateWord(answer.error.kind)}</p>${block(answer.error.message)}`}
<h2>Tool calls of this trial</h2>${toolCalls(answer?.tools ?? [])}</section>
${observedSection(detail)}
</div>`,
  })
}

function trialFacts({ trial }: TrialDetail): Html {
  const { answer } = trial
  return facts([
    ['Status', stateWord(trial.status ?? 'planned')],
    ['Latency', durationOf(answer?.latencyMs ?? null)],
    ['Cost', moneyOf(answer?.costUsd ?? null)],
    ['Tokens', answer?.usage ? `${answer.usage.input} in, ${answer.usage.output} out` : 'not reported'],
    ['Version it reported', visible(orDash(answer?.reportedVersion ?? null))],
    ['Model', visible(orDash(answer?.model ?? null))],
    ['Attempts', String(trial.attempts)],
    ['Started', timeOf(trial.startedAt)],
    ['Ended', timeOf(trial.endedAt)],
    ['Its trace', html`<span class="id">${trial.traceId}</span>`],
  ])
}

function failureLine({ failure }: TrialDetail): Html {
  if (failure === null) return html``
  return html`<p>Seen as an example of <a href="${pathOf('failure-modes', failure.modeId)}">${lineOf(failure.modeName)}</a>.</p>`
}

function verdictsTable(verdicts: readonly Verdict[], isGraded: boolean): Html {
  if (verdicts.length === 0) {
    return html`<p class="quiet">${isGraded ? 'No grader was asked: the status alone decides.' : 'Not graded yet.'}</p>`
  }
  return scrolled(
    'Verdicts',
    html`<table><caption>What each grader said</caption><thead><tr><th scope="col">Grader</th><th scope="col">Verdict</th>
<th scope="col" class="number">Score</th><th scope="col">Category</th><th scope="col">Explanation</th></tr></thead><tbody>${verdicts.map(
      ({
        grader,
        verdict,
        score,
        category,
        explanation,
      }) => html`<tr><th scope="row">${lineOf(grader, 80)}</th><td>${stateWord(verdict)}</td>
<td class="number">${score ?? ''}</td><td>${lineOf(category ?? '', 80)}</td><td class="wide">${brief(explanation)}</td></tr>`,
    )}</tbody></table>`,
  )
}

function observedSection({ case: aCase }: TrialDetail): Html {
  const { observed, traceId, p, pDraw } = aCase
  if (observed === null) {
    return html`<section><h2>In production</h2><p class="quiet">The case was imported; production is not known.</p></section>`
  }
  const from =
    traceId === null
      ? ''
      : html`<p>From <a href="${pathOf('traces', traceId)}">its trace</a>, kept with p ${probabilityOf(p)}, drawn with p ${probabilityOf(pDraw)}.</p>`
  return html`<section><h2>Output in production</h2>${block(observed.output, 'none')}
${observed.error === null ? '' : html`<h2>Error in production</h2>${block(observed.error)}`}
<h2>Tool calls in production</h2>${toolCalls(observed.tools)}
${from}</section>`
}
