import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { serve } from '@hono/node-server'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { reliability } from '../../../src/core/reporting/reliability.ts'
import type { UseCases } from '../../../src/http/use-cases.ts'
import type { Database } from '../../../src/store/database.ts'
import { replayEvidence } from '../../../src/store/report-evidence.ts'
import { json } from '../../../src/store/schema.ts'
import { viewFailureMode } from '../../../src/store/views/failure-modes.ts'
import { openBrowser } from '../../support/browser.ts'
import { freshDatabase } from '../../support/databases.ts'
import { caseId, HOSTILE, MODE_ID, NOW, REPLAY_ID, REPORT_ID, seed, TRACE_ID } from '../seed.ts'
import { serverOver, useCasesOf } from '../serving.ts'

const PHONE = { width: 390, height: 844 }
const DESK = { width: 1280, height: 900 }
/** What runs in the browser is text here: our types know no DOM. */
const WIDTHS = '[document.documentElement.scrollWidth, document.documentElement.clientWidth]'
const LOW_CONTRAST = readFileSync(new URL('./low-contrast.js', import.meta.url), 'utf8')
const PAGES = [
  '/',
  '/reports',
  `/reports/${REPORT_ID}`,
  '/traces',
  `/traces/${TRACE_ID}`,
  '/replays',
  `/replays/${REPLAY_ID}`,
  `/replays/${REPLAY_ID}/cases/${caseId(1)}/trials/2`,
  '/failure-modes',
  `/failure-modes/${MODE_ID}`,
]

