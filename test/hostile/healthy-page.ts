import { offer, type LineMessage } from '../../src/lines/websocket/protocol.ts'
import { wsNetwork } from '../../src/link/index.ts'
import type { Socket } from '../../src/scope/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'

/** A page with manners, over a real socket. It plays sound at once. */
export class HealthyPage {
  /** The id of the call, once it was answered. */
  call = ''
  /** How many speeches it has played. */
  played = 0
  /** Why the call ended, as the line says. */
  bye: string | undefined
  ended = false
  readonly #changes = new Changes()
  readonly #socket: Socket
  #rate = 16_000
  #lastMark = 0

  constructor(url: string) {
    this.#socket = wsNetwork.dial(
      { name: 'healthy page', url, protocols: offer({}), headers: { origin: 'http://localhost:3000' } },
      {
        opened: () => {},
        message: (data) => {
          if (typeof data === 'string') this.#read(JSON.parse(data) as LineMessage)
          this.#changes.notify()
        },
        ended: () => {
          this.ended = true
          this.#changes.notify()
        },
      },
    )
  }

  types(text: string): void {
    this.#send({ type: 'text', text })
  }

  hangsUp(): void {
    this.#send({ type: 'hang-up' })
  }

  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  abort(): void {
    this.#socket.abort()
  }

  #read(message: LineMessage): void {
    switch (message.type) {
      case 'hello':
        this.call = message.call
        this.#rate = message.sampleRate
        return this.#send({ type: 'ready', generation: message.generation, sound: true })
      case 'mark': {
        const { id, at } = message
        this.played++
        this.#send({ type: 'played', at })
        this.#send({ type: 'marked', id, heard: Math.max(0, ((at - this.#lastMark) * 1000) / this.#rate) })
        this.#lastMark = at
        return undefined
      }
      case 'ping':
        return this.#send({ type: 'pong' })
      case 'bye':
        this.bye = message.reason
        return undefined
      case 'from':
      case 'clear':
      case 'transcript':
        return undefined
    }
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message))
  }
}
