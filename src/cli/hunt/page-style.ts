/** The style sheet of the page of a hunt, for light and dark, wide and narrow. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --page: #f7f7f5; --card: #fff; --text: #1c1d1f; --quiet: #5b5f66; --line: #dcddd9;
  --bad: #b3261e; --bad-soft: #fbe9e7; --warn: #7a5200; --good: #1b6b3a; --code: #f0f0ec; --accent: #22558c;
  font: 16px/1.5 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #131416; --card: #1b1d20; --text: #e8e8e6; --quiet: #a3a7ae; --line: #34373c;
    --bad: #ff9a90; --bad-soft: #3a1f1d; --warn: #f2c368; --good: #7ed79d; --code: #24272b; --accent: #8fc1ff;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 2rem 1.25rem 4rem; background: var(--page); color: var(--text); }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.15rem; }
h3 { margin: 1.25rem 0 .25rem; font-size: .95rem; }
p { margin: .5rem 0; max-width: 46rem; }
a { color: var(--accent); }
.kind { margin: 0 0 .25rem; color: var(--quiet); font-size: .85rem; letter-spacing: .03em; }
.verdict { margin: .5rem 0 1rem; font-size: 1.1rem; font-weight: 600; }
.verdict.bad { color: var(--bad); } .verdict.good { color: var(--good); }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 0; }
dt { color: var(--quiet); font-size: .8rem; } dd { margin: 0; font-variant-numeric: tabular-nums; }
.finding { margin: .6rem 0; border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: .4rem; background: var(--card); }
.finding.warning { border-left-color: var(--warn); }
summary { cursor: pointer; }
.finding > summary { display: flex; gap: .6rem; align-items: baseline; padding: .7rem .9rem; list-style: none; }
.finding > summary::-webkit-details-marker { display: none; }
.finding > summary::after { content: '▸'; color: var(--quiet); }
.finding[open] > summary::after { content: '▾'; }
.mark { color: var(--bad); font-weight: 700; } .warning .mark { color: var(--warn); }
.title { flex: 1; font-weight: 600; overflow-wrap: anywhere; }
.times { color: var(--quiet); font-size: .9rem; white-space: nowrap; font-variant-numeric: tabular-nums; }
.body { padding: 0 .9rem 1rem 2rem; }
.body > details { margin: .4rem 0; }
figure { margin: .75rem 0; }
figcaption { color: var(--quiet); font-size: .85rem; overflow-wrap: anywhere; }
pre, code { font: .85rem/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
pre { margin: .25rem 0; padding: .6rem .75rem; overflow: auto; border-radius: .3rem; background: var(--code); }
p code { padding: .1rem .25rem; border-radius: .2rem; background: var(--code); }
.command { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.command code { padding: .3rem .5rem; overflow-wrap: anywhere; }
button { padding: .25rem .7rem; border: 1px solid var(--line); border-radius: .3rem; background: var(--card); color: var(--text); font: inherit; font-size: .85rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; background: var(--card); }
table { width: 100%; border-collapse: collapse; font-size: .85rem; }
th, td { padding: .4rem .6rem; border-top: 1px solid var(--line); text-align: right; vertical-align: bottom; font-variant-numeric: tabular-nums; }
thead th { border-top: 0; color: var(--quiet); font-weight: 600; }
th[scope=row], thead th:first-child, .text { text-align: left; font-weight: 400; }
td { white-space: nowrap; } td.text { min-width: 12rem; white-space: normal; }
td.bad { background: var(--bad-soft); color: var(--bad); }
td.none, .idle { color: var(--quiet); }
.note { color: var(--quiet); font-size: .85rem; }
@media (max-width: 32rem) { .body { padding-left: .9rem; } }
@media print { body { background: none; } details > * { display: block; } }
`
