import { describe, expect, it } from 'vitest'
import type { Peer } from '../../src/testing/index.ts'
import { withLink } from './fixture.ts'

/** Sends many messages in every millisecond for as long as the connection is open. */
function flood(peer: Peer, text: string, perMs: number): void {
  for (let n = 0; n < perMs; n++) peer.send(text)
  peer.after(1, () => flood(peer, text, perMs))
}

describe('a peer that floods its link', () => {
  it.each<[what: string, text: string, perMs: number]>([
    ['with messages', 'x', 1_000],
    ['with bytes', 'x'.repeat(1024 * 1024), 1],
  ])('[LK14] is cut and replaced: %s', (_, text, perMs) =>
    withLink(async ({ world, open, serve }) => {
      let received = 0
      serve({ opened: (peer) => flood(peer, text, perMs) }, {})
      const link = await open({ message: () => received++ })
      await world.clock.elapse(1_000)
      expect(link.status).toMatchObject({ generation: 2, last: { reason: 'the peer sent too much' } })
      expect(received).toBeLessThan(30_000)
    }),
  )

  it('[LK14] is cut soon while the link closes, and the close does not wait for it', () =>
    withLink(async ({ world, open, serve, context, peers }) => {
      let answers = 0
      serve({ closeReply: 'never' })
      await open({
        ending: {
          frames: () => ['CloseStream'],
          answer: () => {
            answers++
            return false
          },
        },
      })
      flood(peers[0]!, 'words', 50)
      const report = await context.scope.close()
      expect(answers).toBeLessThanOrEqual(2_000)
      expect(report.took).toBeLessThan(100)
      expect(context.connections).toMatchObject([{ how: 'aborted' }])
      expect(world.network.sockets.size).toBe(0)
    }))

  it('[LK14] is cut soon when its connection was left', () =>
    withLink(async ({ world, open, serve, peers }) => {
      serve({ closeReply: 'never' }, {})
      const link = await open()
      link.rollOver()
      await world.clock.elapse(10)
      flood(peers[0]!, 'words', 50)
      await world.clock.elapse(100)
      expect(peers[0]?.open).toBe(false)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 2 })
    }))

  it('[LK14] may send a long answer at once', () =>
    withLink(async ({ world, open, serve }) => {
      serve({
        opened: (peer) => {
          for (let n = 0; n < 15_000; n++) peer.send('x'.repeat(3_000))
        },
      })
      const link = await open()
      await world.clock.elapse(1_000)
      expect(link.status.generation).toBe(1)
    }))
})
