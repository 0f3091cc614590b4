import { createHash } from 'node:crypto'
import { decodeALaw, decodeMuLaw, samplesFromBytes } from '../../audio/index.ts'
import { SoundReader } from '../sound-text.ts'
import type { DeepgramEvent, DeepgramResults, DeepgramWord } from './deepgram-events.ts'
import type { ServerConnection } from './server-connection.ts'
import type { ServerSession } from './vendor-server.ts'

/**
 * - `deaf`: recognises nothing
 * - `ignores Finalize`, `ignores CloseStream`: does not answer that message
 * - `talks on`: sends results after `Metadata`, and leaves the connection open
 * - `garbles`: sends results that are not JSON
 */
export type DeepgramRudeness = 'deaf' | 'ignores Finalize' | 'ignores CloseStream' | 'talks on' | 'garbles'

export interface DeepgramSessionOptions {
  /** The number of the connection, from 1. */
  readonly number: number
  readonly thinks: number
  readonly rude: ReadonlySet<DeepgramRudeness>
  /** The text that the next audio is recognised as; empty if none is scripted. */
  readonly heard: () => string
  /** The language and the speaker of everything that is recognised, if the server is to name them. */
  readonly language?: string | undefined
  readonly speaker?: number | undefined
}

/** A connection without audio or KeepAlive for this long is closed. */
const IDLE_TIMEOUT = 10_000
const IDLE_CHECK = 1_000
/** After this much audio a transcript becomes final even if the speaker has not paused. */
const MAX_SEGMENT = 3_000
/** Quieter samples count as silence. */
const SILENCE = 100

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Int16Array>> = {
  mulaw: decodeMuLaw,
  alaw: decodeALaw,
}

/** One connection of a `DeepgramServer`. */
export class DeepgramSession implements ServerSession {
  readonly connection: ServerConnection
  readonly query: URLSearchParams
  /** The types of the control messages received, in order. */
  readonly controls: string[] = []
  readonly #options: DeepgramSessionOptions
  readonly #id: string
  readonly #sampleRate: number
  readonly #decode: (bytes: Uint8Array) => Int16Array
  readonly #interim: boolean
  readonly #vad: boolean
  /** Milliseconds of silence that count as a pause. */
  readonly #endpointing: number
  readonly #utteranceEnd: number
  readonly #hash = createHash('sha256')
  readonly #reader = new SoundReader()
  /** Milliseconds of audio received. */
  #time = 0
  /** The part of it whose transcript is final. */
  #finalTime = 0
  #quiet = 0
  #speaking = false
  /** The text that is not final yet. */
  #text = ''
  #words: DeepgramWord[] = []
  #lastWordEnd: number | undefined
  /** Whether anything was received since the last idle check. */
  #active = true
  #idle = 0
  #ended = false

  constructor(connection: ServerConnection, options: DeepgramSessionOptions) {
    const query = new URL(connection.request.url).searchParams
    this.connection = connection
    this.query = query
    this.#options = options
    this.#id = `00000000-0000-4000-8000-${String(options.number).padStart(12, '0')}`
    this.#sampleRate = Number(query.get('sample_rate'))
    this.#decode = decoders[query.get('encoding') ?? ''] ?? samplesFromBytes
    this.#interim = query.get('interim_results') === 'true'
    this.#vad = query.get('vad_events') === 'true'
    const endpointing = query.get('endpointing') ?? '10'
    this.#endpointing = endpointing === 'false' ? Infinity : Number(endpointing)
    this.#utteranceEnd = Number(query.get('utterance_end_ms') ?? Infinity)
    this.#checkIdle()
  }

  /** Milliseconds of audio received. */
  get audio(): number {
    return this.#time
  }

