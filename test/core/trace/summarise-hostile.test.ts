import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Attributes, AttributeValue, Span } from '../../../src/core/trace/span.ts'
import { summarise } from '../../../src/core/trace/summarise.ts'
import { makeSpan } from '../../support/otlp-json.ts'

const KEYS = [
  'gen_ai.operation.name',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.tool.name',
  'gen_ai.tool.call.id',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.retrieval.documents',
  'gen_ai.response.finish_reasons',
  'gen_ai.response.id',
  'gen_ai.agent.name',
  'gen_ai.input.messages_ref',
  'openinference.span.kind',
  'input.value',
  'input.mime_type',
  'output.value',
  'llm.input_messages.0.message.role',
  'llm.input_messages.0.message.content',
  'llm.input_messages.99999999999.message.role',
  'llm.input_messages.__proto__.message.role',
  'llm.output_messages.3.message.tool_calls.1.tool_call.function.name',
  'llm.invocation_parameters',
  'retrieval.documents.7.document.score',
  'retrieval.documents.0.__proto__',
  'ai.operationId',
  'ai.prompt',
  'ai.prompt.messages',
  'ai.response.text',
  'ai.response.toolCalls',
  'ai.toolCall.result',
  'metadata',
  'llm.cost.total',
  'error.type',
  '__proto__',
  'constructor',
  'session.id',
  'input',
  'output',
]

const WORDS = [
  'chat',
  'invoke_agent',
  'execute_tool',
  'retrieval',
  'AGENT',
  'LLM',
  'TOOL',
  'RETRIEVER',
  'EVALUATOR',
  'ai.generateText',
  'ai.generateText.doGenerate',
  'application/json',
  '__REDACTED__',
  '',
  'NaN',
  '-1',
  '1e400',
]

const messageLike = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.constantFrom(
      'role',
      'parts',
      'content',
      'type',
      'text',
      'id',
      'name',
      'arguments',
      'response',
      'tool_calls',
      'function',
      'output',
      'value',
      'messages',
      'choices',
      'message',
      '__proto__',
      'constructor',
    ),
    fc.oneof(
      tie('value'),
      fc.constantFrom(
        'user',
        'assistant',
        'tool',
        'text',
        'tool_call',
        'tool_call_response',
        'tool-result',
        'error-text',
      ),
    ),
    { maxKeys: 5 },
  ),
})).value

const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.constantFrom(...WORDS),
  messageLike.map((v) => JSON.stringify(v) ?? ''),
  fc.tuple(messageLike, fc.nat(60)).map(([v, cut]) => (JSON.stringify(v) ?? '').slice(0, cut)),
  messageLike.map((v) => v as AttributeValue),
  fc.double(),
  fc.uint8Array({ maxLength: 4 }),
)

const attributes: fc.Arbitrary<Attributes> = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), value), { maxLength: 12 })
  .map((pairs) => Object.fromEntries(pairs))

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const nanos = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n }), fc.bigInt())
const span: fc.Arbitrary<Span> = fc
  .record({
    spanId: id,
    parentSpanId: fc.option(id),
    name: fc.constantFrom('', 'chat', 'invoke_agent x', '__proto__'),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    events: fc.array(
      fc.record({
        name: fc.constantFrom('exception', 'gen_ai.client.inference.operation.details'),
        timeUnixNano: nanos,
        attributes,
      }),
      { maxLength: 2 },
    ),
    status: fc.record({ code: fc.integer(), message: fc.string() }),
    resource: attributes,
  })
  .map(makeSpan)

function timed<T>(act: () => T): { readonly result: T; readonly tookMs: number } {
  const start = performance.now()
  const result = act()
  return { result, tookMs: performance.now() - start }
}

describe('summarise on hostile spans', () => {
  it('never throws, always serialises, and says complete exactly when the input was captured', () => {
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 6 }), (spans) => {
        const summary = summarise(spans)
        JSON.stringify(summary)
        assert.equal(summary.userInput !== null, ['captured', 'truncated'].includes(summary.capture.userInput))
        if (summary.completeness.length === 0) assert.equal(summary.capture.userInput, 'captured')
        assert.ok(summary.durationMs >= 0)
        assert.equal(Object.getPrototypeOf(summary), Object.prototype)
        assert.equal(({} as Record<string, unknown>).role, undefined)
      }),
      { numRuns: 1_500 },
    )
  })

  it('gives the same summary whatever the order of the spans', () => {
    fc.assert(
      fc.property(fc.uniqueArray(span, { minLength: 1, maxLength: 5, selector: (s) => s.spanId }), (given) => {
        const spans = given.map((s, index) => ({
          ...s,
          startTimeUnixNano: BigInt(index),
          endTimeUnixNano: BigInt(index + 1),
        }))
        assert.deepEqual(summarise(spans.toReversed()), summarise(spans))
      }),
      { numRuns: 300 },
    )
  })

  it('bounds nesting, so that what comes after can serialise it', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    for (const key of ['input.value', 'output.value', 'ai.toolCall.result', 'gen_ai.input.messages']) {
      const summary = summarise([
        makeSpan({
          attributes: {
            'openinference.span.kind': 'AGENT',
            'input.mime_type': 'application/json',
            'output.mime_type': 'application/json',
            [key]: deep,
          },
        }),
      ])
      assert.ok(JSON.stringify(summary).length < 10_000, key)
    }
  })

  it('stays under a second for ten thousand spans, a long chain of parents, a cycle, and five megabytes in one attribute', () => {
    const chain = Array.from({ length: 10_000 }, (_, n) =>
      makeSpan({
        spanId: `${n}`,
        parentSpanId: n === 0 ? null : `${n - 1}`,
        attributes: {
          'gen_ai.operation.name': n % 2 ? 'chat' : 'execute_tool',
          'gen_ai.usage.input_tokens': 1,
          'gen_ai.response.id': 'same',
        },
      }),
    )
    const cycle = chain.map((s, n) => ({ ...s, parentSpanId: `${(n + 1) % chain.length}` }))
    const large = makeSpan({
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.input.messages': JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: 'x'.repeat(5_000_000) }] },
        ]),
      },
    })
    const indices = makeSpan({
      attributes: Object.fromEntries(
        Array.from({ length: 20_000 }, (_, n) => [`llm.input_messages.${n * 7}.message.role`, 'user']),
      ),
    })
    for (const spans of [chain, cycle, [large], [indices]]) {
      const { tookMs } = timed(() => summarise(spans))
      assert.ok(tookMs < 1_000, `took ${tookMs} ms`)
    }
  })

  it('takes an empty trace for our own mistake', () => {
    assert.throws(() => summarise([]), /a trace has one span or more/)
  })
})
