import { asSampleRate, durationOf, silence, type AudioFrame } from '../../audio/index.ts'
import type { LlmChunk } from '../../parts/index.ts'
import type { LlmStep, Script } from '../script.ts'
import { soundOf } from '../sound-text.ts'
import { audioChunks } from './audio-chunks.ts'
import { Ear, type Understands } from './ear.ts'
import { decodeAudio, encodeAudio } from './openai-audio.ts'
import type {
  OpenAILiveClientEvent,
  OpenAILiveClosedReason,
  OpenAILiveConfig,
  OpenAILiveFormat,
} from './openai-live-events.ts'
import type { OpenAIFormat } from './openai-session-config.ts'
import type { ServerConnection } from './server-connection.ts'
import type { Timeline, TimelineRun } from './timeline-run.ts'

/** The time limit of a session in milliseconds. */
const LIFETIME = 60 * 60_000
/** The vendor's limit for appended content is 500 tokens. A token is at most about this many bytes. */
const MAX_CONTENT = 500 * 4
/** How long the caller is silent before the model answers, in milliseconds. */
const patience = (): number => 400
const APPENDS = new Set(['instructions', 'thinking', 'commentary'].map((each) => `session.${each}.append`))

/** All times are in milliseconds. */
export interface OpenAILiveSessionOptions {
  /** From `session.start` to `session.started`. Default: 0. */
  startedAfter?: number
  /** From the end of the user's speech, or a request, to the first output. Default: 0. */
  firstAfter?: number
  /** By how much transcripts of the user lag behind. Default: 0. */
  transcriptAfter?: number
  /** How much faster than real time the audio is sent. Default: 1. */
  speed?: number
  /** Audio per character. Default: 50. */
  msPerCharacter?: number
  /** Sends silence, too, while the model does not speak. Default: false. */
  sendsSilence?: boolean
  /** The time limit of a session. Default: 60 minutes. */
  lifetime?: number
  /** From `session.close` to `session.closed`; until then the model goes on talking. `Infinity`: never. Default: 0. */
  closedAfter?: number
  /** Does not speak when commentary is appended. */
  ignoresCommentary?: boolean
  /** Transcribes a sound. Default: `textOf`. */
  understands?: Understands
}

/** What the model answers: the user's words, commentary, or the results of tools. */
export interface OpenAILiveTurn {
  readonly user: string
  readonly commentary: string
  readonly results: readonly string[]
}

/** One connection to an `OpenAILiveServer`. */
export class OpenAILiveSession {
  readonly connection: ServerConnection
  /** All events of the client, in order. */
  readonly received: OpenAILiveClientEvent[] = []
  /** The results of tools. */
  readonly results: string[] = []
  /** What the model has said, and what was appended, one line each. */
  readonly timeline: string[] = []
  readonly #options: OpenAILiveSessionOptions
  readonly #script: Script<OpenAILiveTurn>
  #config: OpenAILiveConfig | undefined
  #started = false
  #startedAt = 0
  #ids = 0
  #ear: Ear | undefined
  #word = ''
  #run: TimelineRun | undefined
  #speaking = false
  #fresh: string[] = []

  constructor(
    connection: ServerConnection,
    options: OpenAILiveSessionOptions,
    script: Script<OpenAILiveTurn>,
  ) {
    this.connection = connection
    this.#options = options
    this.#script = script
  }

  /** The settings as started and updated. */
  get config(): OpenAILiveConfig | undefined {
    return this.#config
  }

  /** Hears this text, followed by silence. */
  hear(text: string): void {
    this.#ear?.hearText(text, this.#listening)
  }

  /** Ends the session. */
  end(reason: OpenAILiveClosedReason): void {
    this.#run?.stop()
    this.send({
      type: 'session.closed',
      reason,
      session: this.#resource,
      usage: { seconds: this.#elapsed / 1_000 },
    })
    this.connection.close(1000, '')
  }

  receive(data: string | Uint8Array): void {
    let event: OpenAILiveClientEvent
    try {
      event = JSON.parse(
        typeof data === 'string' ? data : new TextDecoder().decode(data),
      ) as OpenAILiveClientEvent
    } catch {
      return this.#invalid({}, 'invalid_json', 'The event is not valid JSON.')
    }
    this.received.push(event)
    if (!this.#config !== (event.type === 'session.start') || (this.#config && !this.#started))
      return this.#invalid(
        event,
        'invalid_event',
        'session.start must be the first event and only the first.',
      )
    return this.#handle(event)
  }

  #handle(event: OpenAILiveClientEvent): void {
    const { type = '' } = event
    if (type === 'session.start') return this.#start(event)
    if (type === 'session.input_audio.append') return this.#hear(event.audio ?? '')
    if (APPENDS.has(type)) return this.#append(event)
    if (type === 'session.update') return this.#update(event)
    if (type === 'response.item.create') return this.#result(event)
    if (type === 'response.create') return this.#respond('')
    if (type === 'session.close') return this.#close()
    return this.#invalid(event, 'unknown_event', `Unknown event ${type}.`)
  }

