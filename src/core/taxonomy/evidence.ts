/**
 * Evidence of a failure: of all that a trial or trace shows, the first thing that went wrong, in the fields that tell failures
 * apart. Two failures with the same fields have one fingerprint, and so one failure mode.
 *
 * A wrong trial is explained by the verdict nearest to the cause: a wrong tool comes before the wrong answer that follows
 * from it, and that before the time it took. Within one kind the order of the suite's graders decides.
 */
import type { GraderKind } from '../grading/grader.ts'
import type { Verdict } from '../grading/verdict.ts'
import { fingerprintOf } from '../replay/fingerprint.ts'
import type { ToolCall } from '../trace/summary.ts'
import { ENVIRONMENT_FAILURE, isEnvironmentFailure } from './environment.ts'
import type { Failure } from './failure.ts'
import { isComplaint } from './feedback.ts'
import { normaliseMessage } from './message.ts'

export type FailureEvidence = Pick<
  Failure,
  'grader' | 'errorKind' | 'tool' | 'message' | 'excerpt' | 'category' | 'fingerprint'
>

type Facts = Omit<FailureEvidence, 'fingerprint' | 'excerpt'> & { readonly said: string }

/** Changes with what a fingerprint is made of: those of another domain are not comparable. */
const DOMAIN = 'assay.failure/1'
const EXCERPT_CHARACTERS_MAX = 600
const OUTPUT_CHARACTERS_MAX = 300
const REASON_CHARACTERS_MAX = 60
const TOOL_CHARACTERS_MAX = 200

export type FailedTrial = {
  readonly outcome: 'wrong' | 'errored'
  readonly output: unknown
  readonly tools: readonly ToolCall[]
  readonly error: { readonly kind: string; readonly message: string } | null
  /** Failing verdicts of graders that decide, in the order of the suite, with the kind where it is known. */
  readonly failed: readonly (Verdict & { readonly kind: GraderKind | null })[]
}

export function trialEvidence(trial: FailedTrial): FailureEvidence {
  const verdict = firstFault(trial.failed)
  if (trial.outcome === 'wrong' && verdict !== undefined)
    return withFingerprint(verdictFacts(verdict, trial), trial.output)
  return withFingerprint(errorFacts(trial.error, trial.tools), trial.output)
}

export type FailedTrace = {
  readonly error: string | null
  readonly tools: readonly ToolCall[]
  readonly output: unknown
  /** All feedback on it, the oldest first. */
  readonly said: readonly Feedback[]
}

type Feedback = {
  readonly name: string
  readonly label: string | null
  readonly score: number | null
  readonly comment: string | null
}

/** An error comes first, then a tool that failed on the way, then what people said. Null when nothing speaks against it. */
export function traceEvidence({ error, tools, output, said }: FailedTrace): FailureEvidence | null {
  if (error !== null) return withFingerprint(errorFacts({ kind: 'trace_error', message: error }, tools), output)
  const complaints = said.filter(isComplaint)
  const [first] = complaints
  if (first === undefined) return null
  const words = complaints.map(({ label, comment }) => [label, comment].filter(Boolean).join(': ')).join('; ')
  const broken = brokenTool(tools)
  if (broken !== undefined) {
    const facts = errorFacts(null, [broken])
    return withFingerprint({ ...facts, errorKind: 'feedback', said: `${words}; ${facts.said}` }, output)
  }
  const facts = { grader: null, errorKind: 'feedback', tool: null, message: complaintTemplate(first), category: null }
  return withFingerprint({ ...facts, said: words }, output)
}

/** A reason that a form offers is short, and tells failures apart; a person's own words would make each its own. */
function complaintTemplate({ name, label, comment }: Feedback): string {
  const reason = comment === null || comment.length > REASON_CHARACTERS_MAX ? [] : [comment]
  return normaliseMessage([label ?? name, ...reason].join(': ').toLowerCase())
}

