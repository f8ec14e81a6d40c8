/**
 * When feedback speaks against a trace: a word for a thumb turned down; of a source that only scores, 0 or below.
 */

export const THUMBS_DOWN_LABELS = [
  'thumbs-down',
  'thumbs_down',
  'thumbs down',
  'thumbsdown',
  'down',
  'negative',
  'bad',
  'dislike',
]

/** Scores have no common scale: of a positive one nobody can say which side it is on. */
export function isComplaint({
  label,
  score,
}: {
  readonly label: string | null
  readonly score: number | null
}): boolean {
  return label === null ? score !== null && score <= 0 : THUMBS_DOWN_LABELS.includes(label.toLowerCase())
}
