/**
 * The one style sheet of the pages: system fonts, tabular figures, light and dark, narrow and wide. Colour never says
 * anything alone: outcomes carry a letter, states a word.
 */
export const STYLE_PATH = '/style.css'

export const STYLE = `
:root { color-scheme: light dark;
  --paper: #fdfcf9; --sheet: #ffffff; --ink: #1f1e1b; --quiet: #66625a; --rule: #d9d5ca; --strong: #3a3833; --soft: #f4f1e9; --link: #2a565b;
  --passed: #d9ebdf; --passed-ink: #1d4d31; --wrong: #f6d9d5; --wrong-ink: #86241e;
  --errored: #f6e4c3; --errored-ink: #6b4410; --ungraded: #e5e2da; --ungraded-ink: #47443d;
  --serif: Charter, "Bitstream Charter", "Iowan Old Style", Georgia, "Times New Roman", serif }
@media (prefers-color-scheme: dark) { :root {
  --paper: #191816; --sheet: #201f1c; --ink: #e9e6df; --quiet: #a8a296; --rule: #3a3833; --strong: #c9c5ba; --soft: #25231f; --link: #8fc1c4;
  --passed: #1f3d2b; --passed-ink: #b4e0c3; --wrong: #522420; --wrong-ink: #f7c1ba;
  --errored: #4b3614; --errored-ink: #f3d8a4; --ungraded: #3a3732; --ungraded-ink: #d6d1c6 } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, summary:focus-visible, [tabindex]:focus-visible {
  outline: 2px solid var(--link); outline-offset: 2px;
}
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: .5rem; background: var(--sheet); padding: .25rem .5rem; }
body > header { border-bottom: 3px double var(--strong); }
body > header > div, main { max-width: 75rem; margin: 0 auto; padding: 0 1.25rem; }
body > header > div { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; padding-block: .7rem; }
.brand { font: 600 1.15rem var(--serif); color: var(--ink); text-decoration: none; letter-spacing: .01em; }
nav ul { display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; list-style: none; margin: 0; padding: 0; }
nav a { color: var(--quiet); text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { color: var(--ink); font-weight: 600; box-shadow: 0 2px 0 var(--link); }
main { padding-block: 1.5rem 3rem; }
body > footer { margin-inline: max(1.25rem, (100% - 72.5rem) / 2); padding-block: 1rem 2rem; color: var(--quiet); font-size: .85rem; border-top: 1px solid var(--rule); }
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.2; text-wrap: balance; }
h1 { font-size: 1.75rem; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 2.3rem 0 .6rem; }
p { margin: .4rem 0 .8rem; max-width: 46rem; }
.crumbs { margin: 0 0 .6rem; font-size: .9rem; color: var(--quiet); }
.quiet { color: var(--quiet); }
.lead { font-family: var(--serif); font-size: 1.12rem; }
code { font: .9em ui-monospace, monospace; }
.id { font: .85rem ui-monospace, monospace; color: var(--quiet); }
.scroll { overflow-x: auto; margin: .3rem 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; line-height: 1.4; border-bottom: 1.5px solid var(--strong); }
caption { text-align: left; color: var(--quiet); padding: 0 0 .4rem; font-size: .88rem; }
th, td { text-align: left; padding: .38rem .9rem .38rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
td, tbody th { overflow-wrap: break-word; }
thead th { font-weight: 500; color: var(--quiet); font-size: .82rem; vertical-align: bottom; white-space: nowrap; border-top: 1.5px solid var(--strong); border-bottom: 1px solid var(--strong); }
tbody th { font-weight: 400; }
th:last-child, td:last-child { padding-right: 0; }
td.number, th.number { text-align: right; white-space: nowrap; }
.number + td:not(.number), .number + th:not(.number) { padding-left: .6rem; }
tfoot td, tfoot th { font-weight: 600; border-bottom: 0; text-align: left; }
tfoot td.number { text-align: right; }
td.wide, tbody th.wide { min-width: 14rem; overflow-wrap: anywhere; }
time { white-space: nowrap; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr)); gap: .7rem 1.5rem; margin: .8rem 0 1.2rem; }
dl.facts dt { font-size: .8rem; color: var(--quiet); }
dl.facts dd { margin: 0; }
dl.facts > div { min-width: 0; }
dl.facts time { white-space: normal; }
pre {
  font: .86rem/1.45 ui-monospace, monospace; background: var(--soft); border: 1px solid var(--rule); border-radius: 4px;
  padding: .6rem .75rem; margin: .3rem 0 .8rem; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate;
  max-height: 36rem; overflow-y: auto;
}
details { margin: .3rem 0 .8rem; }
summary { cursor: pointer; color: var(--quiet); }
summary code { color: var(--ink); }
.empty { border: 1px dashed var(--rule); border-radius: 6px; padding: 1rem 1.2rem; color: var(--quiet); max-width: 46rem; }
.empty p { margin: .2rem 0; }
.empty code { color: var(--ink); }
.state, .outcome { display: inline-block; padding: .02rem .5rem; border-radius: 3px; font-size: .85rem; white-space: nowrap; background: var(--ungraded); color: var(--ungraded-ink); }
.passed, .pass, .finished, .delivered, .accepted, .reported, .ready { background: var(--passed); color: var(--passed-ink); }
.wrong, .fail, .failed { background: var(--wrong); color: var(--wrong-ink); }
.errored, .proposed, .running, .uncertain, .timed_out { background: var(--errored); color: var(--errored-ink); }
.ungraded, .unknown { background: var(--ungraded); color: var(--ungraded-ink); }
.waiting { background: transparent; color: var(--quiet); outline: 1px dashed var(--rule); outline-offset: -1px; }
.alert { border: 1px solid var(--wrong-ink); border-radius: 6px; background: var(--wrong); color: var(--wrong-ink); padding: .6rem .9rem; }
.bar { display: flex; height: .6rem; border-radius: 3px; overflow: hidden; background: var(--soft); min-width: 8rem; }
table.grid { width: auto; }
table.grid td { padding: .2rem .12rem; text-align: center; vertical-align: middle; }
table.grid thead th { text-align: center; padding-inline: .12rem; }
table.grid thead th:first-child { text-align: left; padding-left: 0; }
table.grid td.number, table.grid th.number { padding-right: .9rem; text-align: right; }
table.grid .number + td, table.grid .number + th { padding-left: .12rem; }
table.grid tbody th { min-width: 13rem; max-width: 34rem; }
.cell { display: block; width: 1.9rem; line-height: 1.7rem; border-radius: 3px; text-decoration: none; font-weight: 600; font-size: .85rem; }
.cell:hover { outline: 2px solid currentColor; }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1rem; list-style: none; margin: .4rem 0 .8rem; padding: 0; font-size: .88rem; color: var(--quiet); }
.key .cell { display: inline-block; width: 1.5rem; line-height: 1.35rem; text-align: center; margin-right: .35rem; }
form.filter { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; margin: .8rem 0 1rem; }
label { display: block; font-size: .82rem; color: var(--quiet); }
input, select, textarea {
  font: inherit; color: var(--ink); background: var(--sheet); border: 1px solid var(--quiet); border-radius: 4px; padding: .3rem .5rem; max-width: 100%;
}
textarea, form.act input, form.act select { width: 100%; }
button { font: inherit; padding: .32rem .9rem; border-radius: 4px; border: 1px solid var(--link); background: var(--link); color: var(--paper); cursor: pointer; }
.acts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: 1rem; align-items: start; }
form.act { border: 1px solid var(--rule); border-radius: 6px; padding: .8rem 1rem 1rem; background: var(--sheet); display: grid; gap: .55rem; }
form.act h3 { font-size: 1rem; margin: 0; }
form.act p { margin: 0; font-size: .88rem; color: var(--quiet); }
form.act button { justify-self: start; }
.turns { list-style: none; margin: 0; padding: 0; }
.turns > li { border-left: 3px solid var(--rule); padding-left: .9rem; margin: 0 0 .9rem; }
.turns .who { font-size: .82rem; color: var(--quiet); font-weight: 600; }
.pages { display: flex; gap: 1.2rem; margin: 1rem 0; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 0 2rem; }
.two > section { min-width: 0; }
@media (max-width: 40rem) {
  body { font-size: 15px; }
  body > header > div, main { padding-inline: .9rem; }
  body > footer { margin-inline: .9rem; }
  td.wide, tbody th.wide { min-width: 11rem; }
  dl.facts { grid-template-columns: repeat(auto-fill, minmax(min(9rem, 100%), 1fr)); gap: .5rem 1rem; }
  table.grid tbody th { min-width: 7.5rem; max-width: 9rem; font-size: .86rem; }
  table.grid tbody th .id { display: none; }
  table.grid td.number, table.grid th.number { padding-right: .5rem; }
}
@media print { body > header, form, .pages { display: none; } }
`
