import { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { NotAResourceError, type Resource } from '../scope/index.ts'
import type { Opened } from './context.ts'
import { openedProcess, openedSocket, openedWorker } from './opened-things.ts'

/** The part of a WebSocket of the package `ws` that is used here. */
export interface WebSocketLike {
  close(code?: number): void
  terminate(): void
  once(event: 'close', listener: () => void): unknown
}

/** What a guard can adopt: a socket, a process, a worker, a WebSocket, or anything with `close` and `abort`. */
export type Adoptable = Socket | ChildProcess | Worker | WebSocketLike | Resource

/** Describes an adopted thing, including how to ask it to end: the session does not know it and will not end it. */
export function asOpened(thing: Adoptable): Opened {
  if (thing instanceof Socket) {
    const { remoteAddress = 'unknown', remotePort = 0 } = thing
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

function adopted(opened: Opened, askToEnd?: () => void): Opened {
  return { ...opened, name: `adopted ${opened.name}`, kind: 'adopted', ...(askToEnd ? { askToEnd } : {}) }
}

function openedWebSocket(socket: WebSocketLike): Opened {
  return {
    kind: 'adopted',
    name: 'adopted WebSocket',
    thing: socket,
    onEnd: (ended) => socket.once('close', ended),
    askToEnd: () => socket.close(1000),
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
    askToEnd: () => {
      // A resource that fails to close is cut off later.
      Promise.resolve(resource.close(controller.signal)).then(onEnd, () => {})
    },
    abort: () => {
      controller.abort()
      resource.abort()
    },
  }
}
