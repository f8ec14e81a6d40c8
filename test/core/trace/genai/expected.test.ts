/**
 * What published SDKs really sent, against the values that ought to come out of it: every key of expected.json but
 * `scores` (evaluations travel apart from the trace) and `notes`. test/fixtures/genai holds what was recorded when each
 * package ran one scenario against a scripted model (two files are written from the specifications).
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { summarise } from '../../../../src/core/trace/summarise.ts'
import type { RetrievedDocument, ToolCall, TraceSummary } from '../../../../src/core/trace/summary.ts'
import { readTraces } from '../../../support/otlp-json.ts'

type Expected = Readonly<Record<string, unknown>>

const fixtures = new URL('../../../fixtures/genai/', import.meta.url)
const expected = JSON.parse(readFileSync(new URL('expected.json', fixtures), 'utf8')) as Record<string, Expected>

/** Keys that say something about the file and not about the summary. */
const NOT_COMPARED = new Set(['traces', 'cases', 'notes', 'scores'])

describe('summarise on recorded payloads', () => {
  for (const [file, values] of Object.entries(expected)) {
    it(`gives the expected values for ${file}`, () => {
      const traces = readTraces(new URL(file, fixtures)).filter((trace) => !isFeedback(trace[0]?.name))
      if (values.traces !== undefined) assert.equal(traces.length, values.traces)
      const summaries = traces.map((trace) => summarise(trace))
      const cases = values.cases as readonly Expected[] | undefined
      if (cases === undefined) compare(together(summaries), values)
      else for (const [index, each] of cases.entries()) compare(summaries[index] as TraceSummary, each)
    })
  }

  it('finds one tool error and no trace error where the agent recovered', () => {
    const [recovered] = readTraces(new URL('vercel-ai-5.0.277.error-and-stream.traces.json', fixtures)).map(summarise)
    assert.deepEqual([recovered?.toolErrors, recovered?.error, recovered?.finishReason], [1, null, 'stop'])
  })

  it('says that a failed call captured no output and lacks nothing for a replay', () => {
    const failed = readTraces(new URL('vercel-ai-5.0.277.error-and-stream.traces.json', fixtures)).map(summarise)[1]
    assert.equal(failed?.userInput, 'hello')
    assert.equal(failed?.capture.output, 'not_captured')
    assert.deepEqual(failed?.completeness, [])
  })

  it('keeps an image of the user and says that text alone does not replay it', () => {
    const [trace] = readTraces(new URL('semconv-genai-latest.json', fixtures))
    const summary = summarise(trace ?? [])
    assert.deepEqual(summary.messages[0]?.parts[1], {
      type: 'other',
      value: { type: 'uri', modality: 'image', mime_type: 'image/png', uri: 'https://example.com/a.png' },
    })
    assert.deepEqual(summary.completeness, ['user input holds a part that is not text (image)'])
  })
})

function isFeedback(name: string | undefined): boolean {
  return name === 'feedback'
}

function compare(summary: TraceSummary, values: Expected): void {
  const keys = Object.keys(values).filter((key) => !NOT_COMPARED.has(key))
  assert.ok(keys.length > 0)
  const actual = Object.fromEntries(
    keys.map((key) => [key, comparable(key, summary[key as keyof TraceSummary], values[key])]),
  )
  assert.deepEqual(actual, Object.fromEntries(keys.map((key) => [key, wanted(key, values[key])])))
}

/** Some expected words carry a remark in parentheses; documents name their source inside the metadata. */
function wanted(key: string, value: unknown): unknown {
  if (key === 'version' && typeof value === 'string') return value.split(' (')[0]
  if (key !== 'retrieved') return value
  return (value as readonly Record<string, unknown>[]).map(({ metadata, ...document }) => ({
    ...document,
    source: (metadata as { source?: string } | undefined)?.source ?? null,
  }))
}

/** Tool calls are compared on the keys that are expected of them. */
function comparable(key: string, value: unknown, other: unknown): unknown {
  if (key === 'retrieved') return (value as readonly RetrievedDocument[]).map((document) => ({ ...document }))
  if (key !== 'tools') return value
  const keys = (other as readonly object[]).map((tool) => Object.keys(tool))
  return (value as readonly ToolCall[]).map((tool, index) =>
    Object.fromEntries((keys[index] ?? []).map((name) => [name, tool[name as keyof ToolCall]])),
  )
}

/** Bare provider instrumentation makes a trace of every model call: the turn is what they say together. */
function together(summaries: readonly TraceSummary[]): TraceSummary {
  const last = summaries.at(-1) as TraceSummary
  const tools = new Map(summaries.flatMap((summary) => summary.tools.map((tool) => [tool.id, tool] as const)))
  const total = (key: 'input' | 'output') => summaries.reduce((sum, summary) => sum + (summary.usage?.[key] ?? 0), 0)
  return {
    ...last,
    tools: [...tools.values()],
    llmCalls: summaries.reduce((sum, summary) => sum + summary.llmCalls, 0),
    usage: last.usage && { ...last.usage, input: total('input'), output: total('output') },
  }
}
