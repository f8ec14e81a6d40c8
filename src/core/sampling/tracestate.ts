/**
 * The W3C tracestate: its members, and what an upstream sampler says in the `ot` member (OpenTelemetry, "TraceState:
 * Probability Sampling"): the threshold `th` it applied, and the explicit randomness `rv` it used.
 *
 * Values that are malformed are taken as absent.
 */
import { padThreshold } from './threshold.ts'

export type UpstreamSampling = {
  /** 14 hex digits. */
  readonly threshold: string | null
  readonly randomness: string | null
}

const NOTHING: UpstreamSampling = { threshold: null, randomness: null }

/** Keys and values of the list, in order. */
export function traceStateMembers(traceState: string): readonly (readonly [key: string, value: string])[] {
  return traceState.split(',').flatMap((member) => {
    const at = member.indexOf('=')
    return at < 1 ? [] : [[member.slice(0, at).trim(), member.slice(at + 1).trim()] as const]
  })
}

export function upstreamSampling(traceState: string): UpstreamSampling {
  if (!traceState.includes('ot=')) return NOTHING
  const ot = traceStateMembers(traceState).find(([key]) => key === 'ot')?.[1] ?? ''
  const fields = new Map(ot.split(';').map((field) => [field.slice(0, 3), field.slice(3)]))
  const th = fields.get('th:') ?? ''
  const rv = fields.get('rv:') ?? ''
  return {
    threshold: /^[0-9a-f]{1,14}$/.test(th) ? padThreshold(th) : null,
    randomness: /^[0-9a-f]{14}$/.test(rv) ? rv : null,
  }
}
