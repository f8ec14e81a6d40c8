/**
 * Reads a JSON value or a Python literal (dict, list, quoted text, None, True, False) that begins somewhere in a text: how
 * provider errors travel inside messages. Tolerant in spelling, strict in structure; depth and length are bounded.
 */

export type Read = { readonly value: unknown; readonly end: number }

const DEPTH_MAX = 20
const WORD = /[+-]?[\w.]+/y
const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
  undefined: null,
  NaN: null,
}
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

/** The value that begins at `start`, and where it ends; null when there is none. */
export function readLiteral(text: string, start: number): Read | null {
  return readValue(text, start, 0)
}

function readValue(text: string, start: number, depth: number): Read | null {
  if (depth > DEPTH_MAX) return null
  const at = skipSpace(text, start)
  const next = text[at]
  if (next === '{') return readObject(text, at, depth)
  if (next === '[') return readList(text, at, depth)
  if (next === '"' || next === "'") return readText(text, at, next)
  return readWord(text, at)
}

function readObject(text: string, start: number, depth: number): Read | null {
  const members: [string, unknown][] = []
  let at = skipSpace(text, start + 1)
  while (text[at] !== '}') {
    const key = text[at] === '"' || text[at] === "'" ? readText(text, at, text[at] ?? '') : readWord(text, at)
    if (key === null) return null
    at = skipSpace(text, key.end)
    if (text[at] !== ':') return null
    const value = readValue(text, at + 1, depth + 1)
    if (value === null) return null
    members.push([String(key.value), value.value])
    at = skipSpace(text, value.end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
    else if (text[at] !== '}') return null
  }
  return { value: Object.fromEntries(members), end: at + 1 }
}

function readList(text: string, start: number, depth: number): Read | null {
  const values: unknown[] = []
  let at = skipSpace(text, start + 1)
  while (text[at] !== ']') {
    const value = readValue(text, at, depth + 1)
    if (value === null) return null
    values.push(value.value)
    at = skipSpace(text, value.end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
    else if (text[at] !== ']') return null
  }
  return { value: values, end: at + 1 }
}

function readText(text: string, start: number, quote: string): Read | null {
  let value = ''
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === quote) return { value, end: at + 1 }
    if (character !== '\\') {
      value += character
      continue
    }
    const escaped = text[at + 1] ?? ''
    const hex = escaped === 'u' ? /^[0-9a-fA-F]{4}/.exec(text.slice(at + 2, at + 6))?.[0] : undefined
    value += hex === undefined ? (ESCAPES[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(hex, 16))
    at += hex === undefined ? 1 : 5
  }
  return null
}

function readWord(text: string, start: number): Read | null {
  WORD.lastIndex = start
  const word = WORD.exec(text)?.[0]
  if (word === undefined) return null
  const number = Number(word)
  const value = Object.hasOwn(WORDS, word) ? WORDS[word] : Number.isNaN(number) ? word : number
  return { value, end: start + word.length }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (/\s/.test(text[at] ?? '')) at += 1
  return at
}
