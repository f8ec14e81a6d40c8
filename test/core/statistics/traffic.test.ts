import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { populationInterval } from '../../../src/core/statistics/suite.ts'
import {
  hajekVariance,
  sessionTrafficRate,
  suiteTrafficRate,
  trafficRate,
} from '../../../src/core/statistics/traffic.ts'
import { assertClose, assertInterval, type Row, readReference, rowsOf } from './reference.ts'

describe('the rate of all traffic', () => {
  it('meets every reference row with counted strata to 1e-12, a census among them', () => {
    for (const row of rowsOf('default_intervals', 'stratified_mover_jeffreys_fpc')) {
      const strata = row.strata.map(({ N, n, c }: Row) => ({ received: N, sampled: n, successes: c, p: null }))
      const got = trafficRate({ strata, level: 0.95 })
      assertClose(got.estimate, row.estimate, 1e-12, 'estimate')
      assertInterval(got.interval, row.ci, 1e-12, 'interval')
    }
  })

  it('weighs strata that nobody counted by sampled/p, as R’s survey package does', () => {
    const { survey_data: units, poisson_hajek: row } = readReference('ref_R')
    const byStratum = Map.groupBy(units as Row[], (unit) => unit.stratum)
    const strata = [...byStratum.values()].map((group) => ({
      received: null,
      sampled: group.length,
      successes: group.filter((unit) => unit.y === 1).length,
      p: group[0].pi,
    }))
    const got = trafficRate({ strata, level: 0.95 })
    assertClose(got.estimate, row.mean, 1e-12, 'estimate')
    const counted = trafficRate({ strata: strata.map((s) => ({ ...s, received: s.sampled / s.p })), level: 0.95 })
    assert.ok(got.interval && counted.interval)
    assert.ok(got.interval.low < counted.interval.low && got.interval.high > counted.interval.high)
  })

  it('has the Hájek variance of R’s survey package (Poisson sampling)', () => {
    const { survey_data, poisson_hajek } = readReference('ref_R')
    const units = survey_data.map(({ y, pi }: Row) => ({ value: y, p: pi, count: 1 }))
    assertClose(Math.sqrt(hajekVariance(units)), poisson_hajek.se, 1e-12, 'standard error')
    assertClose(poisson_hajek.survey_pps_poisson.se, poisson_hajek.se, 1e-12, 'both ways')
  })

  it('knows a census exactly and nothing else', () => {
    const census = trafficRate({ strata: [{ received: 40, sampled: 40, successes: 39, p: 1 }], level: 0.95 })
    assert.deepEqual([census.interval?.low, census.interval?.high], [0.975, 0.975])
    const everySecond = trafficRate({ strata: [{ received: 40, sampled: 20, successes: 20, p: 0.5 }], level: 0.95 })
    assert.ok(everySecond.interval && everySecond.interval.low < 1)
    const uncounted = trafficRate({ strata: [{ received: null, sampled: 40, successes: 39, p: 1 }], level: 0.95 })
    assert.deepEqual([uncounted.interval?.low, uncounted.interval?.high], [0.975, 0.975])
  })

  it('lets a stratum without a sample move nothing and widen what it must, and says so', () => {
    const known = { received: 900, sampled: 90, successes: 81, p: 0.1 }
    const silent = { received: 100, sampled: 0, successes: 0, p: 0.001 }
    const got = trafficRate({ strata: [known, silent], level: 0.95 })
    assertClose(got.estimate, 0.9, 1e-15, 'estimate')
    assert.ok(got.interval && got.interval.low <= 0.9 - 0.1 * 0.9)
    assert.match(got.reason ?? '', /1 of 2 strata without a sampled trace/)
    const empty = trafficRate({ strata: [known, { ...silent, received: 0 }], level: 0.95 })
    assert.deepEqual(empty.interval, trafficRate({ strata: [known], level: 0.95 }).interval)
    assert.equal(empty.reason, undefined)
  })

  it('takes nothing about a stratum from a single trace but its point', () => {
    const strata = [
      { received: 500, sampled: 50, successes: 50, p: 0.1 },
      { received: 500, sampled: 1, successes: 1, p: 0.002 },
    ]
    const got = trafficRate({ strata, level: 0.95 })
    assert.equal(got.estimate, 1)
    assert.ok(got.interval && got.interval.low <= 0.5)
  })

  it('gives no figure where the probability is unknown or nothing was sampled, and says why', () => {
    const unknown = trafficRate({ strata: [{ received: null, sampled: 5, successes: 5, p: null }], level: 0.95 })
    assert.equal(unknown.estimate, null)
    assert.match(unknown.reason ?? '', /strata\[0\] has neither a count/)
    assert.equal(trafficRate({ strata: [], level: 0.95 }).estimate, null)
    const none = trafficRate({ strata: [{ received: 9, sampled: 0, successes: 0, p: 0.1 }], level: 0.95 })
    assert.deepEqual([none.estimate, none.interval, none.reason], [null, null, 'nothing was sampled'])
  })

  it('holds its estimate in [0, 1], rises with successes, widens with the level, ignores the order of strata', () => {
    const stratum = fc.integer({ min: 2, max: 60 }).chain((sampled) =>
      fc.record({
        sampled: fc.constant(sampled),
        received: fc.option(fc.integer({ min: sampled + 1, max: 5000 })),
        successes: fc.integer({ min: 0, max: sampled }),
        p: fc.double({ min: 0.01, max: 0.9, noNaN: true }),
      }),
    )
    fc.assert(
      fc.property(fc.array(stratum, { minLength: 1, maxLength: 5 }), (strata) => {
        const got = trafficRate({ strata, level: 0.9 })
        assert.ok(got.interval && got.estimate !== null)
        assert.ok(got.interval.low >= 0 && got.interval.high <= 1 && got.interval.low < got.interval.high)
        assert.ok(got.interval.low <= got.estimate && got.estimate <= got.interval.high)
        const wider = trafficRate({ strata, level: 0.95 }).interval
        assert.ok(wider && wider.low <= got.interval.low && wider.high >= got.interval.high)
        const turned = trafficRate({ strata: strata.toReversed(), level: 0.9 })
        assertInterval(turned.interval, [got.interval.low, got.interval.high], 1e-12, 'order')
        const better = strata.map((s) => ({ ...s, successes: Math.min(s.sampled, s.successes + 1) }))
        assert.ok((trafficRate({ strata: better, level: 0.9 }).estimate as number) >= got.estimate - 1e-12)
      }),
      { numRuns: 100 },
    )
  })

  it('refuses impossible counts and probabilities, by place', () => {
    const ask = (one: object) =>
      trafficRate({ strata: [{ received: 10, sampled: 5, successes: 5, p: 0.5, ...one }], level: 0.95 })
    assert.throws(() => ask({ received: 4 }), /strata\[0\].received: 4 .* 5 or more/)
    assert.throws(() => ask({ successes: 6 }), /strata\[0\].successes: 6/)
    assert.throws(() => ask({ sampled: Number.NaN }), /strata\[0\].sampled: NaN/)
    for (const p of [0, 1.1, Number.NaN]) assert.throws(() => ask({ received: null, p }), /strata\[0\].p: /)
  })
})

