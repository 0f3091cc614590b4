import { asSampleRate, bytesFromSamples, encodeMuLaw, type SampleRate } from '../../audio/index.ts'
import { ElevenLabsContext, type ElevenLabsManners } from './elevenlabs-context.ts'
import type { ElevenLabsEvent, ElevenLabsRequest } from './elevenlabs-events.ts'
import type { ServerConnection } from './server-connection.ts'
import type { VoiceSession } from './voice-server.ts'

const MAX_CONTEXTS = 5
const IDLE_CHECK = 1_000

/** One connection of an `ElevenLabsServer`. */
export class ElevenLabsSession implements VoiceSession {
  readonly connection: ServerConnection
  readonly query: URLSearchParams
  readonly sampleRate: SampleRate
  /** @internal */
  readonly manners: ElevenLabsManners
  /** All requests received, in order. */
  readonly requests: ElevenLabsRequest[] = []
  readonly #contexts = new Map<string, ElevenLabsContext>()
  #lastText: number

  constructor(connection: ServerConnection, manners: ElevenLabsManners) {
    this.connection = connection
    this.manners = manners
    this.query = new URL(connection.request.url).searchParams
    this.sampleRate = asSampleRate(Number(this.query.get('output_format')?.replace(/^.*_/, '')))
    this.#lastText = connection.clock.now()
    this.#checkIdle()
  }

  encode(samples: Int16Array): Uint8Array {
    const isMuLaw = this.query.get('output_format')?.startsWith('ulaw') === true
    return isMuLaw ? encodeMuLaw(samples) : bytesFromSamples(samples)
  }

  get autoMode(): boolean {
    return this.query.get('auto_mode') === 'true'
  }

  get aligned(): boolean {
    return this.query.get('sync_alignment') === 'true'
  }

  receive(data: string | Uint8Array): void {
    this.#lastText = this.connection.clock.now()
    const request = parse(data)
    if (!request) return this.fail('invalid_message', 'the message is not a JSON object')
    this.requests.push(request)
    if (request.close_socket === true) return this.connection.close(1000, '')
    const { context_id: id = 'default', text = '', flush, close_context: close } = request
    const context = this.#contexts.get(id)
    if (!context) return close === true || flush === true ? undefined : this.#start(id, request)
    if (close === true) return context.close()
    if (request.voice_settings || request.generation_config || request.pronunciation_dictionary_locators)
      return this.fail('invalid_message', 'settings are only allowed in the first message of a context')
    if (text !== '') context.add(text)
    return flush === true ? context.flush() : undefined
  }

  send(event: ElevenLabsEvent): void {
    const { rude } = this.manners
    if ('audio' in event && rude.has('garbles')) return this.connection.send('{"audio":"')
    if (!rude.has('snake case')) return this.connection.send(JSON.stringify(event))
    const snake = JSON.stringify(event)
      .replace('"contextId"', '"context_id"')
      .replace('"isFinal"', '"is_final"')
    return this.connection.send(snake)
  }

  fail(error: string, message: string, code = 1008): void {
    this.send({ message, error, code })
    this.connection.close(code, message)
  }

  #start(id: string, { text }: ElevenLabsRequest): void {
    if (text !== ' ') return this.fail('invalid_message', 'the first text of a context must be one space')
    if (this.#contexts.size >= MAX_CONTEXTS)
      return this.fail('max_active_conversations', 'there are too many open contexts')
    this.#contexts.set(id, new ElevenLabsContext(id, this, () => this.#contexts.delete(id)))
    return undefined
  }

  #checkIdle(): void {
    const limit = Number(this.query.get('inactivity_timeout') ?? 20)
    this.connection.after(IDLE_CHECK, 'idle check of elevenlabs', () => {
      if (this.connection.clock.now() - this.#lastText < limit * 1_000) return this.#checkIdle()
      return this.fail('input_timeout_exceeded', `no text was received for ${limit} seconds`)
    })
  }
}

function parse(data: string | Uint8Array): ElevenLabsRequest | undefined {
  try {
    const request: unknown = JSON.parse(String(data))
    return typeof request === 'object' && request !== null ? request : undefined
  } catch {
    return undefined
  }
}
