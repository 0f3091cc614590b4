import type { Problem, ScopeReport } from '../scope/index.ts'
import { LineFormatter, type StyledText } from './line-formatter.ts'
import { errorText, isHealthy, requestText, rowsOf } from './rows.ts'
import { clip, plain, textWidth, timeText, wrap } from './terminal-text.ts'
import { Waterfall } from './waterfall.ts'

export interface FormatOptions {
  /** Columns per line, from 60 to 400. Default: 96. */
  width?: number
  /** Use ANSI colours. Default: false. */
  color?: boolean
  /** Draw with ASCII characters only. Names and messages stay as they are. Default: false. */
  ascii?: boolean
}

// Entries that are listed by name; the rest is counted.
const MOST_NAMES = 3
const MOST_REQUESTS = 8
const MOST_PROBLEMS = 24

/**
 * Formats a report as plain text for a terminal, an issue or a chat: first what went wrong, then a waterfall of what
 * ended when. Control characters in names and messages are escaped, so printing the text is safe.
 *
 * ```ts
 * console.log(formatReport(await scope.close()))
 * ```
 */
export function formatReport(report: ScopeReport, options: FormatOptions = {}): string {
  const formatter = new LineFormatter(options)
  const rows = rowsOf(report)
  const waterfall = new Waterfall(rows, report.took, report.closeTimeout, formatter)
  return [
    ...headlines(report, formatter),
    '',
    ...(rows.length === 0 ? ['  nothing to close'] : waterfall.draw()),
    '',
    ...problemLines(report, formatter),
    ...lastLines(report, formatter),
    ...formatter.flow(waterfall.legend()),
  ].join('\n')
}

// ── above the waterfall ──

function headlines(report: ScopeReport, formatter: LineFormatter): string[] {
  const { glyphs, width } = formatter
  const { clean } = report
  const name = clip(plain(report.name), Math.floor(width / 2), glyphs.ellipsis)
  const fitted = (text: string): StyledText => ({ text: clip(text, width - 2, glyphs.ellipsis) })
  const life = `open for ${timeText(report.lived)}, close began at ${plain(report.askedAt)}`
  return [
    ...formatter.flow(
      [
        { text: `${clean ? glyphs.right : glyphs.wrong} ${name}`, style: 'strong' },
        clean ? { text: 'clean', style: 'good' } : { text: 'NOT clean', style: 'bad' },
        { text: tookText(report) },
        fitted(`reason: ${plain(report.reason)}`),
        ...(report.by === undefined ? [] : [fitted(`by: ${plain(report.by)}`)]),
      ],
      0,
    ),
    ...formatter.flow(culprits(report, formatter)),
    ...formatter.flow([{ ...fitted(life), style: 'quiet' }]),
  ]
}

function tookText({ took, closeTimeout: deadline }: ScopeReport): string {
  if (deadline <= 0) return `${timeText(took)}, no time allowed`
  if (took <= deadline) return `${timeText(took)} of ${timeText(deadline)}`
  return `${timeText(took)}, ${timeText(took - deadline)} past the deadline of ${timeText(deadline)}`
}

const worstFirst = ['abandoned', 'timed-out', 'skipped', 'failed', 'pending', 'problems'] as const

/** The names of everything that went wrong, by outcome. */
function culprits(report: ScopeReport, formatter: LineFormatter): StyledText[] {
  const blamed = new Map<string, string[]>(worstFirst.map((what) => [what, []]))
  for (const { path, report: scope } of scopesOf(report)) {
    const at = (name: string): string => nameText(path, name, formatter)
    for (const { name, outcome } of [...scope.tasks, ...scope.steps]) {
      if (!isHealthy(outcome)) blamed.get(outcome)?.push(at(name))
    }
    for (const { where } of scope.problems) blamed.get('problems')?.push(at(where))
  }
  return Array.from(blamed)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => ({
      text: clip(`${what}: ${namesText(names)}`, formatter.width - 2, formatter.glyphs.ellipsis),
      style: what === 'pending' ? 'warning' : 'bad',
    }))
}

