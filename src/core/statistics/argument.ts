/**
 * What the statistics refuse at the door: counts that are not whole, shares outside [0, 1], NaN and infinities.
 *
 * A figure made from a bad number looks like any other figure, so nothing here repairs or clamps: it names the value,
 * the place and what was expected.
 */

import { InputError } from '../errors.ts'

function refuse(name: string, value: unknown, expected: string): never {
  throw new InputError('bad_statistic_input', `${name}: ${String(value)} is not allowed, expected ${expected}`, name)
}

/** A confidence level: above 0 and under 1 (0.95, never 95). */
export function requireLevel(level: number): void {
  if (!(level > 0 && level < 1)) refuse('level', level, 'a number above 0 and under 1')
}

/** A whole number from `min` (0) to `max`. */
export function requireCount(name: string, value: number, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): void {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    const upTo = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`
    refuse(name, value, `a whole number of ${upTo}`)
  }
}

/** A probability or share: 0 to 1, both allowed. */
export function requireShare(name: string, value: number): void {
  if (!(value >= 0 && value <= 1)) refuse(name, value, 'a number from 0 to 1')
}

/** Case values: each a share. */
export function requireShares(name: string, values: readonly number[]): void {
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] as number
    if (!(value >= 0 && value <= 1)) refuse(`${name}[${i}]`, value, 'a number from 0 to 1')
  }
}

/** A number of some size: neither NaN nor infinite, and above `above` where that is given. */
export function requireFinite(name: string, value: number, { above }: { above?: number } = {}): void {
  if (!Number.isFinite(value)) refuse(name, value, 'a finite number')
  if (above !== undefined && value <= above) refuse(name, value, `a number above ${above}`)
}

/** Two lists that speak of the same things in the same order. */
export function requireSameLength(name: string, length: number, otherName: string, otherLength: number): void {
  if (length !== otherLength) refuse(name, `${length} entries`, `as many as ${otherName} has (${otherLength})`)
}
