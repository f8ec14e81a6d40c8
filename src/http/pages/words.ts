/**
 * How the pages say times, sizes and probabilities. Times are ISO, in UTC, and say so.
 */
import { html } from 'hono/html'
import { count, plural } from '../../core/reporting/wording.ts'
import type { TraceRow } from '../../store/views/traces.ts'
import type { Html } from './layout.ts'

const DASH = '–'

/** `2026-10-05 09:00:01 UTC`, with the full instant in the markup. */
export function timeOf(iso: string | null): Html {
  if (iso === null) return html`${DASH}`
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

/** `230 ms`, `2.31 s`, `4 min 5 s`. */
export function durationOf(ms: number | null): string {
  if (ms === null) return DASH
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** US dollars; four digits, since a turn costs fractions of a cent. */
export function moneyOf(usd: number | null): string {
  return usd === null ? DASH : `$${usd.toFixed(4)}`
}

export function bytesOf(bytes: number): string {
  if (bytes < 1024) return plural(bytes, 'byte')
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

export function orDash(text: string | null): string {
  return text === null || text === '' ? DASH : text
}

/** A probability with the digits that matter: `1`, `0.25`, `0.0125`. */
export function probabilityOf(p: number | null): string {
  return p === null ? 'unknown' : String(Number(p.toPrecision(3)))
}

const COMPLETIONS: Readonly<Record<string, string>> = {
  root: 'its root had ended and nothing more came',
  idle: 'nothing more came for a long time, though no root had ended',
  timeout: 'it had been open for as long as a trace may be',
  size: 'it had grown as large as a trace may be',
}

/** Why the trace is here, by which rule and with which weight. */
export function whyKept(trace: TraceRow): string {
  const stratum = trace.stratum === 'all' ? '' : ` (stratum “${trace.stratum}”)`
  return `Kept by rule “${trace.rule}”${stratum}. ${weightInWords(trace.p)} ${whenDecided(trace)}`
}

function weightInWords(p: number | null): string {
  if (p === null) return 'The probability of keeping it is unknown, so it carries no weight in figures about traffic.'
  if (p === 1) return 'Every trace of this rule is kept: it stands for itself alone.'
  return `It was kept with probability ${probabilityOf(p)}, so it stands for about ${count(Math.round(1 / p))} traces.`
}

function whenDecided({ completion, whole, lateSpans }: TraceRow): string {
  const because = COMPLETIONS[completion] ?? completion
  const missing = whole ? '' : ' Parts of it are missing, so it is not replayed.'
  const late = lateSpans === 0 ? '' : ` ${plural(lateSpans, 'span')} came after the decision and followed it.`
  return `It was taken as complete because ${because}.${missing}${late}`
}
