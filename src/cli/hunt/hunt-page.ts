import { timeText } from '../../report/index.ts'
import type { Covered, HuntFinding, HuntResult, HuntedCase } from '../../testing/index.ts'
import type { HuntRequest } from './messages.ts'
import { pageStyle } from './page-style.ts'

/** Copies the command of a finding. Everything else on the page works without a script. */
const script = `
addEventListener('click', ({ target }) => {
  const button = target.closest?.('button[data-copy]')
  if (!button) return
  navigator.clipboard?.writeText(button.dataset.copy).then(() => {
    button.textContent = 'Copied'
    button.addEventListener('blur', () => { button.textContent = 'Copy' }, { once: true })
  })
})`

/** The result of a hunt as one HTML file that needs nothing else. */
export function huntPage(result: HuntResult, request: HuntRequest): string {
  const failures = result.findings.filter(({ severity }) => severity === 'failure').length
  const title = `${result.name}: ${verdict(result, failures)}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escape(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<p class="kind">endwell hunt</p>
<h1>${escape(result.name)}</h1>
<p class="verdict ${failures === 0 ? 'good' : 'bad'}">${escape(verdict(result, failures))}</p>
${numbers(result)}
</header>
<main>
<section aria-labelledby="findings"><h2 id="findings">What did not end well</h2>
${result.findings.length === 0 ? '<p>Nothing. Every call ended once, on time, and left nothing behind.</p>' : result.findings.map((finding, index) => findingOf(finding, index, request)).join('\n')}
</section>
<section aria-labelledby="calls"><h2 id="calls">Calls</h2>
${callsOf(result.cases)}
</section>
<section aria-labelledby="code"><h2 id="code">What was run</h2>
${codeOf(result.coverage)}
<p class="note">Timers, dates and the conversation are virtual. Files, processes and connections to this machine are real.
Requests to other machines are not sent: the hunt answers them. No vendor is called.</p>
</section>
</main>
<script>${script}</script>
</body>
</html>
`
}

function verdict({ findings }: HuntResult, failures: number): string {
  const warnings = findings.length - failures
  if (findings.length === 0) return 'Every call ended well'
  const parts = [
    failures > 0 ? [`${failures} ${failures === 1 ? 'failure' : 'failures'}`] : [],
    warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : [],
  ]
  return parts.flat().join(', ')
}

function numbers({ cases, planned, complete, took, seed, moments }: HuntResult): string {
  const perSecond = Math.round((cases.length / Math.max(1, took)) * 1_000)
  const entries: readonly (readonly [string, string])[] = [
    ['Calls', complete ? String(cases.length) : `${cases.length} of ${planned}`],
    ['Took', `${timeText(took)} (${perSecond} calls per second)`],
    ['Seed', String(seed)],
    ['Moments per conversation', String(moments)],
  ]
  return `<dl>${entries.map(([name, value]) => `<div><dt>${name}</dt><dd>${escape(value)}</dd></div>`).join('')}</dl>`
}

function findingOf(finding: HuntFinding, index: number, { file, seed, moments }: HuntRequest): string {
  const { severity, title, what, times, line, advice, docs, case: one, story, report } = finding
  const more = moments === 60 ? '' : ` --moments ${moments}`
  const command = `npx endwell hunt ${file} --seed ${seed}${more} --case ${one.number}`
  const code = line
    ? `<figure><figcaption>${escape(`${line.file}:${line.line}:${line.column}`)}</figcaption><pre tabindex="0"><code>${escape(line.text ?? '')}</code></pre></figure>`
    : ''
  return `<details class="finding ${severity}" id="finding-${index + 1}"${index === 0 ? ' open' : ''}>
<summary><span class="mark" aria-hidden="true">${severity === 'failure' ? '✗' : '!'}</span>
<span class="title">${escape(sentence(title))}</span><span class="times">${times} ${times === 1 ? 'call' : 'calls'}</span></summary>
<div class="body">
<p class="what">${inline(`${sentence(what)}.`)}</p>
${code}
<p>${inline(advice)} <a href="${escape(docs)}">More about this</a></p>
<h3>The smallest case</h3>
<p>Case ${one.number}, in the conversation <q>${escape(one.conversation)}</q>: ${escape(one.description)}.</p>
<p class="command"><code>${escape(command)}</code><button type="button" data-copy="${escape(command)}">Copy</button></p>
<details><summary>The story</summary><pre tabindex="0">${escape(story)}</pre></details>
${report === '' ? '' : `<details><summary>The report of the session</summary><pre tabindex="0">${escape(report)}</pre></details>`}
</div>
</details>`
}

/** A row per conversation, a column per way to end it, and in each cell how many calls ended well. */
function callsOf(cases: readonly HuntedCase[]): string {
  const columns = [...new Set(cases.map(wayOf))]
  const conversations = [...new Set(cases.map(({ conversation }) => conversation))]
  const rows = conversations.map((conversation) => {
    const own = cases.filter((one) => one.conversation === conversation)
    const cells = columns.map((way) => cellOf(own.filter((one) => wayOf(one) === way)))
    return `<tr><th scope="row">${escape(conversation)}</th>${cells.join('')}</tr>`
  })
  return `<div class="scroll" tabindex="0" role="group" aria-label="Calls by conversation and by how they ended"><table>
<thead><tr><th scope="col">Conversation</th>${columns.map((way) => `<th scope="col">${escape(way)}</th>`).join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>
<p class="note">How many calls ended well, and of how many if that is not all of them.</p>`
}

const ways: Readonly<Record<string, string>> = {
  finishes: 'Runs to its end',
  'hangs-up': 'Hung up',
  vanishes: 'Cut off',
  close: 'Closed',
  hurry: 'Closed in 200 ms',
  twice: 'Closed twice',
  goodbye: 'Goodbye',
  drain: 'Drained',
  'model-fails': 'Model fails',
  interrupts: 'Interrupted',
}

function wayOf({ act, trouble }: HuntedCase): string {
  return trouble === undefined ? (ways[act] ?? act) : 'With troubles'
}

function cellOf(cases: readonly HuntedCase[]): string {
  if (cases.length === 0) return '<td class="none">–</td>'
  const bad = cases.filter(({ findings }) => findings.length > 0).length
  if (bad === 0) return `<td>${cases.length}</td>`
  return `<td class="bad"><strong>${cases.length - bad}</strong> of ${cases.length}</td>`
}

function codeOf(coverage: readonly Covered[]): string {
  const rows = coverage.map(({ what, runs, stopped, failed, isReal, hosts, why }) => {
    const notes = [
      why === undefined ? [] : [`never ran: ${why}`],
      isReal ? ['waits for something real'] : [],
      hosts.length > 0 ? [`asks ${hosts.join(', ')}, played by the hunt`] : [],
    ].flat()
    return `<tr${runs === 0 ? ' class="idle"' : ''}><th scope="row">${escape(what)}</th><td>${runs}</td><td>${stopped}</td><td>${failed}</td><td class="text">${escape(notes.join('; '))}</td></tr>`
  })
  return `<div class="scroll" tabindex="0" role="group" aria-label="Functions of the agent"><table>
<thead><tr><th scope="col">Function</th><th scope="col">Runs</th><th scope="col">Asked to stop</th><th scope="col">Threw</th><th scope="col" class="text">Notes</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`
}

/** A text as the beginning of a sentence. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Text with code between backticks. */
function inline(text: string): string {
  return escape(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>')
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
