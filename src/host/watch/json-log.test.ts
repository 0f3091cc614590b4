import { describe, expect, it } from 'vitest'
import { EndwellError } from '../../scope/index.ts'
import { jsonLog, type JsonLogOptions } from './json-log.ts'
import { logLimits } from './log-record.ts'

function aLog(options: Partial<JsonLogOptions> = {}) {
  const lines: string[] = []
  const clock = { date: () => Date.UTC(2026, 1, 3, 4, 5, 6, 789) }
  const log = jsonLog({ level: 'debug', write: (line) => lines.push(line), clock, ...options })
  return { log, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

class CodedError extends EndwellError {
  constructor(message: string) {
    super('ENGINE_MISSING', message)
  }
}

describe('the JSON log', () => {
  it('[HO27] writes the time, the level, the message, the call and the fields', () => {
    const { log, records } = aLog()
    log.info({ call: 'c1', left: { ms: 5 }, nothing: undefined, list: [1, null, true] }, 'one')
    log.error({ session: 's1', error: new CodedError('no such engine'), time: 'x', level: 'x' }, 'two')
    expect(records()).toEqual([
      {
        time: '2026-02-03T04:05:06.789Z',
        level: 'info',
        message: 'one',
        call: 'c1',
        left: { ms: 5 },
        list: [1, null, true],
      },
      {
        time: '2026-02-03T04:05:06.789Z',
        level: 'error',
        message: 'two',
        call: 's1',
        error: { name: 'CodedError', message: 'no such engine', code: 'ENGINE_MISSING' },
      },
    ])
  })

  it('writes messages at its level and above', () => {
    const { log, records } = aLog({ level: 'warn' })
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({}, level)
    expect(records().map(({ message }) => message)).toEqual(['warn', 'error'])
    const none = aLog({ level: 'none' })
    none.log.error({}, 'error')
    expect(none.lines).toEqual([])
  })

  it('[HO27] [HO9] writes one line without control characters', () => {
    const hostile = 'a\u001b[2Jb\u009bc\u0007\u202ed\ne\u2028f\u007f\u{e0001}'
    const { log, lines, records } = aLog()
    log.warn({ [hostile]: hostile, error: new Error(hostile), call: hostile }, hostile)
    expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(records()).toMatchObject([{ message: hostile, call: hostile, [hostile]: hostile }])
  })

  it('[HO27] masks credentials, and leaves ids alone', () => {
    const { log, lines } = aLog()
    const id = 'CA0123456789abcdef0123456789abcdef'
    const error = new Error('refused: Bearer abcdef123456')
    log.warn(
      {
        call: id,
        secret: 'correct horse',
        headers: { authorization: 'xyz', 'x-api-key': 'uvw', cookie: 'a=b' },
        accessToken: 'tuvwxyz',
        inputTokens: 12,
        error,
      },
      'sent to https://x.example/?key=sk-proj-1234567890abcdef',
    )
    for (const secret of ['correct', 'xyz', 'uvw', 'a=b', 'abcdef123456', '1234567890abcdef"'])
      expect(lines[0]).not.toContain(secret)
    expect(lines[0]).toContain(id)
    expect(lines[0]).toContain('"inputTokens":12')
  })

  it('[HO27] bounds a line, whatever the fields are', () => {
    const { log, lines, records } = aLog()
    const endless: Record<string, unknown> = {}
    endless['self'] = endless
    const throwing = {
      get boom(): never {
        throw new Error('boom')
      },
    }
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`f${index}`, 'x'.repeat(1_000)]),
    )
    log.info({ call: 'c1', text: 'x'.repeat(1_000_000) }, 'long')
    log.info({ call: 'c1', ...many }, 'many')
    log.info({ endless, throwing, big: 1n, code: () => {}, date: new Date(0), toJSON: undefined }, 'odd')
    log.info({ bad: new Proxy({}, { ownKeys: () => [][1]! }) }, 'worse')
    expect(lines.map(({ length }) => length).every((length) => length <= logLimits.line)).toBe(true)
    expect(records()).toMatchObject([
      { message: 'long', call: 'c1' },
      { message: 'many', call: 'c1', clipped: true },
      { message: 'odd', throwing: {}, big: '1', date: '1970-01-01T00:00:00.000Z' },
      { message: 'worse', bad: 'a value that cannot be printed' },
    ])
  })

  it('[HO27] drops an error of its writer', () => {
    const { log } = aLog({
      write: () => {
        throw new Error('the disk is full')
      },
    })
    expect(() => log.error({}, 'anything')).not.toThrow()
  })
})
