/**
 * Webhook events: one turn of a conversation, which becomes an OTLP trace in the GenAI conventions and takes the road of
 * every other trace, or feedback on a trace. docs/webhooks.md describes them to senders.
 *
 * Ids that the sender does not give are derived from source and event id, so that a repeat is the same trace.
 */
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { InputError } from '../errors.ts'
import { DEPTH_MAX, isNestedTooDeep } from '../replay/storable.ts'
import { encodeOtlp, type OtlpKeyValue, type OtlpSpan, type OtlpValue } from './otlp/message.ts'

const TEXT_MAX = 500_000
const NAME_MAX = 256
const TOOLS_MAX = 500
const MESSAGES_MAX = 2000

const KIND_INTERNAL = 1
const STATUS_OK = 1
const STATUS_ERROR = 2
const NANOS_PER_MS = 1_000_000n

const traceId = z
  .string()
  .regex(/^[0-9a-fA-F]{32}$/, 'expected 32 hex digits')
  .transform((id) => id.toLowerCase())
  .refine((id) => /[^0]/.test(id), 'must not be all zeros')
const name = z.string().trim().min(1).max(NAME_MAX)
const text = z.string().max(TEXT_MAX)
const tokens = z.int().min(0)
const json = z.json()
/** After this year nanoseconds no longer fit into 64 bits. */
const time = z.iso
  .datetime({ offset: true, error: 'expected a time as ISO 8601 with its offset, e.g. 2026-12-01T09:00:00Z' })
  .refine((at) => /^20|^19[7-9]/.test(at), 'expected a time between 1970 and 2099')

const messages = z
  .array(z.strictObject({ role: z.enum(['system', 'user', 'assistant', 'tool']), content: text }))
  .min(1)
  .max(MESSAGES_MAX)

const turn = z
  .strictObject({
    type: z.literal('turn'),
    traceId: traceId.optional(),
    agent: name,
    version: name.optional(),
    session: name.optional(),
    user: name.optional(),
    system: text.optional(),
    input: z.union([text.min(1), messages], { error: 'expected text, or a list of { role, content }' }),
    output: json.optional(),
    tools: z
      .array(z.strictObject({ name, arguments: json.optional(), result: json.optional(), error: text.optional() }))
      .max(TOOLS_MAX)
      .default([]),
    model: name.optional(),
    provider: name.optional(),
    usage: z.strictObject({ input: tokens, output: tokens }).optional(),
    costUsd: z.number().min(0).optional(),
    error: text.min(1).optional(),
    startedAt: time.optional(),
    endedAt: time.optional(),
  })
  .refine(
    (t) => t.startedAt === undefined || t.endedAt === undefined || Date.parse(t.startedAt) <= Date.parse(t.endedAt),
    {
      path: ['endedAt'],
      error: 'is before startedAt',
    },
  )

const feedback = z
  .strictObject({
    type: z.literal('feedback'),
    traceId,
    name: name.default('user'),
    score: z.number().optional(),
    label: name.optional(),
    comment: text.optional(),
  })
  .refine((f) => f.score !== undefined || f.label !== undefined || f.comment !== undefined, {
    error: 'has no score, label or comment, expected one at least',
  })

const eventSchema = z.discriminatedUnion('type', [turn, feedback], {
  error: 'expected an object whose type is "turn" or "feedback"',
})

export type Turn = z.output<typeof turn>
export type FeedbackEvent = z.output<typeof feedback>
export type WebhookEvent = Turn | FeedbackEvent

/** Feedback as it waits in the spool. */
export type SpooledFeedback = {
  readonly source: string
  readonly eventId: string
  readonly traceId: string
  readonly name: string
  readonly score: number | null
  readonly label: string | null
  readonly comment: string | null
}

/** Throws InputError with the JSON path of the first thing that is wrong. */
export function parseWebhookEvent(value: unknown): WebhookEvent {
  // Before the schema, which would follow it down until the stack ends.
  if (isNestedTooDeep(value)) throw new InputError('invalid_event', `$: nested deeper than ${DEPTH_MAX} levels`, '$')
  const parsed = eventSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])]
  const at = path.reduce<string>((so, key) => (typeof key === 'number' ? `${so}[${key}]` : `${so}.${String(key)}`), '$')
  throw new InputError('invalid_event', `${at}: ${unknown === undefined ? issue?.message : 'unknown key'}`, at)
}

export type EventOrigin = {
  readonly source: string
  readonly eventId: string
  /** Milliseconds since the epoch: the turn's end where it does not say. */
  readonly arrivedAt: number
}

/** The trace id of an event: its own, else derived. */
export function traceIdOf(event: WebhookEvent, { source, eventId }: Pick<EventOrigin, 'source' | 'eventId'>): string {
  return event.traceId ?? derivedHex(`${source}\n${eventId}`, 32)
}

