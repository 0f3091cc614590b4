import { describe, expect, it } from 'vitest'
import type { DialRequest, Socket, SocketEnd } from '../scope/index.ts'
import type { Manners, Peer } from '../testing/index.ts'
import { LoopbackServer } from '../testing/servers/loopback-server.ts'
import { limits } from './limits.ts'
import { wsNetwork } from './ws-network.ts'

/** Dials and records all events. `ended` resolves with how the socket ended. */
function dial(request: Partial<DialRequest> & { url: string }, onMessage?: (socket: Socket) => void) {
  const log: string[] = []
  let whenOpened = (): void => {}
  let whenEnded = (_end: SocketEnd): void => {}
  const opened = new Promise<void>((resolve) => (whenOpened = resolve))
  const ended = new Promise<SocketEnd>((resolve) => (whenEnded = resolve))
  const socket = wsNetwork.dial(
    { name: 'stt', ...request },
    {
      opened: () => {
        log.push('opened')
        whenOpened()
      },
      message: (data) => {
        log.push(typeof data === 'string' ? data : `bytes ${[...data].join(' ')}`)
        onMessage?.(socket)
      },
      ended: (end) => {
        log.push(`ended ${end.how}`)
        whenEnded(end)
      },
    },
  )
  // No event is emitted before `dial` has returned.
  expect(log).toEqual([])
  return { socket, log, opened, ended }
}

const listen = (manners: Manners = {}): Promise<LoopbackServer> =>
  LoopbackServer.listen({ serve: () => manners })

/** Native timers that keep the process alive: `ws` sets one when it sends a close frame. */
const timeouts = (): number => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length

