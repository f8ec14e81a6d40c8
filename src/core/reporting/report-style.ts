/**
 * The dress of the HTML report: one style sheet, inline, without anything from elsewhere. Set like a certificate: rules
 * above and below tables, figures of one width, colour only where something did not pass.
 */
export const REPORT_STYLE = `
:root { color-scheme: light dark;
  --paper: #fdfcf9; --ink: #1f1e1b; --quiet: #6f6b62; --rule: #d9d5ca; --strong: #3a3833; --bad: #a4302a; --band: #2f5d62; --track: #e7e3d8 }
@media (prefers-color-scheme: dark) { :root {
  --paper: #191816; --ink: #e9e6df; --quiet: #9d988c; --rule: #3a3833; --strong: #c9c5ba; --bad: #ee8a80; --band: #8fc1c4; --track: #34322d } }
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
main { max-width: 66rem; margin: 0 auto; padding: 3.5rem 1.5rem 4rem }
header { border-bottom: 3px double var(--strong); padding-bottom: 1.4rem; margin-bottom: 1.6rem }
.office { margin: 0 0 .5rem; color: var(--quiet); font-size: .78rem; letter-spacing: .14em; text-transform: uppercase }
h1, h2 { font-family: Charter, "Bitstream Charter", "Iowan Old Style", Georgia, "Times New Roman", serif; font-weight: 600;
  line-height: 1.2; text-wrap: balance; overflow-wrap: anywhere }
h1 { margin: 0; font-size: 2.1rem; letter-spacing: -.01em }
h2 { margin: 2.8rem 0 .6rem; font-size: 1.3rem; break-after: avoid }
.window { margin: .5rem 0 0; color: var(--quiet) }
.lead { font-family: Charter, "Bitstream Charter", "Iowan Old Style", Georgia, "Times New Roman", serif; font-size: 1.16rem;
  max-width: 46rem; overflow-wrap: anywhere }
p, li { max-width: 46rem; overflow-wrap: anywhere }
p { margin: .5rem 0; text-wrap: pretty }
section > ul { margin: .8rem 0 0; padding-left: 1.1rem; color: var(--quiet); font-size: .92rem }
li { margin: .25rem 0; text-wrap: pretty }
.scroll { overflow-x: auto; margin: 1rem 0 }
table { width: 100%; border-collapse: collapse; border-top: 1.5px solid var(--strong); border-bottom: 1.5px solid var(--strong);
  font-size: .9rem; line-height: 1.4; font-variant-numeric: tabular-nums lining-nums }
th { padding: .5rem .7rem; text-align: left; vertical-align: bottom; font-weight: 500; color: var(--quiet);
  font-size: .8rem; line-height: 1.25; border-bottom: 1px solid var(--strong) }
td { padding: .42rem .7rem; vertical-align: top; border-top: 1px solid var(--rule) }
tbody tr:first-child td { border-top: 0 }
th:first-child, td:first-child { padding-left: 0 }
th:last-child, td:last-child { padding-right: 0 }
.right { text-align: right; white-space: nowrap }
.one-line { white-space: nowrap }
.words { min-width: 15rem }
td:first-child { min-width: 13rem; max-width: 24rem; overflow-wrap: anywhere }
td.one-line:first-child { min-width: 0; max-width: none }
.detail { display: block; white-space: normal; min-width: 11rem; color: var(--quiet); font-size: .93em; line-height: 1.35; overflow-wrap: anywhere }
.quiet { color: var(--quiet) }
.bad { color: var(--bad); font-weight: 600 }
svg { display: block; width: 8rem; height: 1.1rem; overflow: visible }
.track { stroke: var(--track); stroke-width: 1 }
.zero { stroke: var(--quiet); stroke-width: 1 }
.band { stroke: var(--band); stroke-width: 3; stroke-linecap: round; opacity: .55 }
.point { fill: var(--band) }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 3px double var(--strong); color: var(--quiet); font-size: .85rem }
@media screen and (max-width: 44rem) {
  main { padding: 1.6rem 1rem 2.5rem } h1 { font-size: 1.6rem } .lead { font-size: 1.06rem }
  .scroll { margin-right: -1rem; padding-right: 1rem }
  th, td { padding-left: .5rem; padding-right: .5rem }
  td:first-child, td.one-line:first-child { min-width: 8rem; max-width: 9.5rem; white-space: normal }
  th:first-child, td:first-child { position: sticky; left: 0; background: var(--paper); padding-right: .6rem }
  td:first-child .detail { min-width: 0 }
  svg { width: 6rem } }
@media print {
  :root { --paper: #fff; --ink: #000; --quiet: #444; --rule: #ccc; --strong: #000; --bad: #8a1f1a; --band: #333; --track: #ddd }
  body { font-size: 9.5pt } main { max-width: none; padding: 0 } .scroll { overflow: visible }
  table { font-size: 8pt } th { font-size: 7.5pt } th, td { padding: .25rem .3rem } svg { width: 3.8rem }
  td:first-child { min-width: 6rem } .detail, .words { min-width: 0 } td.one-line:first-child { white-space: normal }
  tr, li { break-inside: avoid } thead { display: table-header-group } }
`
