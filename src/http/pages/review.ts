/**
 * The forms of review, those only that the mode's state allows, and the reviewer's name between two of them.
 * The name is what people say of themselves, kept for the history; it proves nothing.
 */
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { html } from 'hono/html'
import { STARTER_CATEGORIES } from '../../core/taxonomy/failure.ts'
import type { ModeState, ReviewAct } from '../../core/taxonomy/failure-mode.ts'
import type { ModeRow, ModeView } from '../../store/views/failure-modes.ts'
import { type Html, pathOf } from './layout.ts'
import { lineOf } from './values.ts'

const COOKIE = 'assay_reviewer'
const COOKIE_SECONDS = 180 * 86_400
const NAME_CHARACTERS_MAX = 120

export function readReviewer(c: Context): string {
  return (getCookie(c, COOKIE) ?? '').slice(0, NAME_CHARACTERS_MAX)
}

export function rememberReviewer(c: Context, who: string): void {
  setCookie(c, COOKIE, who, { path: '/failure-modes', httpOnly: true, sameSite: 'Strict', maxAge: COOKIE_SECONDS })
}

const ACTS: Readonly<Record<ModeState, readonly ReviewAct['act'][]>> = {
  proposed: ['accept', 'rename', 'merge', 'dismiss'],
  accepted: ['rename', 'merge', 'dismiss'],
  dismissed: ['accept'],
  merged: [],
}

type Needs = { readonly mode: ModeView; readonly targets: readonly ModeRow[]; readonly who: string }

export function reviewForms(needs: Needs): Html {
  const acts = ACTS[needs.mode.state].filter((act) => act !== 'merge' || needs.targets.length > 0)
  if (acts.length === 0) return html`<p class="quiet">It was merged away; review the one it was merged into.</p>`
  return html`<div class="acts">${acts.map((act) => reviewForm(act, needs))}</div>`
}

const WORDS: Readonly<Record<ReviewAct['act'], readonly [button: string, explanation: string]>> = {
  accept: ['Accept', 'It is a failure mode of the team from now on.'],
  rename: ['Rename', 'The failures stay; the name changes.'],
  merge: ['Merge', 'Its failures go to the other one, now and in future.'],
  dismiss: ['Dismiss', 'It is not worth tracking. It can be accepted later.'],
}

function reviewForm(act: ReviewAct['act'], needs: Needs): Html {
  const [button, explanation] = WORDS[act]
  return html`<form class="act" method="post" action="${pathOf('failure-modes', needs.mode.id, act)}" aria-labelledby="${act}-title">
<h3 id="${act}-title">${button}</h3><p>${explanation}</p>
${ownFields(act, needs)}
<div><label for="${act}-why">Why (optional)</label><input id="${act}-why" name="why" maxlength="2000"></div>
<div><label for="${act}-who">Your name</label><input id="${act}-who" name="who" required maxlength="${NAME_CHARACTERS_MAX}" autocomplete="name" value="${needs.who}"></div>
<button type="submit">${button}</button></form>`
}

function ownFields(act: ReviewAct['act'], { mode, targets }: Needs): Html {
  if (act === 'accept') {
    return html`${nameField(act, mode)}
<div><label for="accept-category">Category</label><input id="accept-category" name="category" maxlength="${NAME_CHARACTERS_MAX}" list="categories" value="${mode.category ?? ''}">
<datalist id="categories">${STARTER_CATEGORIES.map((category) => html`<option value="${category}"></option>`)}</datalist></div>
<div><label for="accept-definition">Definition (optional)</label><textarea id="accept-definition" name="definition" rows="2" maxlength="2000">${mode.definition ?? ''}</textarea></div>`
  }
  if (act === 'rename') return nameField(act, mode)
  if (act === 'merge') {
    return html`<div><label for="merge-into">Into</label><select id="merge-into" name="into" required>${targets.map(
      ({ id, name, state }) => html`<option value="${id}">${lineOf(name, 80)} (${state})</option>`,
    )}</select></div>`
  }
  return html``
}

function nameField(act: string, { name }: ModeView): Html {
  return html`<div><label for="${act}-name">Name</label><input id="${act}-name" name="name" required maxlength="${NAME_CHARACTERS_MAX}" value="${name}"></div>`
}
