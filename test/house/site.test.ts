import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { linkProblems } from '../../tools/docs/check-site.ts'
import { contentsOf } from '../../tools/docs/contents.ts'
import { outsideCode, siteLinks, themedPictures } from '../../tools/docs/links.ts'
import { pagesInRepository, sitePages } from '../../tools/docs/pages.ts'
import { referencePage } from '../../tools/docs/reference.ts'
import { apiReports } from '../../tools/api/reports.ts'
import { headingsOf, linksOf } from './markdown.ts'
import { read } from './tree.ts'

/** Writes files into a folder of their own. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-site-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

describe('a link of a page, in the site', () => {
  const pages = new Map([
    ['docs/agents.md', 'agents.md'],
    ['docs/browser.md', 'browser.md'],
    ['SPEC.md', 'rules.md'],
  ])
  const agents = { path: 'docs/agents.md', page: 'agents.md' }
  const link = (target: string): string => siteLinks(`[a](${target})`, agents, pages)

  it.each([
    ['browser.md#the-page', 'browser.md#the-page'],
    ['../SPEC.md', 'rules.md'],
    ['https://github.com/endwell/endwell/blob/main/SPEC.md#sc1', 'rules.md#sc1'],
    ['../examples/agent.ts', 'https://github.com/endwell/endwell/blob/main/examples/agent.ts'],
    ['pictures/call-light.png', '/pictures/call-light.png'],
    ['#tools', '#tools'],
    ['https://example.com', 'https://example.com'],
  ])('leads from %s to %s', (from, to) => {
    expect(link(from)).toBe(`[a](${to})`)
  })

  it('is not changed in code', () => {
    const text = 'a `b(c)` d\n\n```md\n[a](../SPEC.md)\n```\n[a](../SPEC.md)'
    expect(siteLinks(text, agents, pages)).toBe(text.replace(/\.\.\/SPEC\.md\)$/, 'rules.md)'))
    expect(outsideCode('a `a` a', (prose) => prose.toUpperCase())).toBe('A `a` A')
  })
})

describe('a picture that is light or dark', () => {
  it('becomes two pictures, one of which the theme of the site shows', () => {
    const text =
      '<picture>\n  <source media="x" srcset="a-dark.png">\n  <img alt="A" src="a-light.png">\n</picture>'
    expect(themedPictures(text)).toBe(
      '<img class="light-only" alt="A" src="a-light.png"><img class="dark-only" alt="A" src="a-dark.png">',
    )
  })
})

describe('the reference of an entry point', () => {
  it('has every name with its comment, and breaks long comments of members', () => {
    const long = 'Pours so much that the sentence about it does not fit into one line of the page any more.'
    const folder = folderWith({
      'index.d.ts': `/** A cup. */\nexport declare class Cup {\n    #private;\n    /** ${long} */\n    pour(): void;\n}\nexport type Size = 1;\n`,
    })
    const page = referencePage('cups', join(folder, 'index.d.ts'), 'what has cups')
    expect(page).toContain('# cups\n\nWhat has cups.')
    expect(page).toContain('**Classes**: [`Cup`](#cup)')
    expect(page).toContain('## Cup\n\nA cup.\n\n```ts\nclass Cup {\n  /**\n   * Pours so much')
    expect(page).toContain('## Size\n\n```ts\ntype Size = 1;\n```')
    expect(Math.max(...page.split('\n').map((line) => line.length))).toBeLessThanOrEqual(84)
  })
})

describe('a built site', () => {
  const files = {
    'index.html': '<a href="/other#there">a</a><img src="/a.png"><a href="https://example.com">b</a>',
    'other.html': '<h2 id="there">There</h2>',
    'a.png': '',
  }
  const problems = (changes: Readonly<Record<string, string>> = {}): string[] => {
    const all: Record<string, string> = { ...files, ...changes }
    const pages = new Map(Object.entries(all).filter(([name]) => name.endsWith('.html')))
    return linkProblems(folderWith(all), '/', pages)
  }

  it('has no links to nowhere, and loads nothing from other servers', () => {
    expect(problems()).toEqual([])
    expect(problems({ 'index.html': '<a href="/other#gone">a</a>' })).toHaveLength(1)
    expect(problems({ 'index.html': '<a class="x" href="/gone">a</a>' })).toHaveLength(1)
    expect(problems({ 'index.html': '<script src="https://cdn.example.com/a.js"></script>' })).toHaveLength(1)
  })
})

describe('the documentation', () => {
  const { pages, sections } = sitePages()

  it('lists every page of docs/ once in its table of contents', () => {
    const listed = contentsOf(read('docs/README.md')).flatMap((section) => section.pages)
    const wanted = [...pagesInRepository().keys()].filter((path) => path !== 'docs/README.md')
    expect(
      listed.map(({ link }) => (link.startsWith('../') ? link.slice(3) : `docs/${link}`)).toSorted(),
    ).toEqual(wanted.toSorted())
    expect(listed.every(({ title, about }) => title !== '' && about !== '')).toBe(true)
  })

  it('has a page with every public name of every entry point', () => {
    const missing = [...apiReports()].flatMap(([file, report]) => {
      const page = pages.get(`reference/${file.replace('.txt', '.md')}`) ?? ''
      const headings = new Set(headingsOf(page).map(({ text }) => text))
      return [...report.matchAll(/^## (.*)$/gm)].flatMap(([, name = '']) =>
        headings.has(name) ? [] : [`${file} ${name}`],
      )
    })
    expect(missing).toEqual([])
    expect(sections.at(-1)?.pages.map(({ link }) => link)).toContain('reference/endwell-client.md')
    // README.md and docs/providers.md say what each entry point is for.
    expect(pages.get('reference/index.md')).not.toMatch(/\| +\|$/m)
  })

  it('links to pages and headings of the site that exist', () => {
    const anchors = new Map(
      [...pages].map(([path, text]) => {
        const own = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
        return [path, new Set([...own, ...headingsOf(text).map(({ anchor }) => anchor)])] as const
      }),
    )
    const broken = [...pages].flatMap(([path, text]) =>
      linksOf(text)
        .filter((target) => !/^(https?:|mailto:|\/pictures\/)/.test(target))
        .filter((target) => {
          const [file = '', anchor] = target.split('#')
          const folder = path.includes('/') && !file.startsWith('../') ? 'reference/' : ''
          const known = anchors.get(file === '' ? path : folder + file.replace('../', ''))
          return known === undefined || (anchor !== undefined && !known.has(anchor))
        })
        .map((target) => `${path}: ${target}`),
    )
    expect(broken).toEqual([])
  })
})
