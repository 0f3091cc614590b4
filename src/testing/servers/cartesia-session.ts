import { CartesiaContext, failureOf } from './cartesia-context.ts'
import type { CartesiaEvent, CartesiaRequest } from './cartesia-events.ts'
import type { CartesiaManners } from './cartesia-manners.ts'
import type { ServerConnection } from './server-connection.ts'
import type { ServerSession } from './vendor-server.ts'

/** One connection of a `CartesiaServer`. */
export class CartesiaSession implements ServerSession {
  readonly connection: ServerConnection
  /** @internal */
  readonly manners: CartesiaManners
  /** Everything that came, in order. */
  readonly requests: CartesiaRequest[] = []
  readonly #contexts = new Map<string, CartesiaContext>()
  /** Counts what happens: an idle connection is one where it stands still. */
  #happened = 0

  constructor(connection: ServerConnection, manners: CartesiaManners) {
    this.connection = connection
    this.manners = manners
    this.#look()
  }

  receive(data: string | Uint8Array): void {
    this.#happened++
    const request = requestIn(data)
    if (!request) return this.send(failureOf('', 'the message is no request'))
    this.requests.push(request)
    if (!('cancel' in request)) return this.#context(request.context_id).add(request)
    if (!this.manners.rude.has('ignores cancel')) this.#contexts.get(request.context_id)?.cancel()
    return undefined
  }

  send(event: CartesiaEvent): void {
    this.#happened++
    const garbled = event.type === 'chunk' && this.manners.rude.has('garbles')
    this.connection.send(garbled ? '{"type":"chu' : JSON.stringify(event))
  }

  /** A context is forgotten when it is done. Its name may be used again. */
  #context(id: string): CartesiaContext {
    const known = this.#contexts.get(id)
    if (known) return known
    const context = new CartesiaContext(id, this, () => this.#contexts.delete(id))
    this.#contexts.set(id, context)
    return context
  }

  #look(): void {
    const before = this.#happened
    this.connection.after(this.manners.idle, 'cartesia looks', () => {
      if (this.#happened === before) this.connection.close(1000, 'connection idle')
      else this.#look()
    })
  }
}

function requestIn(data: string | Uint8Array): CartesiaRequest | undefined {
  try {
    const request = JSON.parse(String(data)) as CartesiaRequest | null
    return typeof request?.context_id === 'string' ? request : undefined
  } catch {
    return undefined
  }
}
