import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { SocketServer } from '../../src/lines/accepted-socket.ts'
import { deafOwner, type Peer } from '../../src/lines/peer.ts'
import { silentLogger } from '../../src/parts/index.ts'
import { drain } from '../../src/testing/drain.ts'
import { RawCaller } from './raw-caller.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A socket that was accepted, and its caller. */
async function aPair(): Promise<{ socket: Peer; caller: RawCaller }> {
  const options = { name: 'page', message: 1_000, closePatience: 1_000, logger: silentLogger }
  const sockets = new SocketServer(options)
  const server = createServer()
  let gone = (): void => {}
  const left = new Promise<void>((resolve) => (gone = resolve))
  const accepted = new Promise<Peer>((resolve) => {
    server.on('upgrade', (request, tcp, head) => {
      sockets.upgrade(request, tcp, head, (peer) => {
        peer.owner = deafOwner(gone)
        resolve(peer)
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const caller = await RawCaller.dial({ port: (server.address() as AddressInfo).port, path: '/' })
  const socket = await accepted
  ends.push(() => {
    socket.abort()
    return Promise.all([caller.ended, left, new Promise((resolve) => server.close(resolve))])
  })
  return { socket, caller }
}

describe('an accepted socket', () => {
  it('[LN18] sends bytes as they are, although they change afterwards and the caller does not read', async () => {
    const { socket, caller } = await aPair()
    caller.stopsReading()
    const bytes = new Uint8Array(6_000)
    let count = 0
    // Until the network takes no more, and then some.
    for (let full = 0; full < 20;) {
      socket.send(bytes.fill(++count))
      await drain()
      if (socket.buffered > 0) full++
    }
    caller.readsAgain()
    while (caller.heard.length < count) await drain()
    const wrong = caller.heard.findIndex((each, n) => !each.equals(new Uint8Array(6_000).fill(n + 1)))
    expect([caller.heard.length, wrong]).toEqual([count, -1])
  })

  it('[LN18] sends more bytes at once than it has memory for', async () => {
    const { socket, caller } = await aPair()
    const bytes = new Uint8Array(10_000)
    for (let n = 1; n <= 5; n++) socket.send(bytes.fill(n))
    bytes.fill(0)
    while (caller.heard.length < 5) await drain()
    const said = [1, 2, 3, 4, 5].map((n) => Buffer.alloc(10_000, n))
    expect(caller.heard.map((each, n) => each.equals(said[n]!))).toEqual(said.map(() => true))
  })
})
