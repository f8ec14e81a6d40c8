import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Hono } from 'hono'
import { isLoopbackHost } from '../../src/http/access.ts'
import type { Database } from '../../src/store/database.ts'
import { freshDatabase } from '../support/databases.ts'
import { bodyOf, postJson, serverOver } from './serving.ts'

const KEY = 'a-long-and-random-key'
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

describe('access', () => {
  let database: Database
  let open: Hono
  let keyed: Hono
  before(async () => {
    database = await freshDatabase('pglite')
    open = serverOver(database.db)
    keyed = serverOver(database.db, { apiKey: KEY })
  })
  after(() => database.close())

  it('serves loopback names only when no key is configured', async () => {
    for (const host of ['localhost', 'localhost:4318', '127.0.0.1:4318', '127.8.9.1', '[::1]:4318', 'a.localhost']) {
      assert.equal((await open.request('/api/v1/replays', { headers: { host } })).status, 200, host)
    }
    for (const host of [
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '10.0.0.5:4318',
      '127.0.0.999',
    ]) {
      const response = await open.request('/api/v1/replays', { headers: { host } })
      assert.equal(response.status, 403, host)
      assert.equal((await bodyOf(response)).error.code, 'host_not_allowed')
    }
  })

  it('asks everything but health and signed webhooks for the key, whatever the host', async () => {
    for (const path of ['/', '/traces', '/style.css', '/api/v1/replays', '/api/openapi.json', '/api/nothing']) {
      assert.equal((await keyed.request(path)).status, 401, path)
    }
    assert.equal((await keyed.request('/v1/traces', { method: 'POST' })).status, 401)
    assert.equal((await keyed.request('/healthz')).status, 200)
    assert.equal((await keyed.request('/readyz')).status, 200)
    assert.equal((await keyed.request('/webhooks/helpdesk', { method: 'POST' })).status, 200)
    const headers = { host: 'assay.example', authorization: `Bearer ${KEY}` }
    assert.equal((await keyed.request('/api/v1/replays', { headers })).status, 200)
  })

  it('takes the key as bearer token or as any user’s password', async () => {
    const asked = async (authorization: string) => (await keyed.request('/', { headers: { authorization } })).status
    assert.equal(await asked(`Bearer ${KEY}`), 200)
    assert.equal(await asked(`bearer  ${KEY}`), 200)
    assert.equal(await asked(basic('ada', KEY)), 200)
    assert.equal(await asked(basic('', KEY)), 200)
    for (const wrong of [
      `Bearer ${KEY}x`,
      `Bearer ${KEY.slice(1)}`,
      'Bearer',
      KEY,
      basic(KEY, ''),
      basic('ada', `${KEY} `),
      'Basic !!!',
      `Digest ${KEY}`,
    ]) {
      assert.equal(await asked(wrong), 401, wrong)
    }
  })

  it('lets browsers ask for the password of pages, and programs for the key', async () => {
    const page = await keyed.request('/', { headers: { accept: 'text/html' } })
    assert.match(page.headers.get('www-authenticate') ?? '', /^Basic realm="assay"/)
    const api = await keyed.request('/api/v1/replays')
    assert.equal(api.headers.get('www-authenticate'), 'Bearer realm="assay"')
  })

  it('refuses what a browser asks for another site, but for a link that opens a page', async () => {
    const get = async (path: string, headers: Record<string, string>) => (await open.request(path, { headers })).status
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    assert.equal(await get('/traces', link), 200)
    assert.equal(await get('/traces', { ...link, 'sec-fetch-dest': 'iframe' }), 403)
    assert.equal(await get('/api/v1/traces', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }), 403)
    assert.equal(await get('/api/v1/traces', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }), 403)
    assert.equal(await get('/api/v1/traces', { 'sec-fetch-site': 'same-origin' }), 200)
    assert.equal(await get('/api/v1/traces', { origin: 'http://evil.example' }), 403)
    assert.equal(await get('/api/v1/traces', { origin: 'null' }), 403)
    assert.equal(await get('/api/v1/traces', { origin: 'http://localhost' }), 200)
  })

  it('refuses writing from another site, a link that posts included', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    for (const path of ['/api/v1/reports', '/v1/traces', '/webhooks/helpdesk', '/failure-modes/x/accept']) {
      assert.equal((await open.request(path, postJson({}, headers))).status, 403, path)
      assert.equal((await open.request(path, postJson({}, { origin: 'http://127.0.0.1:9999' }))).status, 403, path)
    }
  })

  it('asks forms of pages to prove that they are its own', async () => {
    const body = new URLSearchParams({ who: 'Ada' })
    const silent = await open.request('/failure-modes/x/accept', { method: 'POST', body })
    assert.equal(silent.status, 403)
    const own = await open.request('/failure-modes/x/dismiss', {
      method: 'POST',
      body,
      headers: { 'sec-fetch-site': 'none' },
    })
    assert.equal(own.status, 403)
  })

  it('takes JSON only where the API changes something', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const init = { method: 'POST', body: '{"replays":["a"]}', headers: { 'content-type': type } }
      const response = await open.request('/api/v1/reports', init)
      assert.equal(response.status, 415, type)
      assert.equal((await bodyOf(response)).error.code, 'unsupported_media_type')
    }
  })

  it('tells loopback from names that look like it', () => {
    assert.equal(isLoopbackHost('LOCALHOST:1'), true)
    assert.equal(isLoopbackHost('::1'), false)
    assert.equal(isLoopbackHost(''), false)
    assert.equal(isLoopbackHost('0.0.0.0'), false)
    assert.equal(isLoopbackHost('localhost@evil.example'), false)
  })
})
