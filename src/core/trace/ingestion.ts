/**
 * What ingest offers to whoever receives requests, and what it answers. Types only; the stage implements them.
 */
import type { WebhookEvent } from './webhook.ts'

/** `unavailable`: nothing was stored, and the sender may try again in a moment. */
export type TracesAnswer =
  | {
      readonly outcome: 'accepted'
      /** Spans that are durable now, and spans that were refused. */
      readonly accepted: number
      readonly rejected: number
      /** The first reasons in words, null when nothing was refused. */
      readonly message: string | null
    }
  | { readonly outcome: 'unavailable' }

export type EventAnswer =
  | { readonly outcome: 'accepted' | 'duplicate'; readonly traceId: string }
  | { readonly outcome: 'unavailable' }

export type Ingest = {
  /** An OTLP trace request. Throws InputError where it is none; an answer comes after what it accepted is durable. */
  traces(body: Uint8Array, format: 'protobuf' | 'json'): Promise<TracesAnswer>
  /** An event of a source whose signature held. Of one (source, eventId) the first is stored. */
  event(event: WebhookEvent, from: { readonly source: string; readonly eventId: string }): Promise<EventAnswer>
}
