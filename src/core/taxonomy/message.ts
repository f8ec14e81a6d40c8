/**
 * Makes a template of a message: what stays the same each time a fault comes, with what varies masked.
 *
 * The first thing that went wrong, in one line: of a traceback its last line, of several lines the first that names a fault.
 * Bodies are read (error-body.ts), then addresses, paths, times, ids, quoted words and numbers are masked. Names of errors,
 * statuses and verbs stay: GET and DELETE are two failures, as are 404 and 500.
 *
 * Invariant: a template is its own template.
 */
import { withoutBodies } from './error-body.ts'

/** Of longer texts the beginning and the end are read: tracebacks say at their end what happened. */
const HEAD_CHARACTERS = 12_000
const TAIL_CHARACTERS = 4000
export const TEMPLATE_CHARACTERS_MAX = 300
/** Masking may bring another body or quote to light; each round makes the text simpler. */
const ROUNDS_MAX = 6

/** `readBodies` of false for a text that quotes an answer, whose JSON is no error: it is masked whole. */
export function normaliseMessage(text: string, { readBodies = true } = {}): string {
  let template = clipped(text)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const next = templateOf(template, readBodies)
    if (next === template) return template
    template = next
  }
  return template
}

function clipped(text: string): string {
  if (text.length <= HEAD_CHARACTERS + TAIL_CHARACTERS) return text.toWellFormed()
  return `${text.slice(0, HEAD_CHARACTERS)}\n${text.slice(-TAIL_CHARACTERS)}`.toWellFormed()
}

function templateOf(text: string, readBodies: boolean): string {
  const line = firstFault(withoutBodies(printable(text), readBodies))
  const masked = MASKS.reduce((so, mask) => so.replaceAll(mask.pattern, mask.by), line)
  return shortened(withoutSeverity(masked.replaceAll(/\s+/g, ' ').trim()))
}

/** Without colours of a terminal, control characters and marks that turn the direction of writing. */
function printable(text: string): string {
  const start = String.fromCharCode(27)
  const plain = text.includes(start) ? text.replaceAll(new RegExp(`${start}\\[[0-9;?]{0,20}[A-Za-z]`, 'g'), '') : text
  return plain.replaceAll(/[^\P{C}\n\t]/gu, ' ')
}

const TRACEBACK = 'Traceback (most recent call last)'
const NOISE = /^(?:\s{2,}at\s.+|\s*[\^~][\^~\s]*|\s*\d*\s*\|.*|\s*\.\.\. .*more.*)$/
const FAULT =
  /error|exception|fatal|fail|cannot|can't|could ?n[o']t|unable|invalid|undefined|denied|refused|not found|no such|unexpected|missing|time[ds]? ?out|must |does not|not a |unknown|expected/i

function firstFault(text: string): string {
  const written = text.split('\n').filter((line) => line.trim() !== '')
  const lines = written.filter((line) => !NOISE.test(line))
  if (text.includes(TRACEBACK) || /^\s+File "/.test(text)) {
    const last = lines.findLast((line) => /^[A-Za-z_][\w.]*(?::|$)/.test(line))
    if (last !== undefined) return last
  }
  return lines.find((line) => FAULT.test(line)) ?? lines[0] ?? written[0] ?? ''
}

type Mask = { readonly pattern: RegExp; readonly by: string | ((found: string, ...groups: string[]) => string) }
const mask = (pattern: RegExp, by: Mask['by']) => ({ pattern, by }) as { pattern: RegExp; by: string }

const FILE_ENDINGS =
  'c|cc|cpp|h|py|js|ts|mjs|cjs|tsx|java|go|rs|rb|json|jsonl|txt|md|csv|log|pdf|ya?ml|html?|xml|sql|sh|png|jpe?g|zip|o|git'
/** Words with digits that are names of their own. */
const KNOWN_WORDS =
  /^(?:utf-?(?:8|16|32)|base64|sha-?(?:1|256|512)|md5|u?int(?:8|16|32|64)|float(?:32|64)|ipv[46]|http[23]|oauth2|s3|ec2|x509|es20\d\d|[A-Z]{1,2}\d{3,5}|\d{2}[A-Z\d]\d{2}|\d{2}P\d{2})$/i

