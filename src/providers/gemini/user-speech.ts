import type { RealtimeEvents } from '../../parts/index.ts'
import type { Scope, Timer } from '../../scope/index.ts'

/** After so long without a sign of the user or of an answer, the user is believed to have stopped. */
const QUIET = 3_000

export interface UserSpeechHost {
  readonly scope: Scope<string>
  /** True if the service decides when the user has finished; else the session does. */
  readonly takesTurns: boolean
  readonly events: RealtimeEvents
  /** The user has said this, and it will not change. */
  said(words: string): void
  /** Nobody speaks, and no words are on their way. */
  settled(): void
}

/**
 * What is known of the user's speech. The service does not tell when the user speaks, unless it is one that sends
 * `voiceActivity`: so it follows from what it does tell.
 *
 *   started: the first words of a transcription; or an answer is interrupted, which only the user's voice does
 *   stopped: the model begins to answer; or no more of either was told for `QUIET`
 *   final:   with that, if there are words by then; else as soon as the answer is generated
 *
 * Transcriptions may lag: words that come while the model answers belong to what it answers. They are no sign that the
 * user speaks, or the tail of a question would interrupt the answer to it.
 */
export class UserSpeech {
  readonly #host: UserSpeechHost
  #speaking = false
  /** The user has stopped, and words may still come. */
  #stopped = false
  #words = ''
  #quiet: Timer | undefined

  constructor(host: UserSpeechHost) {
    this.#host = host
  }

  /** The user speaks, or what was said is not known. */
  get open(): boolean {
    return this.#speaking || this.#stopped
  }

  started(): void {
    const already = this.#speaking
    if (!already) this.#write()
    this.#speaking = true
    this.#watch()
    if (!already) this.#host.events.userStarted()
  }

  /** More words of the transcription; `late` if the model is answering already. */
  hears(words: string, late: boolean): void {
    if (!late && !this.open) this.started()
    else if (this.open) this.#watch()
    this.#words = (this.#words + words).trimStart()
    if (this.#speaking) this.#host.events.userInterim(this.#words)
  }

  stopped(): void {
    if (!this.#speaking) return
    this.#speaking = false
    this.#stopped = true
    this.#watch()
    this.#host.events.userStopped()
  }

  /** The model answers: what was said is final, if it is known. */
  answered(): void {
    this.stopped()
    if (this.#words !== '') this.#write()
  }

  /** The answer is generated: no more words of what it answers will come. */
  written(): void {
    if (!this.#speaking) this.#write()
  }

  /** Whatever was said, there is no more of it. */
  over(): void {
    this.stopped()
    this.#write()
  }

  /** Nothing is told any more. */
  release(): void {
    this.#quiet?.clear()
  }

  #write(): void {
    if (!this.#stopped && this.#words === '') return
    const words = this.#words.trimEnd()
    this.#words = ''
    this.#stopped = false
    this.#quiet?.clear()
    if (words !== '') this.#host.said(words)
    this.#host.events.userFinal(words)
  }

  #watch(): void {
    const { scope, takesTurns } = this.#host
    this.#quiet?.clear()
    if (scope.state !== 'live' || (this.#speaking && !takesTurns)) return
    this.#quiet = scope.after(QUIET, 'the user says nothing more', () => {
      this.over()
      this.#host.settled()
    })
  }
}
