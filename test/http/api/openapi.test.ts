import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Database } from '../../../src/store/database.ts'
import { freshDatabase } from '../../support/databases.ts'
import { bodyOf, serverOver } from '../serving.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
type Json = any

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Every route of the API. A change here is a change of the contract: say so in the changelog. */
const ROUTES = [
  'get /v1/census getCensus',
  'get /v1/traces listTraces',
  'get /v1/traces/{traceId} getTrace',
  'get /v1/cases listCases',
  'post /v1/suites/{suite}/draws drawCases',
  'post /v1/cases/import importCases',
  'post /v1/replays createReplay',
  'get /v1/replays listReplays',
  'post /v1/replays/import importTrials',
  'get /v1/replays/{idOrName} getReplay',
  'get /v1/replays/{idOrName}/trials listTrials',
  'post /v1/replays/{idOrName}/cancel cancelReplay',
  'get /v1/replays/{idOrName}/reliability getReliability',
  'get /v1/compare compareReplays',
  'get /v1/failure-modes listFailureModes',
  'get /v1/failure-modes/{id} getFailureMode',
  'post /v1/failure-modes/{id}/accept acceptFailureMode',
  'post /v1/failure-modes/{id}/rename renameFailureMode',
  'post /v1/failure-modes/{id}/merge mergeFailureMode',
  'post /v1/failure-modes/{id}/dismiss dismissFailureMode',
  'get /v1/reports listReports',
  'post /v1/reports createReport',
  'get /v1/reports/{id} getReport',
  'post /v1/schedules/{schedule}/run runSchedule',
  'get /v1/status getStatus',
]

describe('the OpenAPI document', () => {
  let database: Database
  let document: Json
  let ajv: Ajv2020
  before(async () => {
    database = await freshDatabase('pglite')
    document = await bodyOf(await serverOver(database.db).request('/api/openapi.json'))
    ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema({ $id: 'openapi', ...document })
  })
  after(() => database.close())

  const operations = (): readonly (readonly [path: string, method: string, operation: Json])[] =>
    Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]) => [path, method, operation] as const),
    )
  const validatorOf = (schema: Json) => ajv.compile(rebased(schema))
  const check = (schema: Json, example: unknown, where: string) => {
    const validate = validatorOf(schema)
    assert.ok(validate(example), `${where}: ${ajv.errorsText(validate.errors)}`)
  }

  it('is OpenAPI 3.1 with a title, a version and a server', () => {
    assert.match(document.openapi, /^3\.1\.\d$/)
    assert.equal(document.info.title, 'Assay')
    assert.equal(document.info.version, '0.1.0')
    assert.deepEqual(document.servers, [{ url: '/api' }])
    assert.deepEqual(document.security, [{ key: [] }])
    assert.ok(document.components.securitySchemes.key)
  })

  it('names every route, each by its own operation id', () => {
    const found = operations().map(([path, method, { operationId }]) => `${method} ${path} ${operationId}`)
    assert.deepEqual(found.toSorted(), ROUTES.toSorted())
    assert.equal(new Set(operations().map(([, , { operationId }]) => operationId)).size, ROUTES.length)
  })

  it('describes every route: summary, tag, path parameters, a good answer and its errors', () => {
    for (const [path, method, operation] of operations()) {
      const where = `${method} ${path}`
      assert.ok(METHODS.includes(method), where)
      assert.ok(operation.summary.length > 10 && operation.tags.length === 1, where)
      const declared = (operation.parameters ?? []).filter((p: Json) => p.in === 'path').map((p: Json) => p.name)
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      assert.deepEqual(declared, inPath, where)
      const statuses = Object.keys(operation.responses)
      assert.ok(
        statuses.some((status) => status.startsWith('2')),
        where,
      )
      assert.ok(statuses.includes('401') && statuses.includes('403'), where)
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        assert.ok(response.description, `${where} ${status}`)
        if (status.startsWith('4')) {
          assert.deepEqual(response.content['application/json'].schema, { $ref: '#/components/schemas/Problem' })
        }
      }
    }
  })

  it('has schemas that are JSON Schema 2020-12, and references that resolve', () => {
    for (const name of Object.keys(document.components.schemas)) validatorOf({ $ref: `#/components/schemas/${name}` })
    for (const [path, method, operation] of operations()) {
      for (const content of contentsOf(operation)) validatorOf(content.schema)
      for (const parameter of operation.parameters ?? []) {
        assert.ok(parameter.schema, `${method} ${path} ${parameter.name}`)
        validatorOf(parameter.schema)
      }
    }
  })

  it('gives examples that its own schemas accept, for every body and nearly every answer', () => {
    let examples = 0
    for (const [path, method, operation] of operations()) {
      for (const { schema, example } of contentsOf(operation)) {
        if (example === undefined) continue
        check(schema, example, `${method} ${path}`)
        examples += 1
      }
      for (const { name, schema, example } of operation.parameters ?? []) {
        const given = example ?? schema.example
        if (given !== undefined) check(schema, given, `${method} ${path} ${name}`)
      }
      if (operation.requestBody !== undefined) {
        for (const content of Object.values<Json>(operation.requestBody.content))
          assert.ok(content.example !== undefined, path)
      }
    }
    assert.ok(examples >= ROUTES.length, `${examples} examples`)
    for (const [name, schema] of Object.entries<Json>(document.components.schemas)) {
      if (schema.example !== undefined) check({ $ref: `#/components/schemas/${name}` }, schema.example, name)
    }
  })

  it('tells a wrong example from a right one', () => {
    const { schema, example } = document.paths['/v1/traces'].get.responses['200'].content['application/json']
    assert.equal(validatorOf(schema)({ ...example, next: 7 }), false)
  })
})

function contentsOf(operation: Json): readonly Json[] {
  const answers = Object.values<Json>(operation.responses).flatMap((r) => Object.values<Json>(r.content ?? {}))
  return [...answers, ...Object.values<Json>(operation.requestBody?.content ?? {})]
}

/** References of the document, for a validator that holds it under a name of its own. */
function rebased(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/'))
}
