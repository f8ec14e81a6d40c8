/**
 * Refuses requests that hold what no column can: NUL, halves of surrogate pairs, a nesting without end. Every text of a
 * request may become a value of a query, so they are looked at once, in front, and not field by field.
 *
 * Not for OTLP and webhooks: what production sends is cleaned, and never refused for a character in an answer.
 */
import type { MiddlewareHandler } from 'hono'
import { InputError } from '../core/errors.ts'
import { whyUnstorable } from '../core/replay/storable.ts'

/** Path and query. What is not UTF-8 there becomes replacement characters when it is decoded, so NUL is all that is left. */
export const refuseUnstorableAddress: MiddlewareHandler = async (c, next) => {
  if (/%00/.test(c.req.url)) throw new InputError('invalid_input', 'The address holds a NUL character (%00)', 'path')
  return next()
}

/** A JSON body; comes after the limit of its size. What is not JSON is for the route to say. */
export const refuseUnstorableBody: MiddlewareHandler = async (c, next) => {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (/^application\/([a-z.-]+\+)?json$/.test(type)) refuseUnstorable(parsed(await c.req.text()), 'body')
  return next()
}

/** Throws InputError `invalid_input` with the place. */
export function refuseUnstorable(value: unknown, place: string): void {
  const why = whyUnstorable(value)
  if (why !== null) throw new InputError('invalid_input', `${place} ${why}`, place)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
