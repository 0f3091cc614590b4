import { parentPort } from 'node:worker_threads'
import { describeError } from '../../scope/index.ts'
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

function open({ peer, network, offer }: ToThread & { readonly type: 'open' }): void {
  let connection: Connection
  try {
    connection = new Connection(network, (emitted, transfer) => {
      if (emitted.type === 'gone') connections.delete(peer)
      port!.postMessage({ ...emitted, peer }, transfer ? [transfer] : [])
    })
  } catch (error) {
    // An ICE server has an address that werift cannot read, for instance.
    const reason = describeError(error).message
    return port!.postMessage({ peer, type: 'gone', how: 'dropped', reason } satisfies FromThread, [])
  }
  connections.set(peer, connection)
  connection.answer(offer).catch((error: unknown) => connection.fail(error))
  return undefined
}

port.on('message', (message: ToThread) => {
  const { peer } = message
  if (message.type === 'exit') return process.exit()
  if (message.type === 'open') {
    return open(message)
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
