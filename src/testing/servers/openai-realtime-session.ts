import type { Script } from '../script.ts'
import type { Understands, Utterance } from './ear.ts'
import type { Ids } from './ids.ts'
import { OpenAIConversation } from './openai-conversation.ts'
import { ApiError, invalid } from './openai-error.ts'
import type { OpenAIClientEvent, OpenAIResponseRequest, OpenAIServerEventBody } from './openai-events.ts'
import { OpenAIInput } from './openai-input.ts'
import type { OpenAIItem } from './openai-items.ts'
import { OpenAIResponse } from './openai-response.ts'
import { isLive, newSession, updated, type OpenAISession } from './openai-session-config.ts'
import { turnOf, type OpenAITurn } from './openai-turn.ts'
import type { OpenAIWire } from './openai-wire.ts'
import type { ServerConnection } from './server-connection.ts'

const TRANSCRIPTION = 'conversation.item.input_audio_transcription'

/** The vendor's time limit for a session. */
const LIFETIME = 60 * 60_000

export interface OpenAISessionOptions {
  /** Milliseconds from the request to the first output. Default: 0. */
  firstAfter?: number
  /** How much faster than real time the audio is sent. `Infinity` sends it at once. Default: 5. */
  speed?: number
  /** Milliseconds of audio per character. Default: 50. */
  msPerCharacter?: number
  /** Milliseconds from a committed turn to its transcript. Default: 50. */
  transcriptionAfter?: number
  /** The time limit of a session in milliseconds. Default: 60 minutes. */
  lifetime?: number
  /** Transcribes a sound. Needed for G.711, which alters the samples. Default: `textOf`. */
  understands?: Understands
}

/** One connection to an `OpenAIRealtimeServer`, with its settings and conversation. */
export class OpenAIRealtimeSession {
  readonly connection: ServerConnection
  readonly conversation: OpenAIConversation
  /** All client events, in order. */
  readonly received: OpenAIClientEvent[] = []
  readonly #server: { readonly transcriptionFails: boolean }
  readonly #options: OpenAISessionOptions
  readonly #script: Script<OpenAITurn>
  readonly #ids: Ids
  readonly #wire: OpenAIWire
  readonly #input: OpenAIInput
  /** Whether the client dialled the preview of Azure, which opens, and refuses the settings of the GA protocol. */
  readonly #isPreview: boolean
  #settings: OpenAISession
  /** The response of the conversation. */
  #response: OpenAIResponse | undefined
  readonly #outOfBand = new Set<OpenAIResponse>()

