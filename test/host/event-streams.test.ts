import { describe, expect, it } from 'vitest'
import { EventStreams } from '../../src/host/event-streams.ts'
import { hostLimits } from '../../src/host/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'

const read = async (body: ReadableStream<Uint8Array>): Promise<string> => new Response(body).text()

describe('an event stream', () => {
  it('shares one heartbeat timer with the others, which runs only while there are streams', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('host', { clock })
      const streams = new EventStreams(scope)
      const one = streams.open('a', () => () => {})!
      const two = streams.open('b', () => () => {})!
      const timers = (): number => scope.inspect().tree.owned.filter(({ kind }) => kind === 'timer').length
      expect(timers()).toBe(1)
      await clock.elapse(2 * hostLimits.heartbeat + 1)
      one.end()
      two.end()
      expect([timers(), streams.size]).toEqual([0, 0])
      expect(await read(one.body)).toBe(':\n\n:\n\n')
    }))

  it('is cut off and unsubscribes if its client is too slow', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('host', { clock })
      const streams = new EventStreams(scope)
      let stopped = 0
      const stream = streams.open('a', () => () => void stopped++)!
      const text = 'x'.repeat(hostLimits.unread)
      stream.send({ text })
      expect([streams.size, stopped]).toEqual([1, 0])
      stream.send({ text: 'one too many' })
      expect([streams.size, stopped]).toEqual([0, 1])
      stream.send({ text: 'ignored' })
      expect(await read(stream.body)).toBe(`data: {"text":"${text}"}\n\n`)
    }))

  it('ends when its client disconnects', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('host', { clock })
      const streams = new EventStreams(scope)
      let stopped = 0
      const stream = streams.open('a', () => () => void stopped++)!
      await stream.body.cancel()
      expect([streams.size, stopped, scope.inspect().tree.owned]).toEqual([0, 1, []])
    }))

  it('leaves nothing behind if its first messages end it', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('host', { clock })
      const streams = new EventStreams(scope)
      let stopped = 0
      streams.open('a', (stream) => {
        stream.send({ last: true })
        stream.end()
        return () => void stopped++
      })
      expect([streams.size, stopped]).toEqual([0, 1])
    }))

  it('ends with its scope, and cannot be opened after that', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('host', { clock })
      const streams = new EventStreams(scope)
      let stopped = 0
      streams.open('a', () => () => void stopped++)
      const report = await scope.close()
      expect([report.clean, report.took, streams.size, stopped]).toEqual([true, 0, 0, 1])
      expect(streams.open('b', () => () => {})).toBeUndefined()
    }))
})
