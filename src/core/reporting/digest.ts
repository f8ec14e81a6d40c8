/**
 * A digest: the short message made from a report, in the forms that channels need. The subject states the main result and
 * what changed; that nothing significant changed is a result.
 */
import { canonicalJson } from './canonical-json.ts'
import { mainChange, mainResult } from './headline.ts'
import { plain, shortened } from './plain.ts'
import { renderHtml } from './render-html.ts'
import { renderMarkdown } from './render-markdown.ts'
import { renderText } from './render-text.ts'
import type { Report } from './report.ts'

/** Longer subjects are cut by mail programs, in the middle of what matters. */
const SUBJECT_LETTERS_MAX = 150
const NAME_LETTERS_MAX = 60

export type Digest = {
  readonly reportId: string
  /** Schedule, end of window and report in letters that are safe in a file name, without extension. */
  readonly fileName: string
  readonly subject: string
  readonly text: string
  readonly markdown: string
  readonly html: string
  /** The frozen report itself, for channels that carry JSON. */
  readonly json: string
}

/** The same report gives the same digest, byte for byte. */
export function digestOf(report: Report): Digest {
  return {
    reportId: report.id,
    fileName: fileName(report),
    subject: subject(report),
    text: renderText(report),
    markdown: renderMarkdown(report),
    html: renderHtml(report),
    json: canonicalJson(report),
  }
}

function subject(report: Report): string {
  const change = mainChange(report)
  const result = `${report.title}: ${mainResult(report)}${change === '' ? '' : `; ${change}`}`
  return shortened(plain(result), SUBJECT_LETTERS_MAX)
}

/** `weekly-2026-11-30T0800Z-rep_…`; nothing in it can climb out of a folder. */
function fileName({ id, schedule, window }: Report): string {
  const end = window === null ? [] : [`${window.to.slice(0, 16).replace(':', '')}Z`]
  const parts = [schedule ?? 'by-hand', ...end, id]
  return parts.map((part) => safe(part).slice(0, NAME_LETTERS_MAX)).join('-')
}

function safe(text: string): string {
  return text.replace(/[^A-Za-z0-9_]+/g, '-').replace(/^-+|-+$/g, '') || 'report'
}
