import { bytesFromSamples, durationOf, encodeALaw, encodeMuLaw } from '../../audio/index.ts'
import { soundOf } from '../sound-text.ts'
import {
  failureOf,
  type CartesiaEvent,
  type CartesiaGeneration,
  type CartesiaTimestamps,
} from './cartesia-events.ts'
import type { ServerConnection } from './server-connection.ts'

/**
 * - `mute`: sends nothing for any request
 * - `never done`: speaks everything, but never sends `done`
 * - `drops mid-context`: breaks the connection after the first chunk of a context
 * - `fails`: ends each context with an error after its first chunk
 * - `ignores cancel`: speaks a cancelled context to its end
 * - `garbles`: sends chunks that are not JSON
 */
export type CartesiaRudeness =
  | 'mute'
  | 'never done'
  | 'drops mid-context'
  | 'fails'
  | 'ignores cancel'
  | 'garbles'

export interface CartesiaManners {
  readonly thinks: number
  readonly every: number
  readonly msPerCharacter: number
  readonly idle: number
  readonly rude: ReadonlySet<CartesiaRudeness>
}

/** The session that a context belongs to. */
export interface CartesiaContextHost {
  readonly connection: ServerConnection
  readonly manners: CartesiaManners
  send(event: CartesiaEvent): void
}

/** The duration of a chunk, in milliseconds. */
const CHUNK = 100

type Step =
  | { readonly type: 'words'; readonly timestamps: CartesiaTimestamps['word_timestamps'] }
  | { readonly type: 'audio'; readonly bytes: Uint8Array }
  | { readonly type: 'flushed' }
  | { readonly type: 'done' }

/** One context: a text, in one or more requests, and its speech. */
export class CartesiaContext {
  readonly #id: string
  readonly #session: CartesiaContextHost
  readonly #ended: () => void
  #steps: Step[] = []
  #running = false
  /** Milliseconds of audio so far. */
  #duration = 0
  #chunksSent = 0
  #flushes = 0
  /** The word that is not complete yet. */
  #word = { text: '', start: 0 }

  constructor(id: string, session: CartesiaContextHost, ended: () => void) {
    this.#id = id
    this.#session = session
    this.#ended = ended
  }

  add(request: CartesiaGeneration): void {
    const problem = problemWith(request)
    if (problem !== undefined) return this.#fail(problem)
    if (this.#session.manners.rude.has('mute')) return undefined
    this.#say(request)
    const more = request.continue === true
    if (request.flush === true) this.#steps.push({ type: 'flushed' })
    if (!more) this.#steps.push({ type: 'done' })
    return this.#run()
  }

  /** Stops speaking. The real vendor may continue for a while: see `ignores cancel`. */
  cancel(): void {
    this.#steps = [{ type: 'done' }]
    this.#run()
  }

  #say({ transcript, output_format, add_timestamps, continue: more }: CartesiaGeneration): void {
    const { msPerCharacter } = this.#session.manners
    const { samples, sampleRate } = soundOf(transcript, output_format.sample_rate, msPerCharacter)
    if (add_timestamps) this.#addTimestamps(transcript, more !== true)
    this.#duration += durationOf({ samples, sampleRate })
    const size = (sampleRate * CHUNK) / 1_000
    const encode = encoders[output_format.encoding]
    for (let at = 0; at < samples.length; at += size)
      this.#steps.push({ type: 'audio', bytes: encode(samples.slice(at, at + size)) })
  }

  /** Adds the words that end in this text, even if they started in an earlier one. */
  #addTimestamps(text: string, last: boolean): void {
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
    if (timestamps.words.length > 0) this.#steps.push({ type: 'words', timestamps })
  }

  #run(): void {
    if (this.#running) return
    this.#running = true
    this.#session.connection.after(this.#session.manners.thinks, 'cartesia thinks', () => this.#step())
  }

  #step(): void {
    const { connection, manners } = this.#session
    const step = this.#steps.shift()
    if (step === undefined) {
      this.#running = false
      return
    }
    this.#send(step)
    if (step.type !== 'audio') return this.#step()
    connection.after(manners.every, 'cartesia speaks', () => {
      if (this.#chunksSent > 1) this.#step()
      else if (manners.rude.has('drops mid-context')) connection.drop()
      else if (manners.rude.has('fails')) this.#fail('the voice broke')
      else this.#step()
    })
    return undefined
  }

  #send(step: Step): void {
    const common = { context_id: this.#id, flush_id: this.#flushes, done: false } as const
    switch (step.type) {
      case 'words': {
        const word_timestamps = step.timestamps
        this.#session.send({ type: 'timestamps', status_code: 206, word_timestamps, ...common })
        return
      }
      case 'audio': {
        this.#chunksSent++
        const data = Buffer.from(step.bytes).toString('base64')
        this.#session.send({ type: 'chunk', data, step_time: 1, status_code: 206, ...common })
        return
      }
      case 'flushed':
        this.#session.send({ type: 'flush_done', flush_done: true, status_code: 206, ...common })
        this.#flushes++
        return
      case 'done':
        this.#steps = []
        this.#ended()
        if (this.#session.manners.rude.has('never done')) return
        this.#session.send({ type: 'done', context_id: this.#id, status_code: 200, done: true })
    }
  }

  #fail(message: string): void {
    this.#steps = []
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
