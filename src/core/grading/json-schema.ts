/**
 * JSON Schema (2020-12) as graders use it: compiled once, refusing what could hang on hostile output. Patterns run in linear
 * time (pattern.ts) and formats look at short strings only.
 *
 * Strict about keywords: a misspelt one would pass everything, unseen.
 */
import { Ajv2020, type ErrorObject, type Format } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import { compilePattern, PATTERN_TEXT_MAX } from './pattern.ts'

/** What is wrong with the value, where, in words; null when it is as the schema asks. */
export type SchemaCheck = (value: unknown) => string | null

const SCHEMA_CHARACTERS_MAX = 200_000
/** No date, address or URI of use is longer, and some formats' expressions are not linear. */
const FORMAT_CHARACTERS_MAX = 2000

/** What is wrong with the schema, in words; null when it compiles. */
export function schemaProblem(schema: unknown): string | null {
  try {
    compileSchema(schema)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Throws Error when the schema is not one. The check may throw too, on values it cannot walk. */
export function compileSchema(schema: unknown): SchemaCheck {
  const characters = JSON.stringify(schema).length
  if (characters > SCHEMA_CHARACTERS_MAX) {
    throw new Error(`it is ${characters} characters long, expected at most ${SCHEMA_CHARACTERS_MAX}`)
  }
  // A value of its own for each: two schemas may carry the same $id.
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    logger: false,
    code: { regExp: linearRegExp },
  })
  addFormats(ajv)
  const validate = ajv.compile(schema as object)
  return (value) => (validate(value) ? null : firstProblem(validate.errors?.[0]))
}

/** Ajv tells expressions apart by `toString`. */
function linearRegExp(source: string): { test(text: string): boolean; toString(): string } {
  const pattern = compilePattern(source, { caseSensitive: true })
  return { test: (text) => text.length <= PATTERN_TEXT_MAX && pattern.found(text), toString: () => source }
}
/** Only read by ajv when it writes stand-alone code, which we never ask for. */
linearRegExp.code = 'linearRegExp'

function addFormats(ajv: Ajv2020): void {
  formatsPlugin.default(ajv)
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (format !== undefined) ajv.addFormat(name, shortOnly(format))
  }
}

function shortOnly(format: Format): Format {
  const test = typeof format === 'object' && 'validate' in format ? format.validate : format
  if (typeof format === 'object' && 'type' in format && format.type === 'number') return format
  if (test instanceof RegExp) return (text: string) => text.length <= FORMAT_CHARACTERS_MAX && test.test(text)
  if (typeof test === 'function') {
    const validate = test as (text: string) => boolean
    return (text: string) => text.length <= FORMAT_CHARACTERS_MAX && validate(text)
  }
  return format
}

function firstProblem(error: ErrorObject | undefined): string {
  if (error === undefined) return 'it does not match'
  const at = error.instancePath === '' ? 'the value' : error.instancePath.slice(1).replaceAll('/', '.')
  const named = error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties'
  const extra = named ? ` (${String(Object.values(error.params)[0])})` : ''
  const allowed = error.keyword === 'enum' ? ` (${JSON.stringify(error.params.allowedValues)})` : ''
  return `${at} ${error.message ?? 'does not match'}${extra}${allowed}`
}
