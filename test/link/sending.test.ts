import { describe, expect, it } from 'vitest'
import { withLink } from './fixture.ts'

describe('sending on a link', () => {
  it('passes messages straight to the socket, in order', () =>
    withLink(async ({ world, open, received }) => {
      const link = await open()
      link.send('a')
      link.sendAudio('b')
      link.send(new Uint8Array([67]))
      await world.clock.elapse(5)
      expect(received).toEqual(['1 a', '1 b', '1 67'])
      expect(link.status).toMatchObject({ queued: 0, droppedAudio: 0 })
    }))

  it('[LK10] queues messages while there is no connection and sends them in order', () =>
    withLink(async ({ world, open, received, peers }) => {
      const link = await open()
      peers[0]?.drop()
      link.sendAudio('a1')
      link.send('c1')
      link.sendAudio('a2')
      expect(link.status.queued).toBe(3)
      await world.clock.elapse(1_000)
      expect(received).toEqual(['2 a1', '2 c1', '2 a2'])
    }))

  it('[LK10] drops and counts the oldest audio, and never drops a control message', () =>
    withLink(async ({ world, open, received, peers }) => {
      const link = await open({ queue: { audio: 2 } })
      peers[0]?.drop()
      for (const data of ['a1', 'a2']) link.sendAudio(data)
      link.send('c1')
      for (const data of ['a3', 'a4']) link.sendAudio(data)
      expect(link.status).toMatchObject({ queued: 3, droppedAudio: 2 })
      await world.clock.elapse(1_000)
      expect(received).toEqual(['2 c1', '2 a3', '2 a4'])
    }))

  it('[LK10] fails the link when too many control messages are queued', () =>
    withLink(async ({ context, open, peers, errors, world }) => {
      const link = await open({ queue: { control: 3 } })
      peers[0]?.drop()
      for (const data of ['c1', 'c2', 'c3']) link.send(data)
      expect(errors).toEqual([])
      link.send('c4')
      expect(errors).toMatchObject([{ code: 'LINK_OVERFLOW' }])
      expect(link.status).toMatchObject({ phase: 'closed', queued: 0 })
      link.send('c5')
      link.sendAudio('a1')
      expect(link.status.queued).toBe(0)
      expect(context.connections).toMatchObject([{ how: 'dropped', code: 1006 }])
      await world.clock.elapse(10_000)
      expect(world.network.dials).toBe(1)
    }))

  it('[LK10] queues audio while the peer does not read and resumes when it does', () =>
    withLink(async ({ world, open, peers, received }) => {
      const link = await open({ queue: { audio: 10 } })
      peers[0]?.pause()
      const frame = 'x'.repeat(100_000)
      for (let n = 0; n < 20; n++) {
        link.sendAudio(`${n} ${frame}`)
        await world.clock.elapse(5)
      }
      // Three fill the buffer of the socket. Of the others, the newest ten are queued.
      expect(link.status).toMatchObject({ queued: 10, droppedAudio: 7 })
      peers[0]?.resume()
      await world.clock.elapse(200)
      expect(received.map((text) => text.split(' ', 2)[1])).toEqual(
        [0, 1, 2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map(String),
      )
      expect(link.status.queued).toBe(0)
    }))

  it('[LK10] never sends a message before one that was queued earlier', () =>
    withLink(async ({ world, open, peers, received }) => {
      const link = await open()
      peers[0]?.pause()
      for (let n = 0; n < 4; n++) link.send(`${n} ${'x'.repeat(200_000)}`)
      await world.clock.elapse(5)
      link.send('4 is queued')
      peers[0]?.resume()
      // The socket could already take this one.
      link.send('5 is queued behind it')
      await world.clock.elapse(100)
      expect(received.map((text) => Number(text.split(' ', 2)[1]))).toEqual([0, 1, 2, 3, 4, 5])
    }))

  it('sends keep-alive frames on an unused connection until the link closes', () =>
    withLink(async ({ world, context, open, received }) => {
      const link = await open({ keepAlive: { every: 4_000, frame: () => 'KeepAlive' } })
      await world.clock.elapse(9_000)
      expect(received).toEqual(['1 KeepAlive', '1 KeepAlive'])
      for (let n = 0; n < 8; n++) {
        link.sendAudio('a')
        await world.clock.elapse(1_000)
      }
      expect(received.filter((text) => text === '1 KeepAlive')).toHaveLength(2)
      await context.scope.close()
      await world.clock.elapse(60_000)
      expect(received.filter((text) => text === '1 KeepAlive')).toHaveLength(2)
    }))

  it('sends keep-alive frames on a connection in use as well with `always`', () =>
    withLink(async ({ world, open, received }) => {
      const link = await open({ keepAlive: { every: 1_000, frame: () => 'beat', always: true } })
      link.send('a')
      await world.clock.elapse(1_500)
      expect(received).toEqual(['1 a', '1 beat'])
    }))

  it('replaces a connection whose peer does not answer in time', () =>
    withLink(async ({ world, open, serve, log }) => {
      serve({ halfOpenAfter: 10_000, message: (peer) => peer.send('answer') })
      const link = await open({ timing: { answer: 3_000 } })
      await world.clock.elapse(5_000)
      link.send('question')
      link.expectAnswer()
      await world.clock.elapse(6_000)
      expect(link.status.generation).toBe(1)
      link.send('question')
      link.expectAnswer()
      await world.clock.elapse(2_900)
      expect(link.status.phase).toBe('ready')
      await world.clock.elapse(1_000)
      expect(link.status).toMatchObject({
        phase: 'ready',
        generation: 2,
        last: { class: 'dropped', reason: 'no answer within 3000 ms' },
      })
      expect(log.slice(1, 3)).toEqual(['1 said answer', 'lost dropped'])
    }))
})
