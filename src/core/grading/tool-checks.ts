/**
 * Checks of the tools that a trial called: that it did, did not, how often, and with which arguments.
 *
 * A target that does not report its tool calls looks like one that calls none: docs/targets.md asks for them.
 */
import type { ToolCall } from '../trace/summary.ts'
import { parsedIfJson, textOf } from './answer.ts'
import { type Check, type Finding, fail, type JudgedTrial, pass, shown } from './finding.ts'
import type { GraderOf } from './grader.ts'
import { compileSchema } from './json-schema.ts'
import { compilePattern, PATTERN_TEXT_MAX } from './pattern.ts'

const NAMED_TOOLS_MAX = 8

const WRONG_TOOL = 'wrong tool'
const BAD_ARGUMENTS = 'bad arguments'
const POLICY_VIOLATION = 'policy violation'

export function toolCalledCheck({ tool, times: { min, max } }: GraderOf<'tool-called'>): Check {
  const wanted = max === undefined ? `at least ${min}` : min === max ? `exactly ${min}` : `${min} to ${max}`
  return ({ trial }) => {
    const count = callsOf(trial, tool).length
    if (count >= min && count <= (max ?? count)) return pass(`${tool} was called ${timesWord(count)}`)
    const got = count === 0 ? `no call of it; called ${toolList(trial)}` : timesWord(count)
    return about(tool, WRONG_TOOL, `expected a call of ${tool}, ${wanted} times, got ${got}`)
  }
}

export function toolNotCalledCheck({ tool }: GraderOf<'tool-not-called'>): Check {
  return ({ trial }) => {
    const calls = callsOf(trial, tool)
    if (calls.length === 0) return pass(`${tool} was not called`)
    return about(
      tool,
      WRONG_TOOL,
      `expected no call of ${tool}, got ${timesWord(calls.length)}, first with ${shown(calls[0]?.args)}`,
    )
  }
}

export function forbiddenToolCheck({ tools }: GraderOf<'forbidden-tool'>): Check {
  return ({ trial }) => {
    const call = trial.tools.find(({ name }) => tools.includes(name))
    if (call === undefined) return pass('no forbidden tool was called')
    return about(
      call.name,
      POLICY_VIOLATION,
      `expected no call of ${call.name}, which is forbidden, got one with ${shown(call.args)}`,
    )
  }
}

/** One call that has it all passes; where none does, the explanation is about the last of those that came closest. */
export function toolCalledWithCheck(grader: GraderOf<'tool-called-with'>): Check {
  const rules: readonly ArgumentRule[] = [
    ...Object.entries(grader.arguments ?? {}).map(([name, value]) => equalsRule(name, value)),
    ...Object.entries(grader.argumentRules ?? {}).map(([name, rule]) => compileRule(name, rule)),
  ]
  const { tool } = grader
  return ({ trial }) => {
    const calls = callsOf(trial, tool)
    if (calls.length === 0) {
      return about(tool, WRONG_TOOL, `expected a call of ${tool}, got no call of it; called ${toolList(trial)}`)
    }
    const problems = calls.map((call) => problemsOf(call, rules))
    const best = problems.reduce((least, one) => (one.length <= least.length ? one : least))
    if (best.length === 0) return pass(`${tool} was called with what is expected`)
    return about(tool, BAD_ARGUMENTS, `in the call of ${tool}: ${best.join('; ')}`)
  }
}

/** What is wrong with an argument, in words; null when it is as expected. */
type ArgumentRule = { readonly name: string; problem(value: unknown): string | null }

type RuleDefinition = NonNullable<GraderOf<'tool-called-with'>['argumentRules']>[string]

function compileRule(name: string, rule: RuleDefinition): ArgumentRule {
  if (rule.regex !== undefined) {
    const pattern = compilePattern(rule.regex, { caseSensitive: true })
    const words = `expected ${name} to match ${shown(rule.regex)}`
    return {
      name,
      problem(value) {
        const text = value === undefined ? '' : textOf(value)
        const isMatch = value !== undefined && text.length <= PATTERN_TEXT_MAX && pattern.found(text)
        return isMatch ? null : `${words}, got ${shown(value)}`
      },
    }
  }
  if (rule.schema !== undefined) {
    const check = compileSchema(rule.schema)
    return {
      name,
      problem(value) {
        const wrong = value === undefined ? 'it is missing' : check(value)
        return wrong === null ? null : `expected ${name} to match its schema, got ${shown(value)}: ${wrong}`
      },
    }
  }
  return equalsRule(name, rule.equals)
}

function equalsRule(name: string, expected: unknown): ArgumentRule {
  return {
    name,
    problem: (value) =>
      isPartOf(expected, value) ? null : `expected ${name} to be ${shown(expected)}, got ${shown(value)}`,
  }
}

function problemsOf(call: ToolCall, rules: readonly ArgumentRule[]): readonly string[] {
  const args = parsedIfJson(call.args)
  const given = typeof args === 'object' && args !== null ? (args as Readonly<Record<string, unknown>>) : {}
  return rules.flatMap((rule) => {
    const problem = rule.problem(Object.hasOwn(given, rule.name) ? given[rule.name] : undefined)
    return problem === null ? [] : [problem]
  })
}

/** Objects may say more than is expected; lists and plain values are the same. */
function isPartOf(expected: unknown, got: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return expected === got
  if (Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) return false
    return expected.every((element, index) => isPartOf(element, got[index]))
  }
  if (typeof got !== 'object' || got === null || Array.isArray(got)) return false
  return Object.entries(expected).every(
    ([key, value]) => Object.hasOwn(got, key) && isPartOf(value, (got as Readonly<Record<string, unknown>>)[key]),
  )
}

function callsOf(trial: Pick<JudgedTrial, 'tools'>, tool: string): readonly ToolCall[] {
  return trial.tools.filter(({ name }) => name === tool)
}

function toolList({ tools }: Pick<JudgedTrial, 'tools'>): string {
  const names = [...new Set(tools.map(({ name }) => name))]
  if (names.length === 0) return 'no tool'
  const more = names.length > NAMED_TOOLS_MAX ? ` and ${names.length - NAMED_TOOLS_MAX} more` : ''
  return names.slice(0, NAMED_TOOLS_MAX).map(shown).join(', ') + more
}

function timesWord(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function about(tool: string, category: string, explanation: string): Finding {
  return { ...fail(explanation), tool, category }
}
