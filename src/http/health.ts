/**
 * The two questions of a supervisor. `/healthz`: is the process up (if not, restart it)? `/readyz`: can it take and keep
 * work (if not, send it none)? Both are open, so neither tells more than names; the causes go to the log.
 */
import { Hono } from 'hono'
import type { Log } from '../core/ports.ts'

/** Resolves when all is well, throws the cause when not. */
export type ReadyCheck = { readonly name: string; check(): Promise<void> }

const CHECK_MS_MAX = 5000

export function makeHealth({ checks, log }: { checks: readonly ReadyCheck[]; log: Log }): Hono {
  const app = new Hono()
  app.get('/healthz', (c) => c.json({ status: 'up' }))
  app.get('/readyz', async (c) => {
    const results = await Promise.all(checks.map((check) => outcomeOfCheck(check, log)))
    const ready = results.every((result) => result.ok)
    return c.json({ status: ready ? 'ready' : 'not ready', checks: results }, ready ? 200 : 503)
  })
  return app
}

async function outcomeOfCheck({ name, check }: ReadyCheck, log: Log): Promise<{ name: string; ok: boolean }> {
  try {
    await withinTime(check(), CHECK_MS_MAX)
    return { name, ok: true }
  } catch (error) {
    log('warn', 'Not ready', { check: name, error: error instanceof Error ? error.message : String(error) })
    return { name, ok: false }
  }
}

async function withinTime(work: Promise<void>, ms: number): Promise<void> {
  const timer = Promise.withResolvers<never>()
  const id = setTimeout(() => timer.reject(new Error(`no answer in ${ms} ms`)), ms)
  try {
    await Promise.race([work, timer.promise])
  } finally {
    clearTimeout(id)
  }
}
