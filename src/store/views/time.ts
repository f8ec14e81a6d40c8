/**
 * Times as views give them: ISO 8601 in UTC, whole views being plain JSON values.
 */
export function iso(time: Date): string {
  return time.toISOString()
}

export function isoOrNull(time: Date | null): string | null {
  return time === null ? null : time.toISOString()
}
