import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { wsNetwork } from '../../link/index.ts'
import type { DialRequest, Socket, SocketEnd } from '../../scope/index.ts'
import type { Manners, Peer } from '../sim-network.ts'
import { LoopbackServer } from './loopback-server.ts'

/** Dials once. `received` has the messages; `ended` resolves with how the socket ended. */
function dial(url: string, more: Partial<DialRequest> = {}) {
  const received: string[] = []
  let whenOpened = (): void => {}
  let whenEnded = (_end: SocketEnd): void => {}
  const opened = new Promise<void>((resolve) => (whenOpened = resolve))
  const ended = new Promise<SocketEnd>((resolve) => (whenEnded = resolve))
  const socket: Socket = wsNetwork.dial(
    { name: 'stt', url, ...more },
    {
      opened: () => whenOpened(),
      message: (data) => received.push(String(data)),
      ended: (end) => whenEnded(end),
    },
  )
  return { socket, received, opened, ended }
}

const listen = (manners: Manners = {}): Promise<LoopbackServer> =>
  LoopbackServer.listen({ serve: () => manners })

describe('the loopback server', () => {
  it('exchanges messages, counts connections and reports their end', async () => {
    const log: string[] = []
    await using server = await listen({
      opened: (peer) => peer.send('hello'),
      message: (peer, data) => peer.send(`echo ${String(data)}`),
      closed: () => log.push('closed'),
      ended: (peer) => log.push(`ended ${peer.open}`),
    })
    const { socket, received, opened, ended } = dial(`${server.url}/v1/listen?a=b`)
    await opened
    expect([server.open, server.total]).toEqual([1, 1])
    socket.send('text')
    socket.send(new Uint8Array([65, 66]))
    socket.close(3_000, 'bye')
    expect(await ended).toEqual({ how: 'closed', code: 3_000, reason: 'bye' })
    await server.whenIdle()
    expect(received).toEqual(['hello', 'echo text', 'echo AB'])
    expect(log).toEqual(['closed', 'ended false'])
    expect([server.open, server.total, wsNetwork.sockets.size]).toEqual([0, 1, 0])
  })

  it('passes on the request with its headers and protocols', async () => {
    let seen: DialRequest | undefined
    await using server = await LoopbackServer.listen({
      serve: (request) => {
        seen = request
        return {}
      },
    })
    const { socket, opened, ended } = dial(`${server.url}/v1?key=k`, {
      headers: { Authorization: 'Token t' },
      protocols: ['realtime', 'beta'],
    })
    await opened
    expect(seen).toMatchObject({
      name: '/v1',
      url: `${server.url}/v1?key=k`,
      headers: { authorization: 'Token t' },
      protocols: ['realtime', 'beta'],
    })
    socket.close()
    await ended
  })

  it.each<[string, Manners, SocketEnd]>([
    ['refuses with a status', { refuse: 401 }, { how: 'refused', status: 401 }],
    ['resets the connection', { refuse: 0 }, { how: 'refused', reason: 'ECONNRESET' }],
    [
      'closes',
      { opened: (peer) => peer.close(1011, 'NET-0001') },
      { how: 'closed', code: 1011, reason: 'NET-0001' },
    ],
    ['closes without a code', { opened: (peer) => peer.close(1005) }, { how: 'dropped', code: 1006 }],
    ['drops', { dropAfter: 5 }, { how: 'dropped', code: 1006 }],
    ['delays its answer', { connect: 5, refuse: 503 }, { how: 'refused', status: 503 }],
  ])('%s as its manners say', async (_, manners, expected) => {
    await using server = await listen(manners)
    expect(await dial(server.url).ended).toEqual(expected)
    await server.whenIdle()
  })

  it.each<[string, Manners, boolean]>([
    ['never answers the upgrade', { connect: 'never' }, false],
    ['ignores the close frame', { closeReply: 'never' }, true],
    ['goes dead', { halfOpenAfter: 0 }, true],
  ])('%s, and notices the abort', async (_, manners, opens) => {
    await using server = await listen(manners)
    const { socket, opened, ended } = dial(server.url)
    if (opens) await opened
    await server.until(() => server.open === 1)
    if (opens) socket.close()
    expect(socket.state).toBe(opens ? 'closing' : 'connecting')
    socket.abort()
    expect([socket.state, wsNetwork.sockets.size]).toEqual(['ended', 0])
    expect(await ended).toEqual({ how: 'aborted' })
    await server.whenIdle()
  })

  it('carries nothing in either direction over a dead connection', async () => {
    const heard: string[] = []
    let peer: Peer | undefined
    await using server = await listen({
      halfOpenAfter: 0,
      opened: (each) => (peer = each),
      message: (_, data) => heard.push(String(data)),
    })
    const { socket, received, opened, ended } = dial(server.url)
    await opened
    peer?.send('to the client')
    socket.send('to the server')
    socket.abort()
    await ended
    await server.whenIdle()
    expect([heard, received]).toEqual([[], []])
  })

  it('can still send messages after our close frame', async () => {
    await using server = await listen({
      closeReply: 20,
      message: (peer) => peer.after(5, () => peer.send('last words')),
    })
    const { socket, received, opened, ended } = dial(server.url)
    await opened
    socket.send('CloseStream')
    socket.close()
    await ended
    expect(received).toEqual(['last words'])
  })

  it('can stop reading: messages pile up and arrive when it resumes', async () => {
    let peer: Peer | undefined
    let bytes = 0
    await using server = await listen({
      opened: (each) => {
        peer = each
        each.pause()
      },
      message: (_, data) => (bytes += data.length),
    })
    const { socket, opened, ended } = dial(server.url)
    await opened
    await server.until(() => peer !== undefined)
    const chunk = new Uint8Array(1_000_000)
    for (let n = 0; n < 20; n++) socket.send(chunk)
    expect(socket.buffered).toBeGreaterThan(1_000_000)
    expect(bytes).toBe(0)
    peer?.resume()
    await server.until(() => bytes === 20_000_000)
    socket.close()
    await ended
  })

  it('handles plain HTTP and counts each request', async () => {
    await using server = await LoopbackServer.listen({
      http: (request, response) => response.end(`you asked for ${request.url}`),
    })
    const ask = get(`${server.url.replace('ws', 'http')}/speech`, { agent: false })
    const [response] = (await once(ask, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).toString()).toBe('you asked for /speech')
    await server.whenIdle()
    expect(server.total).toBe(1)
  })

  it('leaves nothing open when it closes, and rejects pending until() calls', async () => {
    const server = await listen({ opened: (peer) => peer.after(60_000, () => peer.send('late')) })
    const { opened, ended } = dial(server.url)
    await opened
    const waiting = server.until(() => false)
    server.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'SERVER_CLOSED' })
    await server.close()
    expect(await ended).toMatchObject({ how: 'dropped', code: 1006 })
    expect(await dial(server.url).ended).toEqual({ how: 'refused', reason: 'ECONNREFUSED' })
  })
})
