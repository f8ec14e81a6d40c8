/**
 * The parts that a report is laid out in before it takes a form: tables, sentences, lists. Text in here is as it came, not
 * escaped: each form escapes for itself.
 */

/** Inputs and examples in a column of a written form: enough to know one by. */
export const WRITTEN_LETTERS_MAX = 60

export type Cell = {
  readonly text: string
  /** Said under it in small letters where the form allows. */
  readonly detail?: string
  /** Drawn from 0 to 1 (or −1 to 1) where the form can draw. */
  readonly bar?: { readonly low: number; readonly estimate: number; readonly high: number; readonly from: -1 | 0 }
  /** To stand out: what a reader looks for. */
  readonly mark?: 'bad' | 'quiet'
}

export type Column = {
  readonly name: string
  readonly align: 'left' | 'right'
  /** Keep its text on one line; details may still wrap. */
  readonly oneLine?: true
  /** Sentences: wide enough that they do not become towers. */
  readonly words?: true
  /** Forms that show it; all where absent. */
  readonly only?: 'drawn' | 'written'
}

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly entries: readonly string[]; readonly only?: 'written' }
  | { readonly kind: 'table'; readonly columns: readonly Column[]; readonly rows: readonly (readonly Cell[])[] }

export type Section = { readonly heading: string; readonly blocks: readonly Block[] }
