import { CartesiaContext, type CartesiaManners } from './cartesia-context.ts'
import { failureOf, type CartesiaEvent, type CartesiaRequest } from './cartesia-events.ts'
import type { ServerConnection } from './server-connection.ts'
import type { VoiceSession } from './voice-server.ts'

/** One connection of a `CartesiaServer`. */
export class CartesiaSession implements VoiceSession {
  readonly connection: ServerConnection
  /** @internal */
  readonly manners: CartesiaManners
  /** All requests received, in order. */
  readonly requests: CartesiaRequest[] = []
  readonly #contexts = new Map<string, CartesiaContext>()
  /** The number of messages in both directions, by which an idle connection is recognised. */
  #messages = 0

  constructor(connection: ServerConnection, manners: CartesiaManners) {
    this.connection = connection
    this.manners = manners
    this.#checkIdle()
  }

  receive(data: string | Uint8Array): void {
    this.#messages++
    const request = parse(data)
    if (!request) return this.send(failureOf('', 'the message is not a valid request'))
    this.requests.push(request)
    if (!('cancel' in request)) return this.#context(request.context_id).add(request)
    if (!this.manners.rude.has('talks on')) this.#contexts.get(request.context_id)?.cancel()
    return undefined
  }

  send(event: CartesiaEvent): void {
    this.#messages++
    const garbled = event.type === 'chunk' && this.manners.rude.has('garbles')
    this.connection.send(garbled ? '{"type":"chu' : JSON.stringify(event))
  }

  /** Returns or creates a context. A context that has ended is removed, so its id can be used again. */
  #context(id: string): CartesiaContext {
    const known = this.#contexts.get(id)
    if (known) return known
    const context = new CartesiaContext(id, this, () => this.#contexts.delete(id))
    this.#contexts.set(id, context)
    return context
  }

  #checkIdle(): void {
    const before = this.#messages
    this.connection.after(this.manners.idle, 'idle check of cartesia', () => {
      if (this.#messages === before) this.connection.close(1000, 'connection idle')
      else this.#checkIdle()
    })
  }
}

function parse(data: string | Uint8Array): CartesiaRequest | undefined {
  try {
    const request = JSON.parse(String(data)) as CartesiaRequest | null
    return typeof request?.context_id === 'string' ? request : undefined
  } catch {
    return undefined
  }
}
