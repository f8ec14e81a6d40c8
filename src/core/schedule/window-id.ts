/**
 * Ids of what is made for a window. They follow from the window, so that a step that was killed half way finds what it had
 * made; and they sort by the window's time, as all ids sort by theirs.
 */
import { makeRandom } from '../random-id.ts'
import { sha256 } from '../reporting/canonical-json.ts'

/** `of` tells apart several things of one kind. */
export function windowId(
  prefix: string,
  { schedule, to }: { readonly schedule: string; readonly to: Date },
  of = '',
): string {
  const hash = sha256(JSON.stringify([schedule, to.toISOString(), of]))
  const bytes = (n: number) =>
    Uint8Array.from({ length: n }, (_, i) => Number.parseInt(hash.slice(2 * i, 2 * i + 2), 16))
  return makeRandom({ clock: { now: () => to }, bytes }).id(prefix)
}
