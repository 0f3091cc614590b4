import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { blockPool } from '../audio/index.ts'
import { silentLogger } from '../parts/index.ts'
import { SocketServer } from './accepted-socket.ts'
import { deafOwner, type Peer } from './peer.ts'

type Write = (this: Duplex, chunks: readonly unknown[], done: (error?: Error | null) => void) => void

/** Counts system calls. */
function countWrites(tcp: Duplex): () => number {
  let writes = 0
  const original = Reflect.get(tcp, '_writev') as Write
  const counted: Write = function (chunks, done) {
    writes++
    Reflect.apply(original, this, [chunks, done])
  }
  Reflect.set(tcp, '_writev', counted)
  return () => writes
}

/** An accepted socket and its client, which can stop to read. */
async function aPair() {
  const options = { name: 'page', message: 1_000, closePatience: 1_000, logger: silentLogger }
  const sockets = new SocketServer(options)
  const server = createServer()
  let writes = (): number => 0
  let gone = (): void => {}
  const left = new Promise<void>((resolve) => {
    gone = resolve
  })
  const accepted = new Promise<Peer>((resolve) => {
    server.on('upgrade', (request, tcp, head) => {
      sockets.upgrade(request, tcp, head, (peer) => {
        writes = countWrites(tcp)
        peer.owner = deafOwner(gone)
        resolve(peer)
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const heard: Buffer[] = []
  client.on('message', (data: Buffer) => void heard.push(data))
  const ended = new Promise<void>((resolve) => void client.on('close', () => resolve()))
  const socket = await accepted
  await new Promise<void>((resolve) => void client.once('open', () => resolve()))
  return {
    socket,
    heard,
    writes: () => writes(),
    /** The TCP socket of the client. */
    tcp: Reflect.get(client, '_socket') as Socket,
    async end() {
      socket.close(1000, '')
      await Promise.all([ended, left])
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('an accepted socket', () => {
  it('sends everything written in one tick in one system call, in order', async () => {
    const { socket, heard, writes, end } = await aPair()
    const said = Array.from({ length: 10 }, (_, n) => `frame ${n}`)
    for (const each of said) socket.send(each)
    expect(socket.buffered).toBeGreaterThan(0)
    await end()
    expect(heard.map(String)).toEqual(said)
    expect(writes()).toBe(1)
  })

  it('[LN18] sends bytes as they are, although they change afterwards and its peer does not read', async () => {
    const { socket, heard, tcp, end } = await aPair()
    tcp.pause()
    const bytes = new Uint8Array(6_000)
    let count = 0
    // Until the network takes no more, and then as much again.
    for (let full = 0; full < 100;) {
      socket.send(bytes.fill(++count))
      await new Promise(setImmediate)
      if (socket.buffered > 0) full++
    }
    tcp.resume()
    await end()
    expect(heard).toHaveLength(count)
    const wrong = heard.findIndex((each, n) => !each.equals(new Uint8Array(6_000).fill(n + 1)))
    expect(wrong).toBe(-1)
  })

  it('[LN18] sends more bytes than a block has', async () => {
    const { socket, heard, end } = await aPair()
    const bytes = new Uint8Array(blockPool.size + 1).fill(1)
    socket.send(bytes)
    bytes.fill(2)
    await end()
    expect(heard).toEqual([Buffer.alloc(blockPool.size + 1, 1)])
  })

  it('[LN18] uses the memory of what it has sent again', async () => {
    const { socket, end } = await aPair()
    const block = blockPool.take()
    blockPool.giveBack(block)
    const { unused } = blockPool
    for (let n = 0; n < 10; n++) {
      socket.send(new Uint8Array(100))
      await new Promise(setImmediate)
    }
    await end()
    expect(blockPool.unused).toBe(unused)
  })
})
