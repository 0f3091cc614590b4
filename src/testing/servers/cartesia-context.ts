import { bytesFromSamples, durationOf, encodeALaw, encodeMuLaw } from '../../audio/index.ts'
import { soundOf } from '../sound-text.ts'
import {
  failureOf,
  type CartesiaEvent,
  type CartesiaGeneration,
  type CartesiaTimestamps,
} from './cartesia-events.ts'
import { audioChunks } from './audio-chunks.ts'
import type { ServerConnection } from './server-connection.ts'
import { SpeechSteps, type SpeechStep } from './speech-steps.ts'
import type { VoiceManners } from './voice-server.ts'

export interface CartesiaManners extends VoiceManners {
  readonly idle: number
}

/** The session that a context belongs to. */
export interface CartesiaContextHost {
  readonly connection: ServerConnection
  readonly manners: CartesiaManners
  send(event: CartesiaEvent): void
}

/** One context: a text, in one or more requests, and its speech. */
export class CartesiaContext {
  readonly #id: string
  readonly #session: CartesiaContextHost
  readonly #ended: () => void
  readonly #steps: SpeechSteps
  /** Milliseconds of audio so far. */
  #duration = 0
  #flushes = 0
  /** The word that is not complete yet. */
  #word = { text: '', start: 0 }

  constructor(id: string, session: CartesiaContextHost, ended: () => void) {
    this.#id = id
    this.#session = session
    this.#ended = ended
    this.#steps = new SpeechSteps(session.connection, session.manners, () => this.#breaks())
  }

  add(request: CartesiaGeneration): void {
    const problem = problemWith(request)
    if (problem !== undefined) return this.#fail(problem)
    if (this.#session.manners.rude.has('mute')) return undefined
    const steps = this.#say(request)
    if (request.flush === true) steps.push({ send: () => this.#sendFlushed() })
    if (request.continue !== true) steps.push({ send: () => this.#sendDone() })
    return this.#steps.push(...steps)
  }

  /** Stops speaking. The real vendor may continue for a while: see `talks on`. */
  cancel(): void {
    this.#steps.clear()
    this.#steps.push({ send: () => this.#sendDone() })
  }

  #say({ transcript, output_format, add_timestamps, continue: more }: CartesiaGeneration): SpeechStep[] {
    const sound = soundOf(transcript, output_format.sample_rate, this.#session.manners.msPerCharacter)
    const steps = add_timestamps ? this.#timestamps(transcript, more !== true) : []
    this.#duration += durationOf(sound)
    const encode = encoders[output_format.encoding]
    for (const chunk of audioChunks(sound))
      steps.push({ audio: true, send: () => this.#sendAudio(encode(chunk.samples)) })
    return steps
  }

  /** The words that end in this text, even if they started in an earlier one. */
  #timestamps(text: string, last: boolean): SpeechStep[] {
    const { msPerCharacter } = this.#session.manners
    const timestamps: CartesiaTimestamps['word_timestamps'] = { words: [], start: [], end: [] }
    const endWord = (end: number): void => {
      if (this.#word.text === '') return
      timestamps.words.push(this.#word.text)
      timestamps.start.push(this.#word.start / 1_000)
      timestamps.end.push(end / 1_000)
      this.#word.text = ''
    }
    for (const [index, character] of text.split('').entries()) {
      const at = this.#duration + index * msPerCharacter
      if (/\s/.test(character)) endWord(at)
      // As at Cartesia, each character of Chinese and Japanese is a word, with the punctuation after it.
      else if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character)) {
        endWord(at)
        this.#word = { text: character, start: at }
      } else if (this.#word.text === '') this.#word = { text: character, start: at }
      else this.#word.text += character
    }
    if (last) endWord(this.#duration + text.length * msPerCharacter)
    return timestamps.words.length > 0 ? [{ send: () => this.#sendWords(timestamps) }] : []
  }

  /** Misbehaves after the first chunk. */
  #breaks(): boolean {
    const { connection, manners } = this.#session
    if (manners.rude.has('drops mid-context')) connection.drop()
    else if (manners.rude.has('fails')) this.#fail('the voice broke')
    else return false
    return true
  }

  get #common() {
    return { context_id: this.#id, flush_id: this.#flushes, done: false } as const
  }

  #sendWords(word_timestamps: CartesiaTimestamps['word_timestamps']): void {
    this.#session.send({ type: 'timestamps', status_code: 206, word_timestamps, ...this.#common })
  }

  #sendAudio(bytes: Uint8Array): void {
    const data = Buffer.from(bytes).toString('base64')
    this.#session.send({ type: 'chunk', data, step_time: 1, status_code: 206, ...this.#common })
  }

  #sendFlushed(): void {
    this.#session.send({ type: 'flush_done', flush_done: true, status_code: 206, ...this.#common })
    this.#flushes++
  }

  #sendDone(): void {
    this.#steps.clear()
    this.#ended()
    if (this.#session.manners.rude.has('never done')) return
    this.#session.send({ type: 'done', context_id: this.#id, status_code: 200, done: true })
  }

  #fail(message: string): void {
    this.#steps.clear()
    this.#ended()
    this.#session.send(failureOf(this.#id, message))
  }
}

const encoders = { pcm_s16le: bytesFromSamples, pcm_mulaw: encodeMuLaw, pcm_alaw: encodeALaw }

function problemWith({ model_id, voice, output_format }: CartesiaGeneration): string | undefined {
  if (!model_id) return 'model_id is missing'
  if (!voice) return 'voice is missing'
  const encoding = output_format?.encoding
  if (Object.hasOwn(encoders, encoding) && output_format.sample_rate > 0) return undefined
  return `output_format must be one of ${Object.keys(encoders).join(', ')}`
}
