import { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { NotAResourceError, type Resource } from '../scope/index.ts'
import type { Opened } from './context.ts'
import { openedProcess, openedSocket, openedWorker } from './opened-things.ts'

/** A WebSocket of the package `ws`, as far as it matters here. */
export interface WebSocketLike {
  close(code?: number): void
  terminate(): void
  once(event: 'close', listener: () => void): unknown
}

/** What a guard can take over: a socket, a process, a worker, a WebSocket, or anything with `close` and `abort`. */
export type Adoptable = Socket | ChildProcess | Worker | WebSocketLike | Resource

/** How the thing ends, and how it is asked to go: whoever opened it elsewhere, the session will not end it. */
export function asOpened(thing: Adoptable): Opened {
  if (thing instanceof Socket) {
    const { remoteAddress = 'nobody', remotePort = 0 } = thing
    return adopted(openedSocket(thing, `${remoteAddress}:${remotePort}`), () => thing.end())
  }
  if (thing instanceof ChildProcess) {
    return adopted(openedProcess(thing, thing.spawnfile ?? 'unknown'), () => void thing.kill('SIGTERM'))
  }
  if (thing instanceof Worker) return adopted(openedWorker(thing))
  if ('terminate' in thing) return openedWebSocket(thing)
  if (typeof thing.close !== 'function' || typeof thing.abort !== 'function')
    throw new NotAResourceError('adopted')
  return openedResource(thing)
}

function adopted(opened: Opened, leave?: () => void): Opened {
  return { ...opened, name: `adopted ${opened.name}`, kind: 'adopted', ...(leave ? { leave } : {}) }
}

function openedWebSocket(socket: WebSocketLike): Opened {
  return {
    kind: 'adopted',
    name: 'adopted WebSocket',
    thing: socket,
    onEnd: (ended) => socket.once('close', ended),
    leave: () => socket.close(1000),
    abort: () => socket.terminate(),
  }
}

function openedResource(resource: Resource): Opened {
  const controller = new AbortController()
  let onEnd = (): void => {}
  return {
    kind: 'adopted',
    name: 'adopted resource',
    thing: resource,
    onEnd: (ended) => {
      onEnd = ended
    },
    leave: () => {
      // One that fails to close is cut off when the time is over.
      Promise.resolve(resource.close(controller.signal)).then(onEnd, () => {})
    },
    abort: () => {
      controller.abort()
      resource.abort()
    },
  }
}
