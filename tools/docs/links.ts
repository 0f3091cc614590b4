import { posix } from 'node:path'

/** Where the repository is on the web. */
export const repository = 'https://github.com/endwell/endwell'

/** Links that lead into the repository, as pages outside of it write them. */
const absolute = new RegExp(`^${repository}/(?:blob|tree)/main/`)

const external = /^([a-z][a-z+.-]*:|\/\/|#)/i

/** The place of a page: its path in the repository, and its path in the site. */
export interface Place {
  readonly path: string
  readonly page: string
}

/**
 * Changes the links of a page of the repository into links of the site. `pages` has the pages of the site, by their path in the
 * repository: a link to one of them becomes a link within the site. A link to another file leads to the repository.
 */
export function siteLinks(text: string, place: Place, pages: ReadonlyMap<string, string>): string {
  const to = (_: string, before: string, target: string): string => before + siteLink(target, place, pages)
  return outsideCode(text, (prose) =>
    prose.replaceAll(/(\]\(\s*)([^()\s]+)/g, to).replaceAll(/(\b(?:href|src|srcset)=")([^"]+)/g, to),
  )
}

function siteLink(target: string, { path, page }: Place, pages: ReadonlyMap<string, string>): string {
  const inside = target.replace(absolute, '/')
  if (external.test(inside)) return target
  const [file = '', ...anchor] = inside.split(/(?=#)/)
  const wanted = posix.join(file.startsWith('/') ? '' : posix.dirname(path), file).replace(/^\//, '')
  const known = pages.get(wanted)
  if (known !== undefined) return posix.relative(posix.dirname(page), known) + anchor.join('')
  if (/\.(png|svg|webp)$/.test(wanted)) return `/${wanted.replace(/^docs\//, '')}`
  return `${repository}/blob/main/${wanted}${anchor.join('')}`
}

/** Changes a text, but not its blocks and spans of code. */
export function outsideCode(text: string, change: (prose: string) => string): string {
  const code = /^(\s*)(`{3,}|~{3,})[^]*?^\s*\2\s*$|`[^`\n]+`/gm
  let out = ''
  let last = 0
  for (const match of text.matchAll(code)) {
    out += change(text.slice(last, match.index)) + match[0]
    last = match.index + match[0].length
  }
  return out + change(text.slice(last))
}

/** Replaces each picture that has a light and a dark version by both. The style sheet shows the one of the site's theme. */
export function themedPictures(text: string): string {
  const picture =
    /<picture>\s*<source [^>]*srcset="([^"]+)"[^>]*>\s*<img ([^>]*)src="([^"]+)"[^>]*>\s*<\/picture>/g
  return text.replaceAll(picture, '<img class="light-only" $2src="$3"><img class="dark-only" $2src="$1">')
}
