import { wsNetwork } from '../../src/link/index.ts'
import { offer, type LineMessage, type PageMessage } from '../../src/lines/websocket/protocol.ts'
import type { Socket, SocketEvents } from '../../src/scope/index.ts'

/** One who calls, and sends a frame and hears one every 20 ms. */
export interface Caller {
  sent: number
  heard: number
  /** 20 ms have passed. */
  tick(): void
  hangUp(): void
}

/** What a caller tells. */
export interface CallerEvents {
  readonly talking: () => void
  readonly ended: () => void
}

/** The frames that a caller says, again and again, and the one to begin with. */
export interface Voice {
  readonly frames: readonly Uint8Array[]
  readonly first: number
}

export type Dial = (url: string, voice: Voice, events: CallerEvents) => Caller

/** Bytes in front of the samples of a sound, and samples in a frame. */
const HEADER = 8
const FRAME = 320
/** Samples after which a page tells how far it is: five times a second. */
const NEWS = 3_200

function dial(url: string, protocols: string[], events: SocketEvents): Socket {
  return wsNetwork.dial({ name: 'caller', url, headers: { origin: 'http://localhost' }, protocols }, events)
}

/** Says what it is sent, and hears what comes back. */
export const dialEcho: Dial = (url, { frames, first }, { talking, ended }) => {
  const socket = dial(url, [], {
    opened: talking,
    message: () => void caller.heard++,
    ended,
  })
  const caller: Caller = {
    sent: 0,
    heard: 0,
    tick: () => socket.send(frames[(first + caller.sent++) % frames.length]!),
    hangUp: () => socket.close(1000),
  }
  return caller
}

/** Does what the page of a browser does: plays in real time what came, and tells how far it is. */
export const dialLine: Dial = (url, { frames, first }, { talking, ended }) => {
  let buffered = 0
  let at = 0
  let told = 0
  let heardSince = 0
  const marks: { readonly id: number; readonly at: number }[] = []

  const returnMarks = (): void => {
    for (let mark = marks[0]; mark && mark.at <= at; mark = marks[0]) {
      marks.shift()
      say({ type: 'marked', id: mark.id, heard: heardSince / 16 })
      heardSince = 0
    }
  }
  const read = (message: LineMessage): void => {
    switch (message.type) {
      case 'hello':
        say({ type: 'ready', generation: message.generation, sound: true })
        return talking()
      case 'mark':
        marks.push(message)
        return returnMarks()
      case 'clear':
        at = Math.max(at, message.at)
        buffered = Math.max(buffered, at)
        return returnMarks()
      case 'ping':
        return say({ type: 'pong' })
      case 'bye':
        return socket.close(1000)
    }
  }
  const play = (): void => {
    const count = Math.min(FRAME, buffered - at)
    if (count === 0) return
    at += count
    heardSince += count
    returnMarks()
    if (at - told < NEWS && at < buffered) return
    told = at
    say({ type: 'played', at })
  }

  const socket = dial(url, offer({}), {
    opened: () => {},
    message: (data) => {
      if (typeof data === 'string') return read(JSON.parse(data) as LineMessage)
      caller.heard++
      const position = new DataView(data.buffer, data.byteOffset).getFloat64(0, true)
      buffered = position + (data.byteLength - HEADER) / 2
    },
    ended,
  })
  const say = (message: PageMessage): void => socket.send(JSON.stringify(message))
  const caller: Caller = {
    sent: 0,
    heard: 0,
    tick: () => {
      socket.send(frames[(first + caller.sent++) % frames.length]!)
      play()
    },
    hangUp: () => say({ type: 'hang-up' }),
  }
  return caller
}
