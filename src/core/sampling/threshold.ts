/**
 * 56-bit rejection thresholds as 14 hex digits (OTEP 235): a trace is kept iff r >= threshold, with probability
 * p = (2^56 - threshold) / 2^56. Hex of a fixed length compares as text the way the numbers do; a double could not hold
 * them.
 */
import { invariant } from '../errors.ts'

const BITS = 56n
const SPACE = 1n << BITS
const DIGITS = 14

/** Digits after those that are all f: 4 of them are 1 part in 2^12 of p or better (OTEP 235 recommends 4). */
const PRECISION_DIGITS = 4

/** Keeps all. */
export const THRESHOLD_ZERO = '0'.repeat(DIGITS)

/** `th` as it stands in a tracestate (trailing zeros left out) to its 14 digits. */
export function padThreshold(th: string): string {
  return th.padEnd(DIGITS, '0')
}

/** The threshold as it is printed in `th`. */
export function printedThreshold(threshold: string): string {
  return threshold.replace(/0+$/, '') || '0'
}

/** Probability of a threshold, above 0 and at most 1. Exact to a double. */
export function probabilityOf(threshold: string): number {
  return Number(SPACE - BigInt(`0x${threshold}`)) / Number(SPACE)
}

/**
 * The threshold for a probability in (0, 1], rounded to the digits that are printed, so that what is applied is what is
 * said. The p to use is `probabilityOf` of the result, which differs from the one asked for by less than 1 part in 2^12.
 */
export function thresholdFor(probability: number): string {
  invariant(probability > 0 && probability <= 1, `a probability of ${probability}`)
  // Exact: a double of at most 1 times 2^56 is a whole number or loses bits below the last one that counts.
  const kept = BigInt(Math.max(1, Math.round(probability * Number(SPACE))))
  const exact = SPACE - kept
  const leadingF = /^f*/.exec(exact.toString(16).padStart(DIGITS, '0'))?.[0].length ?? 0
  const dropped = BigInt(4 * Math.max(0, DIGITS - leadingF - PRECISION_DIGITS))
  const rounded = ((exact + ((1n << dropped) >> 1n)) >> dropped) << dropped
  return (rounded >= SPACE ? SPACE - (1n << dropped) : rounded).toString(16).padStart(DIGITS, '0')
}

/** The higher of two values of 14 hex digits; of thresholds, the one that keeps less. */
export function maxThreshold(a: string, b: string): string {
  return a > b ? a : b
}

export function minThreshold(a: string, b: string): string {
  return a > b ? b : a
}
