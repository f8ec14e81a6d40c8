/**
 * A span as OpenTelemetry defines it, decoded to plain values. The words are the specification's.
 *
 * Invariant: ids are lower-case hex (32 and 16 characters); times are nanoseconds since the epoch as bigint.
 */

/** OTLP AnyValue, decoded. int64 becomes number where it is a safe integer, else bigint's decimal string. */
export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly AttributeValue[]
  | { readonly [key: string]: AttributeValue }

export type Attributes = Readonly<Record<string, AttributeValue>>

export type SpanEvent = {
  readonly name: string
  readonly timeUnixNano: bigint
  readonly attributes: Attributes
}

export type SpanLink = { readonly traceId: string; readonly spanId: string; readonly attributes: Attributes }

/** 0 unset, 1 ok, 2 error. */
export type SpanStatus = { readonly code: number; readonly message: string }

export type Span = {
  readonly traceId: string
  readonly spanId: string
  /** null for a root. */
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: bigint
  readonly endTimeUnixNano: bigint
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  readonly links: readonly SpanLink[]
  readonly status: SpanStatus
  readonly traceState: string
  readonly flags: number
  readonly droppedAttributesCount: number
  readonly scope: { readonly name: string; readonly version: string }
  readonly resource: Attributes
}
