import { blocksOf } from '../../test/house/markdown.ts'

/** A group of pages, as docs/README.md lists them. */
export interface Section {
  readonly title: string
  readonly pages: readonly Listed[]
}

export interface Listed {
  readonly title: string
  /** As docs/README.md links to it. */
  readonly link: string
  readonly about: string
}

/** Reads the table of contents from docs/README.md: `## Section`, and below it `- [Title](page.md): what it is about`. */
export function contentsOf(index: string): Section[] {
  const sections: { title: string; pages: Listed[] }[] = []
  const paragraphs = blocksOf(index)
    .rest.join('\n')
    .replaceAll(/\n {2,}/g, ' ')
  for (const line of paragraphs.split('\n')) {
    const [, section] = /^## (.*)/.exec(line) ?? []
    if (section !== undefined) sections.push({ title: section, pages: [] })
    const [, title = '', link = '', about = ''] = /^- \[([^\]]*)\]\(([^)]*)\): (.*)/.exec(line) ?? []
    if (link !== '') sections.at(-1)?.pages.push({ title, link, about })
  }
  return sections
}
