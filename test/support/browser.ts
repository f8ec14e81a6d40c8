/**
 * A real browser from npm (Chromium, driven by playwright-core) for tests of pages. It speaks to loopback only: any
 * other host does not resolve, so a page that fetches something from elsewhere fails its test.
 */
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

const ONLY_LOOPBACK = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'

export async function openBrowser(): Promise<Browser> {
  // Without a graphics stack: pages are flat, and software rendering of 3D takes seconds to start.
  chromium.setGraphicsMode = false
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args.filter((arg) => !arg.startsWith('--host-resolver-rules')), ONLY_LOOPBACK],
    headless: true,
  })
}
