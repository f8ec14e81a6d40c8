/**
 * The pages, put together. They read, and change nothing except through the forms of review.
 */
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { html } from 'hono/html'
import { InputError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { Db } from '../../store/schema.ts'
import type { Problem } from '../errors.ts'
import { PAGE_CSP } from '../security.ts'
import type { UseCases } from '../use-cases.ts'
import { makeFailureModePages } from './failure-modes.ts'
import { type Html, layout } from './layout.ts'
import { makeOverviewPage } from './overview.ts'
import { makeReplayPages } from './replays.ts'
import { makeReportPages } from './reports.ts'
import { STYLE, STYLE_PATH } from './style.ts'
import { makeTracePages } from './traces.ts'
import { makeTrialPages } from './trial.ts'

const FORM_BYTES_MAX = 64 * 1024

/** Three trials, two of which passed: what the product counts. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="2" y="8" width="8" height="16" rx="2" fill="#2f855a"/><rect x="12" y="8" width="8" height="16" rx="2" fill="#2f855a"/><rect x="22" y="8" width="8" height="16" rx="2" fill="#c05621"/></svg>`

export type PagesNeeds = {
  readonly db: Db
  readonly clock: Clock
  readonly useCases: UseCases
}

export function makePages(needs: PagesNeeds): Hono {
  const app = new Hono()
  app.get(STYLE_PATH, (c) =>
    c.body(STYLE, 200, { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'no-cache' }),
  )
  app.get('/icon.svg', (c) => c.body(ICON, 200, { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'max-age=86400' }))
  app.use(async (c, next) => {
    await next()
    if (!c.res.headers.has('Content-Security-Policy')) c.header('Content-Security-Policy', PAGE_CSP)
    c.header('Cache-Control', 'no-store')
  })
  app.use('/failure-modes/*', bodyLimit({ maxSize: FORM_BYTES_MAX, onError: formTooLarge }))
  app.route('/', makeOverviewPage(needs))
  app.route('/', makeReportPages(needs))
  app.route('/', makeTracePages(needs))
  app.route('/', makeReplayPages(needs))
  app.route('/', makeTrialPages(needs))
  app.route('/', makeFailureModePages(needs))
  return app
}

function formTooLarge(): never {
  throw new InputError('too_large', `The form is larger than ${FORM_BYTES_MAX} bytes`, 'body')
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'That request is not right',
  401: 'An API key is needed',
  403: 'Refused',
  404: 'Not found',
  409: 'It has changed meanwhile',
}

export function problemPage({ status, error }: Problem): Html {
  const body = html`<p>${error.message}.</p><p><a href="/">Go to the overview</a></p>`
  return layout({ title: TITLES[status] ?? 'Something went wrong', section: '', body })
}
