/**
 * All that rules may ask of a trace, folded span by span into a value of fixed size, so that memory does not grow with
 * what the spans hold. The order of the spans changes nothing.
 */
import type { ScannedSpan } from '../trace/otlp/scan-span.ts'
import type { Policy } from './policy.ts'
import { maxThreshold, minThreshold } from './threshold.ts'
import { upstreamSampling } from './tracestate.ts'

/** The W3C random flag: the id's last 56 bits are random. */
const FLAG_RANDOM = 0x02

export type TraceFacts = {
  readonly spanCount: number
  /** Bits of the policy's conditions that hold for one span at least, and those that hold for the root. */
  readonly any: bigint
  readonly root: bigint
  /** Milliseconds since the epoch; infinite while no span is timed. */
  readonly startMs: number
  readonly endMs: number
  /** Of the root; the longest where a trace has several. Null without root. */
  readonly rootMs: number | null
  /** What upstream samplers said: the highest threshold, and the lowest explicit randomness. 14 hex digits. */
  readonly threshold: string | null
  readonly randomness: string | null
  readonly isIdRandom: boolean
  /** Spans of the trace said different things: no single probability can be given. */
  readonly isUpstreamMixed: boolean
}

export const NO_FACTS: TraceFacts = {
  spanCount: 0,
  any: 0n,
  root: 0n,
  startMs: Infinity,
  endMs: -Infinity,
  rootMs: null,
  threshold: null,
  randomness: null,
  isIdRandom: false,
  isUpstreamMixed: false,
}

/** The facts with one more span. Spans that occur twice must have been left out before. */
export function withSpan(facts: TraceFacts, span: ScannedSpan, policy: Policy): TraceFacts {
  const bits = policy.bitsOf(span)
  const isRoot = span.parentSpanId === ''
  const upstream = upstreamSampling(span.traceState)
  return {
    spanCount: facts.spanCount + 1,
    any: facts.any | bits,
    root: isRoot ? facts.root | bits : facts.root,
    startMs: span.startMs > 0 ? Math.min(facts.startMs, span.startMs) : facts.startMs,
    endMs: span.endMs > 0 ? Math.max(facts.endMs, span.endMs) : facts.endMs,
    rootMs: isRoot ? Math.max(facts.rootMs ?? 0, span.endMs - span.startMs) : facts.rootMs,
    threshold: either(facts.threshold, upstream.threshold, maxThreshold),
    randomness: either(facts.randomness, upstream.randomness, minThreshold),
    isIdRandom: facts.isIdRandom || upstream.threshold !== null || (span.flags & FLAG_RANDOM) !== 0,
    isUpstreamMixed:
      facts.isUpstreamMixed ||
      differ(facts.threshold, upstream.threshold) ||
      differ(facts.randomness, upstream.randomness),
  }
}

function either(a: string | null, b: string | null, choose: (a: string, b: string) => string): string | null {
  return a === null ? b : b === null ? a : choose(a, b)
}

function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b
}
