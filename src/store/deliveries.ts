/**
 * Deliveries in the database: one digest to one channel, once.
 *
 * pending → sending (claimed) → delivered, failed, uncertain, or pending again after a failure that may pass. While it is
 * sending, `next_at` is the end of the claim: a row whose claim has run out was left by a process that died, and only then
 * does another touch it. Every move compares state and attempt and counts, so that of two publishers one sends.
 */
import type { Db, DeliveryState, Row, Tx } from './schema.ts'

export type NewDelivery = { readonly id: string; readonly channel: string }

export type Delivery = {
  readonly id: string
  readonly reportId: string
  readonly channel: string
  /** This one counted. */
  readonly attempt: number
}

/** Where a delivery stands after an attempt. */
export type DeliveryEnd = {
  readonly state: Exclude<DeliveryState, 'sending'>
  readonly error: string | null
  /** For `pending`: when it is tried again. */
  readonly nextAt?: Date
}

/** Once per report and channel: one that is there stays as it is. */
export async function insertDeliveries(
  tx: Tx,
  reportId: string,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<void> {
  if (deliveries.length === 0) return
  await tx
    .insertInto('deliveries')
    .values(deliveries.map(({ id, channel }) => ({ id, report_id: reportId, channel, state: 'pending', next_at: now })))
    .onConflict((conflict) => conflict.columns(['report_id', 'channel']).doNothing())
    .execute()
}

/**
 * Claims the delivery that has waited longest, until `until`. `repeatable` are the channels that can be sent the same again:
 * of these, one that a dead process left sending is claimed too.
 */
export async function claimDelivery(
  db: Db,
  { now, until, repeatable }: { readonly now: Date; readonly until: Date; readonly repeatable: readonly string[] },
): Promise<Delivery | undefined> {
  const row = await db
    .with('claimed', (query) => {
      return query
        .selectFrom('deliveries')
        .select('id')
        .where('next_at', '<=', now)
        .where((eb) =>
          eb.or([
            eb('state', '=', 'pending'),
            ...(repeatable.length === 0 ? [] : [eb('state', '=', 'sending').and('channel', 'in', repeatable)]),
          ]),
        )
        .orderBy('next_at')
        .orderBy('id')
        .limit(1)
        .forUpdate()
        .skipLocked()
    })
    .updateTable('deliveries')
    .from('claimed')
    .set((eb) => ({ state: 'sending', attempts: eb('deliveries.attempts', '+', 1), next_at: until }))
    .whereRef('deliveries.id', '=', 'claimed.id')
    .returningAll('deliveries')
    .executeTakeFirst()
  return row === undefined ? undefined : toDelivery(row)
}

/** Ends an attempt. False when the claim had run out and somebody else has moved the delivery since. */
export async function endAttempt(
  db: Db,
  { id, attempt }: Pick<Delivery, 'id' | 'attempt'>,
  { state, error, nextAt }: DeliveryEnd,
  now: Date,
): Promise<boolean> {
  const updated = await db
    .updateTable('deliveries')
    .set({
      state,
      last_error: error,
      next_at: nextAt ?? now,
      ...(state === 'delivered' ? { delivered_at: now } : {}),
    })
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .where('attempts', '=', attempt)
    .executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/**
 * sending → uncertain for all whose claim has run out and that must not be sent again. Their ids.
 */
export async function giveUpUnknown(
  db: Db,
  { now, repeatable, error }: { readonly now: Date; readonly repeatable: readonly string[]; readonly error: string },
): Promise<readonly string[]> {
  let query = db
    .updateTable('deliveries')
    .set({ state: 'uncertain', last_error: error })
    .where('state', '=', 'sending')
    .where('next_at', '<=', now)
  if (repeatable.length > 0) query = query.where('channel', 'not in', repeatable)
  return (await query.returning('id').execute()).map(({ id }) => id)
}

function toDelivery(row: Row<'deliveries'>): Delivery {
  return { id: row.id, reportId: row.report_id, channel: row.channel, attempt: row.attempts }
}
