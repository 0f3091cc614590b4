import { asSampleRate, bytesFromSamples, encodeMuLaw } from '../../audio/index.ts'
import { soundOf } from '../sound-text.ts'
import { audioChunks } from './audio-chunks.ts'
import type { RimeEvent, RimeStart, RimeTimestamps } from './rime-events.ts'
import type { ServerConnection } from './server-connection.ts'
import { SpeechSteps } from './speech-steps.ts'
import { spokenWords } from './spoken-words.ts'
import type { VoiceManners, VoiceRudeness } from './voice-server.ts'

/**
 * - `never ready`: does not announce that a connection is ready
 * - `untimed`: sends no times, because the service that measures them is down
 */
export type RimeRudeness = VoiceRudeness | 'never ready' | 'untimed'

/** The session that a context belongs to. */
export interface RimeContextHost {
  readonly connection: ServerConnection
  readonly manners: VoiceManners<RimeRudeness>
  send(event: RimeEvent): void
}

const encoders = { 'audio/pcm': bytesFromSamples, 'audio/pcmu': encodeMuLaw }

/** Why a context cannot be started; undefined if it can. */
export function startProblem({ speaker = '', audioParameters = {} }: RimeStart): string | undefined {
  const { audioFormat = '', samplingRate = 0 } = audioParameters
  if (speaker === '') return 'speaker is missing'
  if (!Object.hasOwn(encoders, audioFormat)) return `unsupported audio format '${audioFormat}'`
  return [8_000, 16_000, 24_000].includes(samplingRate) ? undefined : `unsupported rate ${samplingRate}`
}

/** One context: its text, in sentences, and its speech. */
export class RimeContext {
  readonly #contextId: string
  readonly #session: RimeContextHost
  readonly #start: RimeStart
  readonly #ended: () => void
  readonly #steps: SpeechSteps
  #text = ''
  #isOpen = true

  constructor(contextId: string, session: RimeContextHost, start: RimeStart, ended: () => void) {
    this.#contextId = contextId
    this.#session = session
    this.#start = start
    this.#ended = ended
    this.#steps = new SpeechSteps(session.connection, session.manners, () => this.#breaks())
    session.send({ contextId, started: { requestId: `request-${contextId}` } })
  }

  add(text: string): void {
    if (!this.#isOpen) return this.#fail('invalid_input', 'the context has been ended')
    this.#text += text
    if (this.#session.manners.rude.has('mute')) return undefined
    const { audioFormat = 'audio/pcm', samplingRate = 24_000 } = this.#start.audioParameters ?? {}
    const encode = encoders[audioFormat as keyof typeof encoders]
    const sound = soundOf(text, asSampleRate(samplingRate), this.#session.manners.msPerCharacter)
    for (const chunk of audioChunks(sound)) {
      const audio = Buffer.from(encode(chunk.samples)).toString('base64')
      this.#steps.push({ audio: true, send: () => this.#session.send({ contextId: this.#contextId, audio }) })
    }
    return undefined
  }

  end(): void {
    this.#isOpen = false
    this.#steps.push({ send: () => this.#done() })
  }

  cancel(): void {
    this.#isOpen = false
    if (!this.#session.manners.rude.has('talks on')) this.#steps.clear()
    this.#steps.push({ send: () => this.#finish({ contextId: this.#contextId, cancelled: {} }) })
  }

  #done(): void {
    const wanted = this.#start.timestamps?.enable === true
    const timestamps = wanted ? { timestamps: this.#timestamps() } : {}
    this.#finish({ contextId: this.#contextId, done: timestamps })
  }

  #timestamps(): RimeTimestamps {
    const { msPerCharacter, rude } = this.#session.manners
    if (rude.has('untimed')) return { status: { code: 14, message: 'the aligner is not serving' } }
    const words = spokenWords(this.#text, msPerCharacter)
    const spans = words.map(({ text, start, end }) => ({ text, start: seconds(start), end: seconds(end) }))
    return { status: { code: 0 }, spans }
  }

  /** Misbehaves after the first audio. */
  #breaks(): boolean {
    const { connection, manners } = this.#session
    if (manners.rude.has('drops mid-context')) connection.drop()
    else if (manners.rude.has('fails')) this.#fail('internal', 'the voice broke')
    else return false
    return true
  }

  #fail(kind: string, message: string): void {
    this.#steps.clear()
    this.#ended()
    this.#session.send({ contextId: this.#contextId, error: { kind, message } })
  }

  #finish(event: RimeEvent): void {
    this.#steps.clear()
    if (this.#session.manners.rude.has('never done')) return
    this.#ended()
    this.#session.send(event)
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(3)}s`
