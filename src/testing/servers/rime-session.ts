import { RimeContext, startProblem, type RimeRudeness } from './rime-context.ts'
import type { RimeEvent, RimeRequest, RimeStart } from './rime-events.ts'
import type { ServerConnection } from './server-connection.ts'
import type { VoiceManners, VoiceSession } from './voice-server.ts'

/** The messages of a client: exactly one of these fields. */
const payloads = ['start', 'text', 'end', 'cancel'] as const
const IDLE_CHECK = 1_000

export interface RimeManners extends VoiceManners<RimeRudeness> {
  readonly idle: number
}

/** One connection of a `RimeServer`. */
export class RimeSession implements VoiceSession {
  readonly connection: ServerConnection
  /** @internal */
  readonly manners: RimeManners
  /** All requests received, in order. */
  readonly requests: RimeRequest[] = []
  readonly #contexts = new Map<string, RimeContext>()
  #isReady = false
  #lastRequest: number

  constructor(connection: ServerConnection, manners: RimeManners) {
    this.connection = connection
    this.manners = manners
    this.#lastRequest = connection.clock.now()
    this.#checkIdle()
    if (manners.rude.has('never ready')) return
    this.#isReady = true
    this.send({ ready: { protocol: 1, languages: ['en', 'es'], defaultLanguage: 'en' } })
  }

  receive(data: string | Uint8Array): void {
    this.#lastRequest = this.connection.clock.now()
    const request = parse(data)
    if (!request) {
      this.#refuse('', 'the message is not one request in JSON')
      return this.connection.close(1007, 'cannot decode the message')
    }
    this.requests.push(request)
    const { contextId = 'default', start, text } = request
    const context = this.#contexts.get(contextId)
    if (start) return this.#start(contextId, start)
    // A context that is unknown or has ended can be ended and cancelled, but not spoken to.
    if (text === undefined) return request.end ? context?.end() : this.#cancel(contextId)
    return context ? context.add(text) : this.#refuse(contextId, 'the context is not open')
  }

  send(event: RimeEvent): void {
    const garbled = 'audio' in event && this.manners.rude.has('garbles')
    this.connection.send(garbled ? '{"audio":"' : JSON.stringify(event))
  }

  #start(contextId: string, start: RimeStart): void {
    if (!this.#isReady) return this.#refuse(contextId, 'the service is not ready')
    if (this.#contexts.has(contextId)) return this.#refuse(contextId, 'the context is open already')
    const problem = startProblem(start)
    if (problem !== undefined) return this.#refuse(contextId, problem)
    const context = new RimeContext(contextId, this, start, () => this.#contexts.delete(contextId))
    this.#contexts.set(contextId, context)
    if (!start.text) return undefined
    context.add(start.text)
    return context.end()
  }

  #cancel(contextId: string): void {
    const context = this.#contexts.get(contextId)
    if (context) context.cancel()
    else this.send({ contextId, cancelled: {} })
  }

  #refuse(contextId: string, message: string): void {
    const context = contextId === '' ? {} : { contextId }
    this.send({ ...context, error: { kind: 'invalid_input', message } })
  }

  #checkIdle(): void {
    this.connection.after(IDLE_CHECK, 'idle check of rime', () => {
      if (this.connection.clock.now() - this.#lastRequest < this.manners.idle) return this.#checkIdle()
      return this.connection.close(1000, 'idle')
    })
  }
}

function parse(data: string | Uint8Array): RimeRequest | undefined {
  try {
    const request: unknown = JSON.parse(String(data))
    if (typeof request !== 'object' || request === null) return undefined
    return payloads.filter((name) => name in request).length === 1 ? request : undefined
  } catch {
    return undefined
  }
}
