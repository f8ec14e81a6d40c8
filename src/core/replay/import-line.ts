/**
 * Lines of JSON that bring in what was made elsewhere: trials of another harness, and cases written by people. Pure: a
 * line in, a value or an InputError out that names the line, the place, the value and what was expected.
 *
 * Unknown keys are refused: `latency_ms` misspelt would otherwise be a latency that nobody measured.
 */
import { z } from 'zod'
import { InputError } from '../errors.ts'
import { fingerprintOf, hashText } from './fingerprint.ts'
import { DEPTH_MAX, isNestedTooDeep } from './storable.ts'
import { TRIAL_STATUSES, type TrialStatus } from './trial.ts'

export const LINE_CHARACTERS_MAX = 1_000_000

/** An integer column of the database. */
const TRIAL_MAX = 2 ** 31 - 1
const VALUE_CHARACTERS_MAX = 60

const name = z.string().min(1).max(200)
const amount = z.number().min(0)

const trialLine = z.strictObject({
  case: name,
  trial: z.int().min(0).max(TRIAL_MAX),
  target: name,
  version: name,
  status: z.enum(TRIAL_STATUSES),
  verdict: z.enum(['pass', 'fail', 'unknown']).nullable(),
  error: z.string().nullish(),
  latencyMs: amount.nullish(),
  costUsd: amount.nullish(),
})

export type TrialLine = z.infer<typeof trialLine>

const caseLine = z.strictObject({
  id: name.optional(),
  input: z.union([z.string().min(1), z.record(z.string(), z.unknown())], 'expected a text or an object'),
  system: z.string().nullish(),
  reference: z.unknown().optional(),
})

export type ImportedCase = {
  readonly id: string
  readonly input: { readonly system: string | null; readonly userInput: unknown; readonly messages: readonly [] }
  readonly reference: unknown
  readonly fingerprint: string
}

/** `line` counts from 1. */
export function parseTrialLine(text: string, line: number): TrialLine {
  return parseLine(trialLine, text, line)
}

/** Without an id the case gets one that follows from the suite and the input. */
export function parseCaseLine(text: string, line: number, suite: string): ImportedCase {
  const { id, input: userInput, system, reference } = parseLine(caseLine, text, line)
  const input = { system: system ?? null, userInput, messages: [] } as const
  const fingerprint = fingerprintOf(input)
  return {
    id: id ?? `case_${hashText(`${suite}\n${fingerprint}`).slice(0, 26)}`,
    input,
    reference: reference ?? null,
    fingerprint,
  }
}

/** A stable word for an imported error, which came as text only. */
export function errorKindOf(status: TrialStatus): string {
  return status === 'timed_out' ? 'timeout' : status
}

function parseLine<T>(schema: z.ZodType<T>, text: string, line: number): T {
  const at = `line ${line}`
  if (text.length > LINE_CHARACTERS_MAX) {
    throw new InputError(
      'line_too_long',
      `${at}: ${text.length} characters, expected at most ${LINE_CHARACTERS_MAX}`,
      at,
    )
  }
  const value = parseJson(text, at)
  if (isNestedTooDeep(value)) {
    throw new InputError(
      'bad_line',
      `${at}: ${shown(text)} is nested too deep, expected at most ${DEPTH_MAX} levels`,
      at,
    )
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new InputError('bad_line', `${at}: ${issue === undefined ? 'not valid' : describe(issue, value)}`, at)
}

function parseJson(text: string, at: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InputError('bad_line', `${at}: ${shown(text)} is not JSON, expected one JSON object a line`, at)
  }
}

function describe(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'unrecognized_keys')
    return `unknown key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
  const key = issue.path[0]
  if (key === undefined) return `${shown(JSON.stringify(value))}: ${issue.message}`
  const given = typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined
  return given === undefined
    ? `${String(key)} is missing: ${issue.message}`
    : `${String(key)} ${shown(JSON.stringify(given))} is not allowed: ${issue.message}`
}

function shown(text: string): string {
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text
}
