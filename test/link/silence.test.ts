import { describe, expect, it } from 'vitest'
import type { Manners } from '../../src/testing/index.ts'
import { withLink } from './fixture.ts'

describe('a peer that is connected but silent', () => {
  it('[LK11] is sent a ping when nothing has arrived for a while, and kept if it answers', () =>
    withLink(async ({ world, open, log }) => {
      const link = await open()
      await world.clock.elapse(10 * 60_000)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 1 })
      expect(log).toEqual(['1 opened 1'])
    }))

  it.each<[what: string, manners: Manners]>([
    ['does not answer pings', { pongs: false }],
    ['has disappeared', { halfOpenAfter: 5 }],
  ])('[LK11] is replaced within 10 s if it %s', (_, manners) =>
    withLink(async ({ world, open, serve }) => {
      serve(manners, {})
      const link = await open()
      await world.clock.elapse(8_900)
      expect(link.status.generation).toBe(1)
      await world.clock.elapse(1_100)
      expect(link.status).toMatchObject({
        phase: 'ready',
        generation: 2,
        last: { class: 'dropped', reason: 'no pong within 5000 ms' },
      })
    }),
  )

  it('[LK11] needs no pongs while it sends messages', () =>
    withLink(async ({ world, open, serve }) => {
      serve({
        pongs: false,
        opened: (peer) => {
          for (let ms = 0; ms < 60_000; ms += 3_000) peer.after(ms, () => peer.send('words'))
        },
      })
      const link = await open()
      await world.clock.elapse(60_000)
      expect(link.status.generation).toBe(1)
    }))

  it('[LK11] is replaced if it owes an answer, although it answers pings', () =>
    withLink(async ({ world, open, serve }) => {
      serve({ silentAfter: 0 }, {})
      const link = await open()
      await world.clock.elapse(20_000)
      link.expectAnswer()
      await world.clock.elapse(3_000)
      // Asking again gives it no more time.
      link.expectAnswer()
      await world.clock.elapse(4_900)
      expect(link.status.generation).toBe(1)
      await world.clock.elapse(2_000)
      expect(link.status).toMatchObject({ generation: 2, last: { reason: 'no answer within 8000 ms' } })
    }))

  it('[LK11] owes the answer that was expected while there was no connection', () =>
    withLink(async ({ world, open, serve, peers }) => {
      serve({}, { connect: 3_000, silentAfter: 0 }, {})
      const link = await open()
      peers[0]?.drop()
      link.expectAnswer()
      await world.clock.elapse(3_500)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 2 })
      await world.clock.elapse(9_000)
      expect(link.status.generation).toBe(3)
    }))

  it('[LK11] owes nothing on a new connection that was asked nothing', () =>
    withLink(async ({ world, open, peers }) => {
      const link = await open()
      link.expectAnswer()
      peers[0]?.drop()
      await world.clock.elapse(60_000)
      expect(link.status.generation).toBe(2)
    }))

  it('[LK11] [LK3] uses up the retries if it is silent on every connection', () =>
    withLink(async ({ world, open, serve, errors }) => {
      serve({ pongs: false, opened: (peer) => peer.after(2_000, () => peer.send('hello')) })
      await open()
      await world.clock.elapse(90_000)
      expect(errors).toMatchObject([{ code: 'LINK_FAILED' }])
      expect(errors[0]?.message).toContain('no pong within 5000 ms')
    }))

  it('[LK11] [LK9] is watched no longer once the link closes', () =>
    withLink(async ({ world, open, serve, context }) => {
      serve({ pongs: false, closeReply: 'never' })
      const link = await open()
      link.expectAnswer()
      await context.scope.close()
      link.expectAnswer()
      expect(world.clock.timers.list()).toEqual([])
    }))
})
