import { createProblem, InworldContext } from './inworld-context.ts'
import type {
  InworldCreate,
  InworldEvent,
  InworldPayload,
  InworldRequest,
  InworldStatus,
} from './inworld-events.ts'
import type { ServerConnection } from './server-connection.ts'
import type { VoiceManners, VoiceSession } from './voice-server.ts'

const MAX_CONTEXTS = 5
const MAX_TEXT = 1_000
const IDLE_CHECK = 1_000
const IDLE = 10 * 60_000

/** Codes of gRPC. */
const INVALID = 3
const NOT_FOUND = 5
const EXHAUSTED = 8

/** One connection of an `InworldServer`. */
export class InworldSession implements VoiceSession {
  readonly connection: ServerConnection
  /** @internal */
  readonly manners: VoiceManners
  /** All requests received, in order. */
  readonly requests: InworldRequest[] = []
  readonly #contexts = new Map<string, InworldContext>()
  #lastRequest: number

  constructor(connection: ServerConnection, manners: VoiceManners) {
    this.connection = connection
    this.manners = manners
    this.#lastRequest = connection.clock.now()
    this.#checkIdle()
  }

  receive(data: string | Uint8Array): void {
    this.#lastRequest = this.connection.clock.now()
    const request = parse(data)
    if (!request) return this.end(INVALID, 'the message is not a JSON object')
    this.requests.push(request)
    const { contextId = '', create, send_text, flush_context, close_context } = request
    if (create) return this.#create(contextId, create)
    const context = this.#contexts.get(contextId)
    if (!context) return this.fail(contextId, NOT_FOUND, 'the context does not exist')
    if (send_text && send_text.text.length > MAX_TEXT)
      return this.fail(contextId, INVALID, `a text may have ${MAX_TEXT} characters`)
    if (send_text) context.add(send_text.text)
    if (flush_context ?? send_text?.flush_context) context.flush()
    return close_context ? context.close() : undefined
  }

  send(contextId: string, payload: InworldPayload): void {
    const garbled = payload.audioChunk && this.manners.rude.has('garbles')
    if (garbled) return this.connection.send('{"result":{')
    return this.#send({ result: { contextId, ...payload, status: statusOf(0, '') } })
  }

  fail(contextId: string, code: number, message: string): void {
    this.#send({ result: { contextId, status: statusOf(code, message) } })
  }

  /** Reports an error of the connection, and closes it. */
  end(code: number, message: string): void {
    this.#send({ error: statusOf(code, message) })
    this.connection.close(1011, message)
  }

  #send(event: InworldEvent): void {
    this.connection.send(JSON.stringify(event))
  }

  #create(contextId: string, create: InworldCreate): void {
    const problem = this.#contexts.has(contextId) ? 'the context exists already' : createProblem(create)
    if (problem !== undefined) return this.fail(contextId, INVALID, problem)
    if (this.#contexts.size >= MAX_CONTEXTS)
      return this.fail(contextId, EXHAUSTED, 'there are too many contexts')
    const context = new InworldContext(contextId, this, create, () => this.#contexts.delete(contextId))
    this.#contexts.set(contextId, context)
    return undefined
  }

  #checkIdle(): void {
    this.connection.after(IDLE_CHECK, 'idle check of inworld', () => {
      if (this.connection.clock.now() - this.#lastRequest < IDLE) return this.#checkIdle()
      return this.connection.close(1000, 'inactive')
    })
  }
}

const statusOf = (code: number, message: string): InworldStatus => ({ code, message, details: [] })

function parse(data: string | Uint8Array): InworldRequest | undefined {
  try {
    const request: unknown = JSON.parse(String(data))
    return typeof request === 'object' && request !== null ? request : undefined
  } catch {
    return undefined
  }
}
