/**
 * Rules made ready for the scanner and the sampler: the attribute keys to read, one bit per condition that is about
 * single spans, and the fingerprint under which the census counts.
 */
import { createHash } from 'node:crypto'
import { type AttributeFact, type WantedKeys, wantedKeys } from '../trace/otlp/scan-attribute.ts'
import type { ScannedSpan } from '../trace/otlp/scan-span.ts'
import type { Condition, Rule } from './rule.ts'
import { traceStateMembers } from './tracestate.ts'

const FINGERPRINT_DIGITS = 16
const STATUS_CODES = { UNSET: 0, OK: 1, ERROR: 2 } as const

/** Of a condition about spans: its bit in the facts. Conditions about whole traces have none. */
export type ReadyCondition = { readonly condition: Condition; readonly bit: bigint | null }
export type ReadyRule = { readonly rule: Rule; readonly conditions: readonly ReadyCondition[] }

export type Policy = {
  readonly fingerprint: string
  readonly salt: string
  readonly wanted: WantedKeys
  readonly rules: readonly ReadyRule[]
  /** The bits of all conditions that hold for this span. */
  bitsOf(span: ScannedSpan): bigint
}

type SpanTest = (span: ScannedSpan) => boolean

/** `salt` moves the draw of traces whose id is not known to be random: two installations differ by it. */
export function makePolicy(rules: readonly Rule[], salt: string): Policy {
  const wanted = wantedKeys(rules.flatMap((rule) => (rule.when ?? []).flatMap(keysOf)))
  const tests: { readonly bit: bigint; readonly holds: SpanTest }[] = []
  const ready = rules.map((rule) => ({
    rule,
    conditions: (rule.when ?? []).map((condition) => {
      const holds = spanTest(condition, wanted)
      if (holds === null) return { condition, bit: null }
      const bit = 1n << BigInt(tests.length)
      tests.push({ bit, holds })
      return { condition, bit }
    }),
  }))
  return {
    fingerprint: fingerprintOf(rules, salt),
    salt,
    wanted,
    rules: ready,
    bitsOf: (span) => tests.reduce((bits, { bit, holds }) => (holds(span) ? bits | bit : bits), 0n),
  }
}

function fingerprintOf(rules: readonly Rule[], salt: string): string {
  return createHash('sha256').update(canonical({ rules, salt })).digest('hex').slice(0, FINGERPRINT_DIGITS)
}

/** The order in which somebody wrote the keys is no other policy. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function keysOf(condition: Condition): readonly string[] {
  const named = condition.string_attribute ?? condition.numeric_attribute ?? condition.boolean_attribute
  return named === undefined ? [] : [named.key]
}

/** Null for conditions that are about the whole trace. */
function spanTest(condition: Condition, wanted: WantedKeys): SpanTest | null {
  if (condition.status_code !== undefined) {
    const codes = condition.status_code.map((name) => STATUS_CODES[name] as number)
    return (span) => codes.includes(span.statusCode)
  }
  if (condition.trace_state !== undefined) {
    const { key, values } = condition.trace_state
    return ({ traceState }) =>
      traceState !== '' && traceStateMembers(traceState).some(([k, value]) => k === key && values.includes(value))
  }
  const test = factTest(condition)
  return test === null ? null : attributeTest(wanted.keys.indexOf(keysOf(condition)[0] ?? ''), test)
}

type FactTest = (fact: AttributeFact) => boolean

/** As in the Collector, an attribute is looked for on the span and on its resource. */
function attributeTest(index: number, test: FactTest): SpanTest {
  return (span) => test(span.attributes[index]) || test(span.scope.resource.attributes[index])
}

function factTest(condition: Condition): FactTest | null {
  if (condition.string_attribute !== undefined) {
    const { values, enabled_regex_matching } = condition.string_attribute
    if (!enabled_regex_matching) return (fact) => typeof fact === 'string' && values.includes(fact)
    const patterns = values.map((value) => new RegExp(value))
    return (fact) => typeof fact === 'string' && patterns.some((pattern) => pattern.test(fact))
  }
  if (condition.numeric_attribute !== undefined) {
    const { min_value = -Infinity, max_value = Infinity } = condition.numeric_attribute
    return (fact) => typeof fact === 'number' && fact >= min_value && fact <= max_value
  }
  if (condition.boolean_attribute !== undefined) {
    const { value } = condition.boolean_attribute
    return (fact) => fact === value
  }
  return null
}
