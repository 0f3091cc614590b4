import type { Bar } from './glyphs.ts'
import type { LineFormatter, Style, StyledText } from './line-formatter.ts'
import { isHealthy, type Heading, type Note, type Outcome, type Row, type Span } from './rows.ts'
import { clip, padStart, textWidth, timeText, wrap } from './terminal-text.ts'
import { TimeAxis } from './time-axis.ts'

/** Columns before the names, for the mark of a row that went wrong. */
const MARGIN = 2
const GAP = '  '
/** Columns of the outcome: the length of the longest one. */
const OUTCOME = 9
/** The share of the width that names may take. */
const NAMES = 0.39
/** A name needs this many columns to be recognizable. */
const SHORT_NAME = 8
/** Maximum lines of an error's message. */
const MESSAGE_LINES = 3

/** Marks a row whose kind is not obvious. */
const tags: Readonly<Record<Span['kind'], string>> = {
  task: '',
  opening: ' (opening)',
  resource: '',
  deferred: ' (deferred)',
  scope: ' (scope)',
}

/**
 * Draws rows as bars over one time axis:
 *
 *                    0         1 s       2 s
 *                    ├──────────┴─────────┴──────
 *     name           ━━━━━━━━━━━━━━                outcome    took
 *   ✗ name           ███████████████████████✗      outcome    took
 *       └ error
 */
export class Waterfall {
  readonly #rows: readonly Row[]
  readonly #formatter: LineFormatter
  readonly #axis: TimeAxis
  /** Columns of indentation per level; fewer if the tree is deep. */
  readonly #step: number
  /** Columns of the names and of the times. */
  readonly #names: number
  readonly #times: number

  constructor(rows: readonly Row[], took: number, deadline: number, formatter: LineFormatter) {
    this.#rows = rows
    this.#formatter = formatter
    const spans = rows.filter((row) => row.type === 'span')
    const most = Math.floor(formatter.width * NAMES)
    const deepest = Math.max(...spans.map(({ depth }) => depth))
    this.#step = deepest * 2 <= most / 2 ? 2 : 1
    const names = rows.map((row) =>
      isNamed(row) ? row.depth * this.#step + textWidth(row.name + tagOf(row)) : 0,
    )
    this.#names = Math.max(12, Math.min(most, Math.max(...names)))
    this.#times = Math.max(6, ...spans.map((span) => this.#took(span).length))
    const bars = formatter.width - MARGIN - this.#names - OUTCOME - this.#times - 3 * GAP.length
    this.#axis = new TimeAxis(took, deadline, bars)
  }

