/** A decision with sensible fields, for tests that are about one or two of them. */
import type { Decision } from '../../src/core/sampling/decision.ts'

export function decisionFor(given: Partial<Decision>): Decision {
  return {
    traceId: '5eed0000000000000000000000000001',
    keep: true,
    rule: 'rest',
    sampler: 'probabilistic',
    stratum: 'all',
    windowStart: '2026-12-01T10:00:00.000Z',
    policy: '0123456789abcdef',
    p: 0.25,
    weightSource: 'threshold',
    r: 'd0000000000000',
    threshold: 'c0000000000000',
    completion: 'root',
    whole: true,
    arrivedAt: Date.parse('2026-12-01T10:05:00Z'),
    decidedAt: Date.parse('2026-12-01T10:06:00Z'),
    spanCount: 2,
    ...given,
  }
}
