import { columns, failuresOf, type Run } from './case.ts'
import { cellOf, notesOn, titles } from './table.ts'
import { problemsOf, summaryOf, type Row } from './verdict.ts'

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Renders the table as an HTML page. */
export function page(rows: readonly Row[], versions: Readonly<Record<string, string>>): string {
  const { cases, plain, guarded, ours } = summaryOf(rows)
  const frameworks = [...new Set(rows.map(({ framework }) => framework))]
  const named = Object.entries(versions).map(([name, version]) => `${escape(name)} ${escape(version)}`)
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>endwell: the peers</title>
<style>
:root { color-scheme: light dark; font: 13px/1.45 system-ui, sans-serif; }
body { margin: 2rem; } h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; } p { max-width: 80ch; }
table { border-collapse: collapse; } th { font-weight: 400; text-align: left; }
th, td { padding: .25rem 1rem .25rem 0; vertical-align: top; border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
thead th { font-weight: 600; border: 0; } small { opacity: .7; }
.well { color: #2a9d5c; } .badly { color: #d1383d; } .failed th { outline: 2px solid #d1383d; }
</style>
<h1>How sessions end</h1>
<p>${cases} cases, each run in its own process, with connections counted at the far side. In the frameworks as they are, ${plain.hung}
closes hang and ${plain.socketsLeft} sockets are left 6 s after the close; with the guard ${guarded.hung} and ${guarded.socketsLeft}; with
endwell ${ours.hung} and ${ours.socketsLeft}. ${named.join(', ')}.</p>
${frameworks
  .map((framework) =>
    section(
      framework.title,
      rows.filter((row) => row.framework === framework),
    ),
  )
  .join('\n')}
</html>
`
}

function section(title: string, rows: readonly Row[]): string {
  const head = columns.map((column) => `<th scope="col">${titles[column]}</th>`).join('')
  return `<h2>${escape(title)}</h2>
<table><thead><tr><th></th>${head}</tr></thead><tbody>
${rows.map((row) => line(row)).join('\n')}
</tbody></table>`
}

function line(row: Row): string {
  const { name, about } = row.case
  const problems = problemsOf(row)
  const notes = [about, ...notesOn(row.case)].join('. ')
  const cells = columns.map((column) => cell(row.runs[column]))
  const failed = problems.length > 0 ? ` class="failed" title="${escape(problems.join('; '))}"` : ''
  return `<tr${failed}><th scope="row">${escape(name)}<br><small>${escape(notes)}</small></th>${cells.join('')}</tr>`
}

function cell(run: Run | Error | undefined): string {
  const well = run !== undefined && !(run instanceof Error) && failuresOf(run).length === 0
  return `<td class="${well ? 'well' : 'badly'}">${escape(cellOf(run))}</td>`
}
