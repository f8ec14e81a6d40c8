/**
 * Sampling rules as users write them. The first rule whose conditions all hold decides; the last one has none.
 *
 * The conditions have the names and meanings of the OpenTelemetry Collector's tail-sampling policies. What could not be
 * applied honestly is refused with the value and what was expected.
 */
import { z } from 'zod'
import { ConfigError } from '../errors.ts'

const RULES_MAX = 100
const CONDITIONS_MAX = 20
const VALUES_MAX = 1000
const TEXT_LENGTH_MAX = 1024
/** Below it nothing would ever be kept, and no weight would mean anything. */
const PERCENTAGE_MIN = 1e-6

const text = z.string().min(1).max(TEXT_LENGTH_MAX)
const values = z.array(z.string().max(TEXT_LENGTH_MAX)).min(1).max(VALUES_MAX)
const count = (expected: string) => z.int({ error: unexpected(expected) }).min(0, { error: unexpected(expected) })
const milliseconds = z
  .number({ error: unexpected('milliseconds, 0 or more') })
  .min(0, { error: unexpected('milliseconds, 0 or more') })

const latency = z
  .strictObject({ threshold_ms: milliseconds.default(0), upper_threshold_ms: milliseconds.optional() })
  .refine((v) => v.upper_threshold_ms === undefined || v.upper_threshold_ms > v.threshold_ms, {
    error: 'upper_threshold_ms is not above threshold_ms, expected a range that something can lie in',
  })

const stringAttribute = z
  .strictObject({
    key: text,
    values,
    enabled_regex_matching: z.boolean().default(false),
    invert_match: z.boolean().default(false),
  })
  .superRefine((condition, context) => {
    if (!condition.enabled_regex_matching) return
    for (const [index, value] of condition.values.entries()) {
      const problem = patternProblem(value)
      if (problem !== null) context.addIssue({ code: 'custom', path: ['values', index], message: problem })
    }
  })

const numericAttribute = z
  .strictObject({ key: text, min_value: z.number().optional(), max_value: z.number().optional() })
  .refine((v) => v.min_value !== undefined || v.max_value !== undefined, {
    error: 'neither min_value nor max_value is given, expected one or both',
  })
  .refine((v) => (v.min_value ?? -Infinity) <= (v.max_value ?? Infinity), {
    error: 'min_value is above max_value, expected a range that something can lie in',
  })

const spanCount = z
  .strictObject({
    min_spans: count('a whole number, 0 or more').default(0),
    max_spans: count('a whole number, 0 or more').optional(),
  })
  .refine((v) => v.max_spans === undefined || v.max_spans >= v.min_spans, {
    error: 'max_spans is below min_spans, expected a range that something can lie in',
  })

const conditions = {
  status_code: z.array(z.enum(['UNSET', 'OK', 'ERROR'])).min(1),
  latency,
  string_attribute: stringAttribute,
  numeric_attribute: numericAttribute,
  boolean_attribute: z.strictObject({ key: text, value: z.boolean() }),
  span_count: spanCount,
  trace_state: z.strictObject({ key: text, values }),
}

const conditionSchema = z
  .strictObject(conditions)
  .partial()
  .refine((v) => Object.values(v).filter((inner) => inner !== undefined).length === 1, {
    error: `expected exactly one of ${Object.keys(conditions).join(', ')}; write several conditions as several list entries`,
  })

const percentage = z
  .number({ error: unexpected('more than 0 and at most 100') })
  .min(PERCENTAGE_MIN, { error: unexpected('more than 0 and at most 100; to keep nothing use { type: drop }') })
  .max(100, { error: unexpected('more than 0 and at most 100') })

const samplerSchema = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('always') }),
    z.strictObject({ type: z.literal('probabilistic'), percentage }),
    z.strictObject({ type: z.literal('drop') }),
  ],
  { error: unexpected('type always, probabilistic or drop') },
)

const ruleSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._ -]{0,79}$/, {
    error: 'a rule name is 1 to 80 letters, digits, ".", "_", "-" or spaces',
  }),
  match: z.enum(['any_span', 'root']).default('any_span'),
  when: z.array(conditionSchema).min(1).max(CONDITIONS_MAX).optional(),
  sampler: samplerSchema,
})

export type Condition = z.output<typeof conditionSchema>
export type SamplerRule = z.output<typeof samplerSchema>
export type Rule = z.output<typeof ruleSchema>

/** The `rules` of the configuration. */
export const rulesSchema = z
  .array(ruleSchema)
  .min(1)
  .max(RULES_MAX)
  .superRefine((rules, context) => {
    const seen = new Set<string>()
    for (const [index, rule] of rules.entries()) {
      const issue = (key: string, message: string) => context.addIssue({ code: 'custom', path: [index, key], message })
      const isLast = index === rules.length - 1
      if (isLast && rule.when !== undefined) {
        issue(
          'when',
          `the last rule ${JSON.stringify(rule.name)} has conditions, expected none: it decides what no other rule did`,
        )
      }
      if (!isLast && rule.when === undefined) {
        issue(
          'name',
          `rule ${JSON.stringify(rule.name)} has no \`when\` and is not the last, expected conditions: the rules after it would never be reached`,
        )
      }
      if (seen.has(rule.name)) issue('name', `rule ${JSON.stringify(rule.name)} exists twice, expected distinct names`)
      seen.add(rule.name)
    }
  })

/** Rules from plain values. Throws ConfigError naming the rule, the value and what was expected. */
export function parseRules(value: unknown): readonly Rule[] {
  const parsed = rulesSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ConfigError(parsed.error.issues.map((issue) => `sampling ${describe(issue, value)}`).join('\n'))
}

function describe(issue: z.core.$ZodIssue, value: unknown): string {
  const [index, ...rest] = issue.path
  const unknownKeys = issue.code === 'unrecognized_keys' ? `unknown key ${issue.keys.join(', ')}` : null
  const message = unknownKeys ?? issue.message
  if (typeof index !== 'number') return `rules: ${message}`
  const rule: unknown = Array.isArray(value) ? value[index] : undefined
  const name = typeof rule === 'object' && rule !== null && 'name' in rule ? ` (${String(rule.name)})` : ''
  return `rule ${index + 1}${name}: ${rest.length === 0 ? '' : `${rest.join('.')}: `}${message}`
}

function unexpected(expected: string) {
  return (issue: { readonly input?: unknown }) =>
    `${JSON.stringify(issue.input) ?? 'nothing'} is not allowed, expected ${expected}`
}

/** Nested repetition takes exponential time on hostile text, and the text is hostile. */
function patternProblem(pattern: string): string | null {
  try {
    new RegExp(pattern)
  } catch {
    return `${JSON.stringify(pattern)} is not a regular expression`
  }
  const isNested = /\((?:[^()\\]|\\.)*(?:[+*]|\{\d+,\d*\})(?:[^()\\]|\\.)*\)(?:[+*]|\{\d+,\d*\})/.test(pattern)
  return isNested ? `${JSON.stringify(pattern)} repeats a repetition, expected a pattern that takes linear time` : null
}
