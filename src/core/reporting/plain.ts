/**
 * Text from traffic made safe to stand in a line: no control characters (they move cursors and end lines), no marks that
 * turn the direction of reading, no halves of characters. What is left can still be hostile to HTML or Markdown: those escape.
 */

// Controls, then the marks, embeddings, overrides and isolates of bidirectional text, the zero-width letters, line ends.
const UNSAFE = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu
const TITLE_LETTERS_MAX = 100

/** One line of it: unsafe characters and runs of space become one space. */
export function plain(text: string): string {
  return text.toWellFormed().replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim()
}

/** Cut to so many letters, with an ellipsis in place of the rest. */
export function shortened(text: string, most: number): string {
  const letters = Array.from(text)
  return letters.length <= most
    ? text
    : `${letters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
}

/** A case's input in one line: its text, or its JSON. */
export function titleOf(userInput: unknown): string {
  const text = typeof userInput === 'string' ? userInput : (JSON.stringify(userInput ?? null) ?? '')
  // Cut before cleaning too: inputs can be megabytes.
  return shortened(plain(text.slice(0, TITLE_LETTERS_MAX * 10)), TITLE_LETTERS_MAX)
}
