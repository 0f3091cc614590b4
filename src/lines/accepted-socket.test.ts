import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect, it } from 'vitest'
import { wsNetwork } from '../link/index.ts'
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

it('an accepted socket sends everything written in one tick in one system call, in order', async () => {
  const sockets = new SocketServer({
    name: 'page',
    message: 1_000,
    closePatience: 1_000,
    logger: silentLogger,
  })
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
  const { port } = server.address() as AddressInfo
  const heard: string[] = []
  const ended = new Promise<void>((resolve) => {
    wsNetwork.dial(
      { name: 'caller', url: `ws://127.0.0.1:${port}` },
      { opened() {}, message: (data) => void heard.push(String(data)), ended: () => resolve() },
    )
  })
  const socket = await accepted
  const said = Array.from({ length: 10 }, (_, n) => `frame ${n}`)
  for (const each of said) socket.send(each)
  expect(socket.buffered).toBeGreaterThan(0)
  socket.close(1000, '')
  await Promise.all([ended, left])
  expect(heard).toEqual(said)
  expect(writes()).toBe(1)
  await new Promise((resolve) => server.close(resolve))
})
