import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Attributes, Span } from '../../../src/core/trace/span.ts'
import { summarise } from '../../../src/core/trace/summarise.ts'
import { makeSpan } from '../../support/otlp-json.ts'

const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] })
const json = (value: unknown) => JSON.stringify(value)

function agent(attributes: Attributes, more: Partial<Span> = {}): Span {
  return makeSpan({
    spanId: 'root',
    name: 'invoke_agent support',
    attributes: { 'gen_ai.operation.name': 'invoke_agent', ...attributes },
    ...more,
  })
}

/** A model call below the root, `order` milliseconds after it began. */
function call(order: number, attributes: Attributes, more: Partial<Span> = {}): Span {
  const start = 1_796_000_000_000_000_000n + BigInt(order) * 1_000_000n
  return makeSpan({
    spanId: `call-${order}`,
    parentSpanId: 'root',
    name: 'chat m',
    startTimeUnixNano: start,
    endTimeUnixNano: start + 500_000n,
    attributes: { 'gen_ai.operation.name': 'chat', ...attributes },
    ...more,
  })
}

const asked = { 'gen_ai.input.messages': json([text('user', 'Where is my order?')]) }

describe('summarise: input', () => {
  it('takes the last user text and not the tool result that travels in role user', () => {
    const messages = [
      text('user', 'Hello'),
      text('assistant', 'Hi'),
      text('user', 'Weather?'),
      { role: 'assistant', parts: [{ type: 'tool_call', id: '1', name: 'weather', arguments: '{"city":"Paris"}' }] },
      { role: 'user', parts: [{ type: 'tool_call_response', id: '1', result: 'rain' }] },
    ]
    const summary = summarise([
      makeSpan({ attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': json(messages) } }),
    ])
    assert.equal(summary.userInput, 'Weather?')
    assert.equal(summary.messages.at(-1)?.role, 'tool')
    assert.deepEqual(summary.tools, [
      { name: 'weather', id: '1', args: { city: 'Paris' }, result: 'rain', error: null },
    ])
  })

  it('leaves tool calls of earlier turns to their own traces', () => {
    const history = [
      text('user', 'One'),
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'old', name: 'f', arguments: {} }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'old', response: 1 }] },
      text('assistant', 'Done'),
      text('user', 'Two'),
    ]
    const summary = summarise([agent({}), call(1, { 'gen_ai.input.messages': json(history) })])
    assert.equal(summary.userInput, 'Two')
    assert.deepEqual(summary.tools, [])
  })

  it('keeps the object that a root recorded', () => {
    const root = makeSpan({
      attributes: {
        'openinference.span.kind': 'CHAIN',
        'input.value': '{"question":"Why?","tenant":7}',
        'input.mime_type': 'application/json',
      },
    })
    assert.deepEqual(summarise([root]).userInput, { question: 'Why?', tenant: 7 })
  })

  it('does not turn what a user typed into a number', () => {
    const root = makeSpan({ attributes: { 'openinference.span.kind': 'AGENT', 'input.value': '123' } })
    assert.equal(summarise([root]).userInput, '123')
  })

  it('finds the application under a web request whose own parent never arrived', () => {
    const request = makeSpan({ spanId: 'http', parentSpanId: 'gone', name: 'POST /chat' })
    const summary = summarise([request, agent(asked, { parentSpanId: 'http' })])
    assert.equal(summary.userInput, 'Where is my order?')
    assert.equal(summary.agent, 'support')
  })

  it('lets a second process that joined the trace not overwrite the input', () => {
    const other = agent(
      { 'gen_ai.input.messages': json([text('user', 'delegated')]), 'gen_ai.agent.name': 'helper' },
      { spanId: 'joined', parentSpanId: 'remote', startTimeUnixNano: 1n, endTimeUnixNano: 2n },
    )
    const summary = summarise([other, agent({ ...asked, 'gen_ai.agent.name': 'support' })])
    assert.equal(summary.userInput, 'Where is my order?')
    assert.equal(summary.agent, 'support')
  })

  it('takes the conversation from the agent when no model call was recorded', () => {
    const history = [text('system', 'Be brief.'), text('user', 'One'), text('assistant', 'Yes'), text('user', 'Two')]
    const summary = summarise([agent({ 'gen_ai.input.messages': json(history) })])
    assert.deepEqual([summary.userInput, summary.system, summary.messages.length], ['Two', 'Be brief.', 3])
  })

  it('drops an answer that was serialised into the input', () => {
    const attributes = {
      'gen_ai.input.messages': json([text('user', 'Hi'), text('assistant', 'Hello!')]),
      'gen_ai.output.messages': json([text('assistant', 'Hello!')]),
    }
    assert.deepEqual(
      summarise([call(0, attributes, { parentSpanId: null })]).messages.map((message) => message.role),
      ['user'],
    )
  })
})

