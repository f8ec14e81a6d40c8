import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  coverage,
  type KeptTraces,
  leftOut,
  productionRates,
  type StratumCensus,
} from '../../../src/core/reporting/production.ts'

const LEVEL = 0.95

function kept(given: Partial<KeptTraces>): KeptTraces {
  return {
    ...{ policy: 'p1', rule: 'rest', stratum: 'all', p: 0.1, traces: 0, errors: 0, withFeedback: 0, thumbsDown: 0 },
    ...given,
  }
}

function census(given: Partial<StratumCensus>): StratumCensus {
  const { received = 0, kept: keep = received, shed = 0 } = given
  return {
    ...{ policy: 'p1', rule: 'rest', sampler: 'probabilistic', stratum: 'all', incomplete: 0 },
    ...{ received, kept: keep, shed, dropped: received - keep - shed },
    ...given,
  }
}

function rates(keptTraces: readonly KeptTraces[], rows: readonly StratumCensus[]) {
  const [errors, thumbs] = productionRates({ kept: keptTraces, census: rows, level: LEVEL })
  return { errors: errors?.figure, thumbs: thumbs?.figure }
}

describe('productionRates', () => {
  it('weights by what the census counted: errors kept in full do not swamp the rest', () => {
    const { errors } = rates(
      [kept({ rule: 'errors', p: 1, traces: 100, errors: 100 }), kept({ traces: 90, errors: 0 })],
      [census({ rule: 'errors', sampler: 'always', received: 100 }), census({ received: 900, kept: 90 })],
    )
    assert.equal(errors?.estimate, 0.1)
    assert.equal(errors?.n, 190)
    assert.ok(Number(errors?.low) <= 0.1 && Number(errors?.high) > 0.1 && Number(errors?.high) < 0.14)
  })

  it('knows a window exactly of which everything was kept', () => {
    const { errors } = rates([kept({ p: 1, traces: 50, errors: 5 })], [census({ sampler: 'always', received: 50 })])
    assert.deepEqual([errors?.estimate, errors?.low, errors?.high], [0.1, 0.1, 0.1])
  })

  it('takes all hours of a rule together, also where an hour kept nothing', () => {
    const rows = [
      census({ received: 30, kept: 0 }),
      census({ received: 30, kept: 3 }),
      census({ received: 40, kept: 7 }),
    ]
    const { errors } = rates([kept({ traces: 10, errors: 2 })], rows)
    assert.equal(errors?.estimate, 0.2)
    assert.equal(errors?.reason, undefined)
  })

  it('says when a rule kept nothing at all, and is wider for it', () => {
    const known = [kept({ traces: 50, errors: 5 })]
    const whole = rates(known, [census({ received: 500, kept: 50 })]).errors
    const partly = rates(known, [
      census({ received: 500, kept: 50 }),
      census({ rule: 'rare', received: 500, kept: 0 }),
    ]).errors
    assert.match(partly?.reason ?? '', /1 of 2 strata without a sampled trace/)
    assert.ok(Number(partly?.high) - Number(partly?.low) > Number(whole?.high) - Number(whole?.low))
  })

  it('estimates sizes from 1/p where one rule kept at several rates', () => {
    const { errors } = rates(
      [kept({ p: 0.1, traces: 20, errors: 20 }), kept({ p: 0.5, traces: 100, errors: 0 })],
      [census({ received: 400, kept: 120 })],
    )
    assert.ok(Math.abs((errors?.estimate ?? 0) - 0.5) < 1e-12)
  })

  it('leaves out traces whose p is unknown, and says so', () => {
    const traces = [kept({ traces: 20, errors: 2 }), kept({ p: null, traces: 5, errors: 5 })]
    const rows = [census({ received: 250, kept: 25 })]
    assert.equal(rates(traces, rows).errors?.estimate, 0.1)
    assert.deepEqual(leftOut(traces, rows), ['5 kept traces with an unknown sampling probability are in no rate.'])
  })

  it('counts thumbs only where there is feedback, and says how little that is', () => {
    const traces = [kept({ traces: 40, withFeedback: 4, thumbsDown: 1 })]
    const { thumbs } = rates(traces, [census({ received: 400, kept: 40 })])
    assert.deepEqual([thumbs?.estimate, thumbs?.n], [0.25, 4])
    assert.match(thumbs?.reason ?? '', /feedback covers 4 of 40 kept traces/)
    const none = rates([kept({ traces: 40 })], [census({ received: 400, kept: 40 })]).thumbs
    assert.deepEqual([none?.estimate, none?.reason], [null, 'no kept trace has feedback'])
  })

  it('leaves rules that drop out of the rates and names them, and shed traces too', () => {
    const rows = [
      census({ received: 100, kept: 10, shed: 5 }),
      census({ rule: 'health', sampler: 'drop', received: 1200, kept: 0 }),
    ]
    const traces = [kept({ traces: 10, errors: 1 })]
    assert.equal(rates(traces, rows).errors?.estimate, 0.1)
    assert.deepEqual(leftOut(traces, rows), [
      'Rule health drops what it matches: 1,200 traces in no rate.',
      '5 traces were shed under load: counted, and spoken for by what was kept.',
    ])
  })

  it('has no rate for a window without traces', () => {
    const { errors } = rates([], [])
    assert.deepEqual([errors?.estimate, errors?.reason], [null, 'nothing was sampled'])
  })

  it('refuses a census that does not add up, and more traces than were kept', () => {
    assert.throws(
      () => rates([], [census({ received: 10, kept: 4, dropped: 5 })]),
      /kept 4 \+ dropped 5 \+ shed 0 is not received 10/,
    )
    assert.throws(() => rates([kept({ traces: 11 })], [census({ received: 100, kept: 10 })]), /11 traces are stored/)
  })
})

describe('coverage', () => {
  it('sums a rule over policies and strata, the busiest rule first', () => {
    const rows = [
      census({ received: 10, kept: 1, incomplete: 1 }),
      census({ policy: 'p2', received: 20, kept: 2 }),
      census({ rule: 'errors', sampler: 'always', received: 5 }),
    ]
    assert.deepEqual(coverage(rows), {
      rows: [
        { rule: 'rest', sampler: 'probabilistic', received: 30, kept: 3, dropped: 27, shed: 0, incomplete: 1 },
        { rule: 'errors', sampler: 'always', received: 5, kept: 5, dropped: 0, shed: 0, incomplete: 0 },
      ],
      ...{ received: 35, kept: 8, dropped: 27, shed: 0 },
    })
  })
})
