/**
 * What falls due when, for very many keys whose due time moves often. Keys lie in buckets of a quarter of a second, so
 * that moving one costs the same however many there are; within a bucket they are told apart by their exact time.
 */

const BUCKET_MS = 250

export type DueList = {
  /** Sets or moves a key's due time, in milliseconds since the epoch. */
  schedule(key: string, at: number): void
  forget(key: string): void
  /** Keys that are due at `now`, the earliest bucket first. They stay in the list. */
  upTo(now: number): Iterable<string>
}

export function makeDueList(): DueList {
  const dueAt = new Map<string, number>()
  const buckets = new Map<number, Set<string>>()

  const leave = (key: string): void => {
    const at = dueAt.get(key)
    if (at === undefined) return
    const number = Math.floor(at / BUCKET_MS)
    const bucket = buckets.get(number)
    bucket?.delete(key)
    if (bucket?.size === 0) buckets.delete(number)
    dueAt.delete(key)
  }

  return {
    schedule(key, at) {
      leave(key)
      const number = Math.floor(at / BUCKET_MS)
      const bucket = buckets.get(number) ?? new Set()
      buckets.set(number, bucket.add(key))
      dueAt.set(key, at)
    },
    forget: leave,
    *upTo(now) {
      // There are as many buckets as quarter seconds that lie ahead, not as many as keys.
      const passed = [...buckets.keys()].filter((number) => number * BUCKET_MS <= now).sort((a, b) => a - b)
      for (const number of passed) {
        for (const key of buckets.get(number) ?? []) if ((dueAt.get(key) ?? Infinity) <= now) yield key
      }
    },
  }
}
