/**
 * The graders of the example against the truth: each seeded mistake should be found from the outside, in its category, and
 * no trial without mistake may fail. Trials go the way that replays go: redacted input, and the answer's JSON.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { before, describe, it } from 'node:test'
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { parse } from 'yaml'
import { type Answer, answerTurn } from '../../examples/support-agent/agent.ts'
import { conversations } from '../../examples/support-agent/conversations.ts'
import { CATEGORIES, VERSIONS, type Version } from '../../examples/support-agent/mistakes.ts'
import { type CompiledGrader, compileGraders } from '../../src/core/grading/judge.ts'
import { outcomeOf, type Verdict } from '../../src/core/grading/verdict.ts'
import { makeRedactor } from '../../src/core/trace/redaction/redactor.ts'

const FILE = path.join(import.meta.dirname, '../../examples/support-agent/graders.yaml')
const CONVERSATIONS = 100
const TRIALS = 4
/** Share of seeded mistakes that must be found. */
const FOUND_MIN = 0.95
/** Share of findings that must be of a category in which a mistake was really made. */
const RIGHT_MIN = 0.85

type Judged = { readonly message: string; readonly answer: Answer; readonly verdicts: readonly Verdict[] }

const redactor = makeRedactor()

type AskedCase = { readonly message: string; readonly graders: readonly CompiledGrader[] }

function casesOf(seed: string, n: number): readonly AskedCase[] {
  const graders = compileGraders(parse(readFileSync(FILE, 'utf8')).graders)
  const messages = conversations(seed, n).flatMap(({ turns }) => turns.map((turn) => redactor.text(turn.message)))
  return messages.map((message) => ({ message, graders: graders.filter((one) => one.applies(caseOf(message))) }))
}

function caseOf(message: string) {
  return { input: { system: null, userInput: message, messages: [] }, reference: null, observed: null }
}

function judgedTrials(seed: string, cases: readonly AskedCase[], version: Version): Promise<readonly Judged[]> {
  const trials = cases.flatMap((asked) => Array.from({ length: TRIALS }, (_, trial) => ({ ...asked, trial })))
  return Promise.all(
    trials.map(async ({ message, graders, trial }) => {
      const key = `${message}/${trial}`
      const turn = {
        message,
        version,
        key,
        conversation: 'c',
        user: null,
        parent: ROOT_CONTEXT,
        caller: 'replay' as const,
      }
      const answer = await answerTurn(turn, { seed, tracer: trace.getTracer('none'), wait: async () => {} })
      return { message, answer, verdicts: verdictsOn(graders, message, answer) }
    }),
  )
}

/** None where the agent failed as a whole: such a trial is errored, and no grader is asked. */
function verdictsOn(graders: readonly CompiledGrader[], message: string, answer: Answer): readonly Verdict[] {
  if (answer.failure !== null) return []
  const tools = answer.tools.map((tool) => ({ ...tool, args: tool.arguments }))
  const { output, costUsd } = answer
  const trial = { status: 'completed' as const, output: redactor.value(output), tools, latencyMs: 40, costUsd }
  return graders.map((grader) => grader.judge({ case: caseOf(message), trial }))
}

function failedCategories({ verdicts }: Judged): ReadonlySet<string> {
  return new Set(verdicts.filter(({ verdict }) => verdict === 'fail').map(({ category }) => category ?? ''))
}

describe('the graders of the example agent', () => {
  let judged: readonly Judged[]
  before(async () => {
    const all = ['demo', 'assay'].map((seed) => {
      const cases = casesOf(seed, CONVERSATIONS)
      return VERSIONS.map((version) => judgedTrials(seed, cases, version))
    })
    judged = (await Promise.all(all.flat())).flat()
  })

  it('fail no trial without mistake, and never do not know', () => {
    for (const { message, answer, verdicts } of judged) {
      assert.ok(verdicts.every(({ verdict }) => verdict !== 'unknown'))
      if (answer.mistakes.length > 0) continue
      const failing = verdicts.filter(({ verdict }) => verdict === 'fail')
      assert.deepEqual(failing, [], `${message}\n${answer.output}`)
    }
  })

  it('leave no completed trial without a required verdict', () => {
    const completed = judged.filter(({ answer }) => answer.failure === null)
    assert.ok(completed.every(({ verdicts }) => outcomeOf('completed', verdicts, false) !== 'ungraded'))
  })

  it(`find ${FOUND_MIN * 100} % of the seeded mistakes at least, in their category, in each category`, () => {
    for (const category of CATEGORIES) {
      const made = judged.filter(({ answer }) => answer.mistakes.some((m) => m.category === category))
      const found = made.filter((trial) => trial.answer.failure !== null || failedCategories(trial).has(category))
      assert.ok(made.length >= 15, `${category}: ${made.length} made`)
      const missed = made.find((trial) => !found.includes(trial))
      const shown = JSON.stringify({ message: missed?.message, output: missed?.answer.output })
      assert.ok(found.length >= FOUND_MIN * made.length, `${category}: ${found.length} of ${made.length}, not ${shown}`)
    }
  })

  it(`name a category in which a mistake was made in ${RIGHT_MIN * 100} % of their findings at least`, () => {
    // One mistake can have two faces: who escalates a question about warranty also misses the article about it.
    const findings = judged.flatMap((trial) => [...failedCategories(trial)].map((category) => ({ category, trial })))
    const right = findings.filter(({ category, trial }) => trial.answer.mistakes.some((m) => m.category === category))
    assert.ok(right.length >= RIGHT_MIN * findings.length, `${right.length} of ${findings.length}`)
  })
})
