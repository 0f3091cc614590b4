import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { describe, expect, it } from 'vitest'
import { limits } from './limits.ts'
import { eachLine } from './lines.ts'
import { parseStat } from './process-state.ts'

describe('what a worker prints', () => {
  it('[HO24] is passed on line by line, however it arrives; long lines are broken', async () => {
    const stream = new PassThrough()
    const lines: string[] = []
    eachLine(stream, (line) => lines.push(line))
    for (const text of ['on', 'e\ntwo\n', '\nthree', 'x'.repeat(limits.line)]) stream.write(text)
    stream.end('last')
    await finished(stream)
    expect(lines.map((line) => line.slice(0, 6))).toEqual(['one', 'two', '', 'threex', 'xxxxxl'])
  })
})

describe('the state of a process', () => {
  it('is read from a line of the kernel, whatever the name of the process', () => {
    const rest = '1 2 3 4 5 6 7 8 9 10 150 25 0 0'
    expect(parseStat(`42 (a) R (b) S ${rest}`)).toEqual({ cpu: 1_750, runnable: false })
    expect(parseStat(`42 (node) R ${rest}`)).toEqual({ cpu: 1_750, runnable: true })
    expect(parseStat('')).toBeUndefined()
  })
})
