import { describe, expect, it } from 'vitest'
import { Link, wsNetwork, type LinkError, type Protocol } from '../../src/link/index.ts'
import { ScopeClosedError, systemClock, systemRandom } from '../../src/scope/index.ts'
import { partContext, type Manners, type Peer, type TestPartContext } from '../../src/testing/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import { LoopbackServer } from '../../src/testing/servers/loopback-server.ts'
import { inOrder, rejection } from './fixture.ts'

/** For servers that answer. Generous, because a busy machine may pause for a while. */
const timing = { handshake: 1_500, open: 3_000, backoff: 10, healthyAfter: 20, closeFrame: 1_500 }

/** For servers that do not answer the setup. */
const impatientOpen = { ...timing, handshake: 200, open: 600, closeFrame: 100 }

/** For servers that do not answer the close frame. */
const impatientClose = { ...timing, closeFrame: 100 }

/** A link over real sockets, and its server. */
interface SocketFixture {
  readonly server: LoopbackServer
  readonly context: TestPartContext
  /** The protocol's callbacks. */
  readonly log: string[]
  readonly errors: LinkError[]
  /** Every peer that has opened. */
  readonly peers: Peer[]
  /** What the server received. */
  readonly received: string[]
  readonly open: (protocol?: Partial<Protocol>) => Promise<Link>
  /** Resolves when the condition holds. It is checked at each callback of the protocol. */
  readonly until: (condition: () => boolean) => Promise<void>
}

/** Runs a test, closes everything, and checks that no socket is left on either side or was opened after the close. */
async function onSockets(
  manners: Manners | Manners[],
  test: (fixture: SocketFixture) => Promise<void>,
): Promise<void> {
  const context = partContext({ clock: systemClock, random: systemRandom })
  const peers: Peer[] = []
  const received: string[] = []
  const log: string[] = []
  const errors: LinkError[] = []
  const changes = new Changes()
  const note = (text: string): void => {
    log.push(text)
    changes.notify()
  }
  await using server = await LoopbackServer.listen({
    serve: inOrder([manners].flat(), peers, (_, text) => received.push(text)),
  })
  const open = (protocol: Partial<Protocol> = {}): Promise<Link> =>
    Link.open(context, {
      name: 'stt',
      request: () => ({ url: `${server.url}/v1?key=secret` }),
      message: (data) => note(`said ${String(data)}`),
      lost: ({ class: as, code = 0 }) => note(`lost ${as} ${code}`),
      failed: (error) => errors.push(error),
      timing,
      ...protocol,
    })
  try {
    const until = (condition: () => boolean): Promise<void> => changes.until(condition)
    await test({ server, context, log, errors, peers, received, open, until })
  } finally {
    await context.scope.close({ closeTimeout: 2_000 })
  }
  const { total } = server
  expect(wsNetwork.sockets.list()).toEqual([])
  // A paused peer would not notice the end.
  for (const peer of peers) peer.resume()
  await server.whenIdle()
  expect(server.total).toBe(total)
}

