/** The characters of a bar; `only` is a bar of one column. */
interface BarGlyphs {
  readonly first: string
  readonly body: string
  readonly last: string
  readonly only: string
}

/** How a bar is drawn, by how the thing ended; `failed` also covers what was aborted, `scope` is a bracket. */
export type Bar = 'healthy' | 'closer' | 'failed' | 'abandoned' | 'pending' | 'scope'

/** Every character a report is drawn with. */
export interface Glyphs {
  readonly bars: Readonly<Record<Bar, BarGlyphs>>
  readonly shield: string
  /** Replaces the first column of a bar that began before the axis does. */
  readonly earlier: string
  /** Ends the bar of something that was still running. */
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

export const boxGlyphs: Glyphs = {
  bars: {
    healthy: { first: '━', body: '━', last: '━', only: '╸' },
    closer: { first: '━', body: '━', last: '▸', only: '▸' },
    failed: { first: '█', body: '█', last: '✗', only: '✗' },
    abandoned: { first: '█', body: '█', last: '▸', only: '▸' },
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

export const asciiGlyphs: Glyphs = {
  bars: {
    healthy: { first: '=', body: '=', last: '=', only: '=' },
    closer: { first: '=', body: '=', last: '>', only: '>' },
    failed: { first: '#', body: '#', last: 'X', only: 'X' },
    abandoned: { first: '#', body: '#', last: '>', only: '>' },
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
