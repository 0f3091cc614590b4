import { durationOf, lengthOf, type AudioFormat } from '../audio/index.ts'
import { PartTimeoutError, type SpokenChunk, type SpokenWord } from '../parts/index.ts'
import { Channel, type Scope, type Timer } from '../scope/index.ts'
import { ProviderError } from './errors.ts'
import { silentSpeechProblem, speechProblem } from './sound-limit.ts'
import type { ContextMessage } from './context-dialect.ts'
import { AudioDecoder } from './vendor-message.ts'
import { WordAligner } from './word-aligner.ts'

/** Words that may wait for their audio. */
const MAX_WORDS = 10_000

/** One speech of a `ContextVoice`: the text sent and the audio received. */
export class ContextSpeech {
  /** The audio received so far. */
  readonly chunks = new Channel<SpokenChunk>()
  readonly #name: string
  readonly #format: AudioFormat
  readonly #scope: Scope<string>
  /** Once all text is sent: the longest gap between two messages before the speech fails. */
  readonly #stallTimeout: number
  #context: string | undefined
  #started = false
  /** The text so far, as it was sent. */
  readonly #pieces: string[] = []
  #text = ''
  #ended = false
  #failed = false
  /** Whether all the text sent so far has been spoken. */
  #spoken = true
  /** Milliseconds of audio received. */
  #received = 0
  /** The value of `#received` when the current context, or a part of it, started; timestamps count from there. */
  #contextStart = 0
  /** Words whose audio has not arrived yet. */
  #words: SpokenWord[] = []
  #aligner = new WordAligner()
  #decoder: AudioDecoder
  /** When the text was complete. */
  #endedAt = 0
  #stallTimer: Timer | undefined

  constructor(
    name: string,
    scope: Scope<string>,
    { format, stallTimeout }: { readonly format: AudioFormat; readonly stallTimeout: number },
  ) {
    this.#name = name
    this.#format = format
    this.#decoder = new AudioDecoder(format)
    this.#scope = scope
    this.#stallTimeout = stallTimeout
  }

  /** The id of the current context; undefined until the first text is sent. */
  get context(): string | undefined {
    return this.#context
  }

  /** Whether the vendor has the context open. */
  get started(): boolean {
    return this.#started
  }

  /** The text so far, in the pieces that were sent. */
  get pieces(): readonly string[] {
    return this.#pieces
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

  /** Starts the speech in this context, again after `done`, or restarts it in a new one after a reconnect. */
  startContext(context: string): void {
    this.#started = true
    if (context === this.#context) return
    this.#context = context
    this.#words = []
    this.#aligner = new WordAligner()
    this.#decoder = new AudioDecoder(this.#format)
  }

  addText(text: string): void {
    this.#pieces.push(text)
    this.#text += text
    this.#spoken = false
  }

  /** Marks the text as complete. Returns whether some of it has not been spoken yet. */
  endText(): boolean {
    this.#ended = true
    this.#endedAt = this.#scope.clock.now()
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
  handle({ audio, words = [], characters, timesRestart, done, error }: ContextMessage): boolean {
    if (this.#failed) return false
    if (error) {
      const { message, status } = error
      this.fail(new ProviderError(this.#name, message, { status }))
      return true
    }
    this.#addWords(words)
    if (characters) this.#addWords(this.#aligner.push(characters, this.#received - this.#contextStart))
    if (audio !== undefined) this.#emitAudio(audio)
    if (timesRestart) this.#contextStart = this.#received
    if (this.#failed || !done) return false
    this.#spoken = true
    this.#started = false
    this.#addWords(this.#aligner.flush())
    // A context may also end because its text pauses. The next piece of text starts it again.
    this.#contextStart = this.#received
    if (this.#ended) this.#finish()
    return this.#ended
  }

  #addWords(words: readonly SpokenWord[]): void {
    const offset = this.#contextStart
    for (const { text, start, end } of words)
      if (this.#words.length < MAX_WORDS) this.#words.push({ text, start: offset + start, end: offset + end })
  }

  #emitAudio(audio?: string | Uint8Array): void {
    const frame = this.#decoder.push(audio)
    const words = this.#words
    this.#words = []
    this.#received += durationOf(frame)
    const problem = speechProblem(this.#name, this.#received, this.#text)
    if (problem) return this.fail(problem)
    if (this.#stallTimer && lengthOf(frame) > 0) this.#startStallTimer()
    return this.chunks.push(words.length > 0 ? { frame, words } : { frame })
  }

  #finish(): void {
    this.clearStallTimer()
    // Timestamps may arrive after their audio.
    if (this.#words.length > 0) this.#emitAudio()
    const problem = silentSpeechProblem(this.#name, this.#received, this.#text)
    if (problem) this.fail(problem)
    else this.chunks.end()
  }

  /** Only audio counts as progress, and only as much as it takes to play: a trickle does not keep a speech alive. */
  #startStallTimer(): void {
    const stallTimeout = this.#stallTimeout
    const latest = this.#endedAt + stallTimeout + this.#received - this.#scope.clock.now()
    this.clearStallTimer()
    this.#stallTimer = this.#scope.after(
      Math.max(0, Math.min(stallTimeout, latest)),
      `rest of a speech of '${this.#name}'`,
      () => {
        this.fail(new PartTimeoutError(`the rest of a speech of '${this.#name}'`, stallTimeout))
      },
    )
  }
}
