import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMessage, readWatchdogLine } from './messages.ts'

const frame = { function: 'loop', file: '/agent.ts', line: 3, column: 5 }

describe('messages of a worker', () => {
  it.each([
    { type: 'ready' },
    { type: 'ready', address: '127.0.0.1:4000' },
    { type: 'calls', count: 3 },
    { type: 'request', id: 1, body: { any: 'thing' } },
    { type: 'metrics', id: 1, body: undefined },
    { type: 'pass', head: 'GET /call HTTP/1.1', hops: 0 },
    { type: 'drained', clean: true, written: false },
  ])('are read: $type', (message) => {
    expect(readMessage(message)).toEqual(message)
  })

  it.each([
    null,
    'ready',
    { type: 'ready', address: 7 },
    { type: 'ready', address: 'a'.repeat(300) },
    { type: 'calls', count: -1 },
    { type: 'calls', count: NaN },
    { type: 'request', id: '1' },
    { type: 'pass', head: 'a'.repeat(100_000), hops: 0 },
    { type: 'pass', head: '', hops: -1 },
    { type: 'drained', clean: 1, written: true },
    { type: 'exit', code: 0 },
  ])('[HO24] are ignored if they are not valid: %j', (value) => {
    expect(readMessage(value)).toBeUndefined()
  })

  it('[HO24] carry nothing but what was checked', () => {
    expect(readMessage({ type: 'calls', count: 1, worker: 'w2' })).toEqual({ type: 'calls', count: 1 })
  })
})

describe('lines of a watchdog', () => {
  it.each([
    { type: 'beat', stuck: 0, rss: 1_000 },
    { type: 'blocked', ms: 510, how: 'cut', stack: '    at loop', culprit: frame },
    { type: 'blocked', ms: 2_000, how: 'stuck', stack: '' },
  ])('are read: $type', (message) => {
    expect(readWatchdogLine(JSON.stringify(message))).toEqual(message)
  })

  it.each(['', '{', '{"type":"beat"}', '{"type":"blocked","ms":1,"how":"so","stack":""}'])(
    '[HO24] are ignored if they are not valid: %s',
    (line) => {
      expect(readWatchdogLine(line)).toBeUndefined()
    },
  )

  it('lose a culprit that is not valid', () => {
    const line = JSON.stringify({ type: 'blocked', ms: 1, how: 'cut', stack: '', culprit: { line: 'x' } })
    expect(readWatchdogLine(line)).toEqual({ type: 'blocked', ms: 1, how: 'cut', stack: '' })
  })

  it('[HO24] never make the supervisor throw', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), (value, line) => {
        readMessage(value)
        readWatchdogLine(line)
      }),
    )
  })
})