const CAUSES: readonly (readonly GraderKind[])[] = [
  ['forbidden-tool', 'tool-called', 'tool-not-called', 'tool-called-with'],
  ['exact', 'contains', 'regex', 'numeric', 'json-schema', 'completion'],
  ['latency', 'cost'],
]

function firstFault(failed: FailedTrial['failed']): FailedTrial['failed'][number] | undefined {
  const rank = ({ kind }: FailedTrial['failed'][number]) => {
    const at = kind === null ? 1 : CAUSES.findIndex((kinds) => kinds.includes(kind))
    return at < 0 ? 1 : at
  }
  return failed.toSorted((a, b) => rank(a) - rank(b))[0]
}

/** A grader without a category does not know why: where a tool was cut off by the environment, that is why. */
function verdictFacts(verdict: Verdict, trial: FailedTrial): Facts {
  const { grader, tool, category, explanation } = verdict
  const broken = category === null ? trial.tools.find(isCutOff) : undefined
  if (broken !== undefined) {
    return {
      ...errorFacts(null, [broken]),
      grader,
      errorKind: 'verdict',
      said: `${explanation}; ${broken.name}: ${broken.error}`,
    }
  }
  const said = explanation === '' ? (trial.error?.message ?? '') : explanation
  return {
    grader,
    errorKind: 'verdict',
    tool,
    message: normaliseMessage(said, { readBodies: explanation === '' }),
    category,
    said,
  }
}

/** The tool is named where the error is that of the tool's call. */
function errorFacts(error: FailedTrial['error'], tools: readonly ToolCall[]): Facts {
  const broken = brokenTool(tools)
  const isTools = broken !== undefined && (error === null || error.message.includes(broken.error ?? ''))
  const said = error?.message ?? broken?.error ?? ''
  const kind = error?.kind ?? (broken === undefined ? 'unexplained' : 'tool_error')
  return {
    grader: null,
    errorKind: kind,
    tool: isTools ? toolName(broken) : null,
    message: normaliseMessage(said),
    category: isEnvironmentFailure(kind, said) ? ENVIRONMENT_FAILURE : null,
    said,
  }
}

function brokenTool(tools: readonly ToolCall[]): ToolCall | undefined {
  return tools.find(({ error }) => error !== null && error !== '')
}

/** A target may call its tools anything. */
function toolName({ name }: ToolCall): string {
  return name.slice(0, TOOL_CHARACTERS_MAX).replaceAll(/\p{C}/gu, ' ').toWellFormed()
}

function isCutOff({ error }: ToolCall): boolean {
  return error !== null && isEnvironmentFailure(null, error)
}

function withFingerprint({ said, ...facts }: Facts, output: unknown): FailureEvidence {
  return { ...facts, excerpt: excerptOf(said, output), fingerprint: failureFingerprint(facts) }
}

/** Of what tells failures apart: which grader or kind of error, which tool, which category, which template. */
export function failureFingerprint(
  facts: Pick<FailureEvidence, 'grader' | 'errorKind' | 'tool' | 'category' | 'message'>,
): string {
  const { grader, errorKind, tool, category, message } = facts
  return fingerprintOf([DOMAIN, grader, errorKind, tool, category, message])
}

/** What was said and the beginning of the output, for people. */
function excerptOf(said: string, output: unknown): string {
  const text =
    output === null || output === undefined ? '' : typeof output === 'string' ? output : JSON.stringify(output)
  const answer = text === '' ? '' : `answered: ${beginning(text, OUTPUT_CHARACTERS_MAX)}`
  const room = EXCERPT_CHARACTERS_MAX - answer.length
  return [beginning(said, room), answer].filter((part) => part !== '').join('\n')
}

function beginning(text: string, charactersMax: number): string {
  const trimmed = text.slice(0, charactersMax + 1).trim()
  return trimmed.length <= charactersMax ? trimmed : `${trimmed.slice(0, charactersMax - 1).toWellFormed()}…`
}
