/**
 * What becomes of a delivery after an attempt: delivered, tried again later, given up, or uncertain. Times between attempts
 * double, since a receiver that is down is not helped by being asked more often.
 */

/** After so many attempts a delivery has failed: with the delays below, after about a day. */
export const DELIVERY_ATTEMPTS_MAX = 12
const DELAY_FIRST_MS = 15_000
const DELAY_MS_MAX = 4 * 3_600_000

/** Milliseconds to wait after attempt 1, 2, …: 15 s, 30 s, 1 min, up to 4 h. Null when there is no other attempt. */
export function delayAfter(attempt: number): number | null {
  if (attempt >= DELIVERY_ATTEMPTS_MAX) return null
  return Math.min(DELAY_MS_MAX, DELAY_FIRST_MS * 2 ** (attempt - 1))
}
