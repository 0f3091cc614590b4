import { posix } from 'node:path'

import type { Source } from './tree.ts'

export interface Block {
  readonly language: string
  readonly text: string
  readonly line: number
  /** The last non-empty line before the block. */
  readonly before: string
  /** The text of the heading above the block. */
  readonly heading: string
}

/** The fenced blocks of a page, and its other lines. In `rest`, the lines of blocks are empty. */
export function blocksOf(page: string): { blocks: Block[]; rest: string[] } {
  const blocks: Block[] = []
  const rest: string[] = []
  let heading = ''
  let before = ''
  let open: { fence: string; language: string; line: number; text: string[] } | undefined
  for (const [index, line] of page.split('\n').entries()) {
    const [, fence = '', language = ''] = /^\s*(`{3,}|~{3,})\s*([\w-]*)/.exec(line) ?? []
    if (open === undefined && fence !== '') open = { fence, language, line: index + 1, text: [] }
    else if (open !== undefined && line.trim() === open.fence) {
      blocks.push({ ...open, text: open.text.join('\n'), before, heading })
      open = undefined
      before = ''
    } else if (open === undefined) {
      heading = /^#+\s+(.*)/.exec(line)?.[1] ?? heading
      before = line.trim() === '' ? before : line.trim()
      rest.push(line)
      continue
    } else open.text.push(line)
    rest.push('')
  }
  return { blocks, rest }
}

const namesExample =
  /^<!--\s*((?:examples|bench\/peers|test\/clients|test\/workflows)\/[^\s#]+\.tsx?)(?:#(\S+))?\s*-->$/

const isTypeScript = (language: string): boolean => language === 'ts' || language === 'tsx'

/** Blocks of a page that differ from the example named above them, one line each. */
export function staleExamples(
  { path, text }: Source,
  example: (path: string) => string | undefined,
): string[] {
  const { blocks, rest } = blocksOf(text)
  const wrong = blocks.flatMap(({ before, language, line, text: shown }) => {
    const [, name, region] = namesExample.exec(before) ?? []
    if (name === undefined || !isTypeScript(language)) return []
    const source = example(name)
    if (source === undefined) return [`${path}:${line} shows ${name}, which does not exist`]
    const wanted = regionOf(source, region)
    if (wanted === undefined) return [`${path}:${line} shows ${name}#${region}, which does not exist`]
    return shown.trim() === wanted.trim() ? [] : [`${path}:${line} differs from ${name}`]
  })
  const shownAfter = new Set(
    blocks.filter(({ language }) => isTypeScript(language)).map(({ before }) => before),
  )
  const idle = rest.filter((line) => namesExample.test(line.trim()) && !shownAfter.has(line.trim()))
  return [...wrong, ...idle.map((line) => `${path} has no block of TypeScript after ${line.trim()}`)]
}

/** The text of an example: the region with the given name, or the first region, or the whole file. */
export function regionOf(source: string, wanted?: string): string | undefined {
  const regions = source.matchAll(/^\s*\/\/ #region\b *(\S*).*\n([\s\S]*?)^\s*\/\/ #endregion\b/gm)
  const found = [...regions].find(([, name]) => wanted === undefined || name === wanted)
  return found?.[2] ?? (wanted === undefined ? source : undefined)
}

/** Blocks of TypeScript that do not name an example, one line each. */
export function unprovenBlocks({ path, text }: Source): string[] {
  return blocksOf(text)
    .blocks.filter(({ language, before }) => isTypeScript(language) && !namesExample.test(before))
    .map(({ line }) => `${path}:${line} names no example`)
}

/** npm scripts that a text mentions and that package.json does not have, one line each. */
export function missingScripts({ path, text }: Source, scripts: readonly string[]): string[] {
  return [...text.matchAll(/\bnpm run(?:-script)? ([a-z][\w:-]*)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !scripts.includes(name))
    .map((name) => `${path} says npm run ${name}, which is not in package.json`)
}

/** The targets of all links and pictures of a page. */
export function linksOf(text: string): string[] {
  const prose = blocksOf(text)
    .rest.join('\n')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/`[^`\n]*`/g, '')
  return [
    ...prose.matchAll(/\]\(\s*<?([^()\s>]+)/g),
    ...prose.matchAll(/^\s*\[[^\]^]+\]:\s*<?([^\s>]+)/gm),
    ...prose.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g),
  ].map(([, target = '']) => target)
}

/** The path in the repository to which a page refers. */
const resolve = (path: string, file: string): string =>
  posix.join(file.startsWith('/') ? '' : posix.dirname(path), file).replaceAll(/^\/|\/$/g, '')

/** The pages of the repository, as other sites link to them. */
const ours = /^https:\/\/github\.com\/endwell\/endwell\/(?:blob|tree)\/main/

/**
 * Links of a page to files that do not exist, one line each. Relative links are checked against `files`, and absolute links
 * into the repository against `repository`.
 */
export function brokenLinks(
  { path, text }: Source,
  files: readonly string[],
  repository: readonly string[] = files,
): string[] {
  return linksOf(text).flatMap((target) => {
    const known = ours.test(target) ? repository : files
    const local = target.replace(ours, '')
    if (/^([a-z][a-z+.-]*:|\/\/|#)/i.test(local)) return []
    const file = decodeURI(local.replace(/[#?].*$/, ''))
    const resolved = resolve(path, file)
    const found =
      known.some((each) => each === resolved || each.startsWith(`${resolved}/`)) || resolved === '.'
    return found ? [] : [`${path} links to ${target}, which does not exist`]
  })
}

/** Links of a page to headings that do not exist, one line each. `pages` has the pages of the repository, by path. */
export function brokenAnchors({ path, text }: Source, pages: ReadonlyMap<string, string>): string[] {
  return linksOf(text).flatMap((target) => {
    const local = target.replace(ours, '')
    if (/^([a-z][a-z+.-]*:|\/\/)/i.test(local)) return []
    const [file = '', anchor = ''] = decodeURI(local).split('#')
    const page = file === '' ? path : resolve(path, file)
    const headings = headingsOf(pages.get(page) ?? '')
    const found = anchor === '' || !pages.has(page) || headings.some((heading) => heading.anchor === anchor)
    return found ? [] : [`${path} links to ${target}, which has no such heading`]
  })
}

/** The first line of the first block below each heading that mentions tests. */
export function testCommands(page: string): string[] {
  const { blocks } = blocksOf(page)
  return blocks
    .filter(({ heading }, index) => /\btest/i.test(heading) && blocks[index - 1]?.heading !== heading)
    .map(({ text }) => text.split('\n')[0] ?? '')
}

export interface Heading {
  readonly level: number
  readonly text: string
  /** The part of an address after `#`. */
  readonly anchor: string
}

/** The anchor of a heading, as GitHub makes it. The site does the same, so that one link works in both places. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** The headings of a page. Repeated ones have a number in their anchor. */
export function headingsOf(page: string): Heading[] {
  const counts = new Map<string, number>()
  return blocksOf(page).rest.flatMap((line) => {
    const [, marks, title = ''] = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line) ?? []
    if (marks === undefined) return []
    const text = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
    const plain = anchorOf(text)
    const count = counts.get(plain) ?? 0
    counts.set(plain, count + 1)
    return [{ level: marks.length, text, anchor: count === 0 ? plain : `${plain}-${count}` }]
  })
}

/** The title of a page: its first heading. */
export const titleOf = (page: string): string => headingsOf(page)[0]?.text ?? ''
