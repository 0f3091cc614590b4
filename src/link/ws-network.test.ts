import { describe, expect, it } from 'vitest'
import type { DialRequest, Socket, SocketEnd } from '../scope/index.ts'
import type { Manners, Peer } from '../testing/index.ts'
import { LoopbackServer } from '../testing/servers/loopback-server.ts'
import { limits } from './limits.ts'
import { wsNetwork } from './ws-network.ts'

/** Dials, and keeps all that is told. `ended` resolves with how it ended. */
function dial(request: Partial<DialRequest> & { url: string }, heard?: (socket: Socket) => void) {
  const told: string[] = []
  let whenOpened = (): void => {}
  let whenEnded = (_end: SocketEnd): void => {}
  const opened = new Promise<void>((resolve) => (whenOpened = resolve))
  const ended = new Promise<SocketEnd>((resolve) => (whenEnded = resolve))
  const socket = wsNetwork.dial(
    { name: 'stt', ...request },
    {
      opened: () => {
        told.push('opened')
        whenOpened()
      },
      message: (data) => {
        told.push(typeof data === 'string' ? data : `bytes ${[...data].join(' ')}`)
        heard?.(socket)
      },
      ended: (end) => {
        told.push(`ended ${end.how}`)
        whenEnded(end)
      },
    },
  )
  // Nothing is told before `dial` has returned.
  expect(told).toEqual([])
  return { socket, told, opened, ended }
}

const listen = (manners: Manners = {}): Promise<LoopbackServer> =>
  LoopbackServer.listen({ serve: () => manners })

/** Timers of the platform that keep the process: `ws` sets one when it sends a close frame. */
const timeouts = (): number => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length

describe('the network of the machine', () => {
  it.each<[string, Partial<DialRequest> & { url: string }]>([
    ['no address', { url: 'secret' }],
    ['another protocol', { url: 'ftp://127.0.0.1/secret' }],
    ['a fragment', { url: 'ws://127.0.0.1/#secret' }],
    ['a header that is none', { url: 'ws://127.0.0.1', headers: { 'bad header': 'secret' } }],
    ['a value that is none', { url: 'ws://127.0.0.1', headers: { authorization: 'secret\n' } }],
    ['a subprotocol that is none', { url: 'ws://127.0.0.1', protocols: ['se cret'] }],
  ])('does not throw for %s: it is refused, later, without its text', async (_, request) => {
    const { socket, told, ended } = dial(request)
    expect(wsNetwork.sockets.size).toBe(1)
    expect(socket.state).toBe('connecting')
    socket.send('nobody hears')
    expect(await ended).toEqual({ how: 'refused', reason: 'invalid request' })
    expect([told, wsNetwork.sockets.size, socket.state, socket.buffered]).toEqual([
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
    const { socket, told, opened, ended } = dial({ url: server.url })
    await opened
    socket.send('grüße')
    socket.send(new Uint8Array([0, 255]))
    socket.send('')
    socket.close()
    expect(await ended).toEqual({ how: 'closed', code: 1000 })
    expect(told).toEqual(['opened', 'grüße', 'bytes 0 255', '', 'ended closed'])
    expect(extensions).toBeUndefined()
  })

  it('leaves the bytes it was given as they were', async () => {
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
    ['in the same tick', {}, async () => {}],
    ['during the upgrade', { connect: 'never' }, async (_, server) => server.until(() => server.open === 1)],
    ['when it is open', {}, async ({ opened }) => opened],
    [
      'when its close frame is ignored',
      { closeReply: 'never' },
      async ({ opened, socket }) => {
        await opened
        socket.close()
      },
    ],
  ])('[LK6] is cut %s: at once, once, and no timer of it keeps the process', async (_, manners, prepare) => {
    await using server = await listen(manners)
    const before = timeouts()
    const dialled = dial({ url: server.url })
    await prepare(dialled, server)
    const { socket, told, ended } = dialled
    socket.abort()
    expect([socket.state, wsNetwork.sockets.size]).toEqual(['ended', 0])
    socket.abort()
    socket.close()
    socket.send('nobody hears')
    expect(told).not.toContain('ended aborted')
    expect(await ended).toEqual({ how: 'aborted' })
    socket.abort()
    await server.whenIdle()
    expect(told.filter((text) => text.startsWith('ended'))).toHaveLength(1)
    expect(timeouts()).toBeLessThanOrEqual(before)
  })

  it('tells nothing more of a socket that was cut, though more came in the same piece', async () => {
    await using server = await listen({
      opened: (peer) => {
        for (const text of ['one', 'two', 'three']) peer.send(text)
      },
    })
    const { told, ended } = dial({ url: server.url }, (socket) => socket.abort())
    await ended
    expect(told).toEqual(['opened', 'one', 'ended aborted'])
  })

  it('[LK6] an end that was cut while it was being made crashes nothing', async () => {
    await using server = await listen({ refuse: 401 })
    const { socket, ended } = dial({ url: server.url })
    await ended
    socket.abort()
    socket.close()
  })

  it.each<[string, number, string]>([
    ['a code that must not be sent', 1006, ''],
    ['a code that is none', 99_999, ''],
    ['a reason too long for a frame', 1000, 'x'.repeat(200)],
  ])('closes also with %s', async (_, code, reason) => {
    await using server = await listen()
    const { socket, opened, ended } = dial({ url: server.url })
    await opened
    socket.close(code, reason)
    expect(socket.state).toBe('closing')
    expect(await ended).toEqual({ how: 'closed', code: 1000 })
  })

  it('ends by itself when a message is longer than may be', async () => {
    await using server = await listen({
      opened: (peer: Peer) => peer.send(new Uint8Array(limits.payload + 1)),
    })
    const { ended } = dial({ url: server.url })
    expect(await ended).toMatchObject({ reason: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' })
  })
})