export function spooledFeedback(event: FeedbackEvent, { source, eventId }: EventOrigin): SpooledFeedback {
  const { score = null, label = null, comment = null } = event
  return { source, eventId, traceId: event.traceId, name: event.name, score, label, comment }
}

/** An ExportTraceServiceRequest: a root span invoke_agent, and an execute_tool span below it for each tool call. */
export function turnToOtlp(turn: Turn, origin: EventOrigin): Uint8Array {
  const end = nanosOf(
    turn.endedAt,
    turn.startedAt === undefined ? origin.arrivedAt : Math.max(origin.arrivedAt, Date.parse(turn.startedAt)),
  )
  const start = turn.startedAt === undefined ? end : nanosOf(turn.startedAt, 0)
  const id = traceIdOf(turn, origin)
  const spanId = (path: string) => Buffer.from(derivedHex(`${id}\n${path}`, 16), 'hex')
  const root = spanId('root')
  const spans: readonly OtlpSpan[] = [
    { ...rootSpan(turn), spanId: root, startTimeUnixNano: start, endTimeUnixNano: end },
    ...turn.tools.map((tool, index) => {
      // One nanosecond apart, since spans are put in order by their start.
      const at = start + BigInt(index) < end ? start + BigInt(index) : end
      const times = { startTimeUnixNano: at, endTimeUnixNano: end }
      return { ...toolSpan(tool), spanId: spanId(`tool ${index}`), parentSpanId: root, ...times }
    }),
  ]
  return encodeOtlp({
    resourceSpans: [
      {
        resource: { attributes: attributes({ 'service.name': origin.source }) },
        scopeSpans: [
          {
            scope: { name: 'assay.webhook' },
            spans: spans.map((span) => ({ ...span, traceId: Buffer.from(id, 'hex'), kind: KIND_INTERNAL })),
          },
        ],
      },
    ],
  })
}

function rootSpan(turn: Turn): OtlpSpan {
  const input = typeof turn.input === 'string' ? [{ role: 'user', content: turn.input }] : turn.input
  return {
    name: `invoke_agent ${turn.agent}`,
    status: statusOf(turn.error),
    attributes: attributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': turn.agent,
      'gen_ai.agent.version': turn.version,
      'gen_ai.conversation.id': turn.session,
      'user.id': turn.user,
      'gen_ai.system_instructions': turn.system === undefined ? undefined : JSON.stringify([textPart(turn.system)]),
      'gen_ai.input.messages': JSON.stringify(input.map(({ role, content }) => ({ role, parts: [textPart(content)] }))),
      'gen_ai.output.messages': outputMessages(turn.output),
      'gen_ai.request.model': turn.model,
      'gen_ai.provider.name': turn.provider,
      'gen_ai.usage.input_tokens': turn.usage?.input,
      'gen_ai.usage.output_tokens': turn.usage?.output,
      'gen_ai.usage.cost': turn.costUsd,
      'error.type': turn.error === undefined ? undefined : '_OTHER',
    }),
  }
}

function toolSpan(tool: Turn['tools'][number]): OtlpSpan {
  return {
    name: `execute_tool ${tool.name}`,
    status: statusOf(tool.error),
    attributes: attributes({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool.name,
      'gen_ai.tool.call.arguments': asText(tool.arguments),
      'gen_ai.tool.call.result': asText(tool.result),
      'error.type': tool.error === undefined ? undefined : '_OTHER',
    }),
  }
}

function outputMessages(output: unknown): string | undefined {
  const content = asText(output)
  return content === undefined ? undefined : JSON.stringify([{ role: 'assistant', parts: [textPart(content)] }])
}

function textPart(content: string) {
  return { type: 'text', content }
}

/** Text as it stands, anything else as JSON. */
function asText(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}

function statusOf(error: string | undefined): OtlpSpan['status'] {
  return error === undefined ? { code: STATUS_OK } : { code: STATUS_ERROR, message: error }
}

function attributes(record: Readonly<Record<string, string | number | undefined>>): readonly OtlpKeyValue[] {
  return Object.entries(record).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: numberOrText(key, value) }],
  )
}

function numberOrText(key: string, value: string | number): OtlpValue {
  if (typeof value === 'string') return { stringValue: value }
  return key === 'gen_ai.usage.cost' ? { doubleValue: value } : { intValue: BigInt(value) }
}

function nanosOf(time: string | undefined, otherwiseMs: number): bigint {
  return BigInt(time === undefined ? otherwiseMs : Date.parse(time)) * NANOS_PER_MS
}

function derivedHex(text: string, digits: number): string {
  return createHash('sha256').update(`assay.webhook/1\n${text}`).digest('hex').slice(0, digits)
}