describe('summarise: system text', () => {
  const both = (message: string) => ({
    'gen_ai.system_instructions': json([{ type: 'text', content: 'Be brief.' }]),
    'gen_ai.input.messages': json([text('system', message), text('user', 'Hi')]),
  })

  it('says the same text once', () => {
    const summary = summarise([call(0, both('Be brief.'), { parentSpanId: null })])
    assert.equal(summary.system, 'Be brief.')
    assert.deepEqual(
      summary.messages.map((message) => message.role),
      ['user'],
    )
  })

  it('keeps a second, different text in the conversation', () => {
    const summary = summarise([call(0, both('Be kind.'), { parentSpanId: null })])
    assert.equal(summary.system, 'Be brief.')
    assert.deepEqual(
      summary.messages.map((message) => message.role),
      ['system', 'user'],
    )
  })

  it('reads plain and quoted text', () => {
    for (const value of ['Be brief.', '"Be brief."', json(['Be brief.'])]) {
      assert.equal(summarise([agent({ 'gen_ai.system_instructions': value })]).system, 'Be brief.')
    }
  })
})

describe('summarise: what was not captured', () => {
  const input = (value: string | undefined, more: Partial<Span> = {}) =>
    summarise([agent(value === undefined ? {} : { 'gen_ai.input.messages': value }, more)])

  it('tells not captured, redacted, truncated and kept elsewhere apart', () => {
    const hidden = json([text('user', '__REDACTED__')])
    const cut = json([text('user', 'a long story')]).slice(0, 40)
    const elsewhere = summarise([agent({ 'gen_ai.input.messages_ref': 's3://bucket/1' })])
    assert.deepEqual(input(undefined).completeness, ['user input not captured'])
    assert.deepEqual(input(hidden).completeness, ['user input redacted by the sender'])
    assert.deepEqual(input(cut).completeness, ['user input truncated'])
    assert.deepEqual(elsewhere.completeness, ['user input kept elsewhere'])
    assert.deepEqual(
      [input(undefined), input(hidden), input(cut), elsewhere].map((summary) => summary.capture.userInput),
      ['not_captured', 'redacted', 'truncated', 'external'],
    )
  })

  it('shows the text of a cut input as far as it goes', () => {
    assert.equal(input('[{"role":"user","par').userInput, '[{"role":"user","par')
  })

  it('names the attributes that the SDK dropped', () => {
    const summary = input(undefined, { droppedAttributesCount: 3 })
    assert.deepEqual(summary.completeness, ['user input not captured (3 attributes of the root span were dropped)'])
  })

  it('takes the whole input from the model call when the root cut it', () => {
    const summary = summarise([agent({ 'gen_ai.input.messages': '[{"role":' }), call(1, asked)])
    assert.equal(summary.userInput, 'Where is my order?')
    assert.deepEqual(summary.completeness, [])
  })

  it('says when the provider holds the earlier turns', () => {
    const span = makeSpan({
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'And now?',
        'llm.invocation_parameters': '{"model":"m","previous_response_id":"resp_1"}',
      },
    })
    assert.deepEqual(summarise([span]).completeness, ['earlier turns kept by the provider'])
  })

  it('takes text in brackets for text and not for cut JSON', () => {
    const root = makeSpan({
      attributes: { 'openinference.span.kind': 'AGENT', 'input.value': '[urgent] where is it?' },
    })
    assert.equal(summarise([root]).userInput, '[urgent] where is it?')
    assert.deepEqual(summarise([root]).completeness, [])
  })
})

