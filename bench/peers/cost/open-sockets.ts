import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { noop } from '../../../src/scope/index.ts'

const open = new Set<Socket>()
let onNone: () => void = noop

// Published by Node for every connection that this process dials, whichever library dials it.
subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket }
  open.add(socket)
  socket.once('close', () => {
    open.delete(socket)
    if (open.size === 0) onNone()
  })
})

/** Resolves when every connection that this process has dialled is closed. */
export function allSocketsClosed(): Promise<void> {
  if (open.size === 0) return Promise.resolve()
  return new Promise((resolve) => {
    onNone = resolve
  })
}
