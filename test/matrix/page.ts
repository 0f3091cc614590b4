import type { CaseResult } from './run-case.ts'
import { groupOf } from './table.ts'

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Renders the matrix as an HTML page: a row per misbehaviour, a column per moment, a dot per trigger. */
export function page(results: readonly CaseResult[]): string {
  const moments = [...new Set(results.map((result) => result.case.moment))]
  const groups = [...new Set(results.map((result) => groupOf(result)))]
  const byCell = new Map<string, CaseResult[]>()
  for (const result of results) {
    const key = `${groupOf(result)}\n${result.case.moment}`
    byCell.set(key, [...(byCell.get(key) ?? []), result])
  }
  const dots = (cell: readonly CaseResult[]): string =>
    cell
      .map((one) => {
        const problems = one.problems.length > 0 ? `: ${one.problems.join('; ')}` : ''
        return `<i class="${one.outcome}" title="${escape(`${one.case.name} — ${one.outcome}${problems}`)}"></i>`
      })
      .join('')
  const rows = groups.map((group) => {
    const cells = moments.map((moment) => `<td>${dots(byCell.get(`${group}\n${moment}`) ?? [])}</td>`)
    return `<tr><th scope="row">${escape(group)}</th>${cells.join('')}</tr>`
  })
  const counted = results.filter(({ outcome }) => outcome !== 'unreachable')
  const passed = counted.filter(({ outcome }) => outcome === 'passed').length
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>endwell: the matrix</title>
<style>
:root { color-scheme: light dark; font: 13px/1.4 system-ui, sans-serif; }
body { margin: 2rem; } h1 { font-size: 1.3rem; } p { max-width: 70ch; }
table { border-collapse: collapse; } th { font-weight: 400; text-align: left; white-space: nowrap; padding: .1rem .8rem .1rem 0; }
thead th { writing-mode: vertical-rl; transform: rotate(180deg); padding: .4rem .1rem; }
td { padding: .1rem .3rem; border-left: 1px solid color-mix(in srgb, currentColor 15%, transparent); white-space: nowrap; }
i { display: inline-block; width: .5rem; height: .5rem; margin: .05rem; border-radius: 50%; }
.passed { background: #2a9d5c; } .failed { background: #d1383d; outline: 2px solid #d1383d; }
.unreachable { background: color-mix(in srgb, currentColor 18%, transparent); }
</style>
<h1>How a session ends</h1>
<p>${passed} of ${counted.length} cases passed. Each row is one misbehaviour, each column a moment of the conversation,
each dot a way to end it. Grey dots cannot be reached. Hover over a dot to see its name.</p>
<table><thead><tr><th></th>${moments.map((moment) => `<th scope="col">${escape(moment)}</th>`).join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></html>
`
}
