/**
 * The agent's loop: ask the model, run the tool it asks for, give it the result, until it answers.
 *
 * One `invoke_agent` span a turn, below it a `chat` span for each model call and an `execute_tool` span for each tool
 * call. Keeps nothing between turns: what it answers follows from seed, version, key and message, never from earlier turns.
 */
import type { Context, Tracer } from '@opentelemetry/api'
import { type Mistake, makeSlips, type Slips, type Version } from './mistakes.ts'
import { type Thought, think } from './model.ts'
import { runTool, type ToolRequest, type ToolResult, usesOrderDatabase } from './tools.ts'
import { markFailed, type Opened, openSpan, setAttributes } from './tracing.ts'
import { assistantCalls, assistantText, chatText, type Said, toolSays, userSays } from './transcript.ts'
import { coreOf } from './understanding.ts'

export type Turn = {
  readonly message: string
  readonly version: Version
  /** What this answer's chance follows from: a trial's Idempotency-Key, a production request's id. */
  readonly key: string
  readonly conversation: string
  readonly user: string | null
  readonly parent: Context
  /** Who asks: so that sampling rules can tell replays from production. */
  readonly caller: 'customer' | 'replay'
}

export type AgentNeeds = {
  readonly seed: string
  readonly tracer: Tracer
  /** Simulates the time that a model or tool takes, in milliseconds. */
  readonly wait: (ms: number) => Promise<void>
}

export type ToolUse = {
  readonly name: string
  readonly id: string
  readonly arguments: unknown
  readonly result: unknown
  readonly error: string | null
}

export type Answer = {
  readonly traceId: string
  /** Null when the agent failed. */
  readonly output: string | null
  readonly failure: Failure | null
  readonly model: string
  readonly tools: readonly ToolUse[]
  readonly usage: { readonly input: number; readonly output: number }
  readonly costUsd: number
  /** The truth that graders have to find; no caller sees it in the answer's body. */
  readonly mistakes: readonly Mistake[]
}

/** `status` is the HTTP status with which a server would say so; `type` the stable word for `error.type`. */
export type Failure = { readonly status: 500 | 503; readonly type: string; readonly message: string }

type Spec = {
  readonly model: string
  /** US dollars for a million tokens. */
  readonly price: { readonly input: number; readonly output: number }
}

const MODELS: Readonly<Record<Version, Spec>> = {
  '1.0.0': { model: 'seeded-support-1', price: { input: 0.4, output: 1.6 } },
  '2.0.0': { model: 'seeded-support-2', price: { input: 0.8, output: 3.2 } },
}

export const SYSTEM_TEXT =
  'You are the customer support agent of Larkfield Home. Look an order up before you act on it. Refund at most 100 € by yourself; above that, pass the request to a colleague. State only what a tool or the help centre says, and promise no vouchers, discounts or compensation.'

const CHARACTERS_PER_TOKEN = 4
/** Share of order database failures in which the agent does not recover and fails as a whole. */
const GIVES_UP = 0.65

const FAILURES: readonly [Failure, ...Failure[]] = [
  { status: 503, type: 'order_database_timeout', message: 'the order database did not answer within 40 ms' },
  { status: 500, type: 'order_database_500', message: 'the order database answered 500 Internal Server Error' },
]
const TIMEOUT_MS = 40

/** Everything of one turn that the steps below share. The lists grow as the turn goes on. */
type Run = {
  readonly turn: Turn
  readonly needs: AgentNeeds
  readonly root: Opened
  readonly slips: Slips
  readonly said: Said[]
  readonly tools: ToolUse[]
  readonly usage: { input: number; output: number }
}

export async function answerTurn(turn: Turn, needs: AgentNeeds): Promise<Answer> {
  const { model } = MODELS[turn.version]
  const root = openSpan(needs.tracer, turn.parent, { name: 'invoke_agent support-agent', attributes: rootOf(turn) })
  const slips = makeSlips({
    seed: needs.seed,
    version: turn.version,
    key: turn.key,
    difficultyOf: coreOf(turn.message),
  })
  const said = [userSays(turn.message)]
  const run: Run = { turn, needs, root, slips, said, tools: [], usage: { input: 0, output: 0 } }
  const ending = await converse(run)
  const isFailed = typeof ending !== 'string'
  if (isFailed) markFailed(root.span, ending)
  else setAttributes(root.span, { 'gen_ai.output.messages': chatText([assistantText(ending)]) })
  root.span.end()
  return {
    traceId: root.span.spanContext().traceId,
    output: isFailed ? null : ending,
    failure: isFailed ? ending : null,
    model,
    tools: run.tools,
    usage: run.usage,
    costUsd: costOf(turn.version, run.usage),
    mistakes: slips.mistakes,
  }
}

