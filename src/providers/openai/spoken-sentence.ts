import { durationOf, lengthOf, type AudioFormat } from '../../audio/index.ts'
import { PartTimeoutError, type SpokenChunk } from '../../parts/index.ts'
import { Channel, type Scope, type Timer } from '../../scope/index.ts'
import { silentSpeechProblem, speechProblem } from '../sound-limit.ts'
import { AudioDecoder } from '../vendor-message.ts'
import { deviates } from './deviates.ts'
import type { ItemEvent, ServerResponse } from '../openai-realtime/events.ts'
import { responseFailure } from '../openai-realtime/response-failure.ts'

export interface SpokenSentenceOptions {
  readonly id: string
  readonly text: string
  /** The name of the provider. */
  readonly name: string
  readonly format: AudioFormat
  readonly scope: Scope<string>
  /** The longest gap in the audio, in milliseconds. */
  readonly stallTimeout: number
}

/** One text that the model reads aloud, and the audio received. */
export class SpokenSentence {
  readonly id: string
  readonly text: string
  readonly chunks = new Channel<SpokenChunk>()
  /** Whether the current connection has its request. */
  sent = false
  /** The service's id of the response. */
  response: string | undefined
  readonly #options: SpokenSentenceOptions
  readonly #since: number
  #decoder: AudioDecoder
  /** Milliseconds of audio received. */
  #received = 0
  /** What the model said, in its own words. */
  #transcript: string | undefined
  #timer: Timer | undefined

  constructor(options: SpokenSentenceOptions) {
    this.id = options.id
    this.text = options.text
    this.#options = options
    this.#since = options.scope.clock.now()
    this.#decoder = new AudioDecoder(options.format)
    this.#startTimer()
  }

  /** Whether any audio was received. */
  get audible(): boolean {
    return this.#received > 0
  }

  /** Whether the model said something else. */
  get deviates(): boolean {
    return this.#transcript !== undefined && deviates(this.text, this.#transcript)
  }

  /** The connection was lost before any audio. */
  restart(): void {
    this.sent = false
    this.response = undefined
    this.#decoder = new AudioDecoder(this.#options.format)
  }

  fail(error: unknown): void {
    this.stop()
    this.chunks.fail(error)
  }

  stop(): void {
    this.#timer?.clear()
    this.#timer = undefined
  }

  /** Handles an event of the response. Returns true if the sentence has ended. */
  handle(event: ItemEvent | { readonly type: 'response.done'; readonly response?: ServerResponse }): boolean {
    switch (event.type) {
      case 'response.output_audio.delta':
        return this.#emit(event.delta)
      case 'response.output_audio_transcript.done':
        this.#transcript = event.transcript
        return false
      case 'response.done':
        this.#end(event.response ?? {})
        return true
      case 'response.output_item.added':
      case 'response.output_item.done':
      case 'response.output_audio_transcript.delta':
      case 'response.output_text.delta':
        return false
    }
    return false
  }

  /** Returns true if there is too much audio. */
  #emit(delta?: string): boolean {
    const frame = this.#decoder.push(delta)
    this.#received += durationOf(frame)
    const problem = speechProblem(this.#options.name, this.#received, this.text)
    if (problem) {
      this.fail(problem)
      return true
    }
    if (lengthOf(frame) > 0) {
      this.#startTimer()
      this.chunks.push({ frame })
    }
    return false
  }

  #end({ status, status_details: details = {} }: ServerResponse): void {
    const { name } = this.#options
    const complete = status === 'completed'
    const problem = complete
      ? silentSpeechProblem(name, this.#received, this.text)
      : responseFailure(name, details.error ?? { code: details.reason ?? 'incomplete' })
    if (problem) return this.fail(problem)
    this.stop()
    return this.chunks.end()
  }

  /** Only audio counts as progress, and only as much as it takes to play: a trickle does not keep a speech alive. */
  #startTimer(): void {
    const { scope, stallTimeout, name } = this.#options
    const latest = this.#since + stallTimeout + this.#received - scope.clock.now()
    const what = `speech of '${name}'`
    this.stop()
    this.#timer = scope.after(Math.max(0, Math.min(stallTimeout, latest)), what, () =>
      this.fail(new PartTimeoutError(what, stallTimeout)),
    )
  }
}
