import {
  asSampleRate,
  bytesFromSamples,
  durationOf,
  encodeALaw,
  encodeMuLaw,
  type AudioFrame,
} from '../../audio/index.ts'
import { soundOf } from '../sound-text.ts'
import { audioChunks } from './audio-chunks.ts'
import type { FluxSpeechMetadata, SpeakEvent, SpeakRequest } from './deepgram-speak-events.ts'
import type { ServerConnection } from './server-connection.ts'
import { SpeechSteps, type SpeechPace } from './speech-steps.ts'
import type { ServerSession } from './vendor-server.ts'

/**
 * - `mute`: sends nothing for any text
 * - `never flushed`: speaks everything, but never confirms the end of a speech
 * - `never cleared`: speaks a cancelled speech to its end, and confirms nothing
 * - `drops mid-speech`: breaks the connection after the first audio
 * - `fails`: closes the connection after the first audio, with an error
 */
export type DeepgramSpeakRudeness = 'mute' | 'never flushed' | 'never cleared' | 'drops mid-speech' | 'fails'

export interface DeepgramSpeakManners extends SpeechPace {
  readonly msPerCharacter: number
  readonly rude: ReadonlySet<DeepgramSpeakRudeness>
}

/** A client may flush this often within a minute. */
const MAX_FLUSHES = 20

/** One connection of a `DeepgramSpeakServer`. */
export class DeepgramSpeakSession implements ServerSession {
  readonly connection: ServerConnection
  readonly query: URLSearchParams
  /** All requests received, in order. */
  readonly requests: SpeakRequest[] = []
  readonly #manners: DeepgramSpeakManners
  readonly #isFlux: boolean
  /** When the client flushed. */
  readonly #flushes: number[] = []
  #steps: SpeechSteps
  #sequence = 0
  /** The characters of the speech in progress; undefined without one. */
  #characters: number | undefined
  /** Milliseconds of audio sent in this speech. */
  #sent = 0

  constructor(connection: ServerConnection, manners: DeepgramSpeakManners) {
    const { searchParams, pathname } = new URL(connection.request.url)
    this.connection = connection
    this.query = searchParams
    this.#manners = manners
    this.#isFlux = pathname.startsWith('/v2')
    this.#steps = this.#newSteps()
    const model = { request_id: 'request-1', model_name: searchParams.get('model') ?? '', model_version: '1' }
    if (this.#isFlux) this.#send({ type: 'Connected', ...model, model_uuids: ['uuid-1'] })
    else this.#send({ type: 'Metadata', ...model, model_uuid: 'uuid-1' })
  }

  receive(data: string | Uint8Array): void {
    const request = parse(data)
    if (!request) return this.#fail('DATA-0000', 'the message is not a valid request', 1008)
    this.requests.push(request)
    switch (request.type) {
      case 'Speak':
        return this.#speak(request.text)
      case 'Flush':
        return this.#flush()
      case 'Clear':
      case 'Interrupt':
        return this.#cancel()
      case 'Close':
        return this.connection.close(1000, '')
      case 'Configure':
        return undefined
    }
  }

  #speak(text: string): void {
    if (this.#characters === undefined && this.#isFlux)
      this.#send({ type: 'SpeechStarted', speech_id: this.#id })
    this.#characters = (this.#characters ?? 0) + text.length
    if (this.#manners.rude.has('mute')) return
    const sampleRate = asSampleRate(Number(this.query.get('sample_rate')))
    for (const chunk of audioChunks(soundOf(text, sampleRate, this.#manners.msPerCharacter)))
      this.#steps.push({ audio: true, send: () => this.#audio(chunk) })
  }

  #flush(): void {
    const now = this.connection.clock.now()
    const recent = this.#flushes.filter((at) => now - at < 60_000)
    this.#flushes.splice(0, Infinity, ...recent, now)
    if (this.#characters === undefined) return this.#isFlux ? this.#warn('NO_ACTIVE_SPEECH') : undefined
    if (recent.length >= MAX_FLUSHES && !this.#isFlux) return this.#warn('EXCESSIVE_FLUSH')
    return this.#steps.push({ send: () => this.#flushed() })
  }

  #flushed(): void {
    const { speech } = this
    this.#characters = undefined
    this.#sent = 0
    if (this.#manners.rude.has('never flushed')) return
    if (this.#isFlux) this.#send({ type: 'SpeechMetadata', ...speech })
    if (this.#isFlux) this.#send({ type: 'Flushed', speech_id: speech.speech_id })
    else this.#send({ type: 'Flushed', sequence_id: this.#sequence })
    this.#sequence++
  }

  /** `Clear` of Aura, or `Interrupt` of Flux, which ignores it before the first audio. */
  #cancel(): void {
    if (this.#manners.rude.has('never cleared')) return
    if (this.#isFlux && this.#sent === 0) return this.#warn('NO_AUDIO_GENERATED')
    const metadata = this.speech
    this.#steps.clear()
    this.#characters = undefined
    this.#sent = 0
    if (this.#isFlux)
      this.#send({ type: 'SpeechInterrupted', audio_played_ms: metadata.audio_duration_ms, metadata })
    else this.#send({ type: 'Cleared', sequence_id: this.#sequence })
    this.#sequence++
    this.#steps = this.#newSteps()
    return undefined
  }

  /** The speech in progress. */
  get speech(): FluxSpeechMetadata {
    const count = this.#characters ?? 0
    return {
      speech_id: this.#id,
      audio_duration_ms: this.#sent,
      input_character_count: count,
      billable_character_count: count,
      controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
    }
  }

  get #id(): string {
    return `dg_sp_${String(this.#sequence).padStart(12, '0')}`
  }

  #audio(frame: AudioFrame): void {
    this.#sent += durationOf(frame)
    const encoding = this.query.get('encoding')
    const encode = encoding === 'mulaw' ? encodeMuLaw : encoding === 'alaw' ? encodeALaw : bytesFromSamples
    this.connection.send(encode(frame.samples))
  }

  #newSteps(): SpeechSteps {
    return new SpeechSteps(this.connection, this.#manners, () => this.#breaks())
  }

  /** Misbehaves after the first audio. */
  #breaks(): boolean {
    if (this.#manners.rude.has('drops mid-speech')) this.connection.drop()
    else if (this.#manners.rude.has('fails')) this.#fail('NET-0000', 'the voice broke', 1011)
    else return false
    return true
  }

  #warn(code: string): void {
    this.#send({ type: 'Warning', code, description: `sorry: ${code}` })
  }

  #fail(code: string, description: string, close: number): void {
    this.#send({ type: 'Error', code, description })
    this.connection.close(close, code)
  }

  #send(event: SpeakEvent): void {
    this.connection.send(JSON.stringify(event))
  }
}

function parse(data: string | Uint8Array): SpeakRequest | undefined {
  try {
    const request = JSON.parse(String(data)) as SpeakRequest | null
    return typeof request?.type === 'string' ? request : undefined
  } catch {
    return undefined
  }
}
