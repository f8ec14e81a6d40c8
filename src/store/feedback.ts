/**
 * Feedback on traces, by whatever source sent it. A row may speak of a trace that was dropped or has not come yet.
 */
import { sql } from 'kysely'
import { storableText } from '../core/replay/storable.ts'
import { THUMBS_DOWN_LABELS } from '../core/taxonomy/feedback.ts'
import type { SpooledFeedback } from '../core/trace/webhook.ts'
import type { Db, Row, Tx } from './schema.ts'
import { storableWord } from './storable.ts'

const COMMENT_LENGTH_MAX = 20_000
const WORD_LENGTH_MAX = 256

/** `isComplaint` in SQL, over the columns of a feedback row that is in scope as `feedback`. */
export const IS_COMPLAINT = sql<boolean>`(
  lower(feedback.label) in (${sql.join(THUMBS_DOWN_LABELS.map((label) => sql.lit(label)))})
  or (feedback.label is null and feedback.score <= 0)
)`

export type NewFeedback = SpooledFeedback & { readonly at: Date }

/** Each (source, event id) once; a repeat changes nothing. What is given must have been redacted. */
export async function insertFeedback(tx: Tx, feedback: NewFeedback): Promise<void> {
  const { source, eventId, traceId, name, score, label, comment, at } = feedback
  await tx
    .insertInto('feedback')
    .values({
      source,
      event_id: storableText(eventId),
      trace_id: traceId,
      name: storableText(name.slice(0, WORD_LENGTH_MAX)),
      score,
      label: storableWord(label, WORD_LENGTH_MAX),
      comment: storableWord(comment, COMMENT_LENGTH_MAX),
      at,
    })
    .onConflict((conflict) => conflict.columns(['source', 'event_id']).doNothing())
    .execute()
}

/** Of all these traces, the oldest first. */
export async function feedbackFor(db: Db, traceIds: readonly string[]): Promise<readonly Row<'feedback'>[]> {
  if (traceIds.length === 0) return []
  return db
    .selectFrom('feedback')
    .selectAll()
    .where('trace_id', 'in', traceIds)
    .orderBy('at')
    .orderBy('source')
    .orderBy('event_id')
    .execute()
}
