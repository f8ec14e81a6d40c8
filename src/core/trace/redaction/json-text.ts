/**
 * Redacts inside JSON text without re-serialising it: only the literals that changed are written anew, so numbers keep
 * their digits (ids beyond 2^53, `10.00`), and white space and order stay.
 *
 * One pass over the characters, no recursion: nesting cannot exhaust the stack. Text that is not JSON is not read.
 */
export type LiteralRedaction = {
  readonly name: (decoded: string) => string
  /** `name` is that of the nearest field around the string, '' when there is none. */
  readonly string: (decoded: string, name: string) => string
  /** The text to put in place of a number, null to keep it. */
  readonly number: (source: string, name: string) => string | null
}

/** Null when `text` is not a JSON object or list. */
export function redactJsonText(text: string, redact: LiteralRedaction): string | null {
  if (!isJson(text)) return null
  const pieces: string[] = []
  const names = new Map<string, number>()
  let name = ''
  let from = 0
  for (let open = text.indexOf('"'); open !== -1; open = text.indexOf('"', from)) {
    const end = closingQuote(text, open)
    pieces.push(withoutNumbers(text.slice(from, open), name, redact))
    const source = text.slice(open, end + 1)
    const decoded = JSON.parse(source) as string
    const isName = startsWithColon(text, end + 1)
    const redacted = isName ? redact.name(decoded) : redact.string(decoded, name)
    pieces.push(redacted === decoded ? source : JSON.stringify(isName ? numbered(redacted, names) : redacted))
    if (isName) name = decoded
    from = end + 1
  }
  pieces.push(withoutNumbers(text.slice(from), name, redact))
  return pieces.join('')
}

function isJson(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null
  } catch {
    return false
  }
}

/** In valid JSON every string is closed. */
function closingQuote(text: string, open: number): number {
  let end = text.indexOf('"', open + 1)
  while (isEscaped(text, end, open)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, quote: number, open: number): boolean {
  let slashes = 0
  for (let at = quote - 1; at > open && text[at] === '\\'; at--) slashes++
  return slashes % 2 === 1
}

function startsWithColon(text: string, from: number): boolean {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at++
  return text[at] === ':'
}

function withoutNumbers(between: string, name: string, redact: LiteralRedaction): string {
  if (!/\d{3}/.test(between)) return between
  return between.replace(/-?\d[\d.eE+-]*/g, (source) => {
    const marker = redact.number(source, name)
    return marker === null ? source : JSON.stringify(marker)
  })
}

/** Redacted names may collide, and a parser keeps only the last of equal names. */
function numbered(name: string, names: Map<string, number>): string {
  const times = (names.get(name) ?? 0) + 1
  names.set(name, times)
  return times === 1 ? name : `${name} ${times}`
}
