import { expect, it } from 'vitest'
import type { Network, Socket } from '../../src/scope/index.ts'
import { LoopbackServer } from '../../src/testing/servers/loopback-server.ts'

/** A copy of the real network that has not loaded `ws` yet. */
async function freshNetwork(): Promise<Network> {
  const copy = '../../src/link/ws-network.ts?fresh'
  return ((await import(copy)) as typeof import('../../src/link/ws-network.ts')).wsNetwork
}

interface Dialled {
  readonly socket: Socket
  readonly opened: Promise<string>
  readonly ended: Promise<string>
}

function dial(network: Network, url: string): Dialled {
  let open = (_event: string): void => {}
  let end = (_how: string): void => {}
  const opened = new Promise<string>((resolve) => (open = resolve))
  const ended = new Promise<string>((resolve) => (end = resolve))
  const events = { opened: () => open('opened'), message() {}, ended: ({ how }: { how: string }) => end(how) }
  return { socket: network.dial({ name: 'stt', url }, events), opened, ended }
}

it('the first sockets are connected when `ws` is loaded, except those that were aborted before', async () => {
  let dials = 0
  await using server = await LoopbackServer.listen({
    serve: () => {
      dials++
      return {}
    },
  })
  const network = await freshNetwork()
  const aborted = dial(network, server.url)
  aborted.socket.abort()
  const kept = dial(network, server.url)
  kept.socket.send('not sent')
  expect([aborted.socket.state, kept.socket.state, network.sockets.size]).toEqual(['ended', 'connecting', 1])
  expect(await aborted.ended).toBe('aborted')
  expect(await kept.opened).toBe('opened')
  expect(dials).toBe(1)
  kept.socket.abort()
  expect(await kept.ended).toBe('aborted')
  expect(network.sockets.size).toBe(0)
})