describe('the rate of traffic sampled by session', () => {
  const sessions = Array.from({ length: 40 }, (_, i) => ({ traces: 5, successes: i % 8 === 0 ? 0 : 5 }))

  it('is much wider than if the traces of a session were independent', () => {
    const whole = sessionTrafficRate({ strata: [{ received: 2000, p: null, sessions }], level: 0.95 })
    const pooled = trafficRate({ strata: [{ received: 2000, sampled: 200, successes: 175, p: null }], level: 0.95 })
    assert.ok(whole.interval && pooled.interval)
    assertClose(whole.estimate, 0.875, 1e-12, 'estimate')
    const width = whole.interval.high - whole.interval.low
    assert.ok(width > 1.7 * (pooled.interval.high - pooled.interval.low))
    assert.equal(whole.n, 40)
  })

  it('says nothing about a stratum with one session, and refuses empty sessions', () => {
    const one = sessionTrafficRate({
      strata: [{ received: 50, p: 0.1, sessions: [{ traces: 5, successes: 4 }] }],
      level: 0.95,
    })
    assert.deepEqual([one.interval?.low, one.interval?.high], [0, 1])
    const empty = [{ received: 50, p: 0.1, sessions: [{ traces: 0, successes: 0 }] }]
    assert.throws(() => sessionTrafficRate({ strata: empty, level: 0.95 }), /sessions\[0\].traces: 0/)
  })

  it('widens when the sizes of strata are estimated', () => {
    const other = sessions.map(({ traces }) => ({ traces, successes: 0 }))
    const ask = (received: number | null) =>
      sessionTrafficRate({
        strata: [
          { received, p: 0.1, sessions },
          { received, p: 0.1, sessions: other },
        ],
        level: 0.95,
      }).interval
    const counted = ask(2000)
    const estimated = ask(null)
    assert.ok(counted && estimated && estimated.low < counted.low && estimated.high > counted.high)
  })
})

describe('pass^k of a suite over the traffic it was drawn from', () => {
  it('is the population interval when there is one stratum', () => {
    const values = [1, 0.6, 0.3, 1, 1, 0, 0.6]
    const got = suiteTrafficRate({ strata: [{ weight: 3, values }], level: 0.95 })
    const plain = populationInterval({ values, level: 0.95 })
    assert.ok(plain)
    assertInterval(got.interval, [plain.low, plain.high], 1e-12, 'one stratum')
    assert.equal(got.estimand, 'traffic like this')
  })

  it('weighs strata by their share of traffic, whatever the scale', () => {
    const strata = [
      { weight: 9, values: [1, 1, 1, 1] },
      { weight: 1, values: [0, 0, 0, 0] },
    ]
    const got = suiteTrafficRate({ strata, level: 0.95 })
    assertClose(got.estimate, 0.9, 1e-15, 'estimate')
    const scaled = strata.map((stratum) => ({ ...stratum, weight: stratum.weight * 1000 }))
    assertClose(
      suiteTrafficRate({ strata: scaled, level: 0.95 }).interval?.low,
      got.interval?.low as number,
      1e-12,
      'low',
    )
  })

  it('gives no figure without cases and refuses negative weights', () => {
    assert.equal(suiteTrafficRate({ strata: [{ weight: 1, values: [] }], level: 0.95 }).estimate, null)
    assert.throws(() => suiteTrafficRate({ strata: [{ weight: -1, values: [1] }], level: 0.95 }), /weight: -1/)
    assert.throws(() => suiteTrafficRate({ strata: [{ weight: Number.NaN, values: [] }], level: 0.95 }), /weight: NaN/)
  })
})
