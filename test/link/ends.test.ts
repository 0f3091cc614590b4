import { describe, expect, it } from 'vitest'
import type { Protocol } from '../../src/link/index.ts'
import type { Peer } from '../../src/testing/index.ts'
import { withLink } from './fixture.ts'

describe('the end of a connection', () => {
  it.each<[string, (peer: Peer) => void, number]>([
    ['broken', (peer) => peer.drop(), 1006],
    ['closed unasked with 1000', (peer) => peer.close(1000), 1000],
    ['closed with 1011', (peer) => peer.close(1011, 'internal'), 1011],
  ])('[LK2] counts as a drop and is followed by a reconnect if it was %s', (_, end, code) =>
    withLink(async ({ world, open, peers, log, errors, context }) => {
      const link = await open()
      end(peers[0]!)
      await world.clock.elapse(1_000)
      expect(link.status).toMatchObject({
        phase: 'ready',
        generation: 2,
        retries: 1,
        last: { class: 'dropped', code },
      })
      expect(log[1]).toBe(`lost dropped ${code}`)
      expect(errors).toEqual([])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
    }),
  )

  it('[LK2] is an error if it is a drop that cannot be resumed', () =>
    withLink(async ({ world, open, peers, errors, context, log }) => {
      let resumable = true
      await open({ canResume: () => resumable })
      peers[0]?.drop()
      await world.clock.elapse(1_000)
      resumable = false
      peers[1]?.close(1001, 'going away')
      await world.clock.elapse(1_000)
      expect(errors).toMatchObject([
        { code: 'LINK_LOST', end: { class: 'dropped', code: 1001, reason: 'going away' } },
      ])
      expect(context.connections).toEqual([
        { name: 'stt', how: 'dropped', code: 1001, reason: 'going away', retries: 1 },
      ])
      expect([world.network.dials, log.filter((text) => text.startsWith('lost'))]).toEqual([
        2,
        ['lost dropped 1006'],
      ])
      expect(context.scope.inspect().tree.owned).toEqual([])
    }))

  it('[LK2] is not retried if it is fatal', () =>
    withLink(async ({ world, open, peers, errors }) => {
      await open()
      peers[0]?.close(1008, 'key revoked')
      await world.clock.elapse(10_000)
      expect(errors).toMatchObject([{ code: 'LINK_FATAL' }])
      expect(world.network.dials).toBe(1)
    }))

  it("[LK2] is classified by the provider's own table first", () =>
    withLink(async ({ world, open, peers, errors }) => {
      const link = await open({ classify: ({ code }) => (code === 1011 ? 'fatal' : undefined) })
      peers[0]?.close(1000)
      await world.clock.elapse(1_000)
      expect(link.status.phase).toBe('ready')
      peers[1]?.close(1011)
      await world.clock.elapse(1_000)
      expect(errors).toMatchObject([{ code: 'LINK_FATAL', end: { code: 1011 } }])
    }))

  const idleTable: Partial<Protocol> = { classify: ({ code }) => (code === 1011 ? 'idle' : undefined) }

  it('[LK2] puts the link to sleep if it is idle; speech and text wake it, silence does not', () =>
    withLink(async ({ world, open, peers, received }) => {
      const link = await open(idleTable)
      peers[0]?.close(1011, 'NET-0001')
      await world.clock.elapse(5)
      expect(link.status).toMatchObject({ phase: 'idle', retries: 0 })
      link.sendAudio('silence')
      await world.clock.elapse(600_000)
      expect([link.status.phase, world.network.dials, world.network.sockets.size]).toEqual(['idle', 1, 0])
      link.wake()
      await world.clock.elapse(10)
      expect([link.status.phase, received]).toEqual(['ready', ['2 silence']])
      peers[1]?.send('a transcript')
      await world.clock.elapse(5)
      peers[1]?.close(1011)
      await world.clock.elapse(5)
      expect(link.status.phase).toBe('idle')
      link.send('text')
      await world.clock.elapse(10)
      expect(link.status).toMatchObject({ phase: 'ready', retries: 0 })
      expect(received).toEqual(['2 silence', '3 text'])
    }))

  it('[LK2] counts as a drop if it is the second idle end without a server message in between', () =>
    withLink(async ({ world, open, peers }) => {
      const link = await open(idleTable)
      peers[0]?.close(1011)
      await world.clock.elapse(5)
      link.wake()
      await world.clock.elapse(5)
      peers[1]?.close(1011)
      await world.clock.elapse(1_000)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 3, retries: 1 })
    }))

  it('[LK2] can be announced in a message: the socket is closed, and its later messages are ignored', () =>
    withLink(async ({ world, open, peers, log }) => {
      const link = await open({
        message: (data, connection) => {
          log.push(`${connection.generation} said ${String(data)}`)
          if (data === 'session_expired') connection.end('expired', 'session_expired')
        },
      })
      peers[0]?.send('session_expired')
      peers[0]?.send('and another thing')
      await world.clock.elapse(1_000)
      expect(link.status).toMatchObject({
        phase: 'ready',
        generation: 2,
        last: { class: 'expired', reason: 'session_expired' },
      })
      expect(log.filter((text) => text.startsWith('1 said'))).toEqual(['1 said session_expired'])
      expect(world.network.sockets.size).toBe(1)
    }))

  it('[LK2] is not logged as an error if it was asked for', () =>
    withLink(async ({ open, context, logged }) => {
      await open()
      await context.scope.close()
      expect(logged).toEqual(['info: link closed'])
    }))

  it('is fatal if the protocol throws, with the error as its cause', () =>
    withLink(async ({ world, open, peers, errors }) => {
      const mistake = new Error('bad JSON')
      await open({
        message: () => {
          throw mistake
        },
        lost: () => {
          throw mistake
        },
      })
      peers[0]?.send('{')
      await world.clock.elapse(100)
      expect(errors).toMatchObject([{ code: 'LINK_FATAL', cause: mistake }])
    }))

  it("is reported with the peer's reason cut to 200 characters", () =>
    withLink(async ({ world, open, peers, context }) => {
      await open({ canResume: () => false })
      peers[0]?.close(1011, 'x'.repeat(5_000))
      await world.clock.elapse(100)
      expect(context.connections[0]?.reason).toHaveLength(200)
    }))
})

