import { timeText } from '../../report/index.ts'
import type { Covered, HuntFinding, HuntResult } from '../../testing/index.ts'
import type { HuntRequest } from './messages.ts'

/** Columns of the text below a title. */
const INDENT = '    '

/** The result of a hunt for a terminal: a table of what was found, then each with its case and what to do. */
export function formatHunt(result: HuntResult, request: HuntRequest, page: string | undefined): string[] {
  const { findings } = result
  return [
    headline(result),
    '',
    ...(findings.length === 0 ? [`✓ every call ended well`] : table(findings)),
    ...findings.flatMap((finding) => ['', ...details(finding, request)]),
    '',
    ...ran(result.coverage),
    ...(result.complete
      ? []
      : [
          `Only ${result.cases.length} of ${result.planned} calls were played: the time was up (--minutes gives it more), the hunt was stopped, or the process of the agent ended too often.`,
        ]),
    ...(page === undefined ? hintOf(findings) : [`Page: ${page}`]),
  ]
}

function hintOf(findings: readonly HuntFinding[]): string[] {
  return findings.length === 0
    ? []
    : ['--page hunt.html writes a page, with the story and the report of each finding.']
}

/** One case that was played again: its story, the report, and what was found. */
export function formatCase({ cases, findings, name }: HuntResult, { file, seed }: HuntRequest): string[] {
  const [one] = cases
  if (!one) return []
  const found = findings.flatMap((finding) => [`✗ ${finding.title}`, ...explained(finding), ''])
  const [shown] = findings
  return [
    `${name} (${file}), seed ${seed}, case ${one.number} [${one.conversation}]: ${one.description}`,
    '',
    ...(shown ? shown.story.split('\n') : (one.story ?? '').split('\n')),
    '',
    ...(shown ? shown.report.split('\n') : (one.report ?? '').split('\n')),
    '',
    ...(found.length === 0 ? ['✓ the call ended well'] : found),
  ]
}

function headline({ name, cases, took, seed }: HuntResult): string {
  const perSecond = Math.round((cases.length / Math.max(1, took)) * 1_000)
  return `${name}: ${cases.length} calls in ${timeText(took)}, ${perSecond} per second, seed ${seed}`
}

function table(findings: readonly HuntFinding[]): string[] {
  const rows = findings.map(({ severity, title, times, case: { number }, line }) => [
    severity === 'failure' ? '✗' : '!',
    title,
    String(times),
    String(number),
    line ? `${line.file}:${line.line}` : '',
  ])
  const head = ['', '', 'calls', 'case', 'line']
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)))
  const isNumber = (column: number): boolean => column === 2 || column === 3
  return [head, ...rows].map((row) =>
    row
      .map((text, column) =>
        isNumber(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  )
}

function details(finding: HuntFinding, { file, seed, moments }: HuntRequest): string[] {
  const more = moments === 60 ? '' : ` --moments ${moments}`
  return [
    `${finding.severity === 'failure' ? '✗' : '!'} ${finding.title}`,
    ...explained(finding),
    `${INDENT}endwell hunt ${file} --seed ${seed}${more} --case ${finding.case.number}`,
  ]
}

function explained({ what, line, advice, docs }: HuntFinding): string[] {
  const at =
    line && `at ${line.file}:${line.line}:${line.column}${line.text === undefined ? '' : `  ${line.text}`}`
  return [what, ...(at === undefined ? [] : [at]), advice, docs].map((text) => `${INDENT}${text}`)
}

/** What was run, what was not, and what was real. */
function ran(coverage: readonly Covered[]): string[] {
  const named = (what: string, some: readonly Covered[], text: (each: Covered) => string): string[] =>
    some.length === 0 ? [] : [`${what}: ${some.map(text).join(', ')}`]
  const plain = ({ what }: Covered): string => what
  return [
    ...named(
      'Ran',
      coverage.filter(({ runs }) => runs > 0),
      ({ what, runs }) => `${what} (${runs})`,
    ),
    ...named(
      'Never ran',
      coverage.filter(({ runs }) => runs === 0),
      ({ what, why }) => `${what} (${why})`,
    ),
    ...named(
      'Waited for something real, so these calls may differ from one hunt to the next',
      coverage.filter(({ isReal }) => isReal),
      plain,
    ),
    ...named(
      'Other machines, played by the hunt',
      coverage.filter(({ hosts }) => hosts.length > 0),
      ({ what, hosts }) => `${hosts.join(', ')} for ${what}`,
    ),
  ]
}
