import { offer, type LineMessage, type PageMessage } from '../../src/lines/websocket/protocol.ts'
import { wsNetwork } from '../../src/link/index.ts'
import type { Socket } from '../../src/scope/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'

export interface TypingPageOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Admits the page, if the host has a secret. */
  readonly token?: string
}

/** A page without a browser. It plays audio as soon as it arrives, and its user types. */
export class TypingPage {
  readonly #socket: Socket
  readonly #changes = new Changes()
  /** Milliseconds of audio received. */
  received = 0
  call = ''
  /** The reason that the line gave at the end. */
  reason: string | undefined
  closed = false
  #played = 0
  #marked = 0
  readonly #marks: { readonly id: number; readonly at: number }[] = []
  #rate = 16_000

  constructor(url: string, { headers = {}, token }: TypingPageOptions = {}) {
    const request = {
      name: 'page',
      url: `${url.replace(/^http/, 'ws')}/call`,
      headers: { origin: url, ...headers },
      protocols: offer({ token }),
    }
    this.#socket = wsNetwork.dial(request, {
      opened: () => {},
      message: (data) => {
        if (typeof data === 'string') this.#take(JSON.parse(data) as LineMessage)
        else this.#play(data)
        this.#changes.notify()
      },
      ended: ({ reason = '' }) => {
        this.reason ??= reason
        this.closed = true
        this.#changes.notify()
      },
    })
  }

  type(text: string): void {
    this.#send({ type: 'text', text })
  }

  hangUp(): void {
    this.#send({ type: 'hang-up' })
  }

  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  #take(message: LineMessage): void {
    if (message.type === 'hello') {
      this.call = message.call
      this.#rate = message.sampleRate
      this.#send({ type: 'ready', generation: message.generation, sound: true })
    } else if (message.type === 'mark') {
      this.#marks.push(message)
      this.#answerMarks(this.#played)
    } else if (message.type === 'clear') this.#answerMarks(message.at)
    else if (message.type === 'from') this.#played = message.at
    else if (message.type === 'ping') this.#send({ type: 'pong' })
    else if (message.type === 'bye') this.reason = message.reason
  }

  /** Confirms the marks up to a position: those that were played, or that were cleared. */
  #answerMarks(upTo: number): void {
    while (this.#marks[0] && this.#marks[0].at <= upTo) {
      const { id, at } = this.#marks.shift()!
      const heard = ((Math.min(this.#played, at) - this.#marked) * 1000) / this.#rate
      this.#marked = at
      this.#send({ type: 'marked', id, heard: Math.max(0, heard) })
    }
  }

  #play(data: Uint8Array): void {
    const samples = data.byteLength / 2
    this.received += (samples * 1000) / this.#rate
    this.#played += samples
    this.#send({ type: 'played', at: this.#played })
    this.#answerMarks(this.#played)
  }

  #send(message: PageMessage): void {
    this.#socket.send(JSON.stringify(message))
  }
}
