/**
 * The agent's own tracing: the OpenTelemetry SDK, and spans by the current GenAI semantic conventions.
 *
 * No global provider and no context manager: contexts are passed by hand, so that the agent can run inside another process
 * that has a telemetry of its own. Structured attributes are JSON text, as the conventions allow where an SDK has no
 * structured values.
 */
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

export type Tracing = {
  readonly tracer: Tracer
  /** Exports what waits. Spans that nobody takes within the exporter's time-out are lost: tracing fails no agent. */
  close(): Promise<void>
}

const EXPORT_DELAY_MS = 500
const EXPORT_TIMEOUT_MS = 5000
const QUEUE_SPANS_MAX = 8192
const BATCH_SPANS_MAX = 256

/** `endpoint` is the base, as in OTEL_EXPORTER_OTLP_ENDPOINT: `/v1/traces` is added. */
export function startTracing(endpoint: string): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  })
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'support-agent', 'deployment.environment.name': 'example' }),
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        scheduledDelayMillis: EXPORT_DELAY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
        maxQueueSize: QUEUE_SPANS_MAX,
        maxExportBatchSize: BATCH_SPANS_MAX,
      }),
    ],
  })
  return { tracer: provider.getTracer('support-agent'), close: () => provider.shutdown().catch(() => {}) }
}

type Attributes = Readonly<Record<string, string | number | readonly string[]>>

export type Opened = { readonly span: Span; readonly context: Context }

/** A span under `parent`. `client` for calls that leave the process, as the conventions ask of chat spans. */
export function openSpan(
  tracer: Tracer,
  parent: Context,
  { name, kind = 'internal', attributes }: { name: string; kind?: 'internal' | 'client'; attributes: Attributes },
): Opened {
  const options = {
    kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    attributes: mutable(attributes),
  }
  const span = tracer.startSpan(name, options, parent)
  return { span, context: trace.setSpan(parent, span) }
}

export function setAttributes(span: Span, attributes: Attributes): void {
  span.setAttributes(mutable(attributes))
}

/** `type` is a stable word, for `error.type`. */
export function markFailed(span: Span, { type, message }: { type: string; message: string }): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR, message })
}

/** The caller's W3C trace context; the root context when there is none or it is malformed. */
export function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] =
    /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  })
}

function mutable(attributes: Attributes): Record<string, string | number | string[]> {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, typeof value === 'object' ? [...value] : value]),
  )
}
