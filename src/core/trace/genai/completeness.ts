/**
 * What a replay of a trace would lack, in words for people. Speaks of the input only: a replay makes its own output.
 *
 * Invariant: empty exactly when the user's input is there in full.
 */
import type { CaptureState, Message } from '../summary.ts'
import { userInputIndex } from './messages.ts'
import type { ModelCall } from './model-calls.ts'
import { parameter } from './precedence.ts'
import { isRecord, property } from './reading.ts'
import type { SpanTree } from './tree.ts'

const WORDS: Readonly<Record<Exclude<CaptureState, 'captured'>, string>> = {
  not_captured: 'user input not captured',
  redacted: 'user input redacted by the sender',
  truncated: 'user input truncated',
  external: 'user input kept elsewhere',
}

export function completenessOf(
  userInput: CaptureState,
  messages: readonly Message[],
  tree: SpanTree,
  calls: readonly ModelCall[],
): readonly string[] {
  return [
    ...(userInput === 'captured' ? [] : [missingInput(userInput, tree)]),
    ...partsNotText(messages),
    ...(isDelta(calls[0]) ? ['earlier turns kept by the provider'] : []),
  ]
}

function missingInput(state: Exclude<CaptureState, 'captured'>, { root }: SpanTree): string {
  const dropped = root.span.droppedAttributesCount
  const isCutShort = state === 'not_captured' && dropped > 0
  return isCutShort ? `${WORDS[state]} (${dropped} attributes of the root span were dropped)` : WORDS[state]
}

function partsNotText(messages: readonly Message[]): readonly string[] {
  const input = messages[userInputIndex(messages)]
  const kinds = (input?.parts ?? []).flatMap((part) => (part.type === 'other' ? kindOf(part.value) : []))
  return [...new Set(kinds)].map((kind) => `user input holds a part that is not text (${kind})`)
}

/** What kind of part, in the dialect's word; reasoning is nothing that a user sends. */
function kindOf(part: unknown): string[] {
  const words = ['modality', 'type', 'message_content.type'].map((key) => (isRecord(part) ? property(part, key) : null))
  const kind = words.find((word) => typeof word === 'string') ?? 'unknown'
  return kind === 'reasoning' ? [] : [String(kind).slice(0, 40)]
}

/** The provider holds the conversation and the call sent only what is new. */
function isDelta(first: ModelCall | undefined): boolean {
  const keys = ['previous_response_id', 'conversation']
  return (first?.spans ?? []).some((span) => keys.some((key) => typeof parameter(span.attributes, key) === 'string'))
}
