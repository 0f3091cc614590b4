import type { Problem, ScopeReport } from './report.ts'
import { Pen, type Piece } from './report-pen.ts'
import { askText, errorText, isHealthy, rowsOf } from './report-rows.ts'
import { clip, plain, textWidth, timeText, wrap } from './terminal-text.ts'
import { Waterfall } from './waterfall.ts'

export interface FormatOptions {
  /** Columns to write into: 96 unless set, and 60 at least. */
  width?: number
  /** Colours, as ANSI escapes: none unless set. */
  color?: boolean
  /** Draws with ASCII alone, for where box characters do not print. Names and messages stay as they are. */
  ascii?: boolean
}

/** What a line of names lists; the others are counted. */
const mostNames = 3
const mostAsks = 8
const mostProblems = 24

/**
 * The report of a close as plain text: what went wrong first, then what ended when, as bars over one axis of time.
 * Made for a terminal, an issue, a chat. It holds nothing that could control a terminal, whatever the names and
 * errors in it are.
 *
 * ```ts
 * console.log(formatReport(await scope.close()))
 * ```
 */
export function formatReport(report: ScopeReport, options: FormatOptions = {}): string {
  const pen = new Pen(options)
  const rows = rowsOf(report)
  const picture = new Waterfall(rows, report.took, report.closeTimeout, pen)
  return [
    ...headlines(report, pen),
    '',
    ...(rows.length === 0 ? ['  nothing was left to end'] : picture.draw()),
    '',
    ...problemLines(report, pen),
    ...lastLines(report, pen),
    ...pen.flow(picture.legend()),
  ].join('\n')
}

// ── above the bars ──

function headlines(report: ScopeReport, pen: Pen): string[] {
  const { glyphs, width } = pen
  const { clean } = report
  const name = clip(plain(report.name), Math.floor(width / 2), glyphs.ellipsis)
  const fitted = (text: string): Piece => ({ text: clip(text, width - 2, glyphs.ellipsis) })
  const life = `lived ${timeText(report.lived)}, asked to close at ${plain(report.askedAt)}`
  return [
    ...pen.flow(
      [
        { text: `${clean ? glyphs.right : glyphs.wrong} ${name}`, style: 'strong' },
        clean ? { text: 'clean', style: 'good' } : { text: 'NOT clean', style: 'bad' },
        { text: tookText(report) },
        fitted(`reason: ${plain(report.reason)}`),
        ...(report.by === undefined ? [] : [fitted(`by: ${plain(report.by)}`)]),
      ],
      0,
    ),
    ...pen.flow(culprits(report, pen)),
    ...pen.flow([{ ...fitted(life), style: 'quiet' }]),
  ]
}

function tookText({ took, closeTimeout: deadline }: ScopeReport): string {
  if (deadline <= 0) return `${timeText(took)}, no time given`
  if (took <= deadline) return `${timeText(took)} of ${timeText(deadline)}`
  return `${timeText(took)}, ${timeText(took - deadline)} past the deadline of ${timeText(deadline)}`
}

const worstFirst = ['abandoned', 'timed-out', 'skipped', 'failed', 'pending', 'problems'] as const

/** Who is to blame, by outcome. */
function culprits(report: ScopeReport, pen: Pen): Piece[] {
  const blamed = new Map<string, string[]>(worstFirst.map((what) => [what, []]))
  for (const { path, report: scope } of scopesOf(report)) {
    const at = (name: string): string => nameText(path, name, pen)
    for (const { name, outcome } of [...scope.tasks, ...scope.steps]) {
      if (!isHealthy(outcome)) blamed.get(outcome)?.push(at(name))
    }
    for (const { where } of scope.problems) blamed.get('problems')?.push(at(where))
  }
  return Array.from(blamed)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => ({
      text: clip(`${what}: ${namesText(names)}`, pen.width - 2, pen.glyphs.ellipsis),
      style: what === 'pending' ? 'warning' : 'bad',
    }))
}