  constructor(
    server: { readonly transcriptionFails: boolean },
    connection: ServerConnection,
    options: OpenAISessionOptions,
    script: Script<OpenAITurn>,
    ids: Ids,
    wire: OpenAIWire,
  ) {
    this.connection = connection
    this.#server = server
    this.#options = options
    this.#script = script
    this.#ids = ids
    this.#wire = wire
    const { lifetime = LIFETIME, msPerCharacter = 50, understands } = options
    this.conversation = new OpenAIConversation(ids, msPerCharacter)
    const query = new URL(connection.request.url).searchParams
    this.#isPreview = query.has('api-version')
    const model = query.get('model') ?? query.get('deployment')
    const expires = connection.clock.date() + lifetime
    const kind =
      model === null ? ({ type: 'transcription' } as const) : ({ type: 'realtime', model } as const)
    this.#settings = newSession(ids.next('sess'), kind, expires)
    this.#input = new OpenAIInput(
      this.#settings,
      {
        send: (event) => this.#send(event),
        newItem: () => ids.next('item'),
        interrupt: () => this.#response?.cancel('turn_detected'),
        heard: (item_id, delta) => this.#transcribed(item_id, delta),
        committed: (item, utterance, respond) => this.#committed(item, utterance, respond),
      },
      understands,
    )
    this.#send({ type: 'session.created', session: this.#settings })
    connection.after(lifetime, 'the session expires', () => this.expire())
  }

  get settings(): OpenAISession {
    return this.#settings
  }

  /** Ends the session as the vendor does at its time limit. */
  expire(): void {
    const minutes = Math.round((this.#options.lifetime ?? LIFETIME) / 60_000)
    const message = `Your session hit the maximum duration of ${minutes} minutes.`
    this.fail(invalid('session_expired', message))
    this.connection.close(1001, message)
  }

  /** Hears this text, followed by silence. */
  hear(text: string): void {
    this.#input.hear(text)
  }

  /** Sends an `error` event. */
  fail({ type, code, message, param }: ApiError, event_id: string | null = null): void {
    this.#send({ type: 'error', error: { type, code, message, param, event_id } })
  }

  receive(data: string | Uint8Array): void {
    let event_id: string | null = null
    try {
      const event = parse(data)
      event_id = event.event_id ?? null
      this.received.push(event)
      this.#handle(this.#wire.read(event))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.fail(error, event_id)
    }
  }

  #handle(event: OpenAIClientEvent): void {
    const { conversation } = this
    switch (event.type) {
      case 'session.update':
        if (this.#isPreview)
          throw invalid('unknown_parameter', "Unknown parameter: 'session.type'.", 'session.type')
        return this.#update(updated(this.#settings, event.session, this.#wire.rates))
      case 'input_audio_buffer.append':
        return this.#input.append(event.audio)
      case 'input_audio_buffer.commit':
        return this.#input.commit()
      case 'input_audio_buffer.clear':
        return this.#input.clear()
      case 'conversation.item.create':
        return this.#add(conversation.accept(event.item), event.previous_item_id)
      case 'conversation.item.delete':
        conversation.delete(event.item_id)
        return this.#send({ type: 'conversation.item.deleted', item_id: event.item_id })
      case 'conversation.item.retrieve':
        return this.#send({
          type: 'conversation.item.retrieved',
          item: conversation.find(event.item_id, 'retrieve'),
        })
      case 'conversation.item.truncate':
        return this.#truncate(event)
      case 'response.create':
        return this.#respond(event.response)
      case 'response.cancel':
        return this.#cancel(event.response_id)
      case 'output_audio_buffer.clear':
        throw invalid('invalid_value', 'The output buffer exists only with WebRTC and SIP.', 'type')
      default:
        throw invalid('invalid_value', `Invalid value: '${(event as { type: string }).type}'.`, 'type')
    }
  }

  #update(settings: OpenAISession): void {
    this.#settings = settings
    this.#input.update(settings)
    this.#send({ type: 'session.updated', session: settings })
  }

  #add(item: OpenAIItem, previous?: string): void {
    const previous_item_id = this.conversation.add(item, previous)
    this.#send({ type: 'conversation.item.added', item, previous_item_id })
    this.#send({ type: 'conversation.item.done', item, previous_item_id })
  }

  #truncate({ item_id, content_index, audio_end_ms }: Truncate): void {
    this.conversation.truncate(item_id, content_index, audio_end_ms)
    this.#send({ type: 'conversation.item.truncated', item_id, content_index, audio_end_ms })
  }

  // ── the user's turns ──

  #committed(id: string, utterance: Utterance, respond: boolean): void {
    const previous_item_id = this.conversation.last
    this.#send({ type: 'input_audio_buffer.committed', item_id: id, previous_item_id })
    const content = { type: 'input_audio' as const, transcript: utterance.text }
    // The server knows the words at once; the client only learns them by transcription.
    const item: OpenAIItem = {
      id,
      object: 'realtime.item',
      type: 'message',
      role: 'user',
      status: 'completed',
      content: [content],
    }
    this.conversation.add(item)
    // The vendor sends null, although its types do not say so. OpenAI's Agents SDK needs the field.
    const unknown = null as unknown as string
    const sent: OpenAIItem = { ...item, content: [{ type: 'input_audio', transcript: unknown }] }
    this.#send({ type: 'conversation.item.added', item: sent, previous_item_id })
    this.#send({ type: 'conversation.item.done', item: sent, previous_item_id })
    this.#transcribe(id, utterance)
    if (respond && this.#settings.type === 'realtime') this.#respond()
  }

  #transcribe(item_id: string, { text, duration }: Utterance): void {
    const { transcription } = this.#settings.audio.input
    if (!transcription && this.#settings.type === 'realtime') return
    const place = { item_id, content_index: 0 }
    this.connection.after(this.#options.transcriptionAfter ?? 50, 'transcribes', () => {
      if (this.#server.transcriptionFails) {
        const error = {
          type: 'server_error',
          code: 'transcription_failed',
          message: 'The audio could not be transcribed.',
        }
        return this.#send({ type: `${TRANSCRIPTION}.failed`, ...place, error })
      }
      if (!isLive(transcription?.model))
        for (const delta of text.match(/\s*\S+/g) ?? []) this.#transcribed(item_id, delta)
      const usage = { type: 'duration', seconds: duration / 1000 } as const
      return this.#send({ type: `${TRANSCRIPTION}.completed`, ...place, transcript: text, usage })
    })
  }

  #transcribed(item_id: string, delta: string): void {
    this.#send({ type: `${TRANSCRIPTION}.delta`, item_id, content_index: 0, delta })
  }

  // ── the model's responses ──

  #respond(request: OpenAIResponseRequest = {}): void {
    const settings = this.#settings
    if (settings.type !== 'realtime')
      throw invalid('invalid_value', 'A transcription session has no responses.', 'type')
    const outOfBand = request.conversation === 'none'
    if (this.#response && !outOfBand) {
      const message = `Conversation already has an active response in progress: ${this.#response.id}. Wait until the response is finished before creating a new one.`
      throw invalid('conversation_already_has_active_response', message)
    }
    const { firstAfter = 0, speed = 5, msPerCharacter = 50 } = this.#options
    const conversation = outOfBand ? this.conversation.copy(request.input) : this.conversation
    const response = new OpenAIResponse(
      {
        settings,
        conversation,
        outOfBand,
        ids: this.#ids,
        firstAfter,
        speed,
        msPerCharacter,
        send: (event) => this.#send(event),
        run: (timeline) => this.connection.run('response', timeline),
        chunkOf: (step) => this.#script.chunkOf(step),
        ended: () => {
          if (!this.#outOfBand.delete(response)) this.#response = undefined
        },
      },
      request,
    )
    if (outOfBand) this.#outOfBand.add(response)
    else this.#response = response
    const { instructions, words } = request
    const steps =
      words === undefined
        ? this.#script.next(turnOf(conversation.items, instructions))
        : Promise.resolve([words])
    steps.then(
      (all) => response.speak(all),
      (error: unknown) => response.fail(error),
    )
  }

  #cancel(id?: string): void {
    const running = [this.#response, ...this.#outOfBand]
    const response = id === undefined ? this.#response : running.find((each) => each?.id === id)
    if (!response)
      throw invalid('response_cancel_not_active', 'Cancellation failed: no active response found')
    response.cancel('client_cancelled')
  }

  #send(event: OpenAIServerEventBody): void {
    for (const each of this.#wire.write(event))
      this.connection.send(JSON.stringify({ event_id: this.#ids.next('event'), ...each }))
  }
}

type Truncate = Extract<OpenAIClientEvent, { type: 'conversation.item.truncate' }>

function parse(data: string | Uint8Array): OpenAIClientEvent {
  try {
    return JSON.parse(typeof data === 'string' ? data : new TextDecoder().decode(data)) as OpenAIClientEvent
  } catch {
    throw invalid('invalid_json', 'We could not parse the JSON body of your request.')
  }
}
