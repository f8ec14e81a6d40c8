/**
 * What a span is about, by its attributes. Scope names are not asked: applications hand their own tracer to SDKs.
 *
 * Vendors' own kinds come before `gen_ai.operation.name`, which frameworks fill loosely.
 */
import type { Span } from '../span.ts'
import { attribute, readWord } from './reading.ts'

/** `step` is an SDK's own structure, `judge` an evaluation: neither is asked for input, output or usage. */
export type SpanKind = 'agent' | 'chain' | 'llm' | 'embedding' | 'tool' | 'retrieval' | 'judge' | 'step' | 'other'

const OPENINFERENCE_KINDS: Readonly<Record<string, SpanKind>> = {
  AGENT: 'agent',
  CHAIN: 'chain',
  LLM: 'llm',
  EMBEDDING: 'embedding',
  TOOL: 'tool',
  RETRIEVER: 'retrieval',
  RERANKER: 'retrieval',
  EVALUATOR: 'judge',
  GUARDRAIL: 'step',
  PROMPT: 'step',
}

const OPERATION_KINDS: Readonly<Record<string, SpanKind>> = {
  chat: 'llm',
  text_completion: 'llm',
  generate_content: 'llm',
  completion: 'llm',
  invoke_agent: 'agent',
  invoke_workflow: 'agent',
  execute_tool: 'tool',
  retrieval: 'retrieval',
  embeddings: 'embedding',
  agent_step: 'step',
  plan: 'step',
  create_agent: 'step',
}

/** Attributes that only a model call carries, for spans that say nothing of their kind. */
const MODEL_CALL_KEYS = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.usage.input_tokens',
  'llm.token_count.prompt',
  'llm.input_messages.0.message.role',
]

const DETAILS_EVENT = 'gen_ai.client.inference.operation.details'

export function spanKind(span: Span): SpanKind {
  const word = (key: string) => readWord(attribute(span.attributes, key))
  return (
    own(OPENINFERENCE_KINDS, word('openinference.span.kind')?.toUpperCase()) ??
    vercelKind(word('ai.operationId')) ??
    own(OPERATION_KINDS, word('gen_ai.operation.name')) ??
    (span.name === 'execute_agent_loop_cycle' ? 'step' : undefined) ??
    (word('gen_ai.tool.name') !== null ? 'tool' : undefined) ??
    (isModelCall(span) ? 'llm' : 'other')
  )
}

function vercelKind(operation: string | null): SpanKind | undefined {
  if (operation === null || !operation.startsWith('ai.')) return undefined
  if (operation === 'ai.toolCall') return 'tool'
  if (operation.startsWith('ai.embed')) return 'embedding'
  if (/\.(?:doGenerate|doStream)$/.test(operation)) return 'llm'
  return /^ai\.(?:generate|stream)(?:Text|Object)$/.test(operation) ? 'agent' : undefined
}

function isModelCall(span: Span): boolean {
  return (
    MODEL_CALL_KEYS.some((key) => Object.hasOwn(span.attributes, key)) ||
    span.events.some((event) => event.name === DETAILS_EVENT)
  )
}

function own(kinds: Readonly<Record<string, SpanKind>>, word: string | null | undefined): SpanKind | undefined {
  return typeof word === 'string' && Object.hasOwn(kinds, word) ? kinds[word] : undefined
}
