import { encodeSound, offer, type LineMessage, type PageMessage } from '../../src/lines/websocket/protocol.ts'
import { wsNetwork } from '../../src/link/index.ts'
import type { Socket } from '../../src/scope/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'

const HEADER = encodeSound(0, new Int16Array(0)).byteLength

/** A page without a browser: it plays what comes at once, and its user types. */
export class TypingPage {
  readonly #socket: Socket
  readonly #changes = new Changes()
  /** Milliseconds of sound that came. */
  sound = 0
  call = ''
  /** What the line said at the end. */
  over: string | undefined
  /** Its socket has gone. */
  gone = false
  #played = 0
  #marked = 0
  readonly #marks: { readonly id: number; readonly at: number }[] = []
  #rate = 16_000

  constructor(url: string) {
    const request = {
      name: 'page',
      url: `${url.replace(/^http/, 'ws')}/call`,
      headers: { origin: url },
      protocols: offer({}),
    }
    this.#socket = wsNetwork.dial(request, {
      opened: () => {},
      message: (data) => {
        if (typeof data === 'string') this.#told(JSON.parse(data) as LineMessage)
        else this.#sounds(data)
        this.#changes.notify()
      },
      ended: ({ reason = '' }) => {
        this.over ??= reason
        this.gone = true
        this.#changes.notify()
      },
    })
  }

  type(text: string): void {
    this.#say({ type: 'text', text })
  }

  hangUp(): void {
    this.#say({ type: 'hang-up' })
  }

  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  #told(message: LineMessage): void {
    if (message.type === 'hello') {
      this.call = message.call
      this.#rate = message.sampleRate
      this.#say({ type: 'ready', generation: message.generation, sound: true })
    } else if (message.type === 'mark') {
      this.#marks.push(message)
      this.#answerMarks(this.#played)
    } else if (message.type === 'clear') this.#answerMarks(message.at)
    else if (message.type === 'ping') this.#say({ type: 'pong' })
    else if (message.type === 'bye') this.over = message.reason
  }

  /** Those that the sound has come to, or that will not be come to any more. */
  #answerMarks(upTo: number): void {
    while (this.#marks[0] && this.#marks[0].at <= upTo) {
      const { id, at } = this.#marks.shift()!
      const heard = ((Math.min(this.#played, at) - this.#marked) * 1000) / this.#rate
      this.#marked = at
      this.#say({ type: 'marked', id, heard: Math.max(0, heard) })
    }
  }

  #sounds(data: Uint8Array): void {
    const samples = (data.byteLength - HEADER) / 2
    this.sound += (samples * 1000) / this.#rate
    this.#played = new DataView(data.buffer, data.byteOffset).getFloat64(0, true) + samples
    this.#say({ type: 'played', at: this.#played })
    this.#answerMarks(this.#played)
  }

  #say(message: PageMessage): void {
    this.#socket.send(JSON.stringify(message))
  }
}
