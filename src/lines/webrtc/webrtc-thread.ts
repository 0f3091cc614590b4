import { parentPort } from 'node:worker_threads'
import { Connection } from './connection.ts'
import type { FromThread, ToThread } from './thread-messages.ts'

/** Runs in a worker thread: has the connections of up to `limits.perThread` calls, and the codecs of their sound. */
const port = parentPort
if (!port) throw new Error('this file must run in a worker thread')

const connections = new Map<number, Connection>()

// What fails while a packet is handled fails for that packet: the other calls of this thread go on (LN6).
const report = (error: unknown): void => {
  const message = error instanceof Error ? error.message : String(error)
  port.postMessage({ peer: 0, type: 'trouble', message } satisfies FromThread)
}
process.on('uncaughtException', report)
process.on('unhandledRejection', report)

port.on('message', (message: ToThread) => {
  const { peer } = message
  if (message.type === 'exit') return process.exit()
  if (message.type === 'open') {
    const connection = new Connection(message.network, (emitted, transfer) => {
      if (emitted.type === 'gone') connections.delete(peer)
      port.postMessage({ ...emitted, peer }, transfer ? [transfer] : [])
    })
    connections.set(peer, connection)
    connection.answer(message.offer).catch((error: unknown) => connection.fail(error))
    return
  }
  const connection = connections.get(peer)
  if (!connection) return
  switch (message.type) {
    case 'candidates':
      return connection.add(message.candidates)
    case 'text':
      return connection.send(message.text)
    case 'sound':
      return connection.play(message.samples)
    case 'close':
      return connection.close()
  }
})
