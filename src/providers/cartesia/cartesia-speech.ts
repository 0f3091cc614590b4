import { durationOf, type SampleRate } from '../../audio/index.ts'
import { PartTimeoutError, type SpokenChunk, type SpokenWord, type Tts } from '../../parts/index.ts'
import { Channel, type Scope, type Timer } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { decodeAudio } from '../vendor-message.ts'
import type { CartesiaMessage, Timestamps } from './cartesia-messages.ts'

/** One speech: the text sent and the audio received. */
export class CartesiaSpeech {
  /** The audio received so far. */
  readonly chunks = new Channel<SpokenChunk>()
  readonly #name: string
  readonly #sampleRate: SampleRate
  readonly #scope: Scope<string>
  /** Once all text is sent: the longest gap between two messages before the speech fails. */
  readonly #stallTimeout: number
  #context: string | undefined
  #text = ''
  #ended = false
  #failed = false
  /** Whether all the text sent so far has been spoken. */
  #spoken = true
  /** Milliseconds of audio received. */
  #received = 0
  /** The value of `#received` when the current context started; timestamps count from there. */
  #contextStart = 0
  /** Words whose audio has not arrived yet. */
  #words: SpokenWord[] = []
  #stallTimer: Timer | undefined

  constructor({ name, sampleRate }: Tts, scope: Scope<string>, stallTimeout: number) {
    this.#name = name
    this.#sampleRate = sampleRate
    this.#scope = scope
    this.#stallTimeout = stallTimeout
  }

  /** The id of the current context; undefined until the first text is sent. */
  get context(): string | undefined {
    return this.#context
  }

  get text(): string {
    return this.#text
  }

  /** Whether the text is complete. */
  get ended(): boolean {
    return this.#ended
  }

  get failed(): boolean {
    return this.#failed
  }

  /** Whether any audio was received. */
  get audible(): boolean {
    return this.#received > 0
  }

  /** Starts the speech in this context, or restarts it in a new one after a reconnect. */
  startContext(context: string): void {
    this.#context = context
    this.#words = []
  }

  addText(text: string): void {
    this.#text += text
    this.#spoken = false
  }

  /** Marks the text as complete. Returns whether some of it has not been spoken yet. */
  endText(): boolean {
    this.#ended = true
    if (this.#spoken) this.#finish()
    else this.#startStallTimer()
    return !this.#spoken
  }

  fail(error: unknown): void {
    this.#failed = true
    this.clearStallTimer()
    this.chunks.fail(error)
  }

  clearStallTimer(): void {
    this.#stallTimer?.clear()
    this.#stallTimer = undefined
  }

  /** Handles a message of the speech's context. Returns true if it was the last one. */
  handle(message: CartesiaMessage): boolean {
    if (this.#stallTimer) this.#startStallTimer()
    switch (message.type) {
      case 'chunk':
        this.#emitAudio(message.data)
        return false
      case 'timestamps':
        this.#words.push(...wordsOf(message, this.#contextStart))
        return false
      case 'error': {
        const { message: text = message.title, status_code: status } = message
        this.fail(new ProviderError(this.#name, text, { status }))
        return true
      }
      case 'done':
        this.#spoken = true
        // A context also ends when its text pauses. The next piece of text starts it again.
        this.#contextStart = this.#received
        if (this.#ended) this.#finish()
        return this.#ended
    }
    return false
  }

  #emitAudio(base64?: string): void {
    const samples = decodeAudio(base64)
    const words = this.#words
    this.#words = []
    const frame = { samples, sampleRate: this.#sampleRate }
    this.#received += durationOf(frame)
    this.chunks.push(words.length > 0 ? { frame, words } : { frame })
  }

  #finish(): void {
    this.clearStallTimer()
    // Timestamps may arrive after their audio.
    if (this.#words.length > 0) this.#emitAudio()
    this.chunks.end()
  }

  #startStallTimer(): void {
    const stallTimeout = this.#stallTimeout
    this.clearStallTimer()
    this.#stallTimer = this.#scope.after(stallTimeout, `rest of a speech of '${this.#name}'`, () => {
      this.fail(new PartTimeoutError(`the rest of a speech of '${this.#name}'`, stallTimeout))
    })
  }
}

function wordsOf({ word_timestamps }: Timestamps, offset: number): SpokenWord[] {
  const { words = [], start = [], end = [] } = word_timestamps ?? {}
  return words.map((word, index) => ({
    text: `${word} `,
    start: offset + (start[index] ?? 0) * 1_000,
    end: offset + (end[index] ?? start[index] ?? 0) * 1_000,
  }))
}
