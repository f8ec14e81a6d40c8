/**
 * Everything that is served, put together: OTLP and webhooks in front, the API, the pages, health.
 *
 * The order matters: health is open, then access is asked, and what nobody knows is 404, never 200.
 */
import { type Context, Hono } from 'hono'
import { NotFoundError } from '../core/errors.ts'
import type { Clock, Log, Random } from '../core/ports.ts'
import type { Db } from '../store/schema.ts'
import { makeAccess } from './access.ts'
import { makeApi } from './api/api.ts'
import { inputProblem, makeToProblem, type Problem } from './errors.ts'
import { makeHealth, type ReadyCheck } from './health.ts'
import { makePages, problemPage } from './pages/pages.ts'
import { PAGE_CSP, securityHeaders } from './security.ts'
import { refuseUnstorableAddress } from './storable-request.ts'
import type { UseCases } from './use-cases.ts'

export type ServerNeeds = {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Messages of unexpected errors can quote production text. */
  readonly redact: (text: string) => string
  /** Null: only requests that name loopback as their host are served. */
  readonly apiKey: string | null
  /** Of the product, as in package.json. */
  readonly version: string
  readonly useCases: UseCases
  readonly readyChecks: readonly ReadyCheck[]
  /** Apps with their full paths (`/v1/traces`, `/webhooks/{source}`); they set their own body limits. */
  readonly otlp: Hono
  readonly webhooks: Hono
}

export function makeServer(needs: ServerNeeds): Hono {
  const toProblem = makeToProblem(needs)
  const app = new Hono()
  app.onError((error, c) => answerProblem(c, toProblem(error, c)))
  app.notFound((c) => {
    const nothing = new NotFoundError(`Nothing is served at ${c.req.method} ${c.req.path}`, 'path')
    return answerProblem(c, inputProblem(nothing))
  })
  app.use(securityHeaders)
  app.route('/', makeHealth({ checks: needs.readyChecks, log: needs.log }))
  app.use(makeAccess(needs))
  app.route('/', needs.otlp)
  app.route('/', needs.webhooks)
  app.use(refuseUnstorableAddress)
  app.route('/api', makeApi(needs))
  app.route('/', makePages(needs))
  return app
}

const MACHINE_PATHS = ['/api/', '/v1/', '/webhooks/', '/healthz', '/readyz']

/** A page for people who look for pages; JSON for everybody else. */
function answerProblem(c: Context, problem: Problem): Response | Promise<Response> {
  const isForMachines = MACHINE_PATHS.some((path) => c.req.path.startsWith(path))
  const asksForPage = (c.req.header('accept') ?? '').includes('text/html')
  if (isForMachines || !asksForPage) return c.json({ error: problem.error }, problem.status)
  c.header('Content-Security-Policy', PAGE_CSP)
  return c.html(problemPage(problem), problem.status)
}
