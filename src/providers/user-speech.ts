import type { RealtimeEvents } from '../parts/index.ts'
import { clip, type Scope, type Timer } from '../scope/index.ts'

/** After this long without a transcript or an answer, the user is assumed to have stopped speaking. */
const SILENCE_TIMEOUT = 3_000
/** Characters of one turn of the user: an hour of speech. */
const MAX_TEXT = 50_000

export interface UserSpeechHost {
  readonly scope: Scope<string>
  /** True if the service decides when the user has finished; false if the session does. */
  readonly takesTurns: boolean
  readonly events: RealtimeEvents
  /** Receives the final transcript of each turn. */
  finalText(text: string): void
  /** Called when the user is assumed to have stopped speaking because of `SILENCE_TIMEOUT`. */
  fellSilent(): void
}

/**
 * Derives when the user speaks, for services that do not report it (or, like Gemini, only with some models):
 *
 *   started: the first text of a transcript; or an answer is interrupted, which only the user's voice does
 *   stopped: the model starts to answer; or neither transcript nor answer arrived for `SILENCE_TIMEOUT`
 *   final:   when the user stopped, if there is text by then; otherwise as soon as the answer is generated
 *
 * Transcripts may lag: text that arrives while the model answers belongs to the question. It must not count as new
 * speech, or the tail of a question would interrupt its own answer.
 */
export class UserSpeech {
  readonly #host: UserSpeechHost
  #speaking = false
  /** The user has stopped, but text may still arrive. */
  #awaitsText = false
  #text = ''
  #silenceTimer: Timer | undefined

  constructor(host: UserSpeechHost) {
    this.#host = host
  }

  /** Whether the user is speaking, or the final text has not been emitted yet. */
  get pending(): boolean {
    return this.#speaking || this.#awaitsText
  }

  started(): void {
    const already = this.#speaking
    if (!already) this.#emitFinal()
    this.#speaking = true
    this.#startSilenceTimer()
    if (!already) this.#host.events.userStarted()
  }

  /** Appends transcript text. `late` means that the model is already answering. */
  addText(text: string, late: boolean): void {
    if (!late && !this.pending) this.started()
    else if (this.pending) this.#startSilenceTimer()
    this.#text = clip((this.#text + text).trimStart(), MAX_TEXT)
    if (this.#speaking) this.#host.events.userInterim(this.#text)
  }

  stopped(): void {
    if (!this.#speaking) return
    this.#speaking = false
    this.#awaitsText = true
    this.#startSilenceTimer()
    this.#host.events.userStopped()
  }

  /** The user's turn ends here; its text becomes final if any has arrived. */
  answerStarted(): void {
    this.stopped()
    if (this.#text !== '') this.#emitFinal()
  }

  /** No more text of the question will arrive. */
  answerGenerated(): void {
    if (!this.#speaking) this.#emitFinal()
  }

  /** Ends the user's turn with the text received so far. */
  finish(): void {
    this.stopped()
    this.#emitFinal()
  }

  release(): void {
    this.#silenceTimer?.clear()
  }

  #emitFinal(): void {
    if (!this.#awaitsText && this.#text === '') return
    const text = this.#text.trimEnd()
    this.#text = ''
    this.#awaitsText = false
    this.#silenceTimer?.clear()
    if (text !== '') this.#host.finalText(text)
    this.#host.events.userFinal(text)
  }

  #startSilenceTimer(): void {
    const { scope, takesTurns } = this.#host
    this.#silenceTimer?.clear()
    if (scope.state !== 'live' || (this.#speaking && !takesTurns)) return
    this.#silenceTimer = scope.after(SILENCE_TIMEOUT, 'silence of the user', () => {
      this.finish()
      this.#host.fellSilent()
    })
  }
}