describe('a link over real sockets', () => {
  it.each<[string, Manners, string]>([
    ['never answers the upgrade', { connect: 'never' }, 'LINK_TIMEOUT'],
    ['says 401', { refuse: 401 }, 'LINK_REFUSED'],
    ['says 503', { refuse: 503 }, 'LINK_FAILED'],
    ['resets the connection', { refuse: 0 }, 'LINK_FAILED'],
    ['closes before the setup', { opened: (peer) => peer.close(1011, 'quota') }, 'LINK_FAILED'],
    ['resets the connection during the setup', { opened: (peer) => peer.drop() }, 'LINK_FAILED'],
    ['goes dead during the setup', { halfOpenAfter: 0 }, 'LINK_TIMEOUT'],
    ['does not read', { opened: (peer) => peer.pause() }, 'LINK_TIMEOUT'],
  ])('[LK5] cannot be opened when the server %s, and leaves nothing behind', (_, manners, code) =>
    onSockets(manners, async ({ open, context, server }) => {
      const error = await rejection(
        open({ opened: (connection) => connection.send('setup'), timing: { ...impatientOpen, retries: 2 } }),
      )
      expect(error).toMatchObject({ code })
      expect((error as Error).message).not.toContain('secret')
      expect(server.total).toBeLessThanOrEqual(3)
      expect(context.connections).toMatchObject([{ how: 'dropped' }])
    }),
  )

  it('[LK5] cannot be opened when there is no server', () =>
    onSockets({}, async ({ open, context }) => {
      const gone = await LoopbackServer.listen()
      await gone.close()
      const error = await rejection(open({ request: () => ({ url: gone.url }) }))
      expect(error).toMatchObject({ code: 'LINK_FAILED' })
      expect(context.connections).toMatchObject([{ how: 'dropped', reason: 'ECONNREFUSED' }])
    }))

  it('[LK5] cannot be opened at an invalid address', () =>
    onSockets({}, async ({ open }) => {
      const error = await rejection(open({ request: () => ({ url: 'not an address?key=secret' }) }))
      expect(String(error)).toContain('the address is not a URL')
      expect(String(error)).not.toContain('secret')
    }))

  it.each<[string, Manners]>([
    ['the upgrade', { connect: 'never' }],
    ['the setup', {}],
  ])('[LK1] [LK5] gives up when its scope closes during %s', (_, manners) =>
    onSockets(manners, async ({ open, context, server }) => {
      const opening = rejection(open({ opened: () => {} }))
      await server.until(() => server.open === 1)
      const closing = context.scope.close()
      expect(wsNetwork.sockets.size).toBe(0)
      expect(await opening).toBeInstanceOf(ScopeClosedError)
      expect(await closing).toMatchObject({ clean: true })
    }),
  )

  it.each<[string, Partial<Manners>, string, Partial<Protocol>]>([
    ['answers', {}, 'closed', {}],
    ['ignores the close frame', { closeReply: 'never' }, 'aborted', { timing: impatientClose }],
    ['is known to ignore the close frame', { closeReply: 'never' }, 'closed', { closePatience: 20 }],
    ['goes dead', { halfOpenAfter: 0 }, 'aborted', { timing: impatientClose }],
    ['does not read', { opened: (peer) => peer.pause() }, 'aborted', { timing: impatientClose }],
    ['answers with a reset', { closed: (peer) => peer.drop() }, 'closed', {}],
    [
      'keeps talking',
      {
        closeReply: 50,
        opened: (peer) => {
          const talk = (): void => {
            peer.send('goAway')
            peer.after(1, talk)
          }
          talk()
        },
      },
      'closed',
      {},
    ],
  ])('[LK6] closes inside the deadline when the server %s', (_, manners, how, protocol) =>
    onSockets(manners, async ({ open, context, log, server, peers }) => {
      await open(protocol)
      await server.until(() => peers.length === 1)
      const closing = context.scope.close({ closeTimeout: 2_000 })
      const before = log.length
      const report = await closing
      expect(report.took).toBeLessThan(2_000)
      expect(log.length, 'a message was delivered after the scope began to close').toBe(before)
      expect(context.connections).toMatchObject([{ name: 'stt', how, retries: 0 }])
    }),
  )

  it('[LK7] [LK9] receives the last transcript and the acknowledgement while closing, and nothing else', () =>
    onSockets(
      {
        message: (peer, data) => {
          if (data !== 'CloseStream') return
          peer.send('last words')
          peer.send('Metadata')
          peer.close(1000)
        },
      },
      async ({ open, context, log, received }) => {
        const link = await open({
          ending: {
            frames: () => ['CloseStream'],
            answer: (data) => {
              log.push(`answered ${String(data)}`)
              return data === 'Metadata'
            },
          },
        })
        link.sendAudio(new Uint8Array([1, 2]))
        const closing = context.scope.close()
        link.send('Finalize')
        expect(await closing).toMatchObject({ clean: true })
        expect(received).toEqual(['\u0001\u0002', 'CloseStream'])
        expect(log).toEqual(['answered last words', 'answered Metadata'])
        expect(context.connections).toEqual([{ name: 'stt', how: 'acknowledged', code: 1000, retries: 0 }])
      },
    ))

  it.each<[string, (peer: Peer) => void, string]>([
    ['a reset', (peer) => peer.drop(), 'lost dropped 1006'],
    ['an unasked 1000', (peer) => peer.close(1000), 'lost dropped 1000'],
    ['an expired session', (peer) => peer.close(1001, 'maximum duration'), 'lost expired 1001'],
  ])('[LK2] reconnects after %s and loses no control message', (_, end, lost) =>
    onSockets({}, async ({ open, server, peers, log, received, errors }) => {
      const link = await open({ classify: ({ code }) => (code === 1001 ? 'expired' : undefined) })
      await server.until(() => peers.length === 1)
      end(peers[0]!)
      await server.until(() => peers.length === 2)
      link.send('still here')
      await server.until(() => received.length === 1)
      expect([log, errors, link.status.phase]).toEqual([[lost], [], 'ready'])
    }),
  )

  it('[LK2] sleeps after an idle close until it is woken', () =>
    onSockets({}, async ({ open, server, peers, until }) => {
      const link = await open({ classify: ({ reason }) => (reason === 'NET-0001' ? 'idle' : undefined) })
      await server.until(() => peers.length === 1)
      peers[0]?.close(1011, 'NET-0001')
      await server.whenIdle()
      await until(() => link.status.phase === 'idle')
      expect(server.total).toBe(1)
      link.wake()
      await server.until(() => peers.length === 2)
    }))

  it('[LK6] notices a dead connection by a missing answer', () =>
    onSockets([{ halfOpenAfter: 0 }, {}], async ({ open, server, peers, log }) => {
      const link = await open({ timing: { ...timing, answer: 30 } })
      await server.until(() => peers.length === 1)
      link.send('anybody there?')
      link.expectAnswer()
      await server.until(() => peers.length === 2)
      expect(log).toEqual(['lost dropped 0'])
    }))

  it.each(['new-first', 'old-first'] as const)('[LK8] moves to a new socket, %s', (order) =>
    onSockets({ opened: (peer) => peer.send('hello') }, async ({ open, server, received, until }) => {
      const sockets: number[] = []
      const link = await open({
        rollover: { order },
        request: () => {
          sockets.push(wsNetwork.sockets.size)
          return { url: server.url }
        },
        opened: (connection) => {
          connection.ready()
          if (connection.generation === 1) connection.rollOver(1)
        },
      })
      await until(() => link.status.generation === 2 && link.status.phase === 'ready')
      link.send('on the new socket')
      await server.until(() => received.length === 1 && server.open === 1)
      expect(sockets).toEqual(order === 'old-first' ? [0, 0] : [0, 1])
      expect(link.status).toMatchObject({ generation: 2, retries: 0 })
    }),
  )

  it('[LK1] dials nothing for a goAway that arrives when the scope closes', () =>
    onSockets({}, async ({ open, context, server, peers }) => {
      await open({ message: (_, connection) => connection.rollOver() })
      await server.until(() => peers.length === 1)
      peers[0]?.send('goAway')
      await context.scope.close()
      expect(server.total).toBe(1)
      expect(context.connections).toMatchObject([{ how: 'closed' }])
    }))

  it('[LK10] queues audio for a server that does not read, drops the oldest, and resumes', () =>
    onSockets({ opened: (peer) => peer.pause() }, async ({ open, server, peers, received }) => {
      const link = await open({ queue: { audio: 10 } })
      await server.until(() => peers.length === 1)
      const second = 'x'.repeat(1_000_000)
      // The operating system buffers some megabytes first.
      for (let sent = 0; link.status.droppedAudio === 0 && sent < 100; sent++) link.sendAudio(second)
      expect(link.status).toMatchObject({ queued: 10, droppedAudio: 1 })
      link.send('never dropped')
      peers[0]?.resume()
      await server.until(() => received.at(-1) === 'never dropped')
      expect(link.status).toMatchObject({ queued: 0, droppedAudio: 1, phase: 'ready' })
    }))

  it('[LK6] leaves no socket after abort(), whatever the server does', () =>
    onSockets({ closeReply: 'never' }, async ({ open, context, server, peers }) => {
      await open()
      await server.until(() => peers.length === 1)
      context.scope.abort()
      expect(wsNetwork.sockets.size).toBe(0)
      await server.whenIdle()
      expect(context.connections).toMatchObject([{ how: 'aborted' }])
    }))
})
