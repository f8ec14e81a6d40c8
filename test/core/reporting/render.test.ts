import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Digest, digestOf } from '../../../src/core/reporting/digest.ts'
import { plain, titleOf } from '../../../src/core/reporting/plain.ts'
import { escapeHtml, renderHtml } from '../../../src/core/reporting/render-html.ts'
import { escapeMarkdown, renderMarkdown } from '../../../src/core/reporting/render-markdown.ts'
import { renderText, textTable } from '../../../src/core/reporting/render-text.ts'
import type { Report } from '../../../src/core/reporting/report.ts'
import { ESTIMANDS } from '../../../src/core/statistics/figure.ts'
import { sampleEvidence, sampleReport } from './sample-report.ts'
import { casesPassing, makeReliability } from './trials.ts'

/** The forms of the sample report, looked at by a person. UPDATE_GOLDEN=1 writes them anew: look again. */
const GOLDEN = new URL('../../fixtures/reports/', import.meta.url)

describe('the forms of a report', () => {
  const digest = digestOf(sampleReport())
  for (const [form, extension] of [
    ['html', 'html'],
    ['markdown', 'md'],
    ['text', 'txt'],
  ] as const) {
    it(`are as they were looked at: ${form}`, () => {
      const file = new URL(`weekly.${extension}`, GOLDEN)
      if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, digest[form])
      assert.equal(digest[form], readFileSync(file, 'utf8'))
    })
  }

  it('put the table of cases before any suite figure', () => {
    for (const form of [digest.html, digest.markdown, digest.text]) {
      const cases = form.indexOf('Cases of support-agent 1.4.0')
      assert.ok(cases > 0 && cases < form.indexOf('Suite figures'))
    }
  })

  it('say all figures in each form, with interval and n', () => {
    for (const form of [digest.html, digest.markdown, digest.text]) {
      for (const said of ['0.825', '0.613 to 0.933', '28,275 traces received', 'seed 5f2c9a01b7e3d846', 'wilson'])
        assert.ok(form.includes(said), said)
    }
  })

  it('say of every figure of what it speaks', () => {
    const { replays, comparison, since, production } = sampleReport()
    const figures = [
      ...replays.flatMap(({ suite, traffic }) =>
        [suite.passAtK, suite.passHatK, traffic, ...Object.values(suite.beside)].flatMap((of) =>
          Object.values(of ?? {}),
        ),
      ),
      ...Object.values(comparison?.differences ?? {}),
      ...(since?.differences ?? []).map(({ figure }) => figure),
      ...production.map(({ figure }) => figure),
    ]
    assert.ok(figures.length > 30)
    for (const { estimand, n } of figures) {
      assert.ok(
        Object.values(ESTIMANDS).some((words) => estimand.includes(words)),
        estimand,
      )
      assert.ok(n > 0)
    }
    for (const form of [digest.html, digest.markdown, digest.text])
      for (const words of Object.values(ESTIMANDS)) assert.ok(form.includes(words), words)
  })

  it('give each case its intervals: one line for each count of passes', () => {
    for (const form of [digest.html, digest.markdown, digest.text]) {
      assert.ok(form.includes('0.400 (0.051 to 0.934)'), 'pass^3 of 4/5')
      assert.ok(form.includes('1.000 (0.555 to 1.000)'), 'pass@1 of 4/4')
    }
  })

  it('say where trials errored what that leaves open, and nothing where none did', () => {
    for (const form of [digest.html, digest.markdown, digest.text])
      for (const said of ['completed only', 'errored as failed', 'errored as passed', 'strict'])
        assert.ok(form.includes(`pass^3, ${said}`), said)
    const clean = makeReliability(casesPassing([5, 5, 4, 5, 3, 5, 5, 5, 0], 5))
    const report: Report = { ...sampleReport(), replays: [clean], comparison: null, since: null }
    for (const render of [renderHtml, renderMarkdown, renderText])
      assert.doesNotMatch(render(report), /completed only|errored as failed|errored as passed|, strict/)
  })

  it('stand alone as HTML: nothing is fetched, nothing runs', () => {
    assert.doesNotMatch(digest.html, /<script|<link|<img|<iframe|\bsrc=|href=|@import|url\(|https?:/i)
    assert.match(digest.html, /^<!doctype html>\n<html lang="en">/)
    assert.match(digest.html, /name="viewport"/)
    assert.match(digest.html, /prefers-color-scheme: dark/)
    assert.match(digest.html, /@media print/)
  })

  it('say that nothing was replayed when nothing was', () => {
    const empty = digestOf(sampleReport({ replays: [], previous: null, kept: [], census: [], modes: [] }))
    assert.match(empty.text, /Nothing was replayed, so there is no reliability to report\./)
    assert.match(empty.subject, /^weekly: nothing was replayed$/)
  })
})

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '| cell | [link](javascript:alert(1)) `code` **bold** <b>x</b>',
  '# heading\n\n- list\r\n> quote',
  '\u001b[2J\u001b]0;title\u0007 gone \u202e desrever \u0000',
  'https://evil.example/?q=1 www.evil.example @everyone a@b.example',
  '&lt;b&gt; &amp; $x$ ![](x) ~~s~~ ^sup^ \\',
  '\ud800 half',
]

