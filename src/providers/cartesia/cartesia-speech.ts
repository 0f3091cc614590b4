import { durationOf, samplesFromBytes, type SampleRate } from '../../audio/index.ts'
import { PartTimeoutError, type SpokenChunk, type SpokenWord, type Tts } from '../../parts/index.ts'
import { Channel, type Scope, type Timer } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import type { CartesiaMessage, Chunk, Timestamps } from './cartesia-messages.ts'

export interface CartesiaSpeechOptions {
  /** How long the rest of the sound may take to come, once all text was sent, counted from the last that came. */
  readonly stallTimeout: number
  /** It took longer. */
  readonly stalled: () => void
}

/** One speech: what was sent of it, and what came back. */
export class CartesiaSpeech {
  /** What is to be heard. */
  readonly chunks = new Channel<SpokenChunk>()
  readonly #name: string
  readonly #sampleRate: SampleRate
  readonly #scope: Scope<string>
  readonly #options: CartesiaSpeechOptions
  #context: string | undefined
  #text = ''
  #ended = false
  /** Everything that was sent has been spoken. */
  #spoken = true
  /** Milliseconds of sound so far, and before the context began anew. */
  #made = 0
  #before = 0
  /** Words whose sound is on its way. */
  #words: SpokenWord[] = []
  /** Set while the rest of the sound is waited for. */
  #stall: Timer | undefined

  constructor({ name, sampleRate }: Tts, scope: Scope<string>, options: CartesiaSpeechOptions) {
    this.#name = name
    this.#sampleRate = sampleRate
    this.#scope = scope
    this.#options = options
  }

  /** The id of its context, once it has begun. */
  get context(): string | undefined {
    return this.#context
  }

  /** The text so far. */
  get text(): string {
    return this.#text
  }

  /** There is no more text. */
  get ended(): boolean {
    return this.#ended
  }

  /** Some of it can be heard. */
  get audible(): boolean {
    return this.#made > 0
  }

  /** It begins, maybe anew, in this context. */
  begins(context: string): void {
    this.#context = context
    this.#words = []
  }

  said(words: string): void {
    this.#text += words
    this.#spoken = false
  }

  /** There is no more text. Returns whether any of it has still to be spoken. */
  ends(): boolean {
    this.#ended = true
    if (this.#spoken) this.#finish()
    else this.#watch()
    return !this.#spoken
  }

  fail(error: unknown): void {
    this.over()
    this.chunks.fail(error)
  }

  over(): void {
    this.#stall?.clear()
    this.#stall = undefined
  }

  /** Something came of it. Returns true if it was the last. */
  heard(message: CartesiaMessage): boolean {
    if (this.#stall) this.#watch()
    switch (message.type) {
      case 'chunk':
        this.#sound(message)
        return false
      case 'timestamps':
        this.#words.push(...wordsOf(message, this.#before))
        return false
      case 'error': {
        const { message: words = message.title ?? 'it does not say why', status_code: status } = message
        this.fail(new ProviderError(this.#name, words, { status }))
        return true
      }
      case 'done':
        this.#spoken = true
        // A context also ends by itself when its text pauses. The next piece begins it anew.
        this.#before = this.#made
        if (this.#ended) this.#finish()
        return this.#ended
    }
    return false
  }

  #sound({ data }: Chunk): void {
    const samples = samplesFromBytes(Buffer.from(data, 'base64'))
    const words = this.#words
    this.#words = []
    const frame = { samples, sampleRate: this.#sampleRate }
    this.#made += durationOf(frame)
    this.chunks.push(words.length > 0 ? { frame, words } : { frame })
  }

  #finish(): void {
    this.over()
    // Words may be told after their sound.
    if (this.#words.length > 0) this.#sound({ type: 'chunk', context_id: '', data: '' })
    this.chunks.end()
  }

  #watch(): void {
    const { stallTimeout, stalled } = this.#options
    this.over()
    this.#stall = this.#scope.after(stallTimeout, `rest of a speech of '${this.#name}'`, () => {
      this.fail(new PartTimeoutError(`the rest of a speech of '${this.#name}'`, stallTimeout))
      stalled()
    })
  }
}

function wordsOf({ word_timestamps }: Timestamps, before: number): SpokenWord[] {
  const { words = [], start = [], end = [] } = word_timestamps ?? {}
  return words.map((word, index) => ({
    text: `${word} `,
    start: before + (start[index] ?? 0) * 1_000,
    end: before + (end[index] ?? start[index] ?? 0) * 1_000,
  }))
}
