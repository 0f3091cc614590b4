import { UninterruptibleError } from './errors.ts'

/** How a speech came to its end (SP3). */
export interface PlayoutOutcome {
  readonly how: 'played' | 'interrupted' | 'failed'
  /** Whether the line said that the sound has stopped, or it is assumed. */
  readonly confirmed: boolean
  /** The words that reached the caller. */
  readonly heard: string
  readonly error?: unknown
}

export interface SpeechOptions {
  /** Whether the caller may talk over it: yes unless false. */
  interruptible?: boolean
  /** Higher ones are spoken first; 0 unless set. What is being spoken is never overtaken. */
  priority?: number
}

/**
 * One stretch of sound. It has two moments that are never confused: `interrupted`, when somebody asked it to stop, and
 * the end of `waitForPlayout()`, when there is no more sound (SP2).
 */
export class Speech {
  readonly id: number
  readonly interruptible: boolean
  readonly priority: number
  /** Gone once it has ended: whoever keeps a speech keeps no session. */
  #interrupt: ((speech: Speech) => void) | undefined
  #text = ''
  #interrupted = false
  #outcome: PlayoutOutcome | undefined
  readonly #stopped: Promise<PlayoutOutcome>
  #settle!: (outcome: PlayoutOutcome) => void
  readonly #onInterrupt = new Set<() => void>()
  /** Those who wait for the interruption, or for the end. */
  readonly #waiting = new Set<() => void>()

  /** @internal Made by the speaker. */
  constructor(id: number, options: SpeechOptions, interrupt: (speech: Speech) => void) {
    this.id = id
    this.interruptible = options.interruptible ?? true
    this.priority = options.priority ?? 0
    this.#interrupt = interrupt
    this.#stopped = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** The words on their way to the caller, heard or not. */
  get text(): string {
    return this.#text
  }

  /** Whether somebody asked it to stop. The sound may go on for a moment. */
  get interrupted(): boolean {
    return this.#interrupted
  }

  /** How it ended; undefined while there is, or may be, sound. */
  get outcome(): PlayoutOutcome | undefined {
    return this.#outcome
  }

  /** Settles when the sound has stopped, or the line failed to say so in time. Never throws (SP3). */
  waitForPlayout(): Promise<PlayoutOutcome> {
    return this.#stopped
  }

  /** Stops it, now: nothing more is made or played (SP1). Does nothing to one that has ended (SP10). */
  interrupt({ force = false } = {}): void {
    if (this.#outcome || this.#interrupted) return
    if (!this.interruptible && !force) throw new UninterruptibleError()
    this.#interrupted = true
    // Taken out first: a speech that has not sounded yet ends right here.
    const told = [...this.#onInterrupt]
    this.#interrupt?.(this)
    for (const tell of told) tell()
    this.#release()
  }

  /** Settles at the moment of interruption, or when the sound has stopped if that comes first (SP4). */
  untilInterrupted(): Promise<void> {
    if (this.#interrupted || this.#outcome) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.add(resolve))
  }

  /** @internal Calls back synchronously if it is interrupted. */
  onInterrupt(callback: () => void): void {
    if (!this.#interrupted && !this.#outcome) this.#onInterrupt.add(callback)
  }

  /** @internal */
  said(text: string): void {
    this.#text += text
  }

  /** @internal Once; later calls change nothing. */
  settle(outcome: PlayoutOutcome): void {
    if (this.#outcome) return
    this.#outcome = outcome
    this.#interrupt = undefined
    this.#settle(outcome)
    this.#release()
  }

  #release(): void {
    for (const tell of this.#waiting) tell()
    this.#waiting.clear()
    this.#onInterrupt.clear()
  }
}