  #start(event: OpenAILiveClientEvent): void {
    const { session = {} } = event
    const { format = { type: 'audio/pcm', rate: 24_000 }, output } = session.audio ?? {}
    const rates = format.type === 'audio/pcm' ? [16_000, 24_000] : [8_000]
    if (!session.model) return this.#refuse(event, 'session.model is required.')
    if (!rates.includes(format.rate)) return this.#refuse(event, `Invalid rate ${format.rate}.`)
    if ((session.input ?? []).length > 128) return this.#refuse(event, 'Too many input messages.')
    const { understands, startedAfter = 0, lifetime = LIFETIME, sendsSilence } = this.#options
    this.#config = { ...session, audio: { format, ...(output ? { output } : {}) } }
    this.#ear = new Ear({ sampleRate: asSampleRate(format.rate), understands })
    this.#ear.patience = patience
    this.connection.after(startedAfter, 'start of a session', () => {
      this.#started = true
      this.#startedAt = this.connection.clock.now()
      this.send({ type: 'session.started', session: this.#resource })
      this.connection.after(lifetime, 'end of a session', () => this.end('expired'))
      if (sendsSilence) this.connection.run('silence', this.#beSilent())
    })
    return undefined
  }

  #append(event: OpenAILiveClientEvent): void {
    const { type = '', content = '', delegation_id } = event
    if (content === '' || Buffer.byteLength(content) > MAX_CONTENT)
      return this.#invalid(event, 'invalid_value', 'content must have 1 to 500 tokens.')
    if (delegation_id !== null) return this.#invalid(event, 'invalid_value', 'delegation_id must be null.')
    const kind = type.split('.')[1] ?? ''
    this.timeline.push(`${kind}: ${content}`)
    const now = this.#elapsed
    this.send({ type: `session.${kind}.appended`, start_ms: now, end_ms: now, ...echo(event) })
    if (kind === 'commentary' && !this.#options.ignoresCommentary) this.#respond('', content)
    return undefined
  }

  #update(event: OpenAILiveClientEvent): void {
    const { delegation, ...others } = event.session ?? {}
    if (Object.keys(others).length > 0 || delegation?.type !== this.#config?.delegation?.type)
      return this.#invalid(event, 'immutable_parameter', 'Only the settings of delegation can change.')
    const responses = { ...this.#config?.delegation?.responses, ...delegation?.responses }
    this.#config = { ...this.#config, delegation: { type: 'responses', responses } }
    return this.send({ type: 'session.updated', session: this.#resource, ...echo(event) })
  }

  #result({ item, ...event }: OpenAILiveClientEvent): void {
    if (this.#config?.delegation?.type !== 'responses')
      return this.#invalid(event, 'invalid_event', 'response.item.create requires Responses delegation.')
    this.results.push(item?.output ?? '')
    this.#fresh.push(item?.output ?? '')
    return undefined
  }

  #close(): void {
    const { closedAfter = 0 } = this.#options
    if (closedAfter < Infinity)
      this.connection.after(closedAfter, 'end of a session', () => this.end('close_requested'))
  }

  // ── the user ──

  #hear(base64: string): void {
    this.#ear?.hear(decodeAudio(this.#format as OpenAIFormat, base64), this.#listening)
  }

  get #listening() {
    return {
      words: (text: string) => {
        this.#word += text
        if (/\s$/.test(this.#word)) this.#transcribe()
      },
      // The model stops itself when the user speaks.
      started: () => this.#stop(),
      stopped: (_: number, { text }: { text: string }) => {
        if (this.#options.understands) this.#word = text
        this.#transcribe()
        this.#respond(text)
      },
    }
  }

  #transcribe(): void {
    const delta = this.#word
    this.#word = ''
    if (delta === '') return
    const at = this.#elapsed
    const send = (): void =>
      this.send({ type: 'session.input_transcript.delta', delta, start_ms: at, end_ms: at })
    const { transcriptAfter = 0 } = this.#options
    if (transcriptAfter > 0) this.connection.after(transcriptAfter, 'transcript', send)
    else send()
  }

  // ── the model ──

  #respond(user: string, commentary = ''): void {
    this.#stop()
    const turn = { user, commentary, results: this.#fresh }
    this.#fresh = []
    this.#script.next(turn).then(
      (steps) => {
        this.#run = this.connection.run('answer', this.#answer(steps))
      },
      (error: unknown) =>
        this.#invalid({}, 'server_error', error instanceof Error ? error.message : String(error)),
    )
  }

  #stop(): void {
    this.#run?.stop()
    this.#speaking = false
  }

  *#answer(steps: readonly LlmStep[]): Timeline {
    yield this.#options.firstAfter ?? 0
    const calls: string[] = []
    for (const step of steps) {
      if (typeof step === 'object' && 'fail' in step) {
        this.#invalid({}, 'server_error', String(step.fail))
        return
      }
      if (typeof step === 'object' && 'wait' in step) yield step.wait
      else if (typeof step === 'object' && 'stall' in step) yield Infinity
      else yield* this.#perform(this.#script.chunkOf(step), calls)
    }
    if (calls.length > 0) this.#backend('response.completed', { response: { usage: tokens } }, calls[0]!)
    this.send({ type: 'session.usage.updated', usage: { seconds: this.#elapsed / 1_000 } })
  }

  *#perform(chunk: LlmChunk, calls: string[]): Timeline {
    if (chunk.type === 'text') yield* this.#say(chunk.text)
    if (chunk.type !== 'tool-call') return
    const delegation = calls[0] ?? `deleg_${++this.#ids}`
    if (calls.length === 0)
      this.send({
        type: 'session.delegation.created',
        delegation: { id: delegation, target: 'responses', type: 'delegation', response_id: 'resp_1' },
        offset_ms: this.#elapsed,
      })
    calls.push(delegation)
    const { id: call_id, name, input } = chunk
    const item = { type: 'function_call', id: `fc_${call_id}`, call_id, name, arguments: input }
    this.#backend('response.output_item.done', { item, output_index: 0 }, delegation)
  }

  *#say(text: string): Timeline {
    const { speed = 1, msPerCharacter = 50 } = this.#options
    const at = this.#elapsed
    this.timeline.push(`said: ${text}`)
    const end_ms = at + text.length * msPerCharacter
    this.#speaking = true
    this.send({ type: 'session.output_transcript.delta', delta: text, start_ms: at, end_ms })
    for (const frame of audioChunks(soundOf(text, asSampleRate(this.#format.rate), msPerCharacter))) {
      this.#sendSound(frame)
      if (speed < Infinity) yield durationOf(frame) / speed
    }
    this.#speaking = false
  }

  *#beSilent(): Timeline {
    for (;;) {
      if (!this.#speaking) this.#sendSound(silence(100, asSampleRate(this.#format.rate)))
      yield 100
    }
  }

  #sendSound({ samples }: AudioFrame): void {
    this.send({
      type: 'session.output_audio.delta',
      delta: encodeAudio(this.#format as OpenAIFormat, samples),
    })
  }

  #backend(type: string, fields: object, delegation_id: string): void {
    this.send({ type: 'response.event', event: { type, ...fields }, delegation_id })
  }

  // ── sending ──

  get #format(): OpenAILiveFormat {
    return this.#config?.audio?.format ?? { type: 'audio/pcm', rate: 24_000 }
  }

  get #elapsed(): number {
    return this.#started ? Math.round(this.connection.clock.now() - this.#startedAt) : 0
  }

  get #resource(): object {
    const { lifetime = LIFETIME } = this.#options
    const expires_at = Math.floor((this.connection.clock.date() + lifetime - this.#elapsed) / 1_000)
    return { id: 'live_1', status: 'active', expires_at, ...this.#config }
  }

  /** Sends an event to the client. */
  send(event: object): void {
    this.connection.send(JSON.stringify({ event_id: `event_${++this.#ids}`, ...event }))
  }

  #refuse(event: OpenAILiveClientEvent, message: string): void {
    this.#invalid(event, 'invalid_value', message)
    this.connection.close(1008, 'invalid_request_error')
  }

  #invalid(event: OpenAILiveClientEvent, code: string, message: string): void {
    const type = code === 'server_error' ? code : 'invalid_request_error'
    this.send({ type: 'error', error: { type, code, message, ...echo(event) }, ...echo(event) })
  }
}

const tokens = { input_tokens: 10, output_tokens: 5 }

const echo = ({ event_id }: OpenAILiveClientEvent): { client_event_id?: string } =>
  event_id ? { client_event_id: event_id } : {}
