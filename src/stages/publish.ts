/**
 * Publish: deliver the digest of a report to each of its channels, once.
 *
 * Takes a pending delivery, claims it (sending), asks the channel, and leaves it delivered, failed, uncertain, or pending
 * again. What a dead process left sending is sent again, with the same delivery id, where the channel makes a repeat harmless
 * (a file of the same name and bytes, a webhook of the same webhook-id); a mail may have gone out, so it becomes uncertain
 * and is never repeated by itself.
 */

import { invariant } from '../core/errors.ts'
import type { Channel, Clock, Log, SendResult, Step } from '../core/ports.ts'
import { delayAfter } from '../core/reporting/delivery.ts'
import { digestOf } from '../core/reporting/digest.ts'
import { claimDelivery, type Delivery, type DeliveryEnd, endAttempt, giveUpUnknown } from '../store/deliveries.ts'
import { findReport } from '../store/reports.ts'
import type { Db } from '../store/schema.ts'

export type PublishChannel = {
  readonly channel: Channel
  /** Sending the same delivery twice does what sending it once does. */
  readonly repeatable: boolean
}

export type PublishNeeds = {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly channels: ReadonlyMap<string, PublishChannel>
}

/** Longer than any channel may take: whose claim is older has died. */
const CLAIM_MS = 120_000
const UNKNOWN_END = 'the process ended while sending: it may have arrived, and is not sent again'
const CAUSE_LETTERS_MAX = 500

export function makePublish({ db, clock, log, channels }: PublishNeeds): Step {
  const repeatable = [...channels].filter(([, one]) => one.repeatable).map(([name]) => name)

  return async function publishOne() {
    const now = clock.now()
    for (const delivery of await giveUpUnknown(db, { now, repeatable, error: UNKNOWN_END }))
      log('error', 'a digest may or may not have arrived', { delivery, cause: UNKNOWN_END })

    const until = new Date(now.getTime() + CLAIM_MS)
    const delivery = await claimDelivery(db, { now, until, repeatable })
    if (delivery === undefined) return 'idle' // nothing is owed, or another worker was first

    const result = await send(delivery)
    const end = endOf(result, delivery.attempt, clock.now())
    if (await endAttempt(db, delivery, end, clock.now())) logEnd(log, delivery, end)
    return 'worked'
  }

  async function send({ id, reportId, channel }: Delivery): Promise<SendResult> {
    const known = channels.get(channel)
    if (known === undefined) return { outcome: 'failed', cause: `no channel ${channel} is configured`, permanent: true }
    try {
      const frozen = await findReport(db, reportId)
      invariant(frozen, `report ${reportId} of delivery ${id} exists`)
      return await known.channel.send(digestOf(frozen.report), id)
    } catch (error) {
      // Channels answer with data; this is a fault of ours, and how far it got nobody knows.
      const cause = error instanceof Error ? error.message : String(error)
      return known.repeatable ? { outcome: 'failed', cause, permanent: false } : { outcome: 'uncertain', cause }
    }
  }
}

function endOf(result: SendResult, attempt: number, now: Date): DeliveryEnd {
  if (result.outcome === 'delivered') return { state: 'delivered', error: cut(result.note ?? null) }
  if (result.outcome === 'uncertain') return { state: 'uncertain', error: cut(result.cause) }
  const delay = result.permanent ? null : delayAfter(attempt)
  if (delay === null) return { state: 'failed', error: cut(result.cause) }
  return { state: 'pending', error: cut(result.cause), nextAt: new Date(now.getTime() + delay) }
}

/** Causes quote receivers, which may say anything at any length. */
function cut(cause: string | null): string | null {
  return cause === null ? null : Array.from(cause.replaceAll('\0', '')).slice(0, CAUSE_LETTERS_MAX).join('')
}

function logEnd(log: Log, { id, channel, attempt }: Delivery, { state, error }: DeliveryEnd): void {
  const level = state === 'delivered' ? 'info' : state === 'pending' ? 'warn' : 'error'
  log(level, `a digest is ${state}`, { delivery: id, channel, attempt, ...(error === null ? {} : { cause: error }) })
}
