/**
 * Judges: a grader's definition compiled once, then asked about any number of trials. Pure, and it never throws: what a check
 * cannot handle is a verdict of unknown that says why, because an instrument that breaks has measured nothing.
 */
import { fingerprintOf } from '../replay/fingerprint.ts'
import { answerOf, parsedIfJson } from './answer.ts'
import { applies, type JudgedCase } from './applies.ts'
import { type Check, type Finding, fail, type GradingEvidence, pass, unknown } from './finding.ts'
import { type Grader, type GraderOf, graderSchema } from './grader.ts'
import { compileSchema } from './json-schema.ts'
import { numericCheck } from './numeric-check.ts'
import { containsCheck, exactCheck, regexCheck } from './text-checks.ts'
import { forbiddenToolCheck, toolCalledCheck, toolCalledWithCheck, toolNotCalledCheck } from './tool-checks.ts'
import type { Verdict } from './verdict.ts'

export type CompiledGrader = {
  readonly name: string
  readonly required: boolean
  /** Null for a stored definition that this version cannot read. */
  readonly kind: Grader['kind'] | null
  /** Of the definition: verdicts of graders with the same fingerprint are comparable. */
  readonly fingerprint: string
  applies(aCase: JudgedCase): boolean
  judge(evidence: GradingEvidence): Verdict
}

/** JSON text that a schema is tried on: what is longer is unknown, since some keywords compare all with all. */
const SCHEMA_TEXT_MAX = 200_000

/**
 * In their order, each name once: a suite that names a grader twice means it once. Takes definitions as they are in a
 * configuration or stored with a replay, and never throws.
 */
export function compileGraders(definitions: readonly unknown[]): readonly CompiledGrader[] {
  const compiled = definitions.map(compileGrader)
  return compiled.filter(({ name }, index) => compiled.findIndex((other) => other.name === name) === index)
}

function compileGrader(definition: unknown, index: number): CompiledGrader {
  const parsed = graderSchema.safeParse(definition)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return unreadable(definition, index, `${issue?.path.join('.') || 'definition'}: ${issue?.message}`)
  }
  const grader = parsed.data
  const check = checkOf(grader)
  return {
    name: grader.name,
    required: grader.required,
    kind: grader.kind,
    fingerprint: graderFingerprint(grader),
    applies: (aCase) => applies(grader, aCase),
    judge: (evidence) => verdictOf(grader, findingOf(check, evidence)),
  }
}

/** The same for definitions that mean the same, whatever the order of their keys and which defaults are written out. */
export function graderFingerprint(grader: Grader): string {
  return fingerprintOf({ domain: 'assay.grader/1', ...grader })
}

/** One definition, one trial. Compiles each time: for many trials compile once. */
export function judge(grader: Grader, evidence: GradingEvidence): Verdict {
  return compileGrader(grader, 0).judge(evidence)
}

/** A definition that another version stored: it judges everything, as unknown. Never a silent pass. */
function unreadable(definition: unknown, index: number, why: string): CompiledGrader {
  const given = typeof definition === 'object' && definition !== null && 'name' in definition ? definition.name : null
  const name = typeof given === 'string' && given !== '' ? given : `grader ${index + 1}`
  const finding = unknown(`the stored definition cannot be read: ${why}`)
  return {
    name,
    required: true,
    kind: null,
    fingerprint: fingerprintOf({ domain: 'assay.grader/1', unreadable: definition }),
    applies: () => true,
    judge: () => verdictOf({ name, category: undefined }, finding),
  }
}

function findingOf(check: Check, evidence: GradingEvidence): Finding {
  try {
    return check(evidence)
  } catch (error) {
    return unknown(`the grader broke: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function verdictOf({ name, category }: Pick<Grader, 'name' | 'category'>, finding: Finding): Verdict {
  const { verdict, explanation, tool } = finding
  return {
    grader: name,
    verdict,
    score: null,
    explanation,
    category: verdict === 'fail' ? (category ?? finding.category ?? null) : null,
    tool: tool ?? null,
  }
}

function checkOf(grader: Grader): Check {
  switch (grader.kind) {
    case 'exact':
      return exactCheck(grader)
    case 'contains':
      return containsCheck(grader)
    case 'regex':
      return regexCheck(grader)
    case 'numeric':
      return numericCheck(grader)
    case 'json-schema':
      return jsonSchemaCheck(grader)
    case 'tool-called':
      return toolCalledCheck(grader)
    case 'tool-not-called':
      return toolNotCalledCheck(grader)
    case 'tool-called-with':
      return toolCalledWithCheck(grader)
    case 'forbidden-tool':
      return forbiddenToolCheck(grader)
    case 'latency':
      return latencyCheck(grader)
    case 'cost':
      return costCheck(grader)
    case 'completion':
      return completionCheck
  }
}

function jsonSchemaCheck(grader: GraderOf<'json-schema'>): Check {
  const check = compileSchema(grader.schema)
  return (evidence) => {
    const got = answerOf(evidence, grader.path)
    if ('finding' in got) return got.finding
    const characters = (JSON.stringify(got.value) ?? '').length
    if (characters > SCHEMA_TEXT_MAX) {
      return unknown(`the answer is ${characters} characters of JSON; schemas are tried on at most ${SCHEMA_TEXT_MAX}`)
    }
    const problem = check(parsedIfJson(got.value))
    return problem === null
      ? pass('the answer is as the schema asks')
      : fail(`expected an answer as the schema asks, got one in which ${problem}`)
  }
}

function latencyCheck({ maxMs }: GraderOf<'latency'>): Check {
  return ({ trial: { latencyMs } }) => {
    if (latencyMs === null) return unknown('the latency of the trial is not known')
    const words = `${Number(latencyMs.toFixed(3))} ms`
    return latencyMs <= maxMs ? pass(`answered in ${words}`) : fail(`expected at most ${maxMs} ms, got ${words}`)
  }
}

function costCheck({ maxUsd }: GraderOf<'cost'>): Check {
  return ({ trial: { costUsd } }) => {
    if (costUsd === null) return unknown('the target did not say what the trial cost')
    return costUsd <= maxUsd ? pass(`cost ${costUsd} US$`) : fail(`expected at most ${maxUsd} US$, got ${costUsd} US$`)
  }
}

const completionCheck: Check = ({ trial: { status } }) =>
  status === 'completed' ? pass('the trial completed') : fail(`expected the trial to complete, got ${status}`)
