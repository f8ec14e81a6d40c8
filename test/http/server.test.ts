import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { InputError, UnavailableError } from '../../src/core/errors.ts'
import type { Database } from '../../src/store/database.ts'
import { freshDatabase } from '../support/databases.ts'
import { HOSTILE } from './seed.ts'
import { bodyOf, type LogLine, postJson, serverOver, useCasesOf } from './serving.ts'

describe('the server', () => {
  let database: Database
  before(async () => {
    database = await freshDatabase('pglite')
  })
  after(() => database.close())

  it('answers unknown paths with 404, as JSON to programs and as a page to people', async () => {
    const server = serverOver(database.db)
    for (const path of ['/api/v1/nothing', '/api/nothing', '/api', '/v1/metrics', '/nothing']) {
      const response = await server.request(path)
      assert.equal(response.status, 404, path)
      assert.equal((await bodyOf(response)).error.code, 'not_found', path)
    }
    const page = await server.request(`/${encodeURIComponent(HOSTILE)}`, { headers: { accept: 'text/html,*/*' } })
    assert.equal(page.status, 404)
    assert.doesNotMatch(await page.text(), /<script>/)
    const api = await server.request('/api/v1/nothing', { headers: { accept: 'text/html' } })
    assert.match(api.headers.get('content-type') ?? '', /json/)
  })

  it('tells the sender an id and the log the rest, redacted, when it fails itself', async () => {
    const lines: LogLine[] = []
    const useCases = useCasesOf({
      makeReport: async () => {
        throw new TypeError('cannot read ada@example.com')
      },
    })
    const server = serverOver(database.db, { useCases }, lines)
    const response = await server.request('/api/v1/reports', postJson({ replays: ['a'] }))
    assert.equal(response.status, 500)
    const text = await response.text()
    assert.deepEqual(JSON.parse(text).error.code, 'internal')
    assert.match(text, /err_1/)
    assert.doesNotMatch(text, /ada|TypeError|at /)
    assert.equal(lines.length, 1)
    const [level, , fields] = lines[0] ?? []
    assert.equal(level, 'error')
    assert.equal(fields?.id, 'err_1')
    assert.equal(fields?.error, 'TypeError: cannot read [email]')
    assert.doesNotMatch(JSON.stringify(fields), /ada@/)
  })

  it('turns the codes of wrong input into the statuses of HTTP', async () => {
    const statuses = { not_found: 404, changed_meanwhile: 409, replay_exists: 409, bad_k: 400, too_large: 413 }
    for (const [code, status] of Object.entries(statuses)) {
      const useCases = useCasesOf({
        makeReport: async () => {
          throw new InputError(code, 'why', 'body.replays')
        },
      })
      const response = await serverOver(database.db, { useCases }).request(
        '/api/v1/reports',
        postJson({ replays: ['a'] }),
      )
      assert.equal(response.status, status, code)
      assert.deepEqual(await response.json(), { error: { code, message: 'why', at: 'body.replays' } })
    }
  })

  it('refuses bodies that are too large, with and without a declared length', async () => {
    const server = serverOver(database.db)
    const body = JSON.stringify({ replays: ['a'], title: 'x'.repeat(1024 * 1024) })
    const declared = {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
    }
    const streamed = {
      method: 'POST',
      body: new Blob([body]).stream(),
      headers: { 'content-type': 'application/json' },
      duplex: 'half',
    } as RequestInit
    for (const init of [declared, streamed]) {
      const response = await server.request('/api/v1/reports', init)
      assert.equal(response.status, 413)
      assert.equal((await bodyOf(response)).error.code, 'too_large')
    }
  })

  it('locks every answer down', async () => {
    const server = serverOver(database.db)
    for (const path of ['/', '/traces', '/api/v1/replays', '/api/nothing', '/nothing', '/healthz']) {
      const { headers } = await server.request(path)
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/, path)
      assert.doesNotMatch(headers.get('content-security-policy') ?? '', /script-src|unsafe/, path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      assert.equal(headers.get('x-frame-options'), 'DENY', path)
      assert.equal(headers.get('access-control-allow-origin'), null, path)
    }
    assert.equal((await server.request('/traces')).headers.get('cache-control'), 'no-store')
    assert.equal((await server.request('/api/v1/traces')).headers.get('cache-control'), 'no-store')
  })

  it('is up while it runs, and ready only when every check holds', async () => {
    const lines: LogLine[] = []
    const ok = { name: 'database', check: async () => undefined }
    const broken = {
      name: 'spool',
      check: async () => {
        throw new Error('disk is full at /secret/place')
      },
    }
    const ready = await serverOver(database.db, { readyChecks: [ok] }).request('/readyz')
    assert.equal(ready.status, 200)
    assert.deepEqual(await ready.json(), { status: 'ready', checks: [{ name: 'database', ok: true }] })

    const server = serverOver(database.db, { readyChecks: [ok, broken] }, lines)
    const unready = await server.request('/readyz')
    assert.equal(unready.status, 503)
    const text = await unready.text()
    assert.deepEqual(JSON.parse(text).checks, [
      { name: 'database', ok: true },
      { name: 'spool', ok: false },
    ])
    assert.doesNotMatch(text, /secret/)
    assert.match(String(lines[0]?.[2]?.error), /disk is full/)
    assert.equal((await server.request('/healthz')).status, 200)
  })

  it('answers 503, and not that it has failed, while the database is away or its disk is short', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const ended = new Error('Connection terminated unexpectedly')
    for (const error of [new UnavailableError('the disk has 3 MiB left'), away, ended]) {
      const running = () => Promise.reject(error)
      const response = await serverOver(database.db, { useCases: useCasesOf({ running }) }).request('/api/v1/status')
      assert.equal(response.status, 503)
      assert.equal((await bodyOf(response)).error.code, 'unavailable')
    }
  })

  it('refuses what no column can hold, wherever it stands, and does not fail over it', async () => {
    const server = serverOver(database.db)
    const json = (body: string): RequestInit => ({
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const asked: readonly (readonly [string, RequestInit?])[] = [
      ['/api/v1/traces?agent=%00'],
      ['/api/v1/replays/a%00b'],
      ['/traces/%00'],
      ['/api/v1/cases/import?suite=%00', { method: 'POST', body: '', headers: { 'content-type': 'text/plain' } }],
      ['/api/v1/replays', json('{"target":"a\\u0000"}')],
      ['/api/v1/replays', json('{"target":"a","version":"\\ud800"}')],
      ['/api/v1/replays', json(`{"target":${deep}}`)],
    ]
    for (const [path, init] of asked) {
      const response = await server.request(path, init)
      assert.equal(response.status, 400, path)
      assert.equal((await bodyOf(response)).error.code, 'invalid_input', path)
    }
  })
})
