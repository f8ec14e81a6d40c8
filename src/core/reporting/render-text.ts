/**
 * A report as plain text, for terminals and the text part of mails, and the table that the command line prints. Whatever
 * came from traffic is stripped of what moves a cursor.
 */
import { type Outline, outline } from './outline.ts'
import { plain, shortened } from './plain.ts'
import type { Report } from './report.ts'
import type { Block, Cell, Column, Section } from './section.ts'

const LINE_LETTERS_MAX = 100
const CELL_LETTERS_MAX = 200
const GAP = '  '
/** Letters that take two columns of a terminal, and marks that take none. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
const ZERO_WIDTH = /\p{M}/u

export function renderText(report: Report): string {
  const { title, subtitle, lead, sections }: Outline = outline(report)
  const head = [
    plain(title),
    '='.repeat(width(plain(title))),
    '',
    wrapped(subtitle),
    '',
    ...lead.map((one) => wrapped(one)),
  ]
  return `${[...head, ...sections.map(sectionText)].join('\n').replace(/\n{3,}/g, '\n\n')}\n`
}

/** Lines of aligned columns; the first row is the header. Columns of numbers are set flush right. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const cleaned = rows.map((row) => row.map((cell) => plain(cell)))
  const count = Math.max(0, ...cleaned.map((row) => row.length))
  const columns = Array.from({ length: count }, (_, i) => {
    const body = cleaned.slice(1).map((row) => row[i] ?? '')
    const numeric = body.length > 0 && body.some((cell) => /\d/.test(cell)) && body.every(isNumeric)
    return {
      right: numeric && i > 0,
      width: Math.max(...cleaned.map((row) => width(row[i] ?? ''))),
    }
  })
  const line = (row: readonly string[]) =>
    columns
      .map(({ right, width: wide }, i) => {
        const space = ' '.repeat(wide - width(row[i] ?? ''))
        return right ? space + (row[i] ?? '') : (row[i] ?? '') + space
      })
      .join(GAP)
      .trimEnd()
  return cleaned.map(line).join('\n')
}

function isNumeric(cell: string): boolean {
  return /^([+−-]?([<>] )?[\d.,]+( ?%)?|\d+\/\d+|–|n\/a|)$/.test(cell)
}

function sectionText({ heading, blocks }: Section): string {
  const title = plain(heading)
  return ['', title, '-'.repeat(width(title)), ...blocks.map(blockText)].join('\n')
}

function blockText(block: Block): string {
  if (block.kind === 'paragraph') return `${wrapped(block.text)}\n`
  if (block.kind === 'list') return `${block.entries.map((entry) => wrapped(`- ${plain(entry)}`, '  ')).join('\n')}\n`
  const shown = shownColumns(block.columns)
  const header = shown.map(({ column }) => column.name)
  const body = block.rows.map((row) => shown.map(({ i }) => cellText(row[i])))
  return `${textTable([header, ...body])}\n`
}

function cellText(cell: Cell | undefined): string {
  return shortened(plain(cell?.text ?? ''), CELL_LETTERS_MAX)
}

/** Columns of forms that cannot draw, with their places. */
export function shownColumns(columns: readonly Column[]): readonly { column: Column; i: number }[] {
  return columns.map((column, i) => ({ column, i })).filter(({ column }) => column.only !== 'drawn')
}

function wrapped(text: string, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const word of plain(text).split(' ')) {
    if (line !== '' && width(line) + 1 + width(word) > LINE_LETTERS_MAX) {
      lines.push(line)
      line = indent + word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}

/** Columns that a text takes in a terminal. */
function width(text: string): number {
  let columns = 0
  for (const letter of text) columns += ZERO_WIDTH.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1
  return columns
}
