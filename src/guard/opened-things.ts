import type { ChildProcess } from 'node:child_process'
import type { Socket as UdpSocket } from 'node:dgram'
import type { Server, Socket } from 'node:net'
import { basename } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { noop } from '../scope/index.ts'
import type { Opened } from './context.ts'

// For each kind of thing: how to notice its end, and how to end it at once.

export function openedSocket(socket: Socket, to: string): Opened {
  return {
    kind: 'socket',
    name: `socket to ${to}`,
    thing: socket,
    onEnd: (ended) => socket.once('close', ended),
    abort: () => socket.destroy(),
  }
}

export function openedUdpSocket(socket: UdpSocket): Opened {
  let closed = false
  socket.once('close', () => {
    closed = true
  })
  return {
    kind: 'udp socket',
    name: 'udp socket',
    thing: socket,
    onEnd: (ended) => socket.once('close', ended),
    abort: () => {
      if (!closed) socket.close(noop)
    },
  }
}

export function openedServer(server: Server): Opened {
  return {
    kind: 'server',
    name: 'server',
    thing: server,
    onEnd: (ended) => server.once('close', ended),
    abort: () => {
      server.close(noop)
      if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
    },
  }
}

export function openedProcess(child: ChildProcess, file: string): Opened {
  return {
    kind: 'process',
    name: `process ${basename(file)}`,
    thing: child,
    onEnd: (ended) => {
      child.once('exit', ended)
      // A process that could not be started emits no `exit`.
      child.once('close', ended)
    },
    abort: () => void child.kill('SIGKILL'),
  }
}

export function openedWorker(worker: Worker): Opened {
  return {
    kind: 'worker',
    name: `worker ${worker.threadId}`,
    thing: worker,
    onEnd: (ended) => worker.once('exit', ended),
    abort: () => {
      worker.terminate().catch(noop)
    },
  }
}
