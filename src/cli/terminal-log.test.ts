import { describe, expect, it } from 'vitest'
import { EndwellError } from '../scope/index.ts'
import type { Level } from '../host/index.ts'
import { jsonLine } from '../report/index.ts'
import { terminalLog } from './terminal-log.ts'

function lines(level: Level, json = false) {
  const written: string[] = []
  const to = {
    print: (...texts: readonly string[]) => void written.push(...texts),
    json: (value: unknown) => void written.push(jsonLine(value)),
  }
  return { written, log: terminalLog({ level, json, to }) }
}

class CodedError extends EndwellError {
  constructor(message: string) {
    super('ENGINE_MISSING', message)
  }
}

describe('the terminal log', () => {
  it('writes messages at its level and above', () => {
    const { written, log } = lines('warn')
    log.debug({}, 'one')
    log.info({}, 'two')
    log.warn({}, 'three')
    log.error({}, 'four')
    expect(written.map((line) => line.slice('00:00:00 '.length))).toEqual(['warn  three', 'error four'])
  })

  it('writes nothing at level none', () => {
    const { written, log } = lines('none')
    log.error({}, 'four')
    expect(written).toEqual([])
  })

  it('writes the message, its fields, and the error', () => {
    const { written, log } = lines('warn')
    const error = new CodedError('it is not installed: npm install it')
    log.warn({ session: 'a1', where: 'stt', code: undefined, left: { ms: 5 }, error }, 'something failed')
    const [first, ...rest] = written.join('\n').split('\n')
    expect(first).toMatch(
      /^\d\d:\d\d:\d\d warn {2}something failed · session a1 · where stt · left \{"ms":5\}$/,
    )
    expect(rest).toEqual(['         CodedError: it is not installed: npm install it'])
  })

  it('writes where an error without a code was thrown', () => {
    const { written, log } = lines('warn')
    log.warn({ error: new TypeError('x is not a function') }, 'something failed')
    const [, second, third] = written.join('\n').split('\n')
    expect(second).toBe('         TypeError: x is not a function')
    expect(third).toMatch(/^ {11}at .*terminal-log\.test\.ts/)
  })

  it('escapes control characters', () => {
    const { written, log } = lines('warn')
    log.warn({ from: '\u001b[2Jbell\u0007\n', error: new CodedError('\u001b[31mred') }, 'a call')
    expect(written.join('')).toContain('from \\x1b[2Jbell\\x07\\n')
    expect(written.join('')).toContain('\\x1b[31mred')
    expect(written.join('')).not.toMatch(/\p{Cc}(?<!\n)/u)
  })

  it('writes one line of JSON per message, if asked to', () => {
    const { written, log } = lines('info', true)
    log.info({ session: 'a1', error: new CodedError('no') }, 'told')
    expect(written.map((line) => JSON.parse(line) as object)).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        level: 'info',
        message: 'told',
        call: 'a1',
        error: { name: 'CodedError', message: 'no', code: 'ENGINE_MISSING' },
      },
    ])
  })
})
