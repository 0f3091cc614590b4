import type { Platform, PlatformEvents, PlatformSocket } from '../wire.ts'

/** The browser: the only place where a page uses sockets, timers and random numbers. */
export const browser: Platform & { date(): number } = {
  connect,
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
  /** Milliseconds since 1970. */
  date: () => Date.now(),
}

function connect(url: string, protocols: string[], events: PlatformEvents): PlatformSocket {
  let socket: WebSocket
  try {
    socket = new WebSocket(absolute(url), protocols)
  } catch {
    // The address or the token is malformed.
    queueMicrotask(() => events.ended(1006, ''))
    return { send() {}, close() {} }
  }
  socket.binaryType = 'arraybuffer'
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => events.message(data))
  socket.addEventListener('close', ({ code, reason }) => events.ended(code, reason))
  return {
    send: (data) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(data)
    },
    close: (code, reason) => socket.close(code, reason),
  }
}

/** Resolves an address like `/call` to `ws://…`: not every browser accepts other schemes yet. */
function absolute(url: string): string {
  return new URL(url, location.href).href.replace(/^http/, 'ws')
}