/** In this order: what a later one would tear apart comes first. Each is linear, or bounded where it looks ahead. */
const MASKS: readonly { readonly pattern: RegExp; readonly by: string }[] = [
  mask(/\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s'"`<>]+/gi, '<url>'),
  mask(/[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,5}/g, '<email>'),
  mask(/\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g, '<time>'),
  mask(/(?<![\w:.])\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\b(?!:)/g, '<time>'),
  mask(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'),
  mask(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, '<ip>'),
  mask(/(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}(?![\w:])|(?<![\w:])::1(?::\d{1,5})?(?![\w:])/gi, '<ip>'),
  mask(/(?<!\w)'([^'\n]{0,400})'(?!\w)|"([^"\n]{0,400})"|`([^`'\n]{0,400})[`']|[‘“]([^’”\n]{0,400})[’”]/g, quoted),
  mask(/(?<![\w/.<])(arguments|data|body|params|instance)(?:[/.][\w-]+)+/g, '$1/<key>'),
  mask(/(?<![\w<./])\/(?:(?:[\w.@%+~:-]|<(?:id|ip|time)>)+\/)*(?:[\w.@%+~-]|<(?:id|ip|time)>)+\/?/g, '<path>'),
  mask(/\b[A-Za-z]:\\[^\s'"<>|]+/g, '<path>'),
  mask(/(?<![\w<./@-])[@\w.-]+(?:\/[\w.@-]+){2,}/g, '<path>'),
  mask(/(?<![\w<./@-])(?:[a-z0-9-]{1,63}\.){2,10}[a-z]{2,63}(?![\w(-])/g, '<host>'),
  mask(new RegExp(`(?<![\\w<./@-])[\\w@-][\\w./@-]*\\.(?:${FILE_ENDINGS})(?::\\d+)*(?![\\w-])`, 'g'), '<path>'),
  mask(/(?<![\w<])(?:\w+[-.*]+){0,20}\w+(?![\w>])/g, word),
  mask(/\b(HTTP(?:\/\d(?:\.\d)?)?|status(?: code)?:?|code:?|errno:?|error:?|exit) (-?\d{1,6})\b/gi, '$1 #$2'),
  mask(/(?<![\w<#.,+-])[-+]?\d+(?:[.,_]\d+)*%?/g, '<n>'),
  mask(/#(-?\d{1,6})\b/g, '$1'),
  mask(/(<(?:n|id|str|path|url|host|key)>)(?:(?:,? (?:and |or )?|, ?|;|\.{1,3}|=|-> )\1)+/g, '$1'),
]

/** Verbs and signs stay as they are: they tell failures apart. */
function quoted(found: string, ...groups: string[]): string {
  const content = groups.slice(0, 4).find((group) => group !== undefined) ?? ''
  return /^[A-Z_]{2,20}$/.test(content) || /^[^\p{L}\p{N}\s<>]{1,3}$/u.test(content) ? found : '<str>'
}

/** Words with a digit and a letter are ids, unless they are known. So are long words that nobody would write. */
function word(found: string): string {
  if (found.length > 60) return '<id>'
  if (!/\d/.test(found) || !/\p{L}/u.test(found)) return found
  return KNOWN_WORDS.test(found) ? found : '<id>'
}

function withoutSeverity(line: string): string {
  return line.replace(/^(?:(?:uncaught|error|fatal|fatal error|exception)\s*:\s*)+(?=[^\s\d-])/i, '')
}

/** Cut between words, so that no mask is torn. */
function shortened(line: string): string {
  if (line.length <= TEMPLATE_CHARACTERS_MAX) return line
  const end = line.lastIndexOf(' ', TEMPLATE_CHARACTERS_MAX)
  return line.slice(0, end > 0 ? end : TEMPLATE_CHARACTERS_MAX).toWellFormed()
}
