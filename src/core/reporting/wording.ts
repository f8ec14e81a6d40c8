/**
 * How reports say numbers and what the numbers are about: the same words in every form of a report and in notes.
 * No locale and no time zone of the machine enters: a report recomputed elsewhere has the same bytes.
 */
import type { PassMetric } from '../statistics/pass-at-k.ts'
import type { SuiteFigure } from './report.ts'

const DIGITS = 3
/** All that a double near 1 has. */
const DIGITS_MAX = 16
const MINUS = '−'

/** A share or mean with three decimals; a dash where there is none. */
export function share(value: number | null, digits = DIGITS): string {
  return value === null ? '–' : value.toFixed(digits)
}

/** A difference with its sign: `+0.120`, `−0.050`, `0.000`. */
export function difference(value: number | null, digits = DIGITS): string {
  if (value === null) return '–'
  const size = Math.abs(value).toFixed(digits)
  if (Number(size) === 0) return size
  return `${value < 0 ? MINUS : '+'}${size}`
}

/** `95 %`, `99.5 %`. */
export function percent(value: number): string {
  return `${Number((value * 100).toFixed(1))} %`
}

/** A p-value: three decimals, or that it is smaller. */
export function pValue(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${pDigits(p)}`
}

/** The same without its name, for a column. */
export function pDigits(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(DIGITS)
}

/** Whole numbers with thin groups: 12,345. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** `1 case`, `12 cases`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/**
 * `0.480 to 0.741`, or null where there is no interval. Limits that differ are printed with as many digits as it takes to
 * see it: rounding must not make a width of zero.
 */
export function range(
  { low, high }: Pick<SuiteFigure, 'low' | 'high'>,
  say: (value: number | null, digits?: number) => string = share,
): string | null {
  if (low === null || high === null) return null
  let digits = DIGITS
  while (low < high && say(low, digits) === say(high, digits) && digits < DIGITS_MAX) digits += 1
  return `${say(low, digits)} to ${say(high, digits)}`
}

/** `pass@3`, `pass^3`. */
export function metricName(metric: PassMetric, k: number | string): string {
  return `${metric === 'passAtK' ? 'pass@' : 'pass^'}${k}`
}

/** Of what a pass figure speaks, in words. */
export function passInWords(metric: PassMetric, k: number): string {
  if (k === 1) return 'the chance that a trial passes'
  return metric === 'passAtK'
    ? `the chance that at least one of ${k} trials of a case passes`
    : `the chance that ${allTrials(k)} of a case pass`
}

/** `both trials`, `all 3 trials`. */
export function allTrials(k: number): string {
  return k === 2 ? 'both trials' : `all ${k} trials`
}

/** A list in words, cut after `most`: `a, b and 3 more`. */
export function listed(names: readonly string[], most = 10): string {
  if (names.length <= most) return names.join(', ')
  return `${names.slice(0, most).join(', ')} and ${names.length - most} more`
}

/** `2026-11-30 09:00` in the zone, for people; the ISO instant stays in the JSON. */
export function localTime(iso: string, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(new Date(iso))
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`
}
