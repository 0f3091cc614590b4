import { posix } from 'node:path'

import type { Source } from './tree.ts'

export interface Block {
  readonly language: string
  readonly text: string
  readonly line: number
  /** The last line before the block that is not empty. */
  readonly before: string
  /** The heading above the block, without its marks. */
  readonly heading: string
}

/** The fenced blocks of a page, and the page without them, line for line. */
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

const namesExample = /^<!--\s*((?:examples|bench\/peers)\/[^\s#]+\.ts)(?:#(\S+))?\s*-->$/

/** Blocks of a page that differ from the example they say they show, one line each. */
export function staleExamples(
  { path, text }: Source,
  example: (path: string) => string | undefined,
): string[] {
  const { blocks, rest } = blocksOf(text)
  const wrong = blocks.flatMap(({ before, language, line, text: shown }) => {
    const [, name, region] = namesExample.exec(before) ?? []
    if (name === undefined || language !== 'ts') return []
    const source = example(name)
    if (source === undefined) return [`${path}:${line} shows ${name}, which does not exist`]
    const wanted = regionOf(source, region)
    if (wanted === undefined) return [`${path}:${line} shows ${name}#${region}, which does not exist`]
    return shown.trim() === wanted.trim() ? [] : [`${path}:${line} differs from ${name}`]
  })
  const shownAfter = new Set(blocks.filter(({ language }) => language === 'ts').map(({ before }) => before))
  const idle = rest.filter((line) => namesExample.test(line.trim()) && !shownAfter.has(line.trim()))
  return [...wrong, ...idle.map((line) => `${path} has no block of TypeScript after ${line.trim()}`)]
}

/** What an example shows: the lines between its markers, or all; of several regions, the one with the name. */
export function regionOf(source: string, wanted?: string): string | undefined {
  const regions = source.matchAll(/^\s*\/\/ #region\b *(\S*).*\n([\s\S]*?)^\s*\/\/ #endregion\b/gm)
  const found = [...regions].find(([, name]) => wanted === undefined || name === wanted)
  return found?.[2] ?? (wanted === undefined ? source : undefined)
}

/** Blocks of TypeScript that no example stands for, one line each. */
export function unprovenBlocks({ path, text }: Source): string[] {
  return blocksOf(text)
    .blocks.filter(({ language, before }) => language === 'ts' && !namesExample.test(before))
    .map(({ line }) => `${path}:${line} is no example`)
}

/** Scripts that a text tells to run and that package.json does not have, one line each. */
export function missingScripts({ path, text }: Source, scripts: readonly string[]): string[] {
  return [...text.matchAll(/\bnpm run(?:-script)? ([a-z][\w:-]*)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !scripts.includes(name))
    .map((name) => `${path} says npm run ${name}, which is not in package.json`)
}

/** Relative links of a page to files that are not among the given ones, one line each. */
export function brokenLinks({ path, text }: Source, files: readonly string[]): string[] {
  const prose = blocksOf(text)
    .rest.join('\n')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/`[^`\n]*`/g, '')
  const targets = [
    ...prose.matchAll(/\]\(\s*<?([^()\s>]+)/g),
    ...prose.matchAll(/^\s*\[[^\]^]+\]:\s*<?([^\s>]+)/gm),
    ...prose.matchAll(/\b(?:href|src)="([^"]+)"/g),
  ].map(([, target = '']) => target)
  return targets.flatMap((target) => {
    if (/^([a-z][a-z+.-]*:|\/\/|#)/i.test(target)) return []
    const file = decodeURI(target.replace(/[#?].*$/, ''))
    const resolved = posix
      .join(file.startsWith('/') ? '' : posix.dirname(path), file)
      .replaceAll(/^\/|\/$/g, '')
    const found =
      files.some((each) => each === resolved || each.startsWith(`${resolved}/`)) || resolved === '.'
    return found ? [] : [`${path} links to ${target}, which does not exist`]
  })
}

/** The first line of the first block below each heading that speaks of tests. */
export function testCommands(page: string): string[] {
  const { blocks } = blocksOf(page)
  return blocks
    .filter(({ heading }, index) => /\btest/i.test(heading) && blocks[index - 1]?.heading !== heading)
    .map(({ text }) => text.split('\n')[0] ?? '')
}
