import { asciiGlyphs, boxGlyphs, type Glyphs } from './glyphs.ts'
import { textWidth } from './terminal-text.ts'

export type Style = 'plain' | 'strong' | 'quiet' | 'good' | 'warning' | 'bad'

const escapes: Readonly<Record<Style, string>> = {
  plain: '',
  strong: '\x1b[1m',
  quiet: '\x1b[2m',
  good: '\x1b[32m',
  warning: '\x1b[33m',
  bad: '\x1b[31m',
}

/** A part of a line. Its width is measured before it is coloured, because escapes take no columns. */
export interface StyledText {
  readonly text: string
  readonly style?: Style
}

/** Puts styled text together into lines of limited width. */
export class LineFormatter {
  readonly width: number
  readonly glyphs: Glyphs
  readonly #color: boolean

  constructor(options: {
    readonly width?: number | undefined
    readonly color?: boolean | undefined
    readonly ascii?: boolean | undefined
  }) {
    const { width = 96, color = false } = options
    // A terminal that does not know its width reports 0 or NaN.
    this.width = Number.isFinite(width) && width > 0 ? Math.min(400, Math.max(60, Math.floor(width))) : 96
    this.#color = color
    this.glyphs = options.ascii ? asciiGlyphs : boxGlyphs
  }

  /** Joins the parts into one line without trailing spaces. */
  line(...parts: readonly StyledText[]): string {
    const last = parts.findLastIndex(({ text }) => text.trimEnd() !== '')
    return parts
      .slice(0, last + 1)
      .map(({ text, style = 'plain' }, index) => this.#paint(style, index === last ? text.trimEnd() : text))
      .join('')
  }

  /** Puts the parts side by side on as many lines as they need. Every line but the first is indented by 2. */
  flow(parts: readonly StyledText[], indent = 2): string[] {
    const { separator } = this.glyphs
    const lines: StyledText[][] = []
    let left = 0
    for (const part of parts) {
      const width = textWidth(part.text)
      const line = lines.at(-1)
      if (line && left >= separator.length + width) {
        line.push({ text: separator, style: 'quiet' }, part)
        left -= separator.length + width
      } else {
        lines.push([part])
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
