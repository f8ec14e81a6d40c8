/**
 * Who answered whom: agent, version, session, user, model and provider of a trace. Nothing is inferred: a framework's
 * name is no provider, an SDK operation's name is no agent.
 */
import type { Attributes } from '../span.ts'
import { lastCall, type ModelCall } from './model-calls.ts'
import { AGENT, MODEL_ANSWERED, MODEL_REQUESTED, PROVIDER, SESSION, USER, VERSION } from './precedence.ts'
import { attribute, readWord } from './reading.ts'
import type { SpanTree } from './tree.ts'

type Words = readonly ((attributes: Attributes) => string | null)[]

export type Identity = {
  readonly agent: string | null
  readonly version: string | null
  readonly service: string | null
  readonly session: string | null
  readonly user: string | null
  readonly model: string | null
  readonly modelRequested: string | null
  readonly provider: string | null
}

const FRAMEWORKS = new Set(['strands-agents', 'langchain', 'gcp.vertex.agent', 'microsoft.agent_framework', '_other'])

/** What the AI SDK appends to a provider's name: `openai.chat`. */
const PROVIDER_SUFFIX = /\.(?:chat|messages|responses|generative-ai|embed|embedding|completion)$/

export function identityOf(tree: SpanTree, calls: readonly ModelCall[]): Identity {
  // The root first: a sub-agent may carry its own conversation id.
  const all = [tree.root, ...tree.nodes].filter((node) => !node.isJudged).map((node) => node.span.attributes)
  const { resource } = tree.root.span
  const last = lastCall(calls)
  const models = [...(last?.spans ?? []).map((span) => span.attributes), ...all]
  const modelRequested = bySource(MODEL_REQUESTED, models)
  return {
    agent: bySource(AGENT, all) ?? rootName(tree, modelRequested),
    version: bySource(VERSION, all) ?? readWord(attribute(resource, 'service.version')),
    service: readWord(attribute(resource, 'service.name')),
    session: bySpan(SESSION, [...all, resource]),
    user: bySpan(USER, [...all, resource]),
    model: bySource(MODEL_ANSWERED, models) ?? modelRequested,
    modelRequested,
    provider: providerOf(models),
  }
}

/** The root span's name, where an agent or chain gave it; `null` where an SDK did. */
function rootName({ root }: SpanTree, model: string | null): string | null {
  const isNamed =
    (root.kind === 'agent' || root.kind === 'chain') && !Object.hasOwn(root.span.attributes, 'ai.operationId')
  const name = root.span.name.replace(/^invoke_(?:agent|workflow)\s*/, '').trim()
  return isNamed && name !== '' && name !== model ? name : null
}

function providerOf(spans: readonly Attributes[]): string | null {
  for (const attributes of spans) {
    for (const source of PROVIDER) {
      const name = source(attributes)
        ?.toLowerCase()
        .replace(PROVIDER_SUFFIX, '')
        .replace(/^az\.ai\./, 'azure.ai.')
      if (name !== undefined && name !== '' && !FRAMEWORKS.has(name)) return name
    }
  }
  return null
}

/** The better source wins, on whatever span it stands. */
function bySource(sources: Words, spans: readonly Attributes[]): string | null {
  for (const source of sources) {
    for (const attributes of spans) {
      const word = source(attributes)
      if (word !== null) return word
    }
  }
  return null
}

/** The outer span wins, whatever the source. */
function bySpan(sources: Words, spans: readonly Attributes[]): string | null {
  for (const attributes of spans) {
    for (const source of sources) {
      const word = source(attributes)
      if (word !== null) return word
    }
  }
  return null
}