describe('the real network', () => {
  it.each<[string, Partial<DialRequest> & { url: string }]>([
    ['an invalid address', { url: 'secret' }],
    ['another protocol', { url: 'ftp://127.0.0.1/secret' }],
    ['a fragment', { url: 'ws://127.0.0.1/#secret' }],
    ['an invalid header name', { url: 'ws://127.0.0.1', headers: { 'bad header': 'secret' } }],
    ['an invalid header value', { url: 'ws://127.0.0.1', headers: { authorization: 'secret\n' } }],
    ['an invalid subprotocol', { url: 'ws://127.0.0.1', protocols: ['se cret'] }],
  ])('does not throw for %s, but refuses it asynchronously, without repeating it', async (_, request) => {
    const { socket, log, ended } = dial(request)
    expect(wsNetwork.sockets.size).toBe(1)
    expect(socket.state).toBe('connecting')
    socket.send('ignored')
    expect(await ended).toEqual({ how: 'refused', reason: 'invalid request' })
    expect([log, wsNetwork.sockets.size, socket.state, socket.buffered]).toEqual([
      ['ended refused'],
      0,
      'ended',
      0,
    ])
  })

  it('carries text as text and bytes as bytes, and offers no compression', async () => {
    let extensions: string | undefined
    await using server = await LoopbackServer.listen({
      serve: ({ headers }) => {
        extensions = headers?.['sec-websocket-extensions']
        return { message: (peer, data) => peer.send(data) }
      },
    })
    const { socket, log, opened, ended } = dial({ url: server.url })
    await opened
    socket.send('grüße')
    socket.send(new Uint8Array([0, 255]))
    socket.send('')
    socket.close()
    expect(await ended).toEqual({ how: 'closed', code: 1000 })
    expect(log).toEqual(['opened', 'grüße', 'bytes 0 255', '', 'ended closed'])
    expect(extensions).toBeUndefined()
  })

  it('does not modify the bytes it sends', async () => {
    await using server = await listen()
    const { socket, opened, ended } = dial({ url: server.url })
    await opened
    const bytes = new Uint8Array([1, 2, 3, 4])
    socket.send(bytes)
    socket.close()
    await ended
    expect([...bytes]).toEqual([1, 2, 3, 4])
  })

  it.each<[string, Manners, (dialled: ReturnType<typeof dial>, server: LoopbackServer) => Promise<void>]>([
    ['that was dialled in the same tick', {}, async () => {}],
    [
      'that is being upgraded',
      { connect: 'never' },
      async (_, server) => server.until(() => server.open === 1),
    ],
    ['that is open', {}, async ({ opened }) => opened],
    [
      'whose close frame is ignored',
      { closeReply: 'never' },
      async ({ opened, socket }) => {
        await opened
        socket.close()
      },
    ],
  ])(
    '[LK6] aborts a socket %s: at once, only once, and no timer keeps the process alive',
    async (_, manners, prepare) => {
      await using server = await listen(manners)
      const before = timeouts()
      const dialled = dial({ url: server.url })
      await prepare(dialled, server)
      const { socket, log, ended } = dialled
      socket.abort()
      expect([socket.state, wsNetwork.sockets.size]).toEqual(['ended', 0])
      socket.abort()
      socket.close()
      socket.send('ignored')
      expect(log).not.toContain('ended aborted')
      expect(await ended).toEqual({ how: 'aborted' })
      socket.abort()
      await server.whenIdle()
      expect(log.filter((text) => text.startsWith('ended'))).toHaveLength(1)
      expect(timeouts()).toBeLessThanOrEqual(before)
    },
  )

  it('emits no more messages of an aborted socket, even if they had already arrived', async () => {
    await using server = await listen({
      opened: (peer) => {
        for (const text of ['one', 'two', 'three']) peer.send(text)
      },
    })
    const { log, ended } = dial({ url: server.url }, (socket) => socket.abort())
    await ended
    expect(log).toEqual(['opened', 'one', 'ended aborted'])
  })

  it('[LK6] ignores abort() and close() after the end', async () => {
    await using server = await listen({ refuse: 401 })
    const { socket, ended } = dial({ url: server.url })
    await ended
    socket.abort()
    socket.close()
  })

  it.each<[string, number, string]>([
    ['a code that must not be sent', 1006, ''],
    ['an invalid code', 99_999, ''],
    ['a reason that is too long for a frame', 1000, 'x'.repeat(200)],
  ])('closes a socket with 1000 when given %s', async (_, code, reason) => {
    await using server = await listen()
    const { socket, opened, ended } = dial({ url: server.url })
    await opened
    socket.close(code, reason)
    expect(socket.state).toBe('closing')
    expect(await ended).toEqual({ how: 'closed', code: 1000 })
  })

  it('ends a socket when a message exceeds the size limit', async () => {
    await using server = await listen({
      opened: (peer: Peer) => peer.send(new Uint8Array(limits.payload + 1)),
    })
    const { ended } = dial({ url: server.url })
    expect(await ended).toMatchObject({ reason: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' })
  })

  it('sends pings, and emits that the peer is alive when it answers or sends pings itself', async () => {
    const events: string[] = []
    let ended = (): void => {}
    const end = new Promise<void>((resolve) => (ended = resolve))
    await using server = await listen({ opened: (peer) => peer.ping() })
    const socket = wsNetwork.dial(
      { name: 'stt', url: server.url },
      {
        opened: () => events.push('opened'),
        message: () => {},
        alive: () => {
          events.push('alive')
          if (events.length === 2) socket.ping()
          if (events.length === 3) socket.close()
        },
        ended: () => ended(),
      },
    )
    await end
    expect(events).toEqual(['opened', 'alive', 'alive'])
  })

  it('does not buffer pongs for a peer that sends pings and does not read', async () => {
    await using server = await listen({
      opened: (peer) => {
        peer.pause()
        for (let n = 0; n < 100_000; n++) peer.ping('x'.repeat(100))
        peer.send('last')
      },
    })
    const { socket, ended } = dial({ url: server.url }, () => {
      expect(socket.buffered).toBeLessThan(limits.congested * 2)
      socket.abort()
    })
    await ended
  })
})
