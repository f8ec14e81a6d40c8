/**
 * The definition of a grader, as it stands in the configuration and, frozen, in each replay that it judged. docs/graders.md
 * explains every key to those who write them.
 *
 * Unknown keys are refused. What cannot be judged (a schema that does not compile, a pattern that cannot be matched in
 * linear time) is refused here, when it is read, and not at the first trial.
 */
import { z } from 'zod'
import { schemaProblem } from './json-schema.ts'
import { patternProblem } from './pattern.ts'

const TEXT_CHARACTERS_MAX = 10_000
const LIST_MAX = 100
const COUNT_MAX = 10_000

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._ -]{0,79}$/, 'a name is 1 to 80 letters, digits, ".", "_", "-" or spaces')
const toolName = z.string().min(1).max(256)
const category = z.string().trim().min(1).max(120)
const text = z.string().min(1).max(TEXT_CHARACTERS_MAX)

const pattern = z.string().superRefine((source, context) => {
  const problem = patternProblem(source)
  if (problem !== null) context.addIssue({ code: 'custom', message: `pattern ${JSON.stringify(source)} ${problem}` })
})

const schema = z.union([z.boolean(), z.record(z.string(), z.json())]).superRefine((value, context) => {
  const problem = schemaProblem(value)
  if (problem !== null) context.addIssue({ code: 'custom', message: `the JSON Schema cannot be used: ${problem}` })
})

/** `answer.total` or `lines.0.amount`: keys and positions, from the output down. */
const path = z
  .string()
  .max(500)
  .regex(/^[^.]+(\.[^.]+)*$/, 'a path is keys with dots between them, e.g. answer.total')

/** Which cases a grader judges: all, without it. */
const when = z
  .strictObject({
    /** Found in the case's user input. */
    userInput: pattern.optional(),
    /** Called in production, in the trace that the case came from. */
    tool: toolName.optional(),
  })
  .refine((given) => given.userInput !== undefined || given.tool !== undefined, 'expected userInput or tool')

const base = {
  name,
  /** Of the failures it finds; each kind has a default where one is sensible. */
  category: category.optional(),
  /** Whether its verdict decides the outcome. */
  required: z.boolean().default(true),
  when: when.optional(),
}

const reference = z.literal(true).optional()
const caseSensitive = z.boolean().default(true)
const normalizeWhitespace = z.boolean().default(true)

type Expecting = { readonly reference?: true | undefined; readonly [key: string]: unknown }

/** Exactly one of the keys says what is expected. */
function oneOf(...keys: readonly string[]) {
  return (given: Expecting, context: z.RefinementCtx) => {
    const present = keys.filter((key) => given[key] !== undefined)
    if (present.length === 1) return
    const got = present.length === 0 ? 'none of them' : present.join(' and ')
    context.addIssue({ code: 'custom', message: `expected exactly one of ${keys.join(', ')}, got ${got}` })
  }
}

const exact = z
  .strictObject({
    ...base,
    kind: z.literal('exact'),
    value: z.json().optional(),
    /** Any of them will do. */
    values: z.array(z.json()).min(1).max(LIST_MAX).optional(),
    reference,
    caseSensitive,
    normalizeWhitespace,
    path: path.optional(),
  })
  .superRefine(oneOf('value', 'values', 'reference'))

const contains = z
  .strictObject({
    ...base,
    kind: z.literal('contains'),
    value: text.optional(),
    values: z.array(text).min(1).max(LIST_MAX).optional(),
    reference,
    /** Of several values: all must be there, or any. */
    match: z.enum(['all', 'any']).default('all'),
    /** Turns it around: none of them may be there. */
    absent: z.boolean().default(false),
    caseSensitive,
    normalizeWhitespace,
    path: path.optional(),
  })
  .superRefine(oneOf('value', 'values', 'reference'))

const regex = z
  .strictObject({
    ...base,
    kind: z.literal('regex'),
    pattern: pattern.optional(),
    /** The case's reference is the pattern. */
    reference,
    absent: z.boolean().default(false),
    caseSensitive,
    path: path.optional(),
  })
  .superRefine(oneOf('pattern', 'reference'))

const numeric = z
  .strictObject({
    ...base,
    kind: z.literal('numeric'),
    value: z.number().optional(),
    reference,
    /** Passes within the larger of the two; relative to the expected number. */
    tolerance: z
      .strictObject({ absolute: z.number().min(0).optional(), relative: z.number().min(0).max(1).optional() })
      .default({}),
    /** Which number of the text counts. Answers state theirs at the end. */
    take: z.enum(['last', 'first', 'any']).default('last'),
    path: path.optional(),
  })
  .superRefine(oneOf('value', 'reference'))

const jsonSchema = z.strictObject({ ...base, kind: z.literal('json-schema'), schema, path: path.optional() })

const times = z
  .strictObject({ min: z.int().min(0).max(COUNT_MAX).default(1), max: z.int().min(0).max(COUNT_MAX).optional() })
  .refine(({ min, max }) => max === undefined || min <= max, 'min is above max')

const toolCalled = z.strictObject({
  ...base,
  kind: z.literal('tool-called'),
  tool: toolName,
  times: times.default({ min: 1 }),
})
const toolNotCalled = z.strictObject({ ...base, kind: z.literal('tool-not-called'), tool: toolName })

const argumentRule = z
  .strictObject({ equals: z.json().optional(), regex: pattern.optional(), schema: schema.optional() })
  .superRefine(oneOf('equals', 'regex', 'schema'))

const toolCalledWith = z
  .strictObject({
    ...base,
    kind: z.literal('tool-called-with'),
    tool: toolName,
    /** Part of the call's arguments: what is named must be so, what is not named may be anything. */
    arguments: z.record(z.string(), z.json()).optional(),
    /** A rule for each argument, by name. */
    argumentRules: z.record(z.string(), argumentRule).optional(),
  })
  .refine(
    (given) => given.arguments !== undefined || given.argumentRules !== undefined,
    'expected arguments or argumentRules',
  )

const forbiddenTool = z.strictObject({
  ...base,
  kind: z.literal('forbidden-tool'),
  tools: z.array(toolName).min(1).max(LIST_MAX),
})
const latency = z.strictObject({ ...base, kind: z.literal('latency'), maxMs: z.number().positive() })
const cost = z.strictObject({ ...base, kind: z.literal('cost'), maxUsd: z.number().min(0) })
const completion = z.strictObject({ ...base, kind: z.literal('completion') })

export const graderSchema = z.discriminatedUnion('kind', [
  exact,
  contains,
  regex,
  numeric,
  jsonSchema,
  toolCalled,
  toolNotCalled,
  toolCalledWith,
  forbiddenTool,
  latency,
  cost,
  completion,
])

export type Grader = z.output<typeof graderSchema>
export type GraderKind = Grader['kind']
export type GraderOf<K extends GraderKind> = Extract<Grader, { kind: K }>
