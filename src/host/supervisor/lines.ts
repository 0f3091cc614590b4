import type { Readable } from 'node:stream'
import { limits } from './limits.ts'

/** Calls `print` with each line of a stream, and with what is left when it ends. Long lines are broken. */
export function eachLine(stream: Readable, print: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) print(line)
    for (; rest.length > limits.line; rest = rest.slice(limits.line)) print(rest.slice(0, limits.line))
  })
  stream.on('end', () => {
    if (rest !== '') print(rest)
  })
  // The other end was killed while it wrote.
  stream.on('error', () => {})
}
