/**
 * Reads the reference values: computed with scipy, statsmodels, mpmath and R (each file's `meta` says how). They hold NaN
 * and Infinity as Python writes them; both are read as null.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

// biome-ignore lint/suspicious/noExplicitAny: rows of thirty shapes, each read by the one test that knows it
export type Row = any

export function readReference(name: string): Row {
  const text = readFileSync(new URL(`../../fixtures/statistics/${name}.json`, import.meta.url), 'utf8')
  return JSON.parse(text.replace(/(?<=[[:,]\s*)(NaN|-?Infinity)\b/g, 'null'))
}

export function rowsOf(name: string, kind?: string): Row[] {
  const rows: Row[] = readReference(name).cases
  return kind === undefined ? rows : rows.filter((row) => row.kind === kind)
}

/** Absolute where |wanted| ≤ 1, relative above: `tolerance` digits either way. */
export function assertClose(got: unknown, wanted: number, tolerance: number, what: string): void {
  assert.equal(typeof got, 'number', `${what}: got ${String(got)}, wanted ${wanted}`)
  const error = Math.abs((got as number) - wanted) / Math.max(1, Math.abs(wanted))
  assert.ok(error <= tolerance, `${what}: got ${String(got)}, wanted ${wanted}, off by ${error}`)
}

/** Relative to the wanted value, however small it is; exactly zero must be exactly zero. */
export function assertRelative(got: unknown, wanted: number, tolerance: number, what: string): void {
  assert.equal(typeof got, 'number', `${what}: got ${String(got)}, wanted ${wanted}`)
  const error = wanted === 0 ? Math.abs(got as number) : Math.abs((got as number) - wanted) / Math.abs(wanted)
  assert.ok(error <= tolerance, `${what}: got ${String(got)}, wanted ${wanted}, relative error ${error}`)
}

export function assertInterval(
  got: { low: number; high: number } | null | undefined,
  wanted: readonly [number, number],
  tolerance: number,
  what: string,
): void {
  assert.ok(got, `${what}: no interval`)
  assertClose(got.low, wanted[0], tolerance, `${what}, low`)
  assertClose(got.high, wanted[1], tolerance, `${what}, high`)
}
