/**
 * Ingest: take what senders send, refuse what is none, make the rest durable, and only then say so.
 *
 * Decides nothing and keeps nothing in memory: the sampler reads the spool. A spool that is full or cannot be written is
 * a matter of "try again in a moment", never of a wrong request.
 */
import { InputError } from '../core/errors.ts'
import type { Clock, Log, Spool, SpoolEntry } from '../core/ports.ts'
import type { EventAnswer, Ingest, TracesAnswer } from '../core/trace/ingestion.ts'
import { jsonToProtobuf } from '../core/trace/otlp/from-json.ts'
import { bothRefusals, type Refusals } from '../core/trace/otlp/refusal.ts'
import { type Scan, scanTraces } from '../core/trace/otlp/scan.ts'
import { wantedKeys } from '../core/trace/otlp/scan-attribute.ts'
import { spooledFeedback, traceIdOf, turnToOtlp } from '../core/trace/webhook.ts'

/** Raw bytes that may wait for a decision before senders are asked to wait. */
export const SPOOL_BYTES_MAX = 4 * 1024 * 1024 * 1024

const NO_KEYS = wantedKeys([])

export type IngestNeeds = {
  readonly spool: Spool
  readonly clock: Clock
  readonly log: Log
  readonly spoolBytesMax?: number
}

type NewEntry = Omit<SpoolEntry, 'seq' | 'arrivedAt'>
type Appended = Awaited<ReturnType<Spool['append']>> | null

export function makeIngest({ spool, clock, log, spoolBytesMax = SPOOL_BYTES_MAX }: IngestNeeds): Ingest {
  const append = async (entry: NewEntry, arrivedAt: number, onceKey?: string): Promise<Appended> => {
    if (spool.waiting().bytes + entry.body.length > spoolBytesMax) {
      log('warn', 'spool is full, senders are asked to wait', spool.waiting())
      return null
    }
    try {
      return await spool.append({ ...entry, arrivedAt }, onceKey)
    } catch (error) {
      log('error', 'spool cannot be written', { cause: error instanceof Error ? error.message : String(error) })
      return null
    }
  }

  return {
    async traces(given, format): Promise<TracesAnswer> {
      const read = format === 'json' ? jsonToProtobuf(given) : { body: given, rejected: 0, reasons: [] }
      const scan = scanTraces(read.body, NO_KEYS)
      refuseOtherSignals(scan, read)
      const accepted = scan.spans.length
      if (accepted > 0) {
        const appended = await append({ kind: 'otlp', body: read.body }, clock.now().getTime())
        if (appended === null) return { outcome: 'unavailable' }
      }
      return { outcome: 'accepted', accepted, ...messageOf(bothRefusals(read, scan), accepted) }
    },

    async event(event, { source, eventId }): Promise<EventAnswer> {
      const arrivedAt = clock.now().getTime()
      const origin = { source, eventId, arrivedAt }
      const entry: NewEntry =
        event.type === 'turn'
          ? { kind: 'otlp', body: turnToOtlp(event, origin) }
          : { kind: 'feedback', body: new TextEncoder().encode(JSON.stringify(spooledFeedback(event, origin))) }
      const appended = await append(entry, arrivedAt, `${source}/${eventId}`)
      if (appended === null) return { outcome: 'unavailable' }
      return { outcome: appended.duplicate ? 'duplicate' : 'accepted', traceId: traceIdOf(event, origin) }
    },
  }
}

/** Logs and metrics are wire-compatible enough to be walked as spans; none of these then has an id. */
function refuseOtherSignals(scan: Scan, read: Refusals): void {
  if (scan.spans.length > 0 || scan.withoutIds === 0 || scan.withoutIds < scan.rejected || read.rejected > 0) return
  const looks = scan.looksLikeLogs ? 'it looks like OTLP logs' : 'it looks like OTLP metrics, or like no OTLP at all'
  throw new InputError(
    'not_traces',
    `none of the ${scan.withoutIds} spans has a trace id and a span id: ${looks}`,
    'resourceSpans',
  )
}

function messageOf({ rejected, reasons }: Refusals, accepted: number) {
  if (rejected === 0) return { rejected, message: null }
  const more = rejected > reasons.length ? `; and ${rejected - reasons.length} more` : ''
  return { rejected, message: `${rejected} of ${rejected + accepted} spans refused: ${reasons.join('; ')}${more}` }
}
