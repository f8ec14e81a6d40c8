/**
 * A report as one HTML page that stands alone: style inside, no scripts, nothing fetched. All text is escaped here, at the
 * one place where markup is made: whatever came from traffic is hostile.
 */
import { type Outline, outline } from './outline.ts'
import { plain } from './plain.ts'
import type { Report } from './report.ts'
import { REPORT_STYLE } from './report-style.ts'
import type { Block, Cell, Column, Section } from './section.ts'

/** Width and height of an interval's drawing, in its own units. */
const BAR = { width: 120, height: 14, inset: 4 } as const
/** Steps of 0.1 units: no noise of the last digits in the bytes. */
const POSITION_DIGITS = 1

export function renderHtml(report: Report): string {
  const { title, subtitle, lead, sections }: Outline = outline(report)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
<header>
<p class="office">Assay · reliability report</p>
<h1>${escapeHtml(title)}</h1>
<p class="window">${escapeHtml(subtitle)}</p>
</header>
${lead.map((sentence) => `<p class="lead">${escapeHtml(sentence)}</p>`).join('\n')}
${sections.map(sectionHtml).join('\n')}
<footer>${escapeHtml(report.id)}, schema ${escapeHtml(report.schema)}. A frozen report is never changed: a correction is a new one.</footer>
</main>
</body>
</html>
`
}

/** Text for HTML content and for attribute values in double quotes. */
export function escapeHtml(text: string): string {
  return plain(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replace(/(?<=\d) %/g, '&nbsp;%')
}

function sectionHtml({ heading, blocks }: Section): string {
  return `<section>\n<h2>${escapeHtml(heading)}</h2>\n${blocks
    .map(blockHtml)
    .filter((html) => html !== '')
    .join('\n')}\n</section>`
}

function blockHtml(block: Block): string {
  if (block.kind === 'paragraph') return `<p>${escapeHtml(block.text)}</p>`
  if (block.kind === 'list' && block.only === 'written') return ''
  if (block.kind === 'list')
    return `<ul>\n${block.entries.map((entry) => `<li>${escapeHtml(entry)}</li>`).join('\n')}\n</ul>`
  return tableHtml(block.columns, block.rows)
}

function tableHtml(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  const shown = columns.map((column, i) => ({ column, i })).filter(({ column }) => column.only !== 'written')
  const head = shown.map(
    ({ column }) => `<th scope="col"${classes([alignment(column)])}>${escapeHtml(column.name)}</th>`,
  )
  const body = rows.map((row) => {
    const cells = shown.map(({ column, i }) => cellHtml(column, row[i] ?? { text: '' }))
    return `<tr>${cells.join('')}</tr>`
  })
  return (
    `<div class="scroll" tabindex="0" role="region" aria-label="Table">\n<table>\n<thead><tr>${head.join('')}</tr></thead>\n` +
    `<tbody>\n${body.join('\n')}\n</tbody>\n</table>\n</div>`
  )
}

function cellHtml(column: Column, { text, detail, bar, mark }: Cell): string {
  const content = bar === undefined ? escapeHtml(text) : barSvg(bar, text)
  const under = detail === undefined || detail === '' ? '' : `<span class="detail">${escapeHtml(detail)}</span>`
  return `<td${classes([alignment(column), column.oneLine ? 'one-line' : undefined, column.words ? 'words' : undefined, mark])}>${content}${under}</td>`
}

function barSvg({ low, estimate, high, from }: NonNullable<Cell['bar']>, text: string): string {
  const x = (value: number) =>
    (BAR.inset + ((value - from) / (1 - from)) * (BAR.width - 2 * BAR.inset)).toFixed(POSITION_DIGITS)
  const y = BAR.height / 2
  const line = (name: string, x1: string, x2: string) =>
    `<line class="${name}" x1="${x1}" x2="${x2}" y1="${y}" y2="${y}"/>`
  const zero = from === 0 ? '' : `<line class="zero" x1="${x(0)}" x2="${x(0)}" y1="1" y2="${BAR.height - 1}"/>`
  const label = text === '' ? `${low.toFixed(3)} to ${high.toFixed(3)}` : text
  return (
    `<svg viewBox="0 0 ${BAR.width} ${BAR.height}" role="img" aria-label="${escapeHtml(label)}"><title>${escapeHtml(label)}</title>` +
    `${line('track', x(from), x(1))}${zero}${line('band', x(low), x(high))}<circle class="point" cx="${x(estimate)}" cy="${y}" r="3"/></svg>`
  )
}

function alignment({ align }: Column): string | undefined {
  return align === 'right' ? 'right' : undefined
}

function classes(names: readonly (string | undefined)[]): string {
  const given = names.filter((name) => name !== undefined)
  return given.length === 0 ? '' : ` class="${given.join(' ')}"`
}
