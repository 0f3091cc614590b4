import { fileURLToPath } from 'node:url'
import { clip } from '../../scope/index.ts'
import { limits } from './limits.ts'
import type { Frame } from './messages.ts'

/** A frame as the inspector has it. Lines and columns count from 1. */
export interface RawFrame {
  readonly name: string
  /** The URL or the path of the script. */
  readonly url: string
  readonly line: number
  readonly column: number
}

/** Reads the frames of `error.stack`. */
export function framesOf(stack: string): RawFrame[] {
  return stack.split('\n').flatMap((text) => {
    const found = /^\s*at (?:(?<name>.*) \()?(?:async )?(?<url>.+?):(?<line>\d+):(?<column>\d+)\)?$/.exec(
      text,
    )?.groups
    if (!found) return []
    const { name = '', url = '', line, column } = found
    return [{ name: bare(name), url, line: Number(line), column: Number(column) }]
  })
}

/** `async Module.exec [as run]` is `exec`, as the inspector has it. */
function bare(name: string): string {
  const [first = ''] = name.split(' [as ')
  return first.slice(Math.max(first.lastIndexOf(' '), first.lastIndexOf('.')) + 1)
}

/** The innermost frame that is neither Node's nor below `own`, endwell's folder; if there is none, the innermost of all. */
export function culpritOf(frames: readonly RawFrame[], own: string): Frame | undefined {
  const ownPath = pathOf(own)
  const outside = frames.filter(({ url }) => url !== '' && !url.startsWith('node:'))
  const foreign = outside.find(({ url }) => !pathOf(url).startsWith(ownPath))
  const frame = foreign ?? outside[0] ?? frames[0]
  if (!frame) return undefined
  const { name, url, line, column } = frame
  return { function: name === '' ? '(anonymous)' : name, file: pathOf(url), line, column }
}

/** Prints frames as in the stack of an error. */
export function printFrames(frames: readonly RawFrame[]): string {
  const lines = frames.slice(0, limits.frames).map(({ name, url, line, column }) => {
    const place = `${pathOf(url)}:${line}:${column}`
    return name === '' ? `    at ${place}` : `    at ${name} (${place})`
  })
  return clip(lines.join('\n'), limits.stack)
}

function pathOf(url: string): string {
  try {
    return url.startsWith('file:') ? fileURLToPath(url) : url
  } catch {
    return url
  }
}
