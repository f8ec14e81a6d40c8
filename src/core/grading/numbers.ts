/**
 * The numbers that a text states, as people and models write them: `1,234.56`, `1.234,56`, `1 234,56`, `1'234.56`, `12,34,567`,
 * `-$5`, `€ 5`, `EUR 5`, `5 %` (five), `1.5e3`.
 *
 * Where a notation can be read in two ways: one comma before three digits groups (`1,234` is 1234), one dot is decimal
 * (`1.234` is not). Not numbers: dates, clock times, versions and addresses, and digits that belong to a word (`ORD-1001`,
 * `7f3a`). Not read: fractions (`1/2`), amounts in words, `5k`, brackets for minus. A percent sign does not divide.
 */

/** Digits with what may stand between them, then an exponent. Linear: no two of its parts can begin alike. */
const RUN = /\d+(?:[.,'’ \u00a0\u2009\u202f]\d+)*(?:[eE][+-]?\d+)?/g
const DATE_OR_TIME =
  /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?|\d{1,2}:\d{2}(?::\d{2})?/g

const SPACE = /[ \u00a0\u2009\u202f]/
const GROUPED_BY_SPACE = /^\d{1,3}(?:([ \u00a0\u2009\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$/
const GROUPED_BY_COMMA = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/
const GROUPED_AS_IN_INDIA = /^[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?$/
const GROUPED_BY_DOT = /^[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$/
const GROUPED_BY_APOSTROPHE = /^\d{1,3}(?:['’]\d{3})+(?:[.,]\d+)?$/
const DECIMAL = /^\d+[.,]\d+$/

const CODES =
  'AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|INR|JPY|KRW|MXN|MYR|NOK|NZD|PHP|PLN|RON|RUB|SEK|SGD|THB|TRY|UAH|USD|VND|ZAR'
const CURRENCY = new RegExp(`(?:^|[^\\p{L}])(?:${CODES}|US|Rs\\.?|kr\\.?|Fr\\.?)$`, 'u')
/** A minus, with a currency before it, between it and the number, or without; not a hyphen in a word or a range. */
const MINUS = new RegExp(
  `(?:^|[^\\p{L}\\p{N}_)\\]%]|(?<!\\p{L})(?:${CODES}))[-\\u2212\\u2013](?:(?:\\p{Sc}|(?:${CODES}|US\\$))[ \\u00a0]?)?$`,
  'u',
)
/** More than a currency code and a sign. */
const BEFORE_CHARACTERS = 8

/** In the order of the text. Takes time linear in its length. */
export function numbersIn(text: string): readonly number[] {
  const given = text.replaceAll(DATE_OR_TIME, (found) => ' '.repeat(found.length))
  return [...given.matchAll(RUN)].flatMap((found) => {
    const before = given.slice(Math.max(0, found.index - BEFORE_CHARACTERS), found.index)
    const end = found.index + found[0].length
    if (isPartOfWord(before, given.slice(end, end + 2), given.slice(end, end + BEFORE_CHARACTERS))) return []
    const isFraction = isFractionOnly(before)
    const numbers = readRun(isFraction ? `0.${found[0]}` : found[0])
    return MINUS.test(isFraction ? before.slice(0, -1) : before)
      ? numbers.map((number, index) => (index === 0 ? -number : number))
      : numbers
  })
}

/** `.5`, at the start of a number. */
function isFractionOnly(before: string): boolean {
  return /(?:^|[^\p{L}\p{N}.])\.$/u.test(before)
}

function isPartOfWord(before: string, next: string, following: string): boolean {
  if (/[\d\p{L}][/:]$/u.test(before) && /\d[/:]$/.test(before)) return true
  if (/^[/:]\d/.test(next)) return true
  if (/[\p{L}_]$/u.test(before)) return !CURRENCY.test(before)
  if (/#$/.test(before)) return true
  if (/[\p{L}_][-\u2010\u2011]$/u.test(before)) return !MINUS.test(before)
  return /^[\p{L}_]+\d/u.test(following)
}

function readRun(run: string): readonly number[] {
  const [digits = '', exponent] = run.split(/[eE]/)
  const texts = readGrouped(digits)
  const whole =
    exponent === undefined ? texts : [...texts.slice(0, -1), ...texts.slice(-1).map((t) => `${t}e${exponent}`)]
  return whole.map(Number).filter(Number.isFinite)
}

/** As JavaScript writes them: the digits of each number, without groups. */
function readGrouped(digits: string): readonly string[] {
  if (GROUPED_BY_SPACE.test(digits)) return [plain(digits.replaceAll(new RegExp(SPACE, 'g'), ''))]
  if (SPACE.test(digits)) return digits.split(SPACE).flatMap(readGrouped)
  if (/^\d+$/.test(digits)) return [digits]
  if (GROUPED_BY_COMMA.test(digits) || GROUPED_AS_IN_INDIA.test(digits)) return [digits.replaceAll(',', '')]
  if (GROUPED_BY_APOSTROPHE.test(digits)) return [plain(digits.replaceAll(/['’]/g, ''))]
  if (DECIMAL.test(digits)) return [plain(digits)]
  if (GROUPED_BY_DOT.test(digits)) return [plain(digits.replaceAll('.', ''))]
  if (/^[\d,]+$/.test(digits)) return digits.split(',')
  return []
}

/** Without groups; the comma is decimal. */
function plain(digits: string): string {
  return digits.replace(',', '.')
}