async function converse(run: Run): Promise<string | Failure> {
  const thought: Thought = think(run.turn.message, run.slips)
  let step = thought.next()
  while (step.done !== true) {
    const id = `call_${run.tools.length + 1}`
    await chat(run, assistantCalls(id, step.value), 'tool_calls')
    const result = await useTool(run, id, step.value)
    if ('status' in result) {
      if (run.slips.draw('gives up') < GIVES_UP) return result
      return say(run, 'I am sorry, our order system is not answering at the moment. Please try again in a few minutes.')
    }
    step = thought.next(result)
  }
  return say(run, step.value)
}

async function say(run: Run, text: string): Promise<string> {
  await chat(run, assistantText(text), 'stop')
  return text
}

/** One model call: its span, its tokens, its time. */
async function chat(run: Run, output: Said, finishReason: string): Promise<void> {
  const { turn, needs, root, said, slips } = run
  const { model } = MODELS[turn.version]
  const input = chatText(said)
  const usage = { input: tokensOf(SYSTEM_TEXT) + tokensOf(input), output: tokensOf(chatText([output])) }
  const { span } = openSpan(needs.tracer, root.context, {
    name: `chat ${model}`,
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'seeded',
      'gen_ai.request.model': model,
      'gen_ai.conversation.id': turn.conversation,
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: SYSTEM_TEXT }]),
      'gen_ai.input.messages': input,
    },
  })
  await needs.wait(4 + 14 * slips.draw(`chat time ${said.length}`))
  setAttributes(span, {
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': [finishReason],
    'gen_ai.output.messages': chatText([{ ...output, finish_reason: finishReason }]),
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
  })
  span.end()
  said.push(output)
  run.usage.input += usage.input
  run.usage.output += usage.output
}

/** The tool's result, or how the order database failed. */
async function useTool(run: Run, id: string, request: ToolRequest): Promise<ToolResult | Failure> {
  const { needs, root, slips, said, tools } = run
  const opened = openSpan(needs.tracer, root.context, {
    name: `execute_tool ${request.name}`,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': request.name,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.call.arguments': JSON.stringify(request.arguments),
    },
  })
  const use = { name: request.name, id, arguments: request.arguments }
  await needs.wait(2 + 8 * slips.draw(`tool time ${id}`))
  if (usesOrderDatabase(request.name) && slips.makes('environment failure', request.name)) {
    const failure = slips.choose('failure', FAILURES)
    if (failure.status === 503) await needs.wait(TIMEOUT_MS)
    markFailed(opened.span, failure)
    opened.span.end()
    tools.push({ ...use, result: null, error: failure.message })
    said.push(toolSays(id, { error: failure.message }))
    return failure
  }
  const result = runTool(request)
  if (result.kind === 'articles') recordRetrieval(needs.tracer, opened.context, request, result)
  const { kind: _, ...body } = result
  setAttributes(opened.span, { 'gen_ai.tool.call.result': JSON.stringify(body) })
  if (result.kind === 'refused') markFailed(opened.span, { type: 'refused', message: result.reason })
  opened.span.end()
  tools.push({ ...use, result: body, error: result.kind === 'refused' ? result.reason : null })
  said.push(toolSays(id, body))
  return result
}

function recordRetrieval(
  tracer: Tracer,
  parent: Context,
  request: ToolRequest,
  { articles }: Extract<ToolResult, { kind: 'articles' }>,
): void {
  const documents = articles.map(({ id, score, text }) => ({ id, score, content: text }))
  const attributes = {
    'gen_ai.operation.name': 'retrieval',
    'gen_ai.data_source.id': 'help-centre',
    'gen_ai.retrieval.query.text': String(request.arguments.query),
    'gen_ai.retrieval.documents': JSON.stringify(documents),
  }
  openSpan(tracer, parent, { name: 'retrieval help-centre', kind: 'client', attributes }).span.end()
}

function rootOf(turn: Turn): Record<string, string> {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'seeded',
    'gen_ai.agent.name': 'support-agent',
    'gen_ai.agent.version': turn.version,
    'gen_ai.request.model': MODELS[turn.version].model,
    'gen_ai.conversation.id': turn.conversation,
    'support_agent.caller': turn.caller,
    ...(turn.user === null ? {} : { 'user.id': turn.user }),
    'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: SYSTEM_TEXT }]),
    'gen_ai.input.messages': chatText([userSays(turn.message)]),
  }
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

/** US dollars, to a millionth of a cent. */
function costOf(version: Version, { input, output }: Run['usage']): number {
  const { price } = MODELS[version]
  return Math.round((input * price.input + output * price.output) * 100) / 1e8
}
