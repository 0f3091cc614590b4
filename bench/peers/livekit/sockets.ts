import { WebSocket } from 'ws'

/** Opens a WebSocket. Without a signal, nothing stops the attempt. */
export function opened(url: string, signal?: AbortSignal): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
    socket.on('error', () => {})
    signal?.addEventListener('abort', () => {
      socket.close()
      reject(new Error('aborted'))
    })
  })
}

/** Resolves when the socket has closed. Closes it with a close frame when the signal aborts. */
export function closed(socket: WebSocket, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve())
    const leave = (): void => {
      socket.close()
      resolve()
    }
    if (signal?.aborted) leave()
    else signal?.addEventListener('abort', leave)
  })
}

/** Never settles. */
export const never = <T = void>(): Promise<T> => new Promise(() => {})
