/**
 * What is stored of a kept trace: its OTLP after redaction, and the summary made of that. Redaction comes first in every
 * path, so that nothing later can see, and store, what it took out.
 *
 * A span whose bytes cannot be decoded, though the scanner could walk them, is left out and named; it takes no other
 * span with it.
 */
import { InputError } from '../errors.ts'
import { decodeOtlp, encodeOtlp, type OtlpRequest } from './otlp/message.ts'
import { type Redact, redactOtlp } from './otlp/redact.ts'
import type { ScannedSpan } from './otlp/scan-span.ts'
import { sliceTrace, type TracePart } from './otlp/slice.ts'
import { toSpans } from './otlp/spans.ts'
import type { Span } from './span.ts'
import type { TraceSummary } from './summary.ts'

export type EvidenceMakers = {
  readonly redact: Redact
  readonly summarise: (spans: readonly Span[]) => TraceSummary
}

export type Evidence = {
  /** ExportTraceServiceRequest, redacted. */
  readonly otlp: Uint8Array
  readonly summary: TraceSummary
  readonly spanCount: number
  /** Why spans were left out, one text each. */
  readonly lost: readonly string[]
}

/** Null when no span could be decoded; `lost` then is all there is to say. */
export type MadeEvidence = Evidence | { readonly otlp: null; readonly lost: readonly string[] }

export function makeEvidence(parts: readonly TracePart[], makers: EvidenceMakers): MadeEvidence {
  const { request, lost } = decodeParts(onceEach(parts, new Set()))
  if (request === null) return { otlp: null, lost }
  return { ...evidenceOf(redactOtlp(request, makers.redact), makers), lost }
}

/** Stored evidence with late spans. `newSpans` is how many of them it had not yet; the others came twice. */
export function withLateSpans(
  stored: Uint8Array,
  parts: readonly TracePart[],
  makers: EvidenceMakers,
): Evidence & { readonly newSpans: number } {
  const before = decodeOtlp(stored)
  const known = new Set(toSpans(before).map((span) => span.spanId))
  const { request, lost } = decodeParts(onceEach(parts, known))
  const late = request === null ? {} : redactOtlp(request, makers.redact)
  const both = { resourceSpans: [...(before.resourceSpans ?? []), ...(late.resourceSpans ?? [])] }
  return { ...evidenceOf(both, makers), newSpans: toSpans(late).length, lost }
}

/** Distinct spans in parts of one trace: retries may have brought some twice. */
export function distinctSpans(parts: readonly TracePart[]): number {
  return onceEach(parts, new Set()).reduce((sum, part) => sum + part.spans.length, 0)
}

function evidenceOf(request: OtlpRequest, makers: EvidenceMakers) {
  const spans = toSpans(request)
  return { otlp: encodeOtlp(request), summary: makers.summarise(spans), spanCount: spans.length }
}

/** The first of each span id, without those that are known. */
function onceEach(parts: readonly TracePart[], known: ReadonlySet<string>): readonly TracePart[] {
  const seen = new Set(known)
  const isNew = (span: ScannedSpan) => seen.size !== seen.add(span.spanId).size
  return parts.map(({ body, spans }) => ({ body, spans: spans.filter(isNew) })).filter(({ spans }) => spans.length > 0)
}

type Decoded = { readonly request: OtlpRequest | null; readonly lost: readonly string[] }

function decodeParts(parts: readonly TracePart[]): Decoded {
  if (parts.length === 0) return { request: null, lost: [] }
  const whole = decoded(parts)
  if (whole instanceof Error) return decodeSingly(parts)
  return { request: whole, lost: [] }
}

function decodeSingly(parts: readonly TracePart[]): Decoded {
  const results = parts.flatMap(({ body, spans }) =>
    spans.map((span) => ({ span, result: decoded([{ body, spans: [span] }]) })),
  )
  const lost = results.flatMap(({ span, result }) =>
    result instanceof Error ? [`span ${span.spanId}: ${result.message}`] : [],
  )
  const requests = results.flatMap(({ result }) => (result instanceof Error ? [] : [result]))
  const resourceSpans = requests.flatMap((request) => request.resourceSpans ?? [])
  return { request: resourceSpans.length === 0 ? null : { resourceSpans }, lost }
}

function decoded(parts: readonly TracePart[]): OtlpRequest | InputError {
  try {
    return decodeOtlp(sliceTrace(parts))
  } catch (error) {
    if (error instanceof InputError) return error
    throw error
  }
}