describe('summarise: output and error', () => {
  it('leaves reasoning out of the answer', () => {
    const parts = [
      { type: 'reasoning', content: 'hm' },
      { type: 'text', content: 'Tomorrow.' },
    ]
    assert.equal(
      summarise([agent({ 'gen_ai.output.messages': json([{ role: 'assistant', parts }]) })]).output,
      'Tomorrow.',
    )
  })

  it('gives the tool calls as output when the last call ended with them', () => {
    const parts = [{ type: 'tool_call', id: '1', name: 'refund', arguments: { order: 4 } }]
    const summary = summarise([agent({}), call(1, { 'gen_ai.output.messages': json([{ role: 'assistant', parts }]) })])
    assert.deepEqual(summary.output, [{ type: 'tool_call', id: '1', name: 'refund', arguments: { order: 4 } }])
    assert.deepEqual(
      summary.tools.map((tool) => [tool.name, tool.result, tool.error]),
      [['refund', null, null]],
    )
  })

  it('takes no earlier text for the answer of a call that failed', () => {
    const earlier = call(1, { 'gen_ai.output.messages': json([text('assistant', 'Let me look.')]) })
    const failed = call(2, {}, { status: { code: 2, message: 'overloaded' } })
    const summary = summarise([agent({}), earlier, failed])
    assert.equal(summary.output, null)
    assert.equal(summary.error, 'overloaded')
  })

  it('does not take an unset status for an error, nor an exception that the span says it survived', () => {
    const events = [{ name: 'exception', timeUnixNano: 0n, attributes: { 'exception.message': 'retry' } }]
    assert.equal(summarise([agent({}, { status: { code: 1, message: '' }, events })]).error, null)
    assert.equal(summarise([agent({}, { status: { code: 0, message: '' }, events })]).error, 'retry')
    assert.equal(summarise([agent({})]).error, null)
    assert.equal(summarise([agent({}, { status: { code: 2, message: '' } })]).error, 'failed without a message')
  })
})

describe('summarise: usage and model calls', () => {
  const tokens = (input: number, output: number) => ({
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
  })

  it('counts a parent only where nothing below it reports', () => {
    assert.equal(summarise([agent(tokens(30, 3)), call(1, tokens(10, 1)), call(2, tokens(20, 2))]).usage?.input, 30)
    assert.equal(summarise([agent(tokens(7, 1)), call(1, {})]).usage?.input, 7)
  })

  it('counts one call that two instrumentations report once', () => {
    const outer = call(1, { ...tokens(10, 1), 'gen_ai.response.id': 'r' })
    const inner = call(1, {
      'openinference.span.kind': 'LLM',
      'llm.token_count.prompt': 10,
      'llm.token_count.completion': 1,
    })
    const nested = summarise([agent({}), outer, { ...inner, spanId: 'inner', parentSpanId: 'call-1' }])
    assert.deepEqual([nested.llmCalls, nested.usage?.input], [1, 10])
    const beside = summarise([agent({}), outer, { ...outer, spanId: 'twin' }])
    assert.equal(beside.usage?.input, 10)
  })

  it('counts two calls of a model that repeats its response id', () => {
    const summary = summarise([
      agent({}),
      call(1, { ...tokens(5, 1), 'gen_ai.response.id': 'r' }),
      call(2, { ...tokens(5, 1), 'gen_ai.response.id': 'r' }),
    ])
    assert.equal(summary.usage?.input, 10)
  })

  it('keeps unreported details null and reads decimal strings', () => {
    const summary = summarise([agent({ 'gen_ai.usage.input_tokens': '12', 'gen_ai.usage.output_tokens': 'many' })])
    assert.deepEqual(summary.usage, { input: 12, output: 0, cacheRead: null, cacheWrite: null, reasoning: null })
    assert.equal(summarise([agent({})]).usage, null)
  })

  it('takes no framework for a provider', () => {
    const summary = summarise([
      agent({ 'gen_ai.provider.name': 'strands-agents' }),
      call(1, { 'gen_ai.system': 'openai.responses' }),
    ])
    assert.equal(summary.provider, 'openai')
  })

  it('leaves out an evaluation that runs inside the trace', () => {
    const judge = makeSpan({
      spanId: 'judge',
      parentSpanId: 'root',
      attributes: { 'openinference.span.kind': 'EVALUATOR' },
    })
    const judged = call(
      3,
      { 'gen_ai.output.messages': json([text('assistant', 'score: 5')]) },
      { parentSpanId: 'judge' },
    )
    const answer = call(1, { 'gen_ai.output.messages': json([text('assistant', 'Tomorrow.')]) })
    const summary = summarise([agent({}), answer, judge, judged])
    assert.deepEqual([summary.llmCalls, summary.output], [1, 'Tomorrow.'])
  })
})

