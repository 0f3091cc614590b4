import { readFileSync } from 'node:fs'
import { findSourceMap } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { framesOf, type RawFrame } from '../../host/supervisor/frames.ts'
import type { CodeLine } from './finding.ts'

/** endwell's own folder, whose lines are never the agent's. */
const own = fileURLToPath(new URL('../../', import.meta.url))

/** The first line of a stack that is the agent's, or else a package's. */
export function lineOf(stack: string | undefined): CodeLine | undefined {
  if (stack === undefined) return undefined
  const frames = framesOf(stack).filter(({ url }) => isForeign(url))
  const frame = frames.find(({ url }) => !isPackage(url)) ?? frames[0]
  return frame && codeLine(frame)
}

/** Whether a script belongs to the agent: neither to Node, nor to a package, nor to endwell. */
export function isAgentCode(url: string): boolean {
  return isForeign(url) && !isPackage(url)
}

function isForeign(url: string): boolean {
  return url !== '' && !url.startsWith('node:') && url !== '<anonymous>' && !pathOf(url).startsWith(own)
}

function isPackage(url: string): boolean {
  return /[/\\]node_modules[/\\]/.test(url)
}

/** A frame of the inspector, whose positions are those of the compiled code. */
export function compiledLine(frame: RawFrame): CodeLine {
  const entry = findSourceMap(pathOf(frame.url))?.findEntry(frame.line - 1, frame.column - 1)
  if (!entry || !('originalLine' in entry)) return codeLine(frame)
  const { originalSource, originalLine, originalColumn } = entry
  return codeLine({ ...frame, url: originalSource, line: originalLine + 1, column: originalColumn + 1 })
}

function codeLine({ name, url, line, column }: RawFrame): CodeLine {
  const path = pathOf(url)
  const text = textAt(path, line)
  return {
    file: relative(process.cwd(), path) || path,
    line,
    column,
    ...(name === '' ? {} : { function: name }),
    ...(text === undefined ? {} : { text }),
  }
}

function textAt(path: string, line: number): string | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n')[line - 1]?.trim()
  } catch {
    return undefined
  }
}

function pathOf(url: string): string {
  try {
    return url.startsWith('file:') ? fileURLToPath(url) : url
  } catch {
    return url
  }
}