describe('the pages in a browser', () => {
  let database: Database
  let server: Server
  let browser: Browser
  let context: BrowserContext
  let origin: string
  before(async () => {
    database = await freshDatabase('pglite')
    await seed(database.db)
    const app = serverOver(database.db, {
      useCases: useCasesOf({ review: reviewIn(database), reliability: reliabilityIn(database) }),
    })
    server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server
    if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await openBrowser()
    context = await browser.newContext({ viewport: DESK })
  })
  after(async () => {
    await browser?.close()
    server?.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await database.close()
  })

  /** A page that notes what must not happen: dialogs, errors, blocked or failed requests. */
  async function openPage(): Promise<{ page: Page; wrongs: string[] }> {
    const page = await context.newPage()
    const wrongs: string[] = []
    page.on('dialog', (dialog) => {
      wrongs.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('console', (message) => {
      if (message.type() === 'error') wrongs.push(`${page.url()}: ${message.text()}`)
    })
    page.on('pageerror', (error) => wrongs.push(String(error)))
    page.on('requestfailed', (request) => wrongs.push(`failed ${request.url()}`))
    return { page, wrongs }
  }

  it('leads from the overview to every page, each with one heading, landmarks and no error', async () => {
    const { page, wrongs } = await openPage()
    const waiting = ['/']
    const seen = new Set(waiting)
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const response = await page.goto(origin + path)
      assert.equal(response?.status(), 200, path)
      const type = response?.headers()['content-type'] ?? ''
      if (!type.startsWith('text/html')) continue
      assert.equal(await page.locator('h1').count(), 1, path)
      assert.equal(await page.locator('main').count(), 1, path)
      assert.notEqual(await page.title(), 'owned', path)
      const links = await page
        .locator('a[href^="/"]')
        .evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''))
      for (const link of links.filter((href) => !href.startsWith('/api/'))) {
        if (seen.has(link)) continue
        seen.add(link)
        waiting.push(link)
      }
    }
    for (const path of PAGES) assert.ok(seen.has(path), `${path} cannot be reached`)
    assert.deepEqual(wrongs, [])
    await page.close()
  })

  it('shows hostile text as text and runs none of it', async () => {
    const { page, wrongs } = await openPage()
    for (const path of PAGES) {
      await page.goto(origin + path)
      assert.equal(await page.locator('script, img, iframe, object, embed').count(), 0, path)
      const handlers = await page
        .locator('*')
        .evaluateAll((all) =>
          all.flatMap((e) => [...e.attributes].filter((a) => a.name.startsWith('on')).map((a) => a.name)),
        )
      assert.deepEqual(handlers, [], path)
    }
    await page.goto(`${origin}/traces/${TRACE_ID}`)
    const shown = (await page.locator('main').textContent()) ?? ''
    assert.ok(shown.includes(HOSTILE), 'the text stands there as it was sent')
    assert.ok(shown.includes('⟨U+202E⟩'), 'a character that turns the text is made visible')
    assert.deepEqual(wrongs, [])
    await page.close()
  })

  it('fits a phone: nothing but tables scrolls sideways', async () => {
    const { page } = await openPage()
    await page.setViewportSize(PHONE)
    for (const path of PAGES) {
      await page.goto(origin + path)
      const [wide = 0, width = 0] = await page.evaluate<number[]>(WIDTHS)
      assert.ok(wide <= width, `${path} is ${wide} wide on a screen of ${width}`)
    }
    await page.close()
  })

  it('keeps text readable in light and dark: contrast of 4.5 and more', async () => {
    const { page } = await openPage()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const path of PAGES.filter((one) => one !== `/reports/${REPORT_ID}`)) {
        await page.goto(origin + path)
        assert.deepEqual(await page.evaluate(LOW_CONTRAST), [], `${path} in ${colorScheme}`)
      }
    }
    await page.close()
  })

  it('draws the replay as a grid whose cells carry a letter, a name and a link to their trial', async () => {
    const { page } = await openPage()
    await page.goto(`${origin}/replays/${REPLAY_ID}`)
    const rows = await page
      .locator('table.grid tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('.cell')].map((cell) => cell.textContent).join('')),
      )
    assert.deepEqual(rows, ['PPPPP', 'PWPPE', 'WWWWW', 'PPUPP', 'EEUWP', 'PP···'])
    await page.getByRole('link', { name: 'Trial 2: wrong' }).first().click()
    assert.equal(new URL(page.url()).pathname, `/replays/${REPLAY_ID}/cases/${caseId(1)}/trials/2`)
    assert.ok(await page.getByText('no-refund-without-order').isVisible())
    await page.close()
  })

  it('shows the figures of a replay when its last trial is graded, each with its interval or the reason for none, and not before', async () => {
    const { page, wrongs } = await openPage()
    await page.goto(`${origin}/replays/${REPLAY_ID}`)
    assert.ok(await page.getByText('They come when all trials are graded.').isVisible())

    const graded = { outcome: 'passed' as const, status: 'completed' as const, ended_at: NOW, graded_at: NOW }
    await database.db.updateTable('trials').set(graded).where('outcome', 'is', null).execute()
    await page.goto(`${origin}/replays/${REPLAY_ID}`)
    const figures = page.getByRole('region', { name: 'Figures of the suite' })
    const row = figures.getByRole('row', { name: /^pass\^3/ }).first()
    assert.match(
      (await row.textContent()) ?? '',
      /^pass\^3\s*0\.517\s*–\s*0\.318 to 0\.711\s*6\s.*traffic like this.*needs 8 or more/s,
    )
    assert.equal(await page.locator('.cell', { hasText: '·' }).count(), 1, 'only the key has one')
    assert.deepEqual(wrongs, [])
    await page.close()
  })

  it('filters traces by a form', async () => {
    const { page } = await openPage()
    await page.goto(`${origin}/traces`)
    assert.equal(await page.locator('tbody tr').count(), 2)
    await page.getByLabel('Rule').fill('errors')
    await page.getByRole('button', { name: 'Filter' }).click()
    assert.equal(await page.locator('tbody tr').count(), 1)
    assert.equal(await page.getByLabel('Rule').inputValue(), 'errors')
    await page.close()
  })

  it('can be walked by keyboard, the way to the content first', async () => {
    const { page } = await openPage()
    await page.goto(`${origin}/replays`)
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
    await page.keyboard.press('Enter')
    assert.equal(new URL(page.url()).hash, '#content')
    await page.close()
  })

  it('accepts a failure mode by form, asks who, remembers who, and writes the history', async () => {
    const { page, wrongs } = await openPage()
    await page.goto(`${origin}/failure-modes/${MODE_ID}`)
    const form = page.locator('form.act').first()
    await form.getByRole('button', { name: 'Accept' }).click()
    assert.equal((await page.locator('input:invalid').count()) > 0, true, 'the browser asks for the name')

    await form.getByLabel('Your name').fill('Ada')
    await form.getByLabel('Name', { exact: true }).fill('Refunds an order that does not exist')
    await form.getByLabel('Why (optional)').fill('seen twice <b>today</b>')
    await form.getByRole('button', { name: 'Accept' }).click()
    assert.equal(new URL(page.url()).pathname, `/failure-modes/${MODE_ID}`)
    assert.equal(await page.locator('h1').textContent(), 'Refunds an order that does not exist')
    assert.equal(await page.getByRole('button', { name: 'Accept' }).count(), 0)
    assert.equal(await page.locator('form.act').getByLabel('Your name').first().inputValue(), 'Ada')
    assert.ok(await page.getByText('seen twice <b>today</b>').isVisible())
    const mode = await viewFailureMode(database.db, MODE_ID)
    assert.deepEqual([mode?.state, mode?.history.at(-1)?.who], ['accepted', 'Ada'])
    assert.deepEqual(wrongs, [])
    await page.close()
  })

  it('shows what is wrong with a form above it, and changes nothing', async () => {
    const { page } = await openPage()
    await page.goto(`${origin}/failure-modes/${MODE_ID}`)
    const form = page.locator('form.act', { has: page.getByRole('button', { name: 'Dismiss' }) })
    await form.evaluate((element) => element.setAttribute('novalidate', ''))
    await form.getByLabel('Your name').fill('')
    const [response] = await Promise.all([
      page.waitForNavigation(),
      form.getByRole('button', { name: 'Dismiss' }).click(),
    ])
    assert.equal(response?.status(), 400)
    assert.match((await page.getByRole('alert').textContent()) ?? '', /Say who you are/)
    assert.notEqual((await viewFailureMode(database.db, MODE_ID))?.state, 'dismissed')
    await page.close()
  })

  it('says in every empty list what to do next', async () => {
    const empty = await freshDatabase('pglite')
    const running = await useCasesOf().running()
    const app = serverOver(empty.db, { useCases: useCasesOf({ running: async () => ({ ...running, schedules: [] }) }) })
    for (const path of [
      '/',
      '/reports',
      '/traces',
      '/traces?rule=x',
      '/replays',
      '/failure-modes',
      '/failure-modes?state=merged',
    ]) {
      assert.match(
        await (await app.request(path)).text(),
        /class="empty"><p>[^<]{20,}<\/p><p><code>[^<]{5,}<\/code>/,
        path,
      )
    }
    await empty.close()
  })
})

/** The figures as the application makes them. */
function reliabilityIn({ db }: Database): UseCases['reliability'] {
  return async ({ replayId, k, level }) => reliability((await replayEvidence(db, replayId, { k, level })).input)
}

/** Accepting as the application does it: the new state and the event together. */
function reviewIn({ db }: Database): UseCases['review'] {
  return async ({ modeId, who, why, act }) => {
    assert.equal(act.act, 'accept')
    const name = act.act === 'accept' ? act.name : undefined
    const before = await viewFailureMode(db, modeId)
    const set = { state: 'accepted' as const, ...(name === undefined ? {} : { name }), updated_at: NOW }
    await db.updateTable('failure_modes').set(set).where('id', '=', modeId).execute()
    const after = await viewFailureMode(db, modeId)
    assert.ok(before !== undefined && after !== undefined)
    await db
      .insertInto('mode_events')
      .values({ mode_id: modeId, act: 'accept', who, why, before: json(before), after: json(after), at: NOW })
      .execute()
    return after
  }
}
