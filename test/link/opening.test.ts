import { describe, expect, it } from 'vitest'
import { Link, LinkError, type Protocol } from '../../src/link/index.ts'
import { ScopeClosedError } from '../../src/scope/index.ts'
import { inVirtualTime, partContext, type Manners } from '../../src/testing/index.ts'
import { rejection, withLink } from './fixture.ts'

describe('opening a link', () => {
  it('[LK5] resolves when the peer has accepted the setup, not when the socket is open', () =>
    withLink(async ({ world, serve, open, received }) => {
      serve({ message: (peer) => peer.after(500, () => peer.send('accepted')) })
      await open({
        opened: (connection) => connection.send('setup'),
        message: (data, connection) => {
          if (data === 'accepted') connection.ready()
        },
      })
      expect(received).toEqual(['1 setup'])
      expect(world.clock.now()).toBeGreaterThan(500)
    }))

  it.each<[string, Manners, string, RegExp]>([
    ['unauthorised', { refuse: 401 }, 'LINK_REFUSED', /^link 'stt' was refused: HTTP 401\. Check the key\.$/],
    ['not found', { refuse: 404 }, 'LINK_REFUSED', /HTTP 404\. Check the address, the model/],
    ['silent', { connect: 'never' }, 'LINK_TIMEOUT', /^link 'stt' was not ready in time/],
    ['refused by the network', { refuse: 0 }, 'LINK_FAILED', /used up its retries/],
    ['overloaded', { refuse: 503 }, 'LINK_FAILED', /HTTP 503/],
    [
      'closed before the setup',
      { opened: (peer) => peer.close(1011, 'quota') },
      'LINK_FAILED',
      /closed with 1011 "quota"/,
    ],
    [
      'closed for good',
      { opened: (peer) => peer.close(1008, 'no such model') },
      'LINK_FATAL',
      /closed with 1008 "no such model"/,
    ],
    ['broken', { dropAfter: 5 }, 'LINK_FAILED', /broken with 1006/],
    ['half-open', { halfOpenAfter: 0 }, 'LINK_TIMEOUT', /not ready in time/],
  ])(
    '[LK5] rejects in bounded time, with an error free of secrets, when the peer is %s',
    (_, manners, code, message) =>
      withLink(async ({ world, context, serve, open, log }) => {
        serve(manners)
        const error = await rejection(open({ opened: () => {} }))
        expect(error).toBeInstanceOf(LinkError)
        expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
        expect(JSON.stringify(error) + (error as Error).message).not.toContain('secret')
        expect(world.clock.now()).toBeLessThanOrEqual(8_000)
        expect(log).toEqual([])
        // The scope owns nothing, the connection is reported, and there is no further attempt.
        expect(context.scope.inspect().tree.owned).toEqual([])
        expect(context.connections).toMatchObject([{ name: 'stt', how: 'dropped' }])
        const { dials } = world.network
        await world.clock.elapse(60_000)
        expect(world.network.dials).toBe(dials)
      }),
  )

  it.each<[string, Manners, number]>([
    ['while TCP connects', { connect: 'never' }, 100],
    ['during the setup', {}, 100],
    ['between two attempts', { refuse: 503 }, 2],
    ['in the same tick', {}, 0],
  ])('[LK5] [LK4] rejects when its scope closes %s, and stops dialling', (_, manners, after) =>
    withLink(async ({ world, context, serve, open }) => {
      serve(manners)
      const opening = rejection(open({ opened: () => {}, timing: { backoff: 5_000 } }))
      if (after > 0) await world.clock.elapse(after)
      const { dials } = world.network
      const closing = context.scope.close()
      expect(world.network.sockets.size).toBe(0)
      expect(await opening).toBeInstanceOf(ScopeClosedError)
      expect(await closing).toMatchObject({ clean: true })
      await world.clock.elapse(60_000)
      expect(world.network.dials).toBe(dials)
      expect(context.connections).toEqual([
        {
          name: 'stt',
          how: 'closed',
          retries: dials > 0 && manners.refuse ? 1 : 0,
          ...(manners.refuse ? { reason: 'HTTP 503' } : {}),
        },
      ])
    }),
  )

  it('[LK5] dials nothing in a closed scope', () =>
    withLink(async ({ world, context, open }) => {
      await context.scope.close()
      expect(await rejection(open())).toBeInstanceOf(ScopeClosedError)
      expect([world.network.dials, context.connections]).toEqual([0, []])
    }))

  it('[LK3] retries within the budget, with full jitter, until it succeeds', () =>
    withLink(async ({ world, serve, open, context }) => {
      serve({ refuse: 503 }, { refuse: 0 }, { dropAfter: 0 }, {})
      const link = await open({ opened: (connection) => connection.generation === 4 && connection.ready() })
      expect(link.status).toMatchObject({ phase: 'ready', generation: 4, retries: 3, failures: 3 })
      expect(world.clock.now()).toBeLessThanOrEqual(250 + 500 + 1_000 + 10)
      await context.scope.close()
      expect(context.connections).toEqual([{ name: 'stt', how: 'closed', code: 1000, retries: 3 }])
    }))
})

describe('options of a link', () => {
  it.each<[string, Partial<Protocol>]>([
    ['a negative time', { timing: { handshake: -1 } }],
    ['an infinite time', { timing: { open: Infinity } }],
    ['a queue limit that is not a number', { queue: { audio: Number.NaN } }],
    ['a keep-alive interval of zero', { keepAlive: { every: 0, frame: () => '' } }],
    ['a closePatience above the limit of the socket', { closePatience: 60_000 }],
  ])('reject %s before anything is dialled', (_, protocol) =>
    withLink(async ({ world, open }) => {
      expect(await rejection(open(protocol))).toMatchObject({ code: 'BAD_OPTION' })
      expect(world.network.dials).toBe(0)
    }),
  )
})

describe('the delay before a retry', () => {
  it.each([
    [0, [0, 0, 0]],
    [0.5, [125, 250, 500]],
    [0.999, [249.75, 499.5, 999]],
  ])('[LK3] is random between 0 and a bound that doubles with each failure: %d', (random, delays) =>
    inVirtualTime(async (world) => {
      const dialled: number[] = []
      const context = partContext({ ...world, random: { next: () => random } })
      world.network.serve = () => {
        dialled.push(world.clock.now())
        return { connect: 0, refuse: 503 }
      }
      const protocol = { name: 'stt', request: () => ({ url: 'ws://stt' }), message() {}, failed() {} }
      await rejection(Link.open(context, { ...protocol, timing: { retries: 3 } }))
      expect(dialled.slice(1).map((at, index) => at - (dialled[index] ?? 0))).toEqual(delays)
      await context.scope.close()
    }),
  )
})