describe('the retry budget of a link', () => {
  it('[LK3] is spent by consecutive failures', () =>
    withLink(async ({ world, serve, open, errors, peers, context }) => {
      await open({ timing: { retries: 3 } })
      serve({ refuse: 0 })
      peers[0]?.drop()
      await world.clock.elapse(60_000)
      expect(errors).toMatchObject([{ code: 'LINK_FAILED' }])
      expect(world.network.dials).toBe(1 + 3)
      expect(context.connections).toMatchObject([{ how: 'dropped', retries: 3 }])
    }))

  it('[LK3] is refilled only by a connection that was ready for `healthyAfter` and answered', () =>
    withLink(async ({ world, serve, open, errors }) => {
      const timing = { retries: 2, healthyAfter: 10_000 }
      serve({ dropAfter: 10_500, opened: (peer) => peer.after(1, () => peer.send('hello')) })
      const healthy = await open({ timing })
      await world.clock.elapse(600_000)
      expect(errors).toEqual([])
      expect(healthy.status.retries).toBeGreaterThan(40)
      // The next connections answer, but break too soon.
      serve({ dropAfter: 5_000, opened: (peer) => peer.after(1, () => peer.send('hello')) })
      await world.clock.elapse(60_000)
      expect(errors).toHaveLength(1)
      // The next connections last, but never answer.
      serve({ dropAfter: 20_000 })
      await open({ timing })
      await world.clock.elapse(600_000)
      expect(errors).toHaveLength(2)
    }))

  it('[LK3] is limited for the whole life of the link by `lifetimeRetries`', () =>
    withLink(async ({ world, serve, open, errors }) => {
      serve({ dropAfter: 10_500, opened: (peer) => peer.after(1, () => peer.send('hello')) })
      const link = await open({ timing: { lifetimeRetries: 4 } })
      await world.clock.elapse(600_000)
      expect(errors).toMatchObject([{ code: 'LINK_FAILED' }])
      expect(link.status.generation).toBe(5)
    }))

  it('[LK3] is not spent by planned rollovers and idle ends', () =>
    withLink(async ({ world, serve, open, peers }) => {
      serve({ opened: (peer) => peer.after(1, () => peer.send('hello')) })
      const link = await open({
        rollover: { order: 'new-first', maxAge: 60_000 },
        classify: ({ code }) => (code === 4_000 ? 'idle' : undefined),
      })
      await world.clock.elapse(3_600_500)
      expect(link.status).toMatchObject({ generation: 61, retries: 0, failures: 0 })
      for (let n = 0; n < 10; n++) {
        peers.at(-1)?.close(4_000)
        await world.clock.elapse(5)
        link.wake()
        await world.clock.elapse(10)
      }
      expect(link.status).toMatchObject({ generation: 71, retries: 0, failures: 0 })
    }))
})
