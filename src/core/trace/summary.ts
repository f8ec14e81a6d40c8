/**
 * What one trace says about one turn of an agent: the canonical shape that every dialect is normalised to, and the
 * keys under which it is stored, searched and shown.
 *
 * Null means "not captured". Nothing here is guessed: a replay of a guessed input would measure the guess.
 */

export type ToolCall = {
  readonly name: string
  readonly id: string | null
  readonly args: unknown
  readonly result: unknown
  /** Message of the failed call, null when it did not fail. */
  readonly error: string | null
}

export type RetrievedDocument = {
  readonly id: string | null
  readonly score: number | null
  readonly content: string | null
  readonly source: string | null
}

/** Tokens summed over leaf model calls; `input` includes cached tokens, `output` includes reasoning. */
export type Usage = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
  readonly reasoning: number | null
}

export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_call'; readonly id: string | null; readonly name: string; readonly arguments: unknown }
  | {
      readonly type: 'tool_call_response'
      readonly id: string | null
      readonly response: unknown
      /** Present when the dialect says that the response is an error. */
      readonly failed?: true
    }
  /** Whatever we do not read but a replay may need: images, files, reasoning. Kept as it came. */
  | { readonly type: 'other'; readonly value: unknown }

export type Message = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly parts: readonly MessagePart[]
}

/**
 * How a piece of content reached us. The four ways of being absent differ: nobody recorded it, the sender hid it, a
 * length limit cut it, or it lies in another store.
 */
export type CaptureState = 'captured' | 'not_captured' | 'redacted' | 'truncated' | 'external'

export type Capture = {
  readonly userInput: CaptureState
  readonly system: CaptureState
  readonly output: CaptureState
  /** The worst over all tool calls; 'captured' when there was none. */
  readonly toolArguments: CaptureState
  readonly toolResults: CaptureState
}

export type TraceSummary = {
  readonly agent: string | null
  readonly version: string | null
  readonly service: string | null
  readonly session: string | null
  readonly user: string | null
  readonly system: string | null
  /** What the agent was called with: text, or the object that the root recorded. Text that was cut when truncated. */
  readonly userInput: unknown
  /** The conversation as the first model call saw it, without the text in `system`; empty when not captured. */
  readonly messages: readonly Message[]
  /** Text, an object, or the tool calls (message parts) with which the last model call ended. */
  readonly output: unknown
  readonly tools: readonly ToolCall[]
  readonly retrieved: readonly RetrievedDocument[]
  /** The model that answered, else the one that was asked for. */
  readonly model: string | null
  /** The model that was asked for: what a replay asks for again. */
  readonly modelRequested: string | null
  readonly provider: string | null
  /** Of the last model call, as the provider spelled it. */
  readonly finishReason: string | null
  readonly usage: Usage | null
  readonly llmCalls: number
  /** US dollars. */
  readonly cost: number | null
  /** Error of the trace (its root or its last model call), not of a tool the agent recovered from. */
  readonly error: string | null
  /** Tool calls that failed, whether the agent recovered or not. */
  readonly toolErrors: number
  /** Milliseconds from the first start to the last end of the agent's own spans. */
  readonly durationMs: number
  readonly startedAt: string
  readonly capture: Capture
  /** What a replay of this trace would lack, in words; empty when it can be replayed. */
  readonly completeness: readonly string[]
}
