/**
 * What was said in a turn, as the GenAI conventions write messages: a role and parts. Only the parts that this agent uses.
 */
import type { ToolRequest } from './tools.ts'

type Part =
  | { readonly type: 'text'; readonly content: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly type: 'tool_call_response'; readonly id: string; readonly response: unknown }

export type Said = {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly parts: readonly Part[]
  readonly finish_reason?: string
}

export function userSays(content: string): Said {
  return { role: 'user', parts: [{ type: 'text', content }] }
}

export function assistantText(content: string): Said {
  return { role: 'assistant', parts: [{ type: 'text', content }] }
}

export function assistantCalls(id: string, { name, arguments: args }: ToolRequest): Said {
  return { role: 'assistant', parts: [{ type: 'tool_call', id, name, arguments: args }] }
}

export function toolSays(id: string, response: unknown): Said {
  return { role: 'tool', parts: [{ type: 'tool_call_response', id, response }] }
}

export function chatText(said: readonly Said[]): string {
  return JSON.stringify(said)
}
