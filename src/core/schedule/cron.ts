/**
 * Cron expressions as a person types them: five fields, or six with seconds first. Read here before any library sees them,
 * because the two that fire and enumerate disagree on what they quietly accept (wrapped ranges, `L`, `#`, steps of 70), and
 * neither says which field is wrong. What passes here means the same to both.
 *
 * Accepted in each field: `*`, a number, a name (JAN, MON), a range a-b with a ≤ b, a step after `*` or a range, and
 * lists of these. Day of week is 0 to 7, both ends Sunday. Where day of month and day of week are both given, either is
 * enough, as cron has it.
 */

type Field = {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Names for `min`, `min + 1` and so on. */
  readonly names: readonly string[]
}

const SECOND: Field = { name: 'second', min: 0, max: 59, names: [] }
const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of month', min: 1, max: 31, names: [] },
  {
    name: 'month',
    min: 1,
    max: 12,
    names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  { name: 'day of week', min: 0, max: 7, names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] },
]
const DAYS_OF_MONTH_MAX = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const
const EXPRESSION_LETTERS_MAX = 200

export type CronProblem = { readonly key: 'cron' | 'timezone'; readonly message: string }

/** What is wrong with the expression (every wrong field, with its place) or with the time zone; null when nothing is. */
export function cronProblem(cron: string, timezone: string): CronProblem | null {
  if (!isTimeZone(timezone)) {
    const message = `time zone ${JSON.stringify(timezone)} is not known, expected an IANA name such as Europe/Berlin or UTC`
    return { key: 'timezone', message }
  }
  const faults = cronFaults(cron)
  if (faults.length === 0) return null
  const shown = JSON.stringify(cron.slice(0, EXPRESSION_LETTERS_MAX))
  return { key: 'cron', message: `cron ${shown}: ${faults.join('; ')}` }
}

/** The fields of a valid expression, minute first; the seconds, where given, come apart. */
export function cronFields(cron: string): { readonly seconds: string | null; readonly fields: readonly string[] } {
  const parts = cron.trim().split(/\s+/)
  return parts.length === 6 ? { seconds: parts[0] ?? null, fields: parts.slice(1) } : { seconds: null, fields: parts }
}

/** Whether a field leaves everything open. */
export function isOpen(field: string | undefined): boolean {
  return field === '*'
}

function cronFaults(cron: string): readonly string[] {
  if (cron.length > EXPRESSION_LETTERS_MAX)
    return [`${cron.length} characters, expected at most ${EXPRESSION_LETTERS_MAX}`]
  const parts = cron.trim() === '' ? [] : cron.trim().split(/\s+/)
  if (parts.length !== 5 && parts.length !== 6) {
    const order = FIELDS.map((field) => field.name).join(', ')
    return [`${parts.length} fields, expected 5 (${order}), or 6 with seconds first`]
  }
  const fields = parts.length === 6 ? [SECOND, ...FIELDS] : FIELDS
  const faults = fields.flatMap((field, i) => {
    const fault = fieldFault(field, parts[i] ?? '')
    return fault === null ? [] : [fault]
  })
  return faults.length > 0 ? faults : dateFaults(parts.slice(-5))
}

function fieldFault(field: Field, text: string): string | null {
  for (const part of text.split(',')) {
    const fault = partFault(field, part)
    if (fault !== null) return fault
  }
  return null
}

function partFault(field: Field, part: string): string | null {
  const { name, min, max } = field
  const expected = `expected ${min}-${max}${field.names.length > 0 ? ` or ${field.names[0]}-${field.names.at(-1)}` : ''}`
  const [range = '', step, ...rest] = part.split('/')
  if (rest.length > 0) return `${name} ${show(part)}, expected one step at most`
  if (step !== undefined) {
    if (!/^\d{1,2}$/.test(step) || Number(step) < 1 || Number(step) > max)
      return `${name} step ${show(step)}, expected 1-${max}`
    if (range !== '*' && !range.includes('-')) return `${name} ${show(part)}, expected * or a range before the step`
  }
  if (range === '*') return null
  const ends = range.split('-')
  const values = ends.map((end) => numberOf(field, end))
  if (ends.length > 2 || range === '') return `${name} ${show(part)}, ${expected}`
  const wrong = values.findIndex((value) => value === null || value < min || value > max)
  if (wrong >= 0) return `${name} ${show(ends[wrong] ?? '')}, ${expected}`
  const [from = 0, to = from] = values as number[]
  return from > to ? `${name} ${show(range)}, expected a range that rises` : null
}

function numberOf({ names, min }: Field, text: string): number | null {
  if (/^\d{1,4}$/.test(text)) return Number(text)
  const named = names.indexOf(text.toUpperCase())
  return named < 0 ? null : named + min
}

function show(text: string): string {
  return /^[\w*/,-]+$/.test(text) ? text : JSON.stringify(text)
}

/** A day that none of the months has, with every weekday open: the schedule would never fall due. */
function dateFaults([, , day = '*', month = '*', weekday = '*']: readonly string[]): readonly string[] {
  const monthField = FIELDS[3] as Field
  if (!isOpen(weekday) || !/^[\d,]+$/.test(day) || isOpen(month) || month.includes('/')) return []
  const months = month.split(',').flatMap((part) => {
    const [from = 1, to = from] = part.split('-').map((end) => numberOf(monthField, end) ?? 1)
    return Array.from({ length: to - from + 1 }, (_, i) => from + i)
  })
  const longest = Math.max(...months.map((m) => DAYS_OF_MONTH_MAX[m - 1] ?? 31))
  const first = Math.min(...day.split(',').map(Number))
  return first > longest ? [`day of month ${first} never comes in month ${month}`] : []
}

function isTimeZone(name: string): boolean {
  // Offsets such as "+02:00" are taken by some engines and not by the libraries; an IANA name is what a person means.
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
