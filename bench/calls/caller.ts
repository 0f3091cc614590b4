import { wsNetwork } from '../../src/link/index.ts'
import { offer, type LineMessage, type PageMessage } from '../../src/lines/websocket/protocol.ts'
import type { Socket, SocketEvents } from '../../src/scope/index.ts'

/** A caller that sends and receives a frame every 20 ms. */
export interface Caller {
  sent: number
  heard: number
  /** Called every 20 ms. */
  tick(): void
  hangUp(): void
}

export interface CallerEvents {
  readonly talking: () => void
  readonly ended: () => void
}

/** The frames that a caller sends in a loop, and the index of the first one. */
export interface Voice {
  readonly frames: readonly Uint8Array[]
  readonly first: number
}

export type Dial = (url: string, voice: Voice, events: CallerEvents) => Caller

/** Samples per frame. */
const FRAME = 320
/** Samples between two playout reports of a page: five reports per second. */
const REPORT_EVERY = 3_200

function dial(url: string, protocols: string[], events: SocketEvents): Socket {
  return wsNetwork.dial({ name: 'caller', url, headers: { origin: 'http://localhost' }, protocols }, events)
}

/** Dials a server that echoes frames. */
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

/** Dials endwell's browser line and behaves like its page: plays sound in real time, and reports its playout. */
export const dialLine: Dial = (url, { frames, first }, { talking, ended }) => {
  let buffered = 0
  let at = 0
  let reported = 0
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
      case 'from':
        buffered = message.at
        return undefined
      case 'clear':
        at = Math.max(at, message.at)
        buffered = Math.max(buffered, at)
        return returnMarks()
      case 'ping':
        return say({ type: 'pong' })
      case 'bye':
        return socket.close(1000)
      case 'transcript':
        return undefined
    }
  }
  const play = (): void => {
    const count = Math.min(FRAME, buffered - at)
    if (count === 0) return
    at += count
    heardSince += count
    returnMarks()
    if (at - reported < REPORT_EVERY && at < buffered) return
    reported = at
    say({ type: 'played', at })
  }

  const socket = dial(url, offer({}), {
    opened: () => {},
    message: (data) => {
      if (typeof data === 'string') return read(JSON.parse(data) as LineMessage)
      const samples = data.byteLength / 2
      caller.heard += samples / FRAME
      buffered += samples
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
