/**
 * Who may call: with an API key configured, whoever shows it; without one, only this machine.
 *
 * It refuses three things that a browser can be made to do behind its user's back: reaching us under a foreign host name
 * that resolves to loopback (DNS rebinding), writing from another site, and reading from another site. A link from
 * elsewhere (a mail, a chat) that opens a page is let through: its answer cannot be read by the site that linked.
 * Webhooks carry their own signature and come from anywhere, so neither key nor host is asked of them.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { InputError } from '../core/errors.ts'

const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
const SIGNED_PREFIX = '/webhooks/'
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

export type AccessNeeds = {
  /** Null: no key is configured, and only requests that name loopback as their host are served. */
  readonly apiKey: string | null
}

/** Throws InputError `unauthorized`, `host_not_allowed` or `cross_site`. */
export function makeAccess({ apiKey }: AccessNeeds): MiddlewareHandler {
  return async (c, next) => {
    if (OPEN_PATHS.has(c.req.path)) return next()
    refuseOtherSites(c)
    if (!c.req.path.startsWith(SIGNED_PREFIX)) {
      if (apiKey === null) requireLoopbackHost(c)
      else requireKey(c, apiKey)
    }
    return next()
  }
}

function refuseOtherSites(c: Context): void {
  const site = c.req.header('sec-fetch-site')
  if (site === undefined) {
    const origin = c.req.header('origin')
    if (origin !== undefined && hostOfOrigin(origin) !== hostOf(c)) throw crossSite(`origin ${JSON.stringify(origin)}`)
    return
  }
  if (site === 'same-origin' || site === 'none') return
  const opensPage = c.req.header('sec-fetch-mode') === 'navigate' && c.req.header('sec-fetch-dest') === 'document'
  if (READING.has(c.req.method) && opensPage) return
  throw crossSite(`sec-fetch-site ${JSON.stringify(site)}`)
}

function crossSite(what: string): InputError {
  return new InputError('cross_site', `Requests that a browser makes for another site are refused (${what})`)
}

/**
 * For forms of our own pages: the browser must say that the form was ours. A request that says nothing is refused here,
 * while the API lets programs through, which say nothing either.
 */
export const requireOwnForm: MiddlewareHandler = async (c, next) => {
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  const own = site === undefined ? origin !== undefined && hostOfOrigin(origin) === hostOf(c) : site === 'same-origin'
  if (!own) throw new InputError('cross_site', 'This form can be sent from its own page only; programs use the API')
  return next()
}

function requireKey(c: Context, apiKey: string): void {
  const shown = shownKey(c.req.header('authorization') ?? '')
  if (shown !== undefined && sameSecret(shown, apiKey)) return
  const scheme = c.req.path.startsWith('/api/') || c.req.path.startsWith('/v1/') ? 'Bearer' : 'Basic'
  c.header('WWW-Authenticate', `${scheme} realm="assay"${scheme === 'Basic' ? ', charset="UTF-8"' : ''}`)
  throw new InputError(
    'unauthorized',
    'An API key is needed: "Authorization: Bearer KEY", or Basic with the key as the password',
    'header authorization',
  )
}

function shownKey(header: string): string | undefined {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+) *$/.exec(header) ?? []
  if (scheme.toLowerCase() === 'bearer') return value
  if (scheme.toLowerCase() !== 'basic') return undefined
  const decoded = Buffer.from(value, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  return colon === -1 ? undefined : decoded.slice(colon + 1)
}

/** Over fingerprints, which are of one length: neither content nor length shows in the time. */
function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}

function requireLoopbackHost(c: Context): void {
  const host = hostOf(c)
  if (isLoopbackHost(host)) return
  throw new InputError(
    'host_not_allowed',
    `Host ${JSON.stringify(host)} is not served: without ASSAY_API_KEY only localhost, 127.0.0.1 and [::1] are`,
    'header host',
  )
}

/** `host` with or without a port, as in a Host header. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, '')
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || isLoopbackV4(name)
}

function isLoopbackV4(name: string): boolean {
  const match = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(name)
  return match?.slice(1).every((part) => Number(part) <= 255) ?? false
}

/** Requests made in process have no Host header; their URL names the host. */
function hostOf(c: Context): string {
  return (c.req.header('host') ?? new URL(c.req.url).host).toLowerCase()
}

function hostOfOrigin(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
