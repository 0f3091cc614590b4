import { describe, expect, it } from 'vitest'
import { inVirtualTime, type Manners, type Peer, type World } from './index.ts'

/** Dials once, and logs all events with their time. */
function dial({ network, clock }: World, manners: Manners) {
  const log: string[] = []
  const note = (what: string): void => void log.push(`${clock.now()} ${what}`)
  network.serve = () => manners
  const socket = network.dial(
    { name: 'stt', url: 'ws://stt' },
    {
      opened: () => note('opened'),
      message: (data) => note(`got ${String(data)}`),
      ended: ({ how, code, status }) =>
        note(`ended ${how}${code ? ` ${code}` : ''}${status ? ` ${status}` : ''}`),
    },
  )
  return { socket, log, note }
}

describe('a simulated socket', () => {
  it('connects, carries messages both ways, and closes', () =>
    inVirtualTime(async (world) => {
      const { socket, log } = dial(world, {
        connect: 20,
        latency: 5,
        message: (peer, data) => peer.send(`echo ${String(data)}`),
      })
      expect(world.network.sockets.size).toBe(1)
      await world.clock.elapse(20)
      socket.send('hello')
      await world.clock.elapse(20)
      socket.close(1000)
      await world.clock.elapse(20)
      expect(log).toEqual(['20 opened', '30 got echo hello', '41 ended closed 1000'])
      expect(world.network.sockets.size).toBe(0)
    }))

  it.each<[string, Manners, string[]]>([
    ['can be refused by the network', { connect: 3, refuse: 0 }, ['3 ended refused']],
    ['can be refused with a status', { connect: 3, refuse: 401 }, ['3 ended refused 401']],
    ['can be dropped', { connect: 0, dropAfter: 30 }, ['0 opened', '30 ended dropped 1006']],
    [
      'can have latency',
      { connect: 0, latency: 70, opened: (peer) => peer.send('hi') },
      ['0 opened', '70 got hi'],
    ],
    [
      'can go dead',
      { connect: 0, halfOpenAfter: 5, latency: 10, opened: (peer) => peer.send('hi') },
      ['0 opened'],
    ],
    [
      'can be closed by its server',
      { connect: 0, opened: (peer) => peer.close(4008) },
      ['0 opened', '1 ended closed 4008'],
    ],
  ])('%s', (_, manners, expected) =>
    inVirtualTime(async (world) => {
      const { socket, log } = dial(world, manners)
      await world.clock.elapse(1_000)
      expect(log).toEqual(expected)
      socket.abort()
    }),
  )

  it('leaves the registry at once on abort(), and emits its end later', () =>
    inVirtualTime(async (world) => {
      const { socket, log } = dial(world, { connect: 0, closeReply: 'never' })
      await world.clock.elapse(1)
      socket.close()
      await world.clock.elapse(30_000)
      expect([socket.state, log]).toEqual(['closing', ['0 opened']])
      socket.abort()
      expect([socket.state, world.network.sockets.size, log]).toEqual(['ended', 0, ['0 opened']])
      await world.clock.elapse(1)
      expect(log).toEqual(['0 opened', '30001 ended aborted'])
    }))

  it('ends as aborted when it is closed before it is open', () =>
    inVirtualTime(async (world) => {
      const { socket, log } = dial(world, { connect: 'never' })
      await world.clock.elapse(60_000)
      socket.close()
      await world.clock.elapse(1)
      expect(log).toEqual(['60000 ended aborted'])
    }))

  it('delivers messages while closing, and none after its end', () =>
    inVirtualTime(async (world) => {
      let late: (() => void) | undefined
      const { socket, log } = dial(world, {
        connect: 0,
        closeReply: 50,
        opened: (peer) => (late = () => peer.send('last words')),
      })
      await world.clock.elapse(1)
      socket.close()
      late?.()
      await world.clock.elapse(100)
      late?.()
      socket.send('too late')
      await world.clock.elapse(100)
      expect(log).toEqual(['0 opened', '2 got last words', '51 ended closed 1000'])
    }))

  it('buffers messages while its server is paused, and delivers them in order', () =>
    inVirtualTime(async (world) => {
      const received: string[] = []
      let peer: Peer | undefined
      const { socket } = dial(world, {
        connect: 0,
        opened: (each) => {
          peer = each
          each.pause()
        },
        message: (_, data) => received.push(String(data)),
      })
      await world.clock.elapse(1)
      socket.send('one')
      socket.send('two')
      await world.clock.elapse(10)
      expect([received, socket.buffered]).toEqual([[], 6])
      peer?.resume()
      expect([received, socket.buffered]).toEqual([['one', 'two'], 0])
      socket.abort()
    }))

  it('notifies its server of the end once, and clears the timers of the server', () =>
    inVirtualTime(async (world) => {
      const events: string[] = []
      const { socket, log } = dial(world, {
        connect: 0,
        opened: (peer) => {
          peer.after(10, () => events.push('in time'))
          peer.after(30, () => events.push('too late'))
        },
        ended: (peer) => events.push(`ended, open is ${peer.open}`),
      })
      await world.clock.elapse(20)
      socket.abort()
      await world.clock.elapse(100)
      expect(events).toEqual(['in time', 'ended, open is false'])
      expect(log).toEqual(['0 opened', '20 ended aborted'])
    }))

  it('passes header names to its server in lower case, as HTTP servers do', () =>
    inVirtualTime(async ({ network, clock }) => {
      const seen: unknown[] = []
      network.serve = ({ headers }) => {
        seen.push(headers)
        return { connect: 0, refuse: 401 }
      }
      const request = { name: 'stt', url: 'ws://stt', headers: { Authorization: 'Token x' } }
      network.dial(request, { opened() {}, message() {}, ended() {} })
      await clock.elapse(1)
      expect(seen).toEqual([{ authorization: 'Token x' }])
    }))
})
