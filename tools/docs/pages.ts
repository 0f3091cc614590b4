import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

import { entryPoints } from '../api/reports.ts'
import { contentsOf, type Section } from './contents.ts'
import { outsideCode, siteLinks, themedPictures } from './links.ts'
import { referencePage } from './reference.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Pages of the site that are not in docs/, by their path in the repository. */
const others: Readonly<Record<string, string>> = {
  'SPEC.md': 'rules.md',
  'CHANGELOG.md': 'changelog.md',
  'docs/README.md': 'index.md',
}

/** The documentation site before it is built. */
export interface Site {
  /** The text of each page, by its path in the site. */
  readonly pages: ReadonlyMap<string, string>
  /** The pages in the order of the sidebar. */
  readonly sections: readonly Section[]
}

/** The paths of the site's pages, by their paths in the repository. */
export function pagesInRepository(): ReadonlyMap<string, string> {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md')
  return new Map([...docs.map((name) => [`docs/${name}`, name] as const), ...Object.entries(others)])
}

/** Makes the pages of the site from the pages of the repository, and from its declarations. Build the package first. */
export function sitePages(): Site {
  const known = pagesInRepository()
  const pages = new Map<string, string>()
  const add = (path: string, page: string, text: string): void => {
    pages.set(page, siteLinks(themedPictures(withRules(path, text)), { path, page }, known))
  }
  for (const [path, page] of known) {
    const source = page === 'index.md' ? 'site/index.md' : path
    add(source, page, read(source))
  }
  const entries = entryPoints().filter(({ types }) => existsSync(types))
  for (const { entry, types } of entries) {
    const { path, about } = aboutOf(entry)
    add(path, referencePath(entry), referencePage(entry, types, about))
  }
  const names = entries.map(({ entry }) => entry)
  pages.set('reference/index.md', referenceIndex(names))
  return { pages, sections: [...guides(known), api(names)] }
}

const referencePath = (entry: string): string => `reference/${entry.replaceAll('/', '-')}.md`

/** The sections of docs/README.md, with links of the site. */
function guides(known: ReadonlyMap<string, string>): Section[] {
  return contentsOf(read('docs/README.md')).map(({ title, pages }) => ({
    title,
    pages: pages.map((page) => ({ ...page, link: known.get(posix.join('docs', page.link)) ?? page.link })),
  }))
}

function api(entries: readonly string[]): Section {
  const pages = entries.map((entry) => ({ title: entry, link: referencePath(entry), about: '' }))
  return { title: 'API', pages }
}

/** What a table says about an entry point: in docs/providers.md for a provider, otherwise in the README. */
function aboutOf(entry: string): { readonly path: string; readonly about: string } {
  const path = entry.startsWith('endwell/providers/') ? 'docs/providers.md' : 'README.md'
  const rows = read(path).matchAll(/^\| (`endwell.*?) \| (.*?)(?: \(\[docs\].*\))? \|/gm)
  const abouts = [...rows].filter(([, names = '']) => names.includes(`\`${entry}\``))
  const texts = abouts.map(([, , about = '']) => about)
  return { path, about: path === 'README.md' ? (texts[0] ?? '') : texts.join('; ') }
}

function referenceIndex(entries: readonly string[]): string {
  const known = pagesInRepository()
  const rows = entries.map((entry) => {
    const page = referencePath(entry)
    const { path, about } = aboutOf(entry)
    return `| [\`${entry}\`](${posix.basename(page)}) | ${siteLinks(about, { path, page }, known)} |`
  })
  const head = ['# API', '', 'Every public name, by the entry point that exports it.', '']
  return [...head, '| import | what it has |', '|---|---|', ...rows, ''].join('\n')
}

/** Gives each rule an anchor of its own, like `rules#sc1`, and makes a link of each mention of a rule in brackets. */
function withRules(path: string, text: string): string {
  if (path === 'SPEC.md')
    return text.replaceAll(/^- \*\*([A-Z]+\d+)\*\*/gm, (rule, id: string) =>
      rule.replace('- ', `- <a id="${id.toLowerCase()}"></a>`),
    )
  const mention = /(?<=[[(][^\])\n]*)\b[A-Z]{2,3}\d{1,2}\b(?=[^[\](\n]*[\])](?!\())/g
  return outsideCode(text, (prose) =>
    prose.replaceAll(mention, (id) => (ruleIds().has(id) ? `[${id}](/SPEC.md#${id.toLowerCase()})` : id)),
  )
}

let ids: ReadonlySet<string> | undefined
function ruleIds(): ReadonlySet<string> {
  ids ??= new Set([...read('SPEC.md').matchAll(/^- \*\*([A-Z]+\d+)\*\*/gm)].map(([, id = '']) => id))
  return ids
}
