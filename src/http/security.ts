/**
 * What our answers allow a browser to do: nothing, but to show our own style and send our own forms.
 * There is no script on any page; production text that slipped past the escaping would still not run.
 */
import { secureHeaders } from 'hono/secure-headers'

const LOCKED = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

export const PAGE_CSP = `${LOCKED}; style-src 'self'; img-src 'self'; form-action 'self'`

/** A report's page is one file that can be mailed and archived: its style is inside. */
export const REPORT_CSP = `${LOCKED}; style-src 'unsafe-inline'; img-src data:; form-action 'none'`

/** Headers that a handler set itself stay. The referrer stays among our pages, since forms are checked by their origin. */
export const securityHeaders = secureHeaders({
  overwrite: false,
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
    formAction: ["'none'"],
  },
  referrerPolicy: 'same-origin',
  xFrameOptions: 'DENY',
  strictTransportSecurity: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
})
