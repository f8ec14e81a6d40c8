/**
 * The API, version 1, put together from its nouns, with its OpenAPI document made from the same schemas.
 *
 * Unknown paths are 404 in the common error shape; nothing here answers 200 to what it does not know.
 */
import { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { InputError, NotFoundError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { Db } from '../../store/schema.ts'
import { refuseUnstorableBody } from '../storable-request.ts'
import type { UseCases } from '../use-cases.ts'
import { makeCasesApi } from './cases.ts'
import { makeFailureModesApi } from './failure-modes.ts'
import { makeFiguresApi } from './figures.ts'
import { makeReplaysApi } from './replays.ts'
import { makeReportsApi } from './reports.ts'
import { makeStatusApi } from './status.ts'
import { makeTracesApi } from './traces.ts'

const MIB = 1024 * 1024
const JSON_BYTES_MAX = MIB
const LINES_BYTES_MAX = 64 * MIB

export type ApiNeeds = {
  readonly db: Db
  readonly clock: Clock
  readonly useCases: UseCases
  /** Of the product, as in package.json. */
  readonly version: string
}

export function makeApi(needs: ApiNeeds) {
  const app = new OpenAPIHono()
  app.use('/v1/*', noStore, limitBody, refuseUnstorableBody)
  const api = app
    .route('/v1', makeTracesApi(needs))
    .route('/v1', makeCasesApi(needs))
    .route('/v1', makeReplaysApi(needs))
    .route('/v1', makeFiguresApi(needs))
    .route('/v1', makeFailureModesApi(needs))
    .route('/v1', makeReportsApi(needs))
    .route('/v1', makeStatusApi(needs))
  const document = describe(api, needs.version)
  api.get('/openapi.json', (c) => c.json(document))
  api.all('*', (c) => {
    throw new NotFoundError(`${c.req.method} ${c.req.path} is not a route of the API; see /api/openapi.json`, 'path')
  })
  return api
}

/** Type of the API for a typed client (`hc<Api>` of hono/client). */
export type Api = ReturnType<typeof makeApi>

const noStore: MiddlewareHandler = async (c, next) => {
  await next()
  c.header('Cache-Control', 'no-store')
}

const limitBody: MiddlewareHandler = (c, next) => {
  const bytes = c.req.path.endsWith('/import') ? LINES_BYTES_MAX : JSON_BYTES_MAX
  return bodyLimit({ maxSize: bytes, onError: () => tooLarge(bytes) })(c, next)
}

function tooLarge(bytes: number): never {
  throw new InputError('too_large', `The body is larger than ${bytes} bytes, the most that is taken here`, 'body')
}

function describe(api: OpenAPIHono, version: string) {
  api.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description: 'The API key. Without a configured key only requests from this machine are served.',
  })
  return api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Assay',
      version,
      description:
        'Sampled production traces, the cases drawn from them, replays of repeated trials, figures with intervals, failure modes and frozen reports. Lists page with `before` or `after`: give the `next` of the page before.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/api' }],
    security: [{ key: [] }],
  })
}