  draw(): string[] {
    const left = MARGIN + this.#names + GAP.length
    const axis = this.#axis.draw(this.#formatter.glyphs, this.#formatter.width - left)
    return [
      ...axis.map((pieces) => this.#formatter.line({ text: ' '.repeat(left) }, ...pieces)),
      ...this.#rows.flatMap((row) => this.#row(row)),
    ]
  }

  /** Explains the characters that were used. */
  legend(): StyledText[] {
    const { shield, later, earlier } = this.#formatter.glyphs
    const spans = this.#rows.filter((row) => row.type === 'span')
    const some = (...outcomes: readonly Outcome[]): boolean =>
      spans.some(({ outcome }) => outcomes.includes(outcome))
    const entries = [
      { text: `${shield} shielded`, used: spans.some((span) => (span.shield ?? span.begin) > span.begin) },
      { text: `${later} still running`, used: some('abandoned', 'pending', 'closer') },
      {
        text: `${earlier} began before the close`,
        used: spans.some(({ begin }) => this.#axis.isBefore(begin)),
      },
      { text: 'closer: requested this close itself', used: some('closer') },
    ]
    return entries.filter(({ used }) => used).map(({ text }) => ({ text, style: 'quiet' }))
  }

  #row(row: Row): string[] {
    if (row.type === 'phase') return [this.#heading(row)]
    if (row.type === 'span') return [this.#span(row)]
    if (row.type === 'more') return [this.#more(row)]
    return this.#note(row, row.type === 'error' ? styleOf(row.outcome, 'plain') : 'quiet')
  }

  #heading(heading: Heading): string {
    return this.#formatter.line(...this.#name(heading, 'strong'), ...this.#bar())
  }

  #span(span: Span): string {
    const { outcome } = span
    return this.#formatter.line(
      ...this.#name(span, styleOf(outcome, 'plain')),
      ...this.#bar(span),
      { text: GAP + outcome.padEnd(OUTCOME) + GAP, style: styleOf(outcome, 'quiet') },
      { text: padStart(this.#took(span), this.#times) },
    )
  }

  #name(row: Span | Heading, style: Style): StyledText[] {
    const room = this.#names - this.#indent(row.depth)
    const whole = tagOf(row)
    // The name matters more than the tag.
    const tag = room - whole.length >= Math.min(SHORT_NAME, textWidth(row.name)) ? whole : ''
    const name = clip(row.name, room - tag.length, this.#formatter.glyphs.ellipsis)
    const filler = ' '.repeat(room - textWidth(name) - tag.length)
    return [
      ...this.#start(row.depth, row.type === 'span' ? row.outcome : undefined),
      { text: name, style },
      { text: tag, style: 'quiet' },
      { text: filler + GAP },
    ]
  }

  /** The bar of a span, with the line of the deadline wherever the bar leaves room. */
  #bar(span?: Span): StyledText[] {
    const { glyphs } = this.#formatter
    const axis = this.#axis
    const cells = Array.from({ length: axis.columns }, () => ' ')
    const line = axis.deadlineColumn
    if (line !== undefined) cells[line] = glyphs.deadline
    if (!span) return [{ text: cells.join(''), style: 'quiet' }]

    const from = axis.column(span.begin)
    const to = axis.column(span.end)
    const { first, body, last, only } = glyphs.bars[barOf(span)]
    const bar = Array.from({ length: to - from + 1 }, () => body)
    bar[0] = first
    if (span.shield !== undefined) bar.fill(glyphs.shield, 0, Math.max(0, axis.column(span.shield) - from))
    bar[to - from] = from === to ? only : last
    if (axis.isBefore(span.begin)) bar[0] = glyphs.earlier
    return [
      { text: cells.slice(0, from).join(''), style: 'quiet' },
      { text: bar.join(''), style: styleOf(span.outcome, 'good') },
      { text: cells.slice(to + 1).join(''), style: 'quiet' },
    ]
  }

  #more({ text, depth, outcome }: Note): string {
    const { ellipsis } = this.#formatter.glyphs
    const room = this.#formatter.width - MARGIN - this.#indent(depth)
    const line = { text: clip(`${ellipsis} ${text}`, room, ellipsis), style: styleOf(outcome, 'quiet') }
    return this.#formatter.line(...this.#start(depth, outcome), line)
  }

  #note({ text, depth }: Note, style: Style): string[] {
    const { glyphs, width } = this.#formatter
    const indent = MARGIN + this.#indent(depth + 1)
    const corner = `${glyphs.corner} `
    return wrap(text, width - indent - corner.length, MESSAGE_LINES, glyphs.ellipsis).map((line, index) =>
      this.#formatter.line(
        { text: ' '.repeat(indent) },
        { text: index === 0 ? corner : ' '.repeat(corner.length), style: 'quiet' },
        { text: line, style },
      ),
    )
  }

  /** The mark, if something went wrong, and the indentation. */
  #start(depth: number, outcome?: Outcome): StyledText[] {
    const { wrong, warning } = this.#formatter.glyphs
    const indent = ' '.repeat(this.#indent(depth))
    if (outcome === undefined || isHealthy(outcome)) return [{ text: ' '.repeat(MARGIN) + indent }]
    const mark = outcome === 'pending' ? warning : wrong
    return [{ text: mark.padEnd(MARGIN), style: styleOf(outcome, 'plain') }, { text: indent }]
  }

  /** Leaves half of the columns for the name, however deep the tree is. */
  #indent(depth: number): number {
    return Math.min(depth * this.#step, Math.floor(this.#names / 2))
  }

  #took({ outcome, took }: Span): string {
    return outcome === 'skipped' ? this.#formatter.glyphs.none : timeText(took)
  }
}

function isNamed(row: Row): row is Span | Heading {
  return row.type === 'span' || row.type === 'phase'
}

function tagOf(row: Span | Heading): string {
  return row.type === 'span' ? tags[row.kind] : ''
}

function barOf({ kind, outcome }: Span): Bar {
  if (kind === 'scope') return 'scope'
  if (outcome === 'closer') return 'closer'
  if (isHealthy(outcome)) return 'healthy'
  if (outcome === 'pending') return 'pending'
  return outcome === 'abandoned' ? 'abandoned' : 'failed'
}

function styleOf(outcome: Outcome, healthy: Style): Style {
  if (isHealthy(outcome)) return healthy
  return outcome === 'pending' ? 'warning' : 'bad'
}
