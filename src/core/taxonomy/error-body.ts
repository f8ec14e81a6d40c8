/**
 * Error bodies inside messages: a provider's JSON or Python dict gives its type, code and message, and the rest of it (request
 * ids, time stamps, echoes of the input) is left out. Must come before masking: masked first, nine different errors once
 * became one; never masked, each became its own.
 */
import { readLiteral } from './literal.ts'

const BODIES_MAX = 8
const TRIES_MAX = 40
const DEPTH_MAX = 4
const KEYS_MAX = 6

const TYPE_KEYS = ['type', 'name', 'error_type', 'errorType', '__type', 'kind']
const CODE_KEYS = ['code', 'error_code', 'errorCode', 'status', 'errno']
const MESSAGE_KEYS = ['message', 'msg', 'error_description', 'detail', 'error', 'title', 'reason', 'description']
/** Where an error may lie one level down. */
const INNER_KEYS = ['error', 'errors', 'detail', 'details', 'cause', 'exception', 'fault']

/** The text with each body replaced: by what it says, or with `read` false by what it is. Takes time linear in the text. */
export function withoutBodies(text: string, read: boolean): string {
  let done = ''
  let from = 0
  let tries = 0
  for (let bodies = 0; bodies < BODIES_MAX; bodies++) {
    const found = nextBody(text, from, () => tries++ < TRIES_MAX)
    if (found === null) break
    done += text.slice(from, found.start) + (read ? saidBy(found.value) : '<json>')
    from = found.end
  }
  return done + text.slice(from)
}

type Body = { readonly value: object; readonly start: number; readonly end: number }

/** The next object with keys, or list with such an object in it. */
function nextBody(text: string, from: number, mayTry: () => boolean): Body | null {
  const opening = /[{[]/g
  opening.lastIndex = from
  for (let found = opening.exec(text); found !== null && mayTry(); found = opening.exec(text)) {
    const read = readLiteral(text, found.index)
    if (read === null) continue
    if (isBody(read.value)) return { value: read.value, start: found.index, end: read.end }
    opening.lastIndex = read.end
  }
  return null
}

function isBody(value: unknown): value is object {
  if (Array.isArray(value)) return value.some(isBody)
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** Type, code and message in one line; else the names of its keys. */
function saidBy(body: object): string {
  const said = facts(body, 0)
  const words = [said.type, said.code, said.message].filter((word) => word !== undefined)
  const distinct = words.filter((word, index) => !words.some((other, at) => at > index && other.includes(word)))
  if (distinct.length > 0) return distinct.join(' ')
  const keys = Object.keys(Array.isArray(body) ? (body.find(isBody) ?? {}) : body).filter((key) =>
    /^[a-z_]+$/i.test(key),
  )
  return ['<json', ...keys.toSorted().slice(0, KEYS_MAX)].join(' ').concat('>')
}

type Facts = { readonly type?: string; readonly code?: string; readonly message?: string }

function facts(value: unknown, depth: number): Facts {
  if (depth > DEPTH_MAX) return {}
  if (Array.isArray(value)) return facts(value.find(isBody), depth + 1)
  if (typeof value !== 'object' || value === null) return {}
  const record = value as Readonly<Record<string, unknown>>
  const inner = INNER_KEYS.map((key) => record[key]).find((one) => typeof one === 'object' && one !== null)
  const own: Facts = {
    ...named('type', record, TYPE_KEYS),
    ...named('code', record, CODE_KEYS),
    ...named('message', record, MESSAGE_KEYS),
  }
  return inner === undefined ? own : { ...own, ...facts(inner, depth + 1) }
}

function named(fact: keyof Facts, record: Readonly<Record<string, unknown>>, keys: readonly string[]): Facts {
  const key = keys.find((one) => Object.hasOwn(record, one) && isWord(record[one]))
  return key === undefined ? {} : { [fact]: String(record[key]) }
}

function isWord(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() !== '') || typeof value === 'number'
}
