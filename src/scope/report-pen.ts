import { textWidth } from './terminal-text.ts'

export type Style = 'plain' | 'strong' | 'quiet' | 'good' | 'warning' | 'bad'

/** What a bar is made of; `only` is a bar of one column. */
interface BarGlyphs {
  readonly first: string
  readonly body: string
  readonly last: string
  readonly only: string
}

/**
 * - `calm`: it ended
 * - `closer`: nobody waited for it
 * - `broken`: it threw, or was cut off
 * - `deserted`: it was given up
 * - `pending`: it goes on, and may
 * - `scope`: a bracket around what is inside
 */
export type Bar = 'calm' | 'closer' | 'broken' | 'deserted' | 'pending' | 'scope'

export interface Glyphs {
  readonly bars: Readonly<Record<Bar, BarGlyphs>>
  readonly shield: string
  /** In place of a bar's first column: it began before the axis does. */
  readonly earlier: string
  /** At the end of a bar: it was still running. */
  readonly later: string
  readonly deadline: string
  readonly axis: { readonly first: string; readonly line: string; readonly tick: string }
  readonly right: string
  readonly wrong: string
  readonly warning: string
  readonly corner: string
  readonly separator: string
  readonly ellipsis: string
  readonly none: string
}

const box: Glyphs = {
  bars: {
    calm: { first: '━', body: '━', last: '━', only: '╸' },
    closer: { first: '━', body: '━', last: '▸', only: '▸' },
    broken: { first: '█', body: '█', last: '✗', only: '✗' },
    deserted: { first: '█', body: '█', last: '▸', only: '▸' },
    pending: { first: '▒', body: '▒', last: '▸', only: '▸' },
    scope: { first: '├', body: '─', last: '┤', only: '│' },
  },
  shield: '┄',
  earlier: '◂',
  later: '▸',
  deadline: '┊',
  axis: { first: '├', line: '─', tick: '┴' },
  right: '✓',
  wrong: '✗',
  warning: '!',
  corner: '└',
  separator: ' · ',
  ellipsis: '…',
  none: '–',
}

const ascii: Glyphs = {
  bars: {
    calm: { first: '=', body: '=', last: '=', only: '=' },
    closer: { first: '=', body: '=', last: '>', only: '>' },
    broken: { first: '#', body: '#', last: 'X', only: 'X' },
    deserted: { first: '#', body: '#', last: '>', only: '>' },
    pending: { first: '~', body: '~', last: '>', only: '>' },
    scope: { first: '|', body: '-', last: '|', only: '|' },
  },
  shield: '.',
  earlier: '<',
  later: '>',
  deadline: ':',
  axis: { first: '+', line: '-', tick: '+' },
  right: 'ok',
  wrong: 'X',
  warning: '!',
  corner: '+-',
  separator: ' | ',
  ellipsis: '...',
  none: '-',
}

const escapes: Readonly<Record<Style, string>> = {
  plain: '',
  strong: '\x1b[1m',
  quiet: '\x1b[2m',
  good: '\x1b[32m',
  warning: '\x1b[33m',
  bad: '\x1b[31m',
}

/** A piece of a line. It is measured before it is painted: colours have no width. */
export interface Piece {
  readonly text: string
  readonly style?: Style
}

/** How a report is written: into how many columns, with which characters, in colour or not. */
export class Pen {
  readonly width: number
  readonly glyphs: Glyphs
  readonly #color: boolean

  constructor(options: {
    readonly width?: number | undefined
    readonly color?: boolean | undefined
    readonly ascii?: boolean | undefined
  }) {
    const { width = 96, color = false } = options
    // A terminal that does not know its width says 0 or nothing.
    this.width = Number.isFinite(width) && width > 0 ? Math.min(400, Math.max(60, Math.floor(width))) : 96
    this.#color = color
    this.glyphs = options.ascii ? ascii : box
  }

  /** The pieces as one line, without spaces at its end. */
  line(...pieces: readonly Piece[]): string {
    const last = pieces.findLastIndex(({ text }) => text.trimEnd() !== '')
    return pieces
      .slice(0, last + 1)
      .map(({ text, style = 'plain' }, index) => this.#paint(style, index === last ? text.trimEnd() : text))
      .join('')
  }

  /** The pieces side by side, in as many lines as they need, all but the first of them indented by 2. */
  flow(pieces: readonly Piece[], indent = 2): string[] {
    const { separator } = this.glyphs
    const lines: Piece[][] = []
    let left = 0
    for (const piece of pieces) {
      const width = textWidth(piece.text)
      const line = lines.at(-1)
      if (line && left >= separator.length + width) {
        line.push({ text: separator, style: 'quiet' }, piece)
        left -= separator.length + width
      } else {
        lines.push([piece])
        left = this.width - 2 - width
      }
    }
    return lines.map((line, index) => this.line({ text: ' '.repeat(index === 0 ? indent : 2) }, ...line))
  }

  #paint(style: Style, text: string): string {
    const blank = style === 'plain' || text.trim() === ''
    return this.#color && !blank ? `${escapes[style]}${text}\x1b[0m` : text
  }
}
