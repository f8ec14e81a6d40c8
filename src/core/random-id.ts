/**
 * Ids and seeds from bytes of chance that come in. Ids sort by time of creation, so that lists read in order and indexes
 * grow at one end.
 */
import type { Clock, Random } from './ports.ts'

/** Crockford's base 32: no letters that are read for digits. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_DIGITS = 10
const CHANCE_BYTES = 10

export function makeRandom({ clock, bytes }: { readonly clock: Clock; bytes(n: number): Uint8Array }): Random {
  return {
    id(prefix) {
      const chance = Array.from(bytes(CHANCE_BYTES), (byte) => DIGITS[byte % 32]).join('')
      return `${prefix}_${timeDigits(clock.now().getTime())}${chance}`
    },
    seed: () => Array.from(bytes(8), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  }
}

function timeDigits(ms: number): string {
  let rest = ms
  let text = ''
  for (let i = 0; i < TIME_DIGITS; i++) {
    text = (DIGITS[rest % 32] ?? '0') + text
    rest = Math.floor(rest / 32)
  }
  return text
}
