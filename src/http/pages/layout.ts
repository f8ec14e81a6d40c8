/**
 * The frame of every page: head, navigation, landmarks. Everything that is put into a template is escaped by it; nothing
 * here marks text as safe.
 */
import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { STYLE_PATH } from './style.ts'

/** A piece of a page; only templates make one. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

export type Crumb = { readonly href: string; readonly text: string }

const NAVIGATION: readonly Crumb[] = [
  { href: '/', text: 'Overview' },
  { href: '/reports', text: 'Reports' },
  { href: '/replays', text: 'Replays' },
  { href: '/failure-modes', text: 'Failure modes' },
  { href: '/traces', text: 'Traces' },
]

export type Page = {
  readonly title: string
  /** Path of the section that the page belongs to. */
  readonly section: string
  readonly crumbs?: readonly Crumb[]
  readonly body: Html
}

export function layout({ title, section, crumbs = [], body }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Assay</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><div>
<a class="brand" href="/">Assay</a>
<nav aria-label="Sections"><ul>${NAVIGATION.map((entry) => navigationEntry(entry, section))}</ul></nav>
</div></header>
<main id="content">
${crumbs.length === 0 ? '' : crumbsLine(crumbs)}
<h1>${title}</h1>
${body}
</main>
<footer>Assay. All times are UTC. The same figures as JSON: <a href="/api/openapi.json">API</a>.</footer>
</body>
</html>`
}

function navigationEntry({ href, text }: Crumb, section: string): Html {
  return href === section
    ? html`<li><a href="${href}" aria-current="page">${text}</a></li>`
    : html`<li><a href="${href}">${text}</a></li>`
}

function crumbsLine(crumbs: readonly Crumb[]): Html {
  return html`<nav class="crumbs" aria-label="Where you are">${crumbs.map(
    ({ href, text }) => html`<a href="${href}">${text}</a> › `,
  )}</nav>`
}

/** What to do next where there is nothing to show. */
export function empty(words: string, command: string): Html {
  return html`<div class="empty"><p>${words}</p><p><code>${command}</code></p></div>`
}

/** Names and values side by side. */
export function facts(pairs: readonly (readonly [name: string, value: Html | string])[]): Html {
  return html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** A table that scrolls by itself where the screen is narrow; reachable by keyboard. */
export function scrolled(label: string, table: Html): Html {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`
}

/** A word with the colour of its meaning. */
export function stateWord(word: string): Html {
  return html`<span class="state ${/^[a-z_]+$/.test(word) ? word : ''}">${word.replaceAll('_', ' ')}</span>`
}

/** Links to the first and the next page of a list. */
export function paging(
  path: string,
  query: Readonly<Record<string, string>>,
  next: string | null,
  isFirst: boolean,
): Html {
  if (next === null && isFirst) return html``
  const first = isFirst ? '' : html`<a href="${withQuery(path, query)}">First page</a>`
  const following =
    next === null ? '' : html`<a rel="next" href="${withQuery(path, { ...query, before: next })}">Next page</a>`
  return html`<nav class="pages" aria-label="Pages">${first}${following}</nav>`
}

export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}

/** A path from parts that came from outside. */
export function pathOf(...parts: readonly (string | number)[]): string {
  return `/${parts.map((part) => encodeURIComponent(String(part))).join('/')}`
}
