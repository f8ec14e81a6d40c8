/**
 * Errors as answers, in one place: who is wrong becomes a status, and the body is always
 * `{ "error": { "code", "message", "at"? } }`.
 *
 * Invariant: what we did wrong is told to the sender as an id only; the log has the rest, redacted. A stack never leaves
 * the process.
 */
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { InputError, UnavailableError } from '../core/errors.ts'
import type { Log, Random } from '../core/ports.ts'

export type Problem = {
  readonly status: ContentfulStatusCode
  readonly error: { readonly code: string; readonly message: string; readonly at?: string }
}

/** Codes of InputError that HTTP has its own status for; `…_exists` is 409, every other one 400. */
const STATUS_BY_CODE: Readonly<Record<string, ContentfulStatusCode>> = {
  unauthorized: 401,
  forbidden: 403,
  host_not_allowed: 403,
  cross_site: 403,
  not_found: 404,
  changed_meanwhile: 409,
  duplicate: 409,
  replay_unfinished: 409,
  too_large: 413,
  unsupported_media_type: 415,
}

const CODE_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'malformed_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  413: 'too_large',
  415: 'unsupported_media_type',
}

export type ErrorNeeds = {
  readonly log: Log
  readonly random: Random
  /** Messages of unexpected errors can quote production text. */
  readonly redact: (text: string) => string
}

export type ToProblem = (error: unknown, c: Context) => Problem

/** Turns whatever was thrown into an answer; logs what was not expected. */
export function makeToProblem({ log, random, redact }: ErrorNeeds): ToProblem {
  return (error, c) => {
    const expected = expectedProblem(error)
    if (expected !== undefined) return expected

    const id = random.id('err')
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    log('error', 'A request failed unexpectedly', {
      id,
      method: c.req.method,
      route: c.req.path,
      error: redact(`${name}: ${message}`),
      stack: redact(stack ?? ''),
    })
    return {
      status: 500,
      error: { code: 'internal', message: `Something went wrong on our side; the log has it as ${id}` },
    }
  }
}

function expectedProblem(error: unknown): Problem | undefined {
  if (error instanceof InputError) return inputProblem(error)
  if (error instanceof UnavailableError) return unavailable(error.message)
  if (isDatabaseAway(error)) return unavailable('the database does not answer at the moment, try again')
  if (error instanceof HTTPException && error.status < 500) {
    const code = CODE_BY_STATUS[error.status] ?? 'malformed_request'
    return { status: error.status, error: { code, message: error.message || 'The request cannot be read' } }
  }
  return undefined
}

function unavailable(message: string): Problem {
  return { status: 503, error: { code: 'unavailable', message } }
}

/** Of the network and of PostgreSQL (class 57P, operator intervention; 53300, too many connections). */
const AWAY_CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '57P03', '53300']

function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error) return AWAY_CODES.includes(String(error.code))
  return /^Connection terminated|^Client has encountered a connection error/.test(error.message)
}

export function inputProblem({ code, message, at }: InputError): Problem {
  const status = STATUS_BY_CODE[code] ?? (code.endsWith('_exists') ? 409 : 400)
  return { status, error: at === undefined ? { code, message } : { code, message, at } }
}