function hostileReport(text: string): Report {
  const evidence = sampleEvidence()
  const [first] = evidence.replays
  assert.ok(first !== undefined)
  const cases = first.input.cases.map((one, i) => ({ ...one, id: `${i} ${text}`, title: text, stratum: text }))
  return sampleReport({
    title: text,
    schedule: text,
    replays: [
      { ...first, input: { ...first.input, target: text, version: text, replay: text, graders: [text], cases } },
    ],
    modes: evidence.modes.map((mode) => ({ ...mode, name: text, example: text, category: text })),
    census: evidence.census.map((row) => ({ ...row, rule: text })),
    kept: [],
    remarks: [text],
  })
}

describe('hostile text', () => {
  for (const text of HOSTILE) {
    it(`is harmless in each form: ${JSON.stringify(text)}`, () => checkHarmless(digestOf(hostileReport(text))))
  }

  it('is harmless whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => checkHarmless(digestOf(hostileReport(text)))),
      { numRuns: 30 },
    )
  })

  it('cannot leave an element, an attribute or a cell', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        assert.doesNotMatch(escapeHtml(text), /[<>"']|&(?!amp;|lt;|gt;|quot;|#39;|nbsp;)/)
        const markdown = escapeMarkdown(text)
        assert.doesNotMatch(markdown, /\n|(?<!\\)(?:\\\\)*[`*_[\]<>|~&$]/)
        assert.ok(plain(text).isWellFormed())
      }),
    )
  })

  it('cannot format, link or mention in Markdown', () => {
    assert.equal(escapeMarkdown('[a](b) `c` *d* <e>'), '\\[a\\](b) \\`c\\` \\*d\\* \\<e\\>')
    assert.equal(escapeMarkdown('see https://evil.example'), 'see https\\://evil.example')
    assert.equal(escapeMarkdown('www.evil.example'), 'www\\.evil.example')
    assert.equal(escapeMarkdown('# x'), '\\# x')
    assert.equal(escapeMarkdown('- x'), '\\- x')
    assert.equal(escapeMarkdown('1. x'), '1\\. x')
    assert.equal(escapeMarkdown('ask @everyone'), 'ask @\u200beveryone')
    assert.equal(escapeMarkdown('pass@3 and pass^3, p < 0.1'), 'pass@3 and pass^3, p \\< 0.1')
  })

  it('gives titles in one short line', () => {
    assert.equal(titleOf('a\n\n b\u0007c'), 'a b c')
    assert.equal(titleOf({ question: 'why?' }), '{"question":"why?"}')
    assert.equal(Array.from(titleOf('😀'.repeat(5000))).length, 100)
    assert.equal(titleOf(undefined), 'null')
  })
})

function checkHarmless({ html, markdown, text, subject, fileName }: Digest): void {
  const tags = new Set(Array.from(html.matchAll(/<\/?([a-z0-9]+)/gi), ([, tag]) => tag?.toLowerCase()))
  for (const tag of tags) assert.ok(OUR_TAGS.has(tag ?? ''), `tag ${tag}`)
  for (const [attribute] of html.matchAll(/\s(on\w+|href|src|style)\s*=\s*"/gi)) assert.fail(`attribute ${attribute}`)
  for (const form of [html, markdown, text]) assert.doesNotMatch(form, /(?!\n)[\p{Cc}\u202a-\u202e]/u)
  assert.doesNotMatch(subject, /[\r\n]/)
  assert.match(fileName, /^[A-Za-z0-9_-]+$/)
  for (const line of markdown.split('\n').filter((line) => line.startsWith('| '))) {
    const cells = line.split(/(?<!\\)\|/).length - 2
    assert.ok([3, 4, 5, 6, 7, 10].includes(cells), `${cells} cells: ${line}`)
  }
}

const OUR_TAGS = new Set(
  'doctype html head meta title style body main header section footer p h1 h2 ul li div table thead tbody tr th td span svg line circle'.split(
    ' ',
  ),
)

describe('textTable', () => {
  it('prints the header of the command line and sets numbers flush right', () => {
    const header = ['case', 'passed', 'wrong', 'errored', 'ungraded', 'pass@1', 'pass@3', 'pass^3', 'all passed']
    const table = textTable([
      header,
      ['refund', '4/5', '1', '0', '0', '0.800', '1.000', '0.400', 'no'],
      ['where is it', '10/10', '0', '0', '0', '1.000', '1.000', '1.000', 'yes'],
    ])
    assert.equal(
      table,
      [
        'case         passed  wrong  errored  ungraded  pass@1  pass@3  pass^3  all passed',
        'refund          4/5      1        0         0   0.800   1.000   0.400  no',
        'where is it   10/10      0        0         0   1.000   1.000   1.000  yes',
      ].join('\n'),
    )
  })

  it('keeps columns aligned under wide letters and combining marks', () => {
    const lines = textTable([
      ['a', 'n'],
      ['注文', '1'],
      ['e\u0301te\u0301', '2'],
    ]).split('\n')
    assert.deepEqual(lines, ['a     n', '注文  1', 'e\u0301te\u0301   2'])
  })

  it('takes no rows and ragged rows', () => {
    assert.equal(textTable([]), '')
    assert.equal(textTable([['a', 'b'], ['x']]), 'a  b\nx')
  })
})

describe('digestOf', () => {
  it('states the main result and what changed', () => {
    assert.equal(
      digestOf(sampleReport()).subject,
      'weekly: support-agent 1.5.0 pass^3 0.843 (0.608 to 0.948, 20 cases, traffic like this); 2 new failure modes',
    )
    const calm = sampleReport({ modes: [] })
    assert.match(digestOf(calm).subject, /; nothing significant changed$/)
  })

  it('names a version that is worse, and figures that must not be used', () => {
    const [first, second] = sampleEvidence().replays
    assert.ok(first !== undefined && second !== undefined)
    const failing = second.input.cases.map((one) => ({
      ...one,
      counts: { planned: 5, passed: 0, wrong: 5, errored: 0, ungraded: 0 },
    }))
    const worse = sampleReport({ replays: [first, { ...second, input: { ...second.input, cases: failing } }] })
    assert.match(digestOf(worse).subject, /pass\^3 0\.000 .*; worse than 1\.4\.0, worse since the last report/)
    const errored = failing.map((one) => ({ ...one, counts: { ...one.counts, wrong: 0, errored: 5 } }))
    const broken = sampleReport({ replays: [first, { ...second, input: { ...second.input, cases: errored } }] })
    assert.match(digestOf(broken).subject, /support-agent 1\.5\.0 not interpretable/)
    assert.match(digestOf(broken).text, /not interpretable: 100 of 100 trials errored/)
  })

  it('holds short subjects and renders k = 1 with one column of pass@1', () => {
    assert.ok(Array.from(digestOf(sampleReport({ title: 'x'.repeat(500) })).subject).length <= 150)
    const one = makeReliability(casesPassing([1, 0, 1], 1), { k: 1 })
    const report: Report = { ...sampleReport(), replays: [one], comparison: null, since: null }
    for (const render of [renderHtml, renderMarkdown, renderText]) assert.doesNotMatch(render(report), /pass\^3|pass@3/)
    assert.match(renderText(report), /case +passed +wrong +errored +ungraded +pass@1 +all passed +input/)
  })
})
