/**
 * Text and values from production and from targets. All of it is hostile: it is escaped by the templates, its invisible
 * and direction-changing characters are made visible, and what is long is folded.
 */
import { html } from 'hono/html'
import type { CaseInput } from '../../core/replay/case.ts'
import { count } from '../../core/reporting/wording.ts'
import type { Message, MessagePart, ToolCall } from '../../core/trace/summary.ts'
import type { Html } from './layout.ts'

const FOLD_CHARACTERS = 600
const FOLD_LINES = 12
const LINE_CHARACTERS = 110
const BRIEF_CHARACTERS = 240
const TEXT_CHARACTERS_MAX = 100_000

/** Controls but tab and newline, characters that turn the direction of text, zero-width ones but the joiners. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** The text with its invisible characters as `⟨U+202E⟩`. Carriage returns before a newline are dropped. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(INVISIBLE, (found) => `⟨U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
}

/** One line of it, cut. */
export function lineOf(text: string, most = LINE_CHARACTERS): string {
  const line = visible(text.slice(0, most * 4))
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= most && text.length <= most * 4 ? line : `${line.slice(0, most - 1)}…`
}

/** Text as it stands, anything else as indented JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value))
}

export function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || value === ''
}

/** A value in full; folded when it is long, with its first line to be seen. `absent` is said where there is none. */
export function block(value: unknown, absent = 'not captured'): Html {
  if (isAbsent(value)) return html`<p class="quiet">${absent}</p>`
  const text = visible(textOf(value))
  const shown = text.slice(0, TEXT_CHARACTERS_MAX)
  const cut =
    text.length > shown.length
      ? html`<p class="quiet">${count(text.length - shown.length)} more characters; the API has them all.</p>`
      : ''
  const pre = html`<pre dir="auto">${shown}</pre>${cut}`
  const isLong = text.length > FOLD_CHARACTERS || text.split('\n', FOLD_LINES + 1).length > FOLD_LINES
  if (!isLong) return pre
  return html`<details><summary><code>${lineOf(text)}</code> (${count(text.length)} characters)</summary>${pre}</details>`
}

/** Text in the cell of a table: as it stands where it is short. */
export function brief(text: string): Html {
  const shown = visible(text)
  return shown.length <= BRIEF_CHARACTERS && !shown.includes('\n')
    ? html`<span dir="auto">${shown}</span>`
    : block(text)
}

/** The question of a case or trace in one line. */
export function titleOf({ userInput, messages }: Pick<CaseInput, 'userInput' | 'messages'>): string {
  const text = isAbsent(userInput) ? lastUserText(messages) : textOfLine(userInput)
  return text === '' ? '(no input captured)' : lineOf(text)
}

function textOfLine(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function lastUserText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'user')
  return (last?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join(' ')
}

/** Tool calls in order, each with what went in and what came out. */
export function toolCalls(tools: readonly ToolCall[]): Html {
  if (tools.length === 0) return html`<p class="quiet">No tool was called.</p>`
  return html`<ol class="turns">${tools.map(
    ({ name, args, result, error }) => html`<li>
<div class="who">${visible(name)}${error === null ? '' : html` <span class="state failed">failed</span>`}</div>
<div>Arguments${block(args, 'none captured')}</div>
${error === null ? html`<div>Result${block(result, 'none captured')}</div>` : html`<div>Error${block(error)}</div>`}
</li>`,
  )}</ol>`
}

export function conversation(messages: readonly Message[]): Html {
  return html`<ol class="turns">${messages.map(
    ({ role, parts }) => html`<li><div class="who">${role}</div>${parts.map(part)}</li>`,
  )}</ol>`
}

function part(given: MessagePart): Html {
  if (given.type === 'text') return block(given.text, 'empty')
  if (given.type === 'tool_call')
    return html`<div>calls <code>${visible(given.name)}</code>${block(given.arguments, 'no arguments')}</div>`
  if (given.type === 'tool_call_response') {
    return html`<div>${given.failed ? 'failed with' : 'gets back'}${block(given.response, 'nothing')}</div>`
  }
  return html`<div>other content${block(given.value)}</div>`
}

/** What a case asks: system text, input, and the messages before it where there are any. */
export function inputBlocks({ system, userInput, messages }: CaseInput): Html {
  const others = messages.length > 1 || isAbsent(userInput)
  return html`${block(userInput, 'not captured as one text')}
${others && messages.length > 0 ? html`<details><summary>All ${messages.length} messages</summary>${conversation(messages)}</details>` : ''}
${isAbsent(system) ? '' : html`<details><summary>System text</summary>${block(system)}</details>`}`
}