  receive(data: string | Uint8Array): void {
    if (this.#ended) return
    this.#active = true
    if (typeof data === 'string') this.#control(data)
    // As at Deepgram, an empty frame ends the stream.
    else if (data.length === 0) this.#closeStream()
    else if (this.#decode === samplesFromBytes && data.length % 2 === 1) this.#fail()
    else this.#audio(data)
  }

  #control(text: string): void {
    const type = typeOf(text)
    if (type === undefined) return this.#fail()
    this.controls.push(type)
    if (this.#options.rude.has(`ignores ${type}` as 'ignores Finalize')) return undefined
    if (type === 'Finalize') this.#final({ from_finalize: true, speech_final: true })
    else if (type === 'CloseStream') this.#closeStream()
    return undefined
  }

  #audio(bytes: Uint8Array): void {
    this.#hash.update(bytes)
    const samples = this.#decode(bytes)
    const from = this.#time
    const duration = (samples.length * 1_000) / this.#sampleRate
    this.#time += duration
    const loud = samples.some((sample) => Math.abs(sample) > SILENCE)
    this.#quiet = loud ? 0 : this.#quiet + duration
    if (loud && !this.#speaking) {
      this.#speaking = true
      if (this.#vad) this.#send({ type: 'SpeechStarted', channel: [0, 1], timestamp: seconds(from) })
    }
    this.#recognise(this.#reader.push(samples) || this.#options.heard(), from)
    this.#endpoint()
  }

  #recognise(text: string, from: number): void {
    if (text === '' || this.#options.rude.has('deaf')) return
    this.#text += text
    this.#lastWordEnd = this.#time
    for (const word of text.match(/\S+/g) ?? []) {
      const plain = word.toLowerCase().replaceAll(/[^\p{L}\p{N}']/gu, '')
      const times = { start: seconds(from), end: seconds(this.#time), confidence: 1 }
      const { speaker } = this.#options
      this.#words.push({
        word: plain,
        punctuated_word: word,
        ...times,
        ...(speaker === undefined ? {} : { speaker }),
      })
    }
    if (this.#interim) this.#results({})
  }

  #endpoint(): void {
    const paused = this.#speaking && this.#quiet >= this.#endpointing
    if (paused) this.#speaking = false
    if (paused && this.#text !== '') this.#final({ speech_final: true })
    else if (this.#time - this.#finalTime >= MAX_SEGMENT && this.#text.endsWith(' ')) this.#final({})
    if (this.#lastWordEnd === undefined || this.#time - this.#lastWordEnd < this.#utteranceEnd) return
    this.#send({ type: 'UtteranceEnd', channel: [0, 1], last_word_end: seconds(this.#lastWordEnd) })
    this.#lastWordEnd = undefined
  }

  /** Sends a final transcript, even if it is empty. */
  #final(how: Partial<DeepgramResults>): void {
    this.#results({ is_final: true, ...how })
    this.#finalTime = this.#time
    this.#text = ''
    this.#words = []
  }

  #results(how: Partial<DeepgramResults>): void {
    if (this.#options.rude.has('garbles')) return this.#later(() => this.connection.send('{"type":"Resul'))
    const { language } = this.#options
    const model = { name: 'loopback', version: '1', arch: 'loopback' }
    return this.#send({
      type: 'Results',
      channel_index: [0, 1],
      start: seconds(this.#finalTime),
      duration: seconds(this.#time - this.#finalTime),
      is_final: false,
      speech_final: false,
      from_finalize: false,
      ...how,
      channel: {
        alternatives: [
          {
            transcript: this.#text.trim(),
            confidence: 1,
            words: this.#words,
            ...(language ? { languages: [language] } : {}),
          },
        ],
      },
      metadata: { request_id: this.#id, model_info: model, model_uuid: this.#id },
    })
  }

  /** Sends the last transcript and the acknowledgement, and closes. */
  #closeStream(): void {
    this.#final({ speech_final: true })
    this.#ended = true
    this.#send({
      type: 'Metadata',
      transaction_key: 'deprecated',
      request_id: this.#id,
      sha256: this.#hash.digest('hex'),
      created: '2026-01-01T00:00:00.000Z',
      duration: seconds(this.#time),
      channels: 1,
    })
    if (!this.#options.rude.has('talks on')) return this.#later(() => this.connection.close(1000, ''))
    this.#text = 'and another thing'
    return this.#final({ speech_final: true })
  }

  #fail(): void {
    this.#ended = true
    this.connection.close(1008, 'DATA-0000')
  }

  #checkIdle(): void {
    this.connection.after(IDLE_CHECK, 'idle check of deepgram', () => {
      this.#idle = this.#active ? 0 : this.#idle + IDLE_CHECK
      this.#active = false
      if (this.#idle < IDLE_TIMEOUT) this.#checkIdle()
      else if (!this.#ended) this.connection.close(1011, 'NET-0001')
    })
  }

  #send(event: DeepgramEvent): void {
    const text = JSON.stringify(event)
    this.#later(() => this.connection.send(text))
  }

  #later(callback: () => void): void {
    this.connection.after(this.#options.thinks, 'result of deepgram', callback)
  }
}

function typeOf(text: string): string | undefined {
  try {
    const message = JSON.parse(text) as { type?: unknown } | null
    return typeof message?.type === 'string' ? message.type : undefined
  } catch {
    return undefined
  }
}

const seconds = (ms: number): number => Math.round(ms) / 1_000
