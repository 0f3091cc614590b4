import { describe, expect, it } from 'vitest'
import type { Protocol } from '../../src/link/index.ts'
import { withLink } from './fixture.ts'

function fails(): never {
  throw new Error('a mistake')
}

describe('closing a link', () => {
  const closeStream: Partial<Protocol> = {
    ending: {
      frames: () => ['CloseStream'],
      answer: (data) => data === 'Metadata',
    },
  }

  it('[LK1] dials nothing from the moment its scope begins to close', () =>
    withLink(async ({ world, context, open, peers, serve }) => {
      const link = await open({ timing: { backoff: 5_000 } })
      serve({})
      peers[0]?.drop()
      await world.clock.elapse(1)
      expect(link.status.phase).toBe('backing-off')
      const closing = context.scope.close()
      expect(link.status.phase).toBe('closed')
      link.wake()
      link.rollOver()
      link.send('anybody there?')
      await closing
      await world.clock.elapse(60_000)
      expect(world.network.dials).toBe(1)
      // The connection was lost and never replaced, so the report does not call it closed.
      expect(context.connections).toEqual([{ name: 'stt', how: 'dropped', code: 1006, retries: 1 }])
    }))

  it('[LK1] [LK9] dials nothing on a drop, a goAway or a wake during the close', () =>
    withLink(async ({ world, context, serve, open, peers, connections }) => {
      serve({ closeReply: 'never' })
      const link = await open({ rollover: { order: 'new-first', maxAge: 5_000 } })
      await world.clock.elapse(4_000)
      const closing = context.scope.close()
      expect(link.status.phase).toBe('closing')
      connections[0]?.rollOver()
      connections[0]?.end('dropped')
      connections[0]?.ready()
      link.wake()
      peers[0]?.send('goAway')
      peers[0]?.drop()
      await closing
      await world.clock.elapse(60_000)
      expect(world.network.dials).toBe(1)
    }))

  it('[LK7] sends the ending frames and reports their acknowledgement', () =>
    withLink(async ({ world, context, serve, open, received }) => {
      serve({ message: (peer, data) => data === 'CloseStream' && peer.send('Metadata') })
      await open(closeStream)
      expect(await context.scope.close()).toMatchObject({ clean: true })
      expect(received).toEqual(['1 CloseStream'])
      expect(context.connections).toEqual([{ name: 'stt', how: 'acknowledged', code: 1000, retries: 0 }])
      expect(world.clock.now()).toBeLessThan(20)
    }))

  it('[LK7] passes messages between the ending frames and the acknowledgement to `ending.answer`', () =>
    withLink(async ({ context, serve, open, log, world }) => {
      serve({
        message: (peer, data) => {
          if (data !== 'CloseStream') return
          peer.after(300, () => peer.send('last words'))
          peer.after(400, () => peer.send('Metadata'))
          peer.after(400, () => peer.close(1000))
        },
      })
      const link = await open({
        ending: {
          frames: () => ['CloseStream'],
          answer: (data) => {
            log.push(`answer ${String(data)}`)
            return data === 'Metadata'
          },
        },
      })
      // As in a session: tasks end first, links after them.
      context.scope.spawn('last words', () => world.clock.elapse(350), { phase: 'tasks' })
      const closing = context.scope.close()
      link.send('Finalize')
      await closing
      expect(log).toEqual(['1 opened 1', 'answer last words', 'answer Metadata'])
      expect(context.connections).toMatchObject([{ how: 'acknowledged', code: 1000 }])
    }))

  it('[LK7] waits for the acknowledgement up to its time limit, and reports if it is missing', () =>
    withLink(async ({ world, context, open }) => {
      await open(closeStream)
      expect(await context.scope.close()).toMatchObject({ clean: true })
      expect(world.clock.now()).toBeLessThan(1_010)
      expect(context.connections).toEqual([{ name: 'stt', how: 'closed', code: 1000, retries: 0 }])
    }))

  it('[LK6] cuts off a peer that ignores the close frame, inside the deadline', () =>
    withLink(async ({ world, context, serve, open }) => {
      serve({ closeReply: 'never' })
      await open()
      const report = await context.scope.close()
      expect(report.took).toBe(1_500)
      expect(world.network.sockets.size).toBe(0)
      expect(context.connections).toEqual([{ name: 'stt', how: 'aborted', retries: 0 }])
    }))

  it('[LK6] cuts a peer known to ignore close frames after `closePatience`, and reports it as closed', () =>
    withLink(async ({ context, serve, open }) => {
      serve({ closeReply: 'never' })
      await open({ closePatience: 200 })
      const report = await context.scope.close()
      expect(report).toMatchObject({ took: 200, clean: true })
      expect(context.connections).toEqual([{ name: 'stt', how: 'closed', retries: 0 }])
    }))

  it('[LK6] cuts off a connection that went dead', () =>
    withLink(async ({ context, serve, open, world }) => {
      serve({ halfOpenAfter: 10 })
      await open(closeStream)
      await world.clock.elapse(100)
      const report = await context.scope.close()
      expect(report.took).toBe(2_500)
      expect(context.connections).toMatchObject([{ how: 'aborted' }])
    }))

  it('[LK6] ends synchronously on abort(), during a close as well', () =>
    withLink(async ({ context, serve, open, world }) => {
      serve({ closeReply: 'never' })
      await open(closeStream)
      const closing = context.scope.close()
      await world.clock.elapse(1)
      context.scope.abort()
      expect([world.network.sockets.size, world.clock.timers.size]).toEqual([0, 0])
      expect(context.connections).toEqual([{ name: 'stt', how: 'aborted', retries: 0 }])
      await closing
    }))

  it('[LK9] sends only the ending frames during the close, and acts only on their answers', () =>
    withLink(async ({ world, context, serve, open, peers, received, log, connections }) => {
      serve({ closeReply: 500 })
      const link = await open(closeStream)
      const closing = context.scope.close()
      link.send('c1')
      link.sendAudio('a1')
      connections[0]?.send('c2')
      peers[0]?.send('toolCall')
      peers[0]?.send('goAway')
      await world.clock.elapse(10)
      expect(log).toEqual(['1 opened 1'])
      peers[0]?.send('Metadata')
      await world.clock.elapse(10)
      peers[0]?.send('one more thing')
      await closing
      peers[0]?.send('after the end')
      link.send('c3')
      connections[0]?.send('c4')
      await world.clock.elapse(1_000)
      expect(received).toEqual(['1 CloseStream'])
      expect(log).toEqual(['1 opened 1'])
    }))

  it('[LK9] passes last messages to `ending.answer` of a protocol without ending frames, too', () =>
    withLink(async ({ world, context, open, peers, log }) => {
      await open({
        ending: {
          answer: (data) => {
            log.push(`answer ${String(data)}`)
            return true
          },
        },
      })
      context.scope.spawn('last words', () => world.clock.elapse(100), { phase: 'tasks' })
      const closing = context.scope.close()
      peers[0]?.send('the last transcript')
      expect(await closing).toMatchObject({ clean: true })
      expect(log).toEqual(['1 opened 1', 'answer the last transcript'])
      // There was no acknowledgement to wait for.
      expect(context.connections).toEqual([{ name: 'stt', how: 'closed', code: 1000, retries: 0 }])
    }))

  it.each<[string, Partial<Protocol>]>([
    ['an error in `ending.frames`', { ending: { frames: fails } }],
    ['an error in `ending.answer`', { ending: { frames: () => ['CloseStream'], answer: fails } }],
    ['an error in `classify`', { classify: fails }],
  ])('[LK6] completes in spite of %s', (_, protocol) =>
    withLink(async ({ context, serve, open }) => {
      serve({ message: (peer) => peer.send('Metadata') })
      await open(protocol)
      expect(await context.scope.close()).toMatchObject({ clean: true })
      expect(context.connections).toMatchObject([{ how: 'closed', code: 1000 }])
    }),
  )

  it('reports a drop before our close frame as dropped', () =>
    withLink(async ({ world, context, serve, open, peers }) => {
      serve({ closeReply: 'never' })
      await open()
      context.scope.spawn('tool', () => world.clock.elapse(100), { phase: 'tasks' })
      const closing = context.scope.close()
      peers[0]?.drop()
      await closing
      expect(context.connections).toEqual([{ name: 'stt', how: 'dropped', code: 1006, retries: 0 }])
    }))

  it('reports a connection as dropped if its rollover failed', () =>
    withLink(async ({ world, context, serve, open }) => {
      const link = await open({ rollover: { order: 'old-first' } })
      serve({ refuse: 503 })
      link.rollOver()
      await world.clock.elapse(100)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'dropped', reason: 'HTTP 503' }])
    }))

  it('ends a sleeping link at once', () =>
    withLink(async ({ world, context, open, peers }) => {
      const link = await open({ classify: () => 'idle' })
      peers[0]?.close(1011, 'NET-0001')
      await world.clock.elapse(10)
      expect(link.status.phase).toBe('idle')
      expect(await context.scope.close()).toMatchObject({ took: 0, clean: true })
      expect(context.connections).toEqual([
        { name: 'stt', how: 'closed', code: 1011, reason: 'NET-0001', retries: 0 },
      ])
    }))

  it.each([1, 100, 350])(
    '[LK1] dials nothing more and leaves nothing behind, %i ms into a rollover',
    (after) =>
      withLink(async ({ world, context, serve, open }) => {
        serve({ closeReply: 300, connect: 100 })
        const link = await open({ rollover: { order: 'old-first' } })
        link.rollOver()
        await world.clock.elapse(after)
        const { dials } = world.network
        expect(await context.scope.close()).toMatchObject({ clean: true })
        expect([world.network.dials, world.network.sockets.size]).toEqual([dials, 0])
        expect(context.connections).toMatchObject([{ how: 'closed' }])
      }),
  )

  it('can end the link alone, while its scope stays live', () =>
    withLink(async ({ world, context, open }) => {
      const link = await open(closeStream)
      await context.scope.end(link)
      expect([context.scope.state, link.status.phase, world.network.sockets.size]).toEqual([
        'live',
        'closed',
        0,
      ])
      expect(context.connections).toMatchObject([{ how: 'closed' }])
    }))
})
