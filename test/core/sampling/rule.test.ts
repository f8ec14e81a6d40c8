import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConfigError } from '../../../src/core/errors.ts'
import { makePolicy } from '../../../src/core/sampling/policy.ts'
import { parseRules } from '../../../src/core/sampling/rule.ts'

const REST = { name: 'rest', sampler: { type: 'always' } }
const refusal = (...rules: unknown[]) => {
  try {
    parseRules(rules)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
  return assert.fail('was not refused')
}
const withCondition = (condition: unknown) =>
  refusal({ name: 'x', when: [condition], sampler: { type: 'always' } }, REST)

describe('sampling rules', () => {
  it('take every condition and sampler', () => {
    const rules = parseRules([
      { name: 'errors', when: [{ status_code: ['ERROR'] }], sampler: { type: 'always' } },
      {
        name: 'slow',
        match: 'root',
        when: [{ latency: { threshold_ms: 60000 } }],
        sampler: { type: 'probabilistic', percentage: 50 },
      },
      {
        name: 'all kinds',
        when: [
          {
            string_attribute: {
              key: 'http.route',
              values: ['^/health'],
              enabled_regex_matching: true,
              invert_match: true,
            },
          },
          { numeric_attribute: { key: 'tokens', min_value: 5 } },
          { boolean_attribute: { key: 'cached', value: true } },
          { span_count: { min_spans: 2, max_spans: 9 } },
          { trace_state: { key: 'vendor', values: ['a'] } },
        ],
        sampler: { type: 'drop' },
      },
      { name: 'rest', sampler: { type: 'probabilistic', percentage: 5 } },
    ])
    assert.deepEqual(
      rules.map((rule) => rule.match),
      ['any_span', 'root', 'any_span', 'any_span'],
    )
    assert.deepEqual(makePolicy(rules, 's').wanted.keys, ['http.route', 'tokens', 'cached'])
  })

  it('are refused by name, with the value and what was expected', () => {
    const probabilistic = (percentage: unknown) =>
      refusal({ name: 'rest', sampler: { type: 'probabilistic', percentage } })
    assert.equal(
      probabilistic(0),
      'sampling rule 1 (rest): sampler.percentage: 0 is not allowed, expected more than 0 and at most 100; to keep nothing use { type: drop }',
    )
    assert.match(probabilistic(101), /101 is not allowed, expected more than 0 and at most 100/)
    assert.match(probabilistic('5'), /"5" is not allowed, expected more than 0 and at most 100/)
    assert.match(
      refusal({ name: 'rest', sampler: { type: 'budget', traces: 5 } }),
      /expected type always, probabilistic or drop/,
    )
    assert.match(
      refusal({ name: 'rest', sampler: { type: 'always' }, stratify: [] }),
      /rule 1 \(rest\): unknown key stratify/,
    )
    assert.match(
      withCondition({ latency: { threshold_ms: -1 } }),
      /rule 1 \(x\): when.0.latency.threshold_ms: -1 is not allowed, expected milliseconds/,
    )
    assert.match(withCondition({ span_count: { min_spans: 1.5 } }), /1.5 is not allowed, expected a whole number/)
    assert.match(withCondition({ span_count: { min_spans: 5, max_spans: 2 } }), /max_spans is below min_spans/)
    assert.match(withCondition({ numeric_attribute: { key: 'n' } }), /neither min_value nor max_value is given/)
    assert.match(
      withCondition({ string_attribute: { key: 'k', values: ['('], enabled_regex_matching: true } }),
      /"\(" is not a regular expression/,
    )
    assert.match(
      withCondition({ string_attribute: { key: 'k', values: ['(a+)+$'], enabled_regex_matching: true } }),
      /repeats a repetition/,
    )
    assert.match(
      withCondition({ status_code: ['ERROR'], latency: { threshold_ms: 5 } }),
      /expected exactly one of status_code, latency/,
    )
    assert.match(withCondition({ rate_limiting: {} }), /unknown key rate_limiting/)
  })

  it('must end with the only one that has no conditions', () => {
    const conditional = { name: 'last', when: [{ status_code: ['OK'] }], sampler: { type: 'always' } }
    assert.match(refusal(conditional), /rule 1 \(last\): when: the last rule "last" has conditions, expected none/)
    assert.match(
      refusal(REST, { ...REST, name: 'other' }),
      /rule 1 \(rest\): name: rule "rest" has no `when` and is not the last/,
    )
    assert.match(refusal({ ...conditional, name: 'rest' }, REST), /exists twice, expected distinct names/)
    assert.match(refusal(), /rules:/)
  })

  it('have a fingerprint that knows the rules and the salt, and not the order of keys', () => {
    const print = (rule: unknown, salt = 's') => makePolicy(parseRules([rule]), salt).fingerprint
    assert.match(print(REST), /^[0-9a-f]{16}$/)
    assert.equal(print(REST), print({ sampler: { type: 'always' }, name: 'rest' }))
    assert.notEqual(print(REST), print({ ...REST, name: 'all' }))
    assert.notEqual(print(REST), print(REST, 'other'))
  })
})