/** The way to a name, shortened before the name itself is. */
function nameText(path: string, name: string, { width, glyphs }: Pen): string {
  const whole = path + plain(name)
  const most = Math.floor(width / 3)
  if (path === '' || textWidth(whole) <= most) return clip(whole, most, glyphs.ellipsis)
  return clip(`${glyphs.ellipsis}/${plain(name)}`, most, glyphs.ellipsis)
}

function namesText(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const shown = Array.from(counts).slice(0, mostNames)
  const others = names.length - shown.reduce((sum, [, count]) => sum + count, 0)
  const text = shown.map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`)).join(', ')
  return others > 0 ? `${text} and ${others} more` : text
}

// ── below the bars ──

function problemLines(report: ScopeReport, pen: Pen): string[] {
  const { glyphs, width } = pen
  const problems = scopesOf(report).flatMap(({ path, offset, report: { problems: own } }) =>
    own.map((problem) => problemText(problem, pathText(path, pen), offset)),
  )
  if (problems.length === 0) return []
  const lines = [pen.line({ text: '  problems', style: 'strong' })]
  for (const text of problems.slice(0, mostProblems)) {
    for (const [index, line] of wrap(text, width - 6, 3, glyphs.ellipsis).entries()) {
      const start = index === 0 ? `${glyphs.wrong}   ` : '      '
      lines.push(pen.line({ text: start + line, style: 'bad' }))
    }
  }
  const others = problems.length - mostProblems
  if (others > 0) lines.push(`${glyphs.wrong}   ${glyphs.ellipsis} and ${others} more problems`)
  return [...lines, '']
}

function problemText({ where, at, error }: Problem, path: string, offset: number): string {
  return `${path}${plain(where)}, ${whenText(offset + at)}: ${errorText(error)}`
}

function pathText(path: string, { width, glyphs }: Pen): string {
  return textWidth(path) <= width / 3 ? path : `${glyphs.ellipsis}/`
}

function whenText(at: number): string {
  return at < 0 ? `${timeText(-at)} before the ask` : `at ${timeText(at)}`
}

function lastLines(report: ScopeReport, pen: Pen): string[] {
  const { glyphs, width } = pen
  const scopes = scopesOf(report)
  const asks = scopes.flatMap(({ path, offset, report: { alsoAsked } }) =>
    alsoAsked.map((ask) => `${pathText(path, pen)}${askText(ask)}, ${whenText(offset + ask.at)}`),
  )
  const lines: string[] = []
  if (asks.length > 0) {
    const shown = asks.slice(0, mostAsks)
    if (asks.length > mostAsks) shown.push(`and ${asks.length - mostAsks} more`)
    shown[0] = `also asked: ${shown[0]}`
    lines.push(...pen.flow(shown.map((text) => ({ text: clip(text, width - 2, glyphs.ellipsis) }))))
  }
  const omitted = scopes.reduce((sum, scope) => sum + scope.report.omitted, 0)
  if (omitted > 0) lines.push(`  left out of the report: ${omitted} ${omitted === 1 ? 'entry' : 'entries'}`)
  return [...lines, ...pen.flow(totals(report))]
}

function totals(report: ScopeReport): Piece[] {
  const counts = Object.entries(report.totals).filter(([, count]) => count > 0)
  const [first = 'none', ...others] = counts.map(([outcome, count]) => `${count} ${outcome}`)
  return [`its own tasks, over its whole life: ${first}`, ...others].map((text) => ({ text }))
}

interface PlacedScope {
  /** The names from the outermost scope down, without that one: `turn/tool/`. */
  readonly path: string
  /** From the ask of the outermost scope to that of this one. */
  readonly offset: number
  readonly report: ScopeReport
}

/** A scope and all below it. */
function scopesOf(report: ScopeReport, path = '', offset = 0): PlacedScope[] {
  return [
    { path, offset, report },
    ...report.children.flatMap((child) =>
      scopesOf(child.report, `${path}${plain(child.report.name)}/`, offset + child.askedAt),
    ),
  ]
}
