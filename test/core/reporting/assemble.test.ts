import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { assembleReport, freeze } from '../../../src/core/reporting/assemble.ts'
import { canonicalJson } from '../../../src/core/reporting/canonical-json.ts'
import { sampleEvidence, sampleReport } from './sample-report.ts'

describe('canonicalJson', () => {
  it('is one text for one value, whatever the order of its keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
        assert.equal(canonicalJson(reversed(value)), canonicalJson(value))
      }),
    )
  })

  it('says −0 as 0, leaves out undefined, and refuses what JSON cannot say', () => {
    assert.equal(canonicalJson({ b: -0, a: undefined, c: [undefined] }), '{"b":0,"c":[null]}')
    assert.throws(() => canonicalJson({ a: Number.NaN }), /Broken invariant: NaN in canonical JSON/)
  })
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([key, one]) => [key, reversed(one)]))
}

describe('assembleReport', () => {
  it('gives the same bytes for the same evidence, and other bytes for another seed', () => {
    const [one, same, other] = [{}, {}, { seed: 'other' }].map((given) => freeze(sampleReport(given)))
    assert.equal(one?.body, same?.body)
    assert.equal(one?.sha256, same?.sha256)
    assert.notEqual(one?.sha256, other?.sha256)
    assert.match(one?.sha256 ?? '', /^[0-9a-f]{64}$/)
  })

  it('does not depend on the order in which rows were read', () => {
    const evidence = sampleEvidence()
    const turned = {
      ...evidence,
      modes: evidence.modes.toReversed(),
      replays: evidence.replays.map(({ input, graders }) => ({
        input: { ...input, cases: input.cases.toReversed() },
        graders,
      })),
    }
    assert.equal(freeze(assembleReport(turned)).sha256, freeze(assembleReport(evidence)).sha256)
  })

  it('survives the way through its own JSON', () => {
    const { report, body } = freeze(sampleReport())
    assert.equal(canonicalJson(JSON.parse(body)), body)
    assert.equal(report.schema, 'assay.report/1')
  })

  it('names the hours that were not final when it was made', () => {
    const { notMeasured } = sampleReport({ createdAt: '2026-11-30T08:20:00.000Z' })
    assert.match(notMeasured.join('\n'), /Traffic since 2026-11-30 08:00 \(1 hour\) was not final/)
    const later = sampleReport({ createdAt: '2026-11-30T09:00:00.000Z' })
    assert.doesNotMatch(later.notMeasured.join('\n'), /not final/)
  })

  it('says that traffic goes by whole hours when the window does not', () => {
    const window = { from: '2026-11-23T08:30:00.000Z', to: '2026-11-30T08:30:00.000Z', timezone: 'UTC' }
    assert.match(sampleReport({ window }).notMeasured.join('\n'), /counted by whole hours/)
    assert.doesNotMatch(sampleReport().notMeasured.join('\n'), /whole hours/)
  })

  it('names missed slots, dismissed failures and replays that it does not compare', () => {
    const evidence = sampleEvidence()
    const third = evidence.replays[1]
    assert.ok(third !== undefined)
    const report = sampleReport({
      replays: [...evidence.replays, third],
      missed: [{ from: '2026-11-09T08:00:00.000Z', to: '2026-11-16T08:00:00.000Z' }],
    })
    const said = report.notMeasured.join('\n')
    assert.match(
      said,
      /1 earlier window, from 2026-11-09 09:00 to 2026-11-16 09:00, fell due while the service was down/,
    )
    assert.match(said, /Only the first two replays are compared; not support-agent 1\.5\.0\./)
    assert.match(said, /1 failure of dismissed failure modes is not listed\./)
  })
})
