/**
 * A report as Markdown (GitHub's tables), for chats and issues. Text from traffic can neither format, link, mention, nor
 * leave its cell.
 */
import { type Outline, outline } from './outline.ts'
import { plain, shortened } from './plain.ts'
import { shownColumns } from './render-text.ts'
import type { Report } from './report.ts'
import type { Block, Section } from './section.ts'

const CELL_LETTERS_MAX = 200
/** After an @ that would start a mention: a backslash there is undone before names are looked up. */
const ZERO_WIDTH_SPACE = '\u200b'

export function renderMarkdown(report: Report): string {
  const { title, subtitle, lead, sections }: Outline = outline(report)
  const head = [`# ${escapeMarkdown(title)}`, escapeMarkdown(subtitle), ...lead.map(escapeMarkdown)]
  return `${[...head, ...sections.map(sectionMarkdown)].join('\n\n')}\n`
}

function sectionMarkdown({ heading, blocks }: Section): string {
  return [`## ${escapeMarkdown(heading)}`, ...blocks.map(blockMarkdown)].join('\n\n')
}

function blockMarkdown(block: Block): string {
  if (block.kind === 'paragraph') return escapeMarkdown(block.text)
  if (block.kind === 'list') return block.entries.map((entry) => `- ${escapeMarkdown(entry)}`).join('\n')
  const shown = shownColumns(block.columns)
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    row(shown.map(({ column }) => escapeMarkdown(column.name))),
    row(shown.map(({ column }) => (column.align === 'right' ? '---:' : ':---'))),
    ...block.rows.map((cells) =>
      row(shown.map(({ i }) => escapeMarkdown(shortened(plain(cells[i]?.text ?? ''), CELL_LETTERS_MAX)))),
    ),
  ].join('\n')
}

/**
 * One line in which every sign that Markdown could read is escaped: emphasis, code, links, HTML, entities, cells, mentions,
 * formulas; addresses that are linked of themselves; and what at the start of a line makes a heading, list or quote.
 */
export function escapeMarkdown(text: string): string {
  return plain(text)
    .replace(/[\\`*_[\]<>|~&$]/g, '\\$&')
    .replace(/(?<!\w)@/g, `@${ZERO_WIDTH_SPACE}`)
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/\bwww\./gi, (www) => `${www.slice(0, 3)}\\.`)
    .replace(/^(#|[-+=](?=\s|[-+=]|$))/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}
