/**
 * What all routes of the API share: how a wrong request is answered, how lists page, how errors are documented.
 */
import { OpenAPIHono, z } from '@hono/zod-openapi'
import type { ZodError } from 'zod'
import { InputError } from '../../core/errors.ts'

export const PAGE_ROWS_MAX = 200
const PAGE_ROWS = 50
const ISSUES_SHOWN_MAX = 5
const VALUE_CHARACTERS_MAX = 80

/** A part of the API: one file per noun makes one. */
export function makeApiPart(): OpenAPIHono {
  return new OpenAPIHono({
    defaultHook: (result) => {
      if (!result.success) throw wrongInput(result.target, result.error, 'data' in result ? result.data : undefined)
    },
  })
}

const PLACES: Readonly<Record<string, string>> = { json: 'body', param: 'path', query: 'query', header: 'header' }

/** Names each wrong value, its place, and what was expected. */
function wrongInput(target: string, error: ZodError, given: unknown): InputError {
  const place = PLACES[target] ?? target
  const [first] = error.issues
  const lines = error.issues.slice(0, ISSUES_SHOWN_MAX).map(({ path, message }) => {
    const value = valueAt(given, path)
    return `${[place, ...path].join('.')}${value === undefined ? '' : ` ${shown(value)}`}: ${message}`
  })
  const more = error.issues.length - lines.length
  const message = `${lines.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
  return new InputError('invalid_input', message, [place, ...(first?.path ?? [])].join('.'))
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    given,
  )
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= VALUE_CHARACTERS_MAX ? text : `${text.slice(0, VALUE_CHARACTERS_MAX)}…`
}

export const problemSchema = z
  .strictObject({
    error: z.strictObject({
      code: z.string().openapi({ description: 'A stable snake_case word.' }),
      message: z.string(),
      at: z.string().optional().openapi({ description: 'The place: a JSON path, a line, a header.' }),
    }),
  })
  .openapi('Problem', {
    example: {
      error: {
        code: 'invalid_input',
        message: 'query.limit "0": Too small: expected number to be >=1',
        at: 'query.limit',
      },
    },
  })

const WORDS = {
  400: 'The request is wrong; the message names the value, the place and what was expected',
  404: 'What was asked for does not exist',
  409: 'It has changed meanwhile, or exists already',
  413: 'The body is too large',
  415: 'The body is of a type that is not taken here',
} as const

const DENIED = {
  401: { description: 'An API key is configured and was not shown', content: problemContent() },
  403: { description: 'Not from this host, or from another site', content: problemContent() },
}

function problemContent() {
  return { 'application/json': { schema: problemSchema } }
}

type Wrong = keyof typeof WORDS
type ProblemAnswer = { description: string; content: ReturnType<typeof problemContent> }

/** The error answers of a route, for its documentation: the given ones and those of access, which every route has. */
export function problems<S extends Wrong>(...statuses: readonly S[]): Record<S, ProblemAnswer> & typeof DENIED {
  const given = statuses.map((status) => [status, { description: WORDS[status], content: problemContent() }] as const)
  return { ...(Object.fromEntries(given) as unknown as Record<S, ProblemAnswer>), ...DENIED }
}

/** The good answer of a route. The example is checked against the schema by a test. */
export function answer<T extends z.ZodType>(description: string, schema: T, example: NoInfer<z.input<T>>) {
  return { description, content: { 'application/json': { schema, example } } }
}

/** A required JSON body with an example. */
export function jsonBody<T extends z.ZodType>(schema: T, example: NoInfer<z.input<T>>) {
  return { required: true, content: { 'application/json': { schema, example } } } as const
}

export const limitQuery = z.coerce
  .number()
  .int()
  .min(1)
  .max(PAGE_ROWS_MAX)
  .default(PAGE_ROWS)
  .openapi({ param: { description: 'Rows of a page.' }, example: 50 })

/** `2026-10-05`, taken as midnight UTC, or a full time with its offset. */
export const instantQuery = z.union([z.iso.datetime({ offset: true }), z.iso.date()]).openapi({
  param: { description: 'ISO 8601: a date (midnight UTC) or a time with its offset.' },
  example: '2026-10-05T00:00:00Z',
})

export const idSchema = z.string().min(1).max(200)

export function dateOr<T>(text: string | undefined, otherwise: T): Date | T {
  return text === undefined ? otherwise : new Date(text)
}
