import { describe, expect, it } from 'vitest'
import { withLink } from './fixture.ts'

describe('a rollover', () => {
  it('[LK8] new socket first: uses the old socket until the new one is ready, and then ignores its messages', () =>
    withLink(async ({ world, serve, open, peers, received, log }) => {
      serve({ latency: 50, closeReply: 500 })
      const link = await open({
        opened: (connection) => {
          connection.send('setup')
          if (connection.generation === 1) connection.ready()
        },
        message: (data, connection) => {
          log.push(`${connection.generation} said ${String(data)}`)
          if (data === 'accepted') connection.ready()
        },
      })
      link.rollOver()
      await world.clock.elapse(100)
      expect(link.status.phase).toBe('rolling-over')
      link.sendAudio('a1')
      peers[0]?.send('still here')
      await world.clock.elapse(100)
      peers[1]?.send('accepted')
      peers[0]?.send('crosses it')
      await world.clock.elapse(60)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 2, retries: 0 })
      link.sendAudio('a2')
      peers[0]?.send('too late')
      await world.clock.elapse(1_000)
      expect(log).toEqual(['1 said still here', '2 said accepted', 'lost asked'])
      expect(received).toEqual(['1 setup', '2 setup', '1 a1', '2 a2'])
      expect(world.network.sockets.size).toBe(1)
    }))

  it('[LK8] old socket first: dials when the old socket has ended, and queues audio meanwhile', () =>
    withLink(async ({ world, serve, open, peers, received, log }) => {
      serve({ closeReply: 300, connect: 100 })
      const sockets: number[] = []
      const link = await open({
        rollover: { order: 'old-first' },
        request: () => {
          sockets.push(world.network.sockets.size)
          return { url: 'ws://gemini' }
        },
      })
      peers[0]?.send('goAway')
      await world.clock.elapse(5)
      link.rollOver()
      link.sendAudio('a1')
      peers[0]?.send('the last handle')
      await world.clock.elapse(200)
      expect(link.status).toMatchObject({ phase: 'rolling-over', queued: 1 })
      await world.clock.elapse(500)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 2, retries: 0 })
      expect(sockets).toEqual([0, 0])
      expect(received).toEqual(['2 a1'])
      expect(log.slice(1, 4)).toEqual(['1 said goAway', 'lost asked', '1 said the last handle'])
    }))

  it('[LK8] old socket first: cuts an old socket that ignores its close frame', () =>
    withLink(async ({ world, serve, open }) => {
      serve({ closeReply: 'never' })
      const link = await open({ rollover: { order: 'old-first' } })
      link.rollOver()
      await world.clock.elapse(1_600)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 2 })
      expect(world.network.sockets.size).toBe(1)
    }))

  it('[LK8] happens at the earliest of several requested times', () =>
    withLink(async ({ world, open, connections, log }) => {
      await open({ rollover: { order: 'new-first', maxAge: 3_600_000 } })
      connections[0]?.rollOver(50_000)
      connections[0]?.rollOver(90_000)
      await world.clock.elapse(60_000)
      expect(log).toEqual(['1 opened 1', '50002 opened 2', 'lost asked'])
      // A replaced connection cannot request a rollover.
      connections[0]?.rollOver()
      await world.clock.elapse(1_000)
      expect(world.network.dials).toBe(2)
    }))

  it('[LK8] happens less and less often for a peer that sends every connection away at once', () =>
    withLink(async ({ world, open, log }) => {
      const link = await open({
        opened: (connection) => {
          log.push(`${Math.round(world.clock.now() / 1_000)} s`)
          connection.ready()
          connection.rollOver()
        },
        lost() {},
      })
      await world.clock.elapse(200_000)
      expect(log).toEqual([0, 0, 1, 3, 7, 15, 31, 63, 123, 183].map((seconds) => `${seconds} s`))
      expect(link.status.retries).toBe(0)
    }))

  it('[LK8] happens after the shortest pause again once a rollover was not early', () =>
    withLink(async ({ world, open }) => {
      const link = await open({
        opened: (connection) => {
          connection.ready()
          if (connection.generation < 6) connection.rollOver()
        },
      })
      await world.clock.elapse(60_000)
      expect(link.status.generation).toBe(6)
      for (const after of [0, 500, 1_000]) {
        link.rollOver()
        await world.clock.elapse(after)
      }
      expect(link.status).toMatchObject({ phase: 'ready', generation: 8 })
    }))

  it.each([Number.NaN, -1, -Infinity, -1e300])(
    '[LK8] is not repeated without a pause when every connection asks for one after %d ms',
    (after) =>
      withLink(async ({ world, open }) => {
        const link = await open({
          opened: (connection) => {
            connection.ready()
            connection.rollOver(after)
          },
        })
        await world.clock.elapse(60_000)
        expect(link.status).toMatchObject({ phase: 'ready', generation: 7, retries: 0 })
      }),
  )

  it.each([1e300, Infinity, Number.MAX_SAFE_INTEGER])(
    '[LK8] sets a timer of one day at most when asked for one after %d ms',
    (after) =>
      withLink(async ({ world, open }) => {
        const link = await open()
        link.rollOver(after)
        await world.clock.elapse(86_400_000 - 10)
        expect(link.status).toMatchObject({ phase: 'ready', generation: 1 })
        await world.clock.elapse(20)
        expect(link.status).toMatchObject({ phase: 'ready', generation: 2 })
      }),
  )

  it('[LK8] keeps the old connection in use if no new one can be made, until that ends', () =>
    withLink(async ({ world, serve, open, peers, errors }) => {
      const link = await open({ timing: { retries: 2 } })
      serve({ refuse: 503 })
      link.rollOver()
      await world.clock.elapse(60_000)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 4, failures: 2 })
      expect(errors).toEqual([])
      peers[0]?.close(1001)
      await world.clock.elapse(60_000)
      expect(errors).toMatchObject([{ code: 'LINK_FAILED' }])
    }))

  it('[LK8] follows an expired session at once and spends no retry', () =>
    withLink(async ({ world, open, peers }) => {
      const link = await open({ classify: ({ code }) => (code === 1001 ? 'expired' : undefined) })
      peers[0]?.send('hello')
      await world.clock.elapse(3_600_000)
      peers[0]?.close(1001, 'maximum duration')
      await world.clock.elapse(3)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 2, retries: 0 })
    }))
})