describe('summarise: tools', () => {
  const tool = (spanId: string, attributes: Attributes, more: Partial<Span> = {}) =>
    makeSpan({
      spanId,
      parentSpanId: 'root',
      name: 'execute_tool f',
      attributes: { 'gen_ai.operation.name': 'execute_tool', ...attributes },
      ...more,
    })

  it('takes nested spans of one call for one call and fills what the outer lacks', () => {
    const outer = tool('a', { 'gen_ai.tool.name': 'f', 'gen_ai.tool.call.id': '1' })
    const inner = tool('b', { 'gen_ai.tool.name': 'f', 'gen_ai.tool.call.arguments': '{"x":1}' }, { parentSpanId: 'a' })
    const deeper = tool('c', { 'gen_ai.tool.name': 'g' }, { parentSpanId: 'b' })
    const summary = summarise([agent({}), outer, inner, deeper])
    assert.deepEqual(
      summary.tools.map((t) => [t.name, t.id, t.args]),
      [
        ['f', '1', { x: 1 }],
        ['g', null, null],
      ],
    )
  })

  it('matches spans without an id to messages by name, arguments and order', () => {
    const parts = ['1', '2'].map((id) => ({ type: 'tool_call', id, name: 'f', arguments: { b: 2, a: 1 } }))
    const spans = ['s1', 's2'].map((id, n) =>
      tool(id, { 'gen_ai.tool.call.arguments': '{"a":1,"b":2}', 'gen_ai.tool.call.result': `${n}` }),
    )
    const summary = summarise([
      agent({}),
      call(1, { 'gen_ai.output.messages': json([{ role: 'assistant', parts }]) }),
      ...spans,
    ])
    assert.deepEqual(
      summary.tools.map((t) => [t.id, t.result]),
      [
        ['1', '0'],
        ['2', '1'],
      ],
    )
  })

  it('counts equal calls without ids as often as one conversation holds them', () => {
    const part = { type: 'tool_call', name: 'f', arguments: {} }
    const answer = { 'gen_ai.output.messages': json([{ role: 'assistant', parts: [part] }]) }
    const history = { 'gen_ai.input.messages': json([text('user', 'go'), { role: 'assistant', parts: [part] }]) }
    assert.equal(summarise([agent({}), call(1, answer), call(2, { ...history, ...answer })]).tools.length, 2)
    assert.equal(summarise([agent({}), call(1, answer), call(2, history)]).tools.length, 1)
  })

  it('does not take a tool schema for its arguments', () => {
    const attributes = { 'openinference.span.kind': 'TOOL', 'tool.name': 'f', 'input.value': '{"x":1}' }
    const schema = json({ type: 'object', properties: { x: {} } })
    const summary = summarise([
      agent({}),
      makeSpan({ spanId: 't', parentSpanId: 'root', attributes: { ...attributes, 'tool.parameters': schema } }),
    ])
    assert.deepEqual(summary.tools[0]?.args, { x: 1 })
  })

  it('says in which way arguments and results are missing', () => {
    const hidden = tool('a', {
      'gen_ai.tool.call.arguments': '<REDACTED>',
      'gen_ai.tool.call.result': '{"rows":[{"id":',
    })
    const { capture, tools } = summarise([agent({}), hidden])
    assert.deepEqual([capture.toolArguments, capture.toolResults], ['redacted', 'truncated'])
    assert.deepEqual([tools[0]?.args, tools[0]?.result], [null, '{"rows":[{"id":'])
  })
})
