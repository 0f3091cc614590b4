/** The colours of a chart, as the page has them. */
export interface Theme {
  readonly paper: string
  readonly ink: string
  readonly soft: string
  readonly line: string
  readonly accent: string
  readonly other: string
}

export const themes = {
  light: {
    paper: '#fdfcfa',
    ink: '#1b1e20',
    soft: '#565d62',
    line: '#dfdcd4',
    accent: '#0a675e',
    other: '#c25000',
  },
  dark: {
    paper: '#171b1e',
    ink: '#e8e6e1',
    soft: '#a0a8ad',
    line: '#2a3034',
    accent: '#62cbbb',
    other: '#e8793a',
  },
} as const satisfies Record<string, Theme>

type Attributes = Readonly<Record<string, string | number>>

/** An element of an SVG. Text is escaped. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(shortened(value))}"`)
  return `<${name}${list.join('')}${children.length === 0 ? '/>' : `>${children.join('')}</${name}>`}`
}

export function text(x: number, y: number, content: string, attributes: Attributes = {}): string {
  return element('text', { x, y, ...attributes }, escape(content))
}

/** A whole picture, with a description for those who do not see it. */
export function picture(
  { width, height }: { readonly width: number; readonly height: number },
  theme: Theme,
  description: string,
  children: readonly string[],
): string {
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'font-family': "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    'font-size': 13,
    fill: theme.ink,
  }
  const paper = element('rect', { width, height, rx: 8, fill: theme.paper })
  const lines = [element('title', {}, escape(description)), paper, ...children].map((line) => `  ${line}`)
  const [head = ''] = element('svg', attributes, '').split('</svg>')
  return [head, ...lines, '</svg>', ''].join('\n')
}

const shortened = (value: string | number): string =>
  typeof value === 'number' ? String(Math.round(value * 10) / 10) : value

const escape = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
