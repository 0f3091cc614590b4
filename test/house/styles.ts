import type { Source } from './tree.ts'

/** A colour that is written down, instead of taken from a token. */
const colour = /#[0-9a-f]{3,8}\b|\b(rgb|rgba|hsl|hsla|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)\(/gi

/** Properties whose lengths are tokens. Hairlines of 1px are not. */
const tokenised = /^(padding|margin|gap|row-gap|column-gap|font-size|border-radius)(-|$)/

const declaration = /^\s*(?<property>[\w-]+):\s*(?<value>[^;{]+);/gm

/** The widths at which the layout changes. */
const breakpoints = new Set(['(width < 760px)', '(width >= 760px)', '(width >= 1000px)'])

const withoutComments = (text: string): string => text.replaceAll(/\/\*[^]*?\*\//g, '')

/** Colours, sizes and breakpoints of a style sheet that are not tokens, one line each. */
export function magicValues({ path, text }: Source): string[] {
  const css = withoutComments(text)
  const values = [...css.matchAll(declaration)].flatMap(({ groups }) => {
    const { property = '', value = '' } = groups ?? {}
    const colours = value.match(colour) ?? []
    const lengths = tokenised.test(property) ? (withoutCalc(value).match(/[\d.]+(px|rem|em)\b/g) ?? []) : []
    return [...colours, ...lengths.filter((length) => length !== '1px')].map(
      (magic) => `${path} has ${magic} in ${property}: use a token`,
    )
  })
  const widths = [...css.matchAll(/@media (?<query>\(width[^{]*?\))\s*\{/g)]
    .map(({ groups }) => groups?.['query'] ?? '')
    .filter((query) => !breakpoints.has(query))
    .map((query) => `${path} has a breakpoint of its own: ${query}`)
  return [...values, ...widths]
}

const withoutCalc = (value: string): string => value.replaceAll(/calc\([^]*\)/g, '')

/** Classes of style sheets that no component has, one line each. A name anywhere in a component counts. */
export function unusedClasses(sheets: readonly Source[], components: readonly Source[]): string[] {
  const words = new Set(components.flatMap(({ text }) => text.match(/[\w-]+/g) ?? []))
  return sheets.flatMap(({ path, text }) => {
    const selectors = withoutComments(text).replaceAll(/[\w-]+:[^;{}]*;/g, '')
    const classes = new Set([...selectors.matchAll(/\.(?<name>[a-z][\w-]*)/g)].map(([, name]) => name ?? ''))
    return [...classes]
      .filter((name) => !words.has(name))
      .map((name) => `${path} has .${name}, which is unused`)
  })
}

/** Custom properties that are used and not defined, or defined and not used, one line each. */
export function strayProperties(sheets: readonly Source[], components: readonly Source[]): string[] {
  const css = sheets.map(({ text }) => withoutComments(text)).join('\n')
  const all = [css, ...components.map(({ text }) => text)].join('\n')
  const used = new Set([...all.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name ?? ''))
  const defined = new Set([
    ...[...css.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name ?? ''),
    ...components.flatMap(({ text }) => [...text.matchAll(/'(--[\w-]+)':/g)].map(([, name]) => name ?? '')),
  ])
  return [
    ...[...used].filter((name) => !defined.has(name)).map((name) => `${name} is used, and not defined`),
    ...[...defined].filter((name) => !used.has(name)).map((name) => `${name} is defined, and not used`),
  ]
}

/** Style sheets without a component of the same name beside them that imports them, one line each. */
export function strayStyleSheets(sheets: readonly Source[], components: readonly Source[]): string[] {
  const texts = new Map(components.map(({ path, text }) => [path, text]))
  return sheets
    .map(({ path }) => path)
    .filter((path) => {
      const name = path.slice(path.lastIndexOf('/') + 1)
      return !texts.get(path.replace(/\.css$/, '.tsx'))?.includes(`import './${name}'`)
    })
    .map((path) => `${path} is imported by no component of the same name`)
}