/** A name with its path. The path is shortened before the name is. */
function nameText(path: string, name: string, { width, glyphs }: LineFormatter): string {
  const whole = path + plain(name)
  const most = Math.floor(width / 3)
  if (path === '' || textWidth(whole) <= most) return clip(whole, most, glyphs.ellipsis)
  return clip(`${glyphs.ellipsis}/${plain(name)}`, most, glyphs.ellipsis)
}

function namesText(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const shown = Array.from(counts).slice(0, MOST_NAMES)
  const others = names.length - shown.reduce((sum, [, count]) => sum + count, 0)
  const text = shown.map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`)).join(', ')
  return others > 0 ? `${text} and ${others} more` : text
}

// ── below the waterfall ──

function problemLines(report: ScopeReport, formatter: LineFormatter): string[] {
  const { glyphs, width } = formatter
  const problems = scopesOf(report).flatMap(({ path, offset, report: { problems: own } }) =>
    own.map((problem) => problemText(problem, pathText(path, formatter), offset)),
  )
  if (problems.length === 0) return []
  const lines = [formatter.line({ text: '  problems', style: 'strong' })]
  for (const text of problems.slice(0, MOST_PROBLEMS)) {
    for (const [index, line] of wrap(text, width - 6, 3, glyphs.ellipsis).entries()) {
      const start = index === 0 ? `${glyphs.wrong}   ` : '      '
      lines.push(formatter.line({ text: start + line, style: 'bad' }))
    }
  }
  const others = problems.length - MOST_PROBLEMS
  if (others > 0) lines.push(`${glyphs.wrong}   ${glyphs.ellipsis} and ${others} more problems`)
  return [...lines, '']
}

function problemText({ where, at, error }: Problem, path: string, offset: number): string {
  return `${path}${plain(where)}, ${whenText(offset + at)}: ${errorText(error)}`
}

function pathText(path: string, { width, glyphs }: LineFormatter): string {
  return textWidth(path) <= width / 3 ? path : `${glyphs.ellipsis}/`
}

function whenText(at: number): string {
  return at < 0 ? `${timeText(-at)} before the close` : `at ${timeText(at)}`
}

function lastLines(report: ScopeReport, formatter: LineFormatter): string[] {
  const { glyphs, width } = formatter
  const scopes = scopesOf(report)
  const requests = scopes.flatMap(({ path, offset, report: { alsoAsked } }) =>
    alsoAsked.map((ask) => `${pathText(path, formatter)}${requestText(ask)}, ${whenText(offset + ask.at)}`),
  )
  const lines: string[] = []
  if (requests.length > 0) {
    const shown = requests.slice(0, MOST_REQUESTS)
    if (requests.length > MOST_REQUESTS) shown.push(`and ${requests.length - MOST_REQUESTS} more`)
    shown[0] = `also requested: ${shown[0]}`
    lines.push(...formatter.flow(shown.map((text) => ({ text: clip(text, width - 2, glyphs.ellipsis) }))))
  }
  const omitted = scopes.reduce((sum, scope) => sum + scope.report.omitted, 0)
  if (omitted > 0) lines.push(`  omitted from the report: ${omitted} ${omitted === 1 ? 'entry' : 'entries'}`)
  return [...lines, ...formatter.flow(totals(report))]
}

function totals(report: ScopeReport): StyledText[] {
  const counts = Object.entries(report.totals).filter(([, count]) => count > 0)
  const [first = 'none', ...others] = counts.map(([outcome, count]) => `${count} ${outcome}`)
  return [`own tasks in total: ${first}`, ...others].map((text) => ({ text }))
}

interface PlacedScope {
  /** The names from below the outermost scope down to this one: `turn/tool/`. */
  readonly path: string
  /** Milliseconds from the close request of the outermost scope to the one of this scope. */
  readonly offset: number
  readonly report: ScopeReport
}

/** A scope and all scopes below it. */
function scopesOf(report: ScopeReport, path = '', offset = 0): PlacedScope[] {
  return [
    { path, offset, report },
    ...report.children.flatMap((child) =>
      scopesOf(child.report, `${path}${plain(child.report.name)}/`, offset + child.askedAt),
    ),
  ]
}
