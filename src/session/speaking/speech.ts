import { noop, type OptionNames } from '../../scope/index.ts'
import { UninterruptibleError } from '../errors.ts'

/** How a speech ended (SP3). */
export interface PlayoutOutcome {
  readonly how: 'played' | 'interrupted' | 'failed'
  /** Whether the line confirmed that the sound has stopped. Otherwise that is an assumption. */
  readonly confirmed: boolean
  /** The words that reached the caller. */
  readonly heard: string
  readonly error?: unknown
}

/** What became of telephone keys (KY1). */
export interface PressOutcome {
  readonly how: 'played' | 'interrupted' | 'failed'
  /** Whether the line confirmed it. Otherwise that is an assumption. */
  readonly confirmed: boolean
  /** The beginning of the keys that was pressed. */
  readonly keys: string
  readonly error?: unknown
}

export interface SpeechOptions {
  /** Whether the caller may interrupt the speech. Default: true. */
  interruptible?: boolean
  /** Speeches with a higher priority go first, but never overtake the one being spoken. Default: 0. */
  priority?: number
}

export const speechNames: OptionNames<SpeechOptions> = {
  interruptible: true,
  priority: true,
}

/**
 * One continuous stretch of the agent's speech. It ends in two steps (SP2): `interrupted` becomes true as soon as
 * something asks it to stop; `waitForPlayout()` resolves once the caller can no longer hear it.
 */
export class Speech {
  readonly id: number
  readonly interruptible: boolean
  readonly priority: number
  /** Unset once the speech has ended, so that a reference to the speech does not keep the session in memory. */
  #interrupt: ((speech: Speech) => void) | undefined
  /** @internal Returns what has been heard. Unset once the speech has ended, for the same reason. */
  heardSoFar: (() => string) | undefined
  readonly #words: { readonly text: string }
  #interrupted = false
  #outcome: PlayoutOutcome | undefined
  readonly #stopped: Promise<PlayoutOutcome>
  #settle!: (outcome: PlayoutOutcome) => void
  readonly #onInterrupt = new Set<() => void>()
  /** Called when the speech is interrupted, or has ended. */
  readonly #waiting = new Set<() => void>()

  /** @internal Created by `Speaking`. */
  constructor(
    id: number,
    options: SpeechOptions,
    words: { readonly text: string },
    interrupt: (speech: Speech) => void,
    onInterrupt?: () => void,
  ) {
    this.id = id
    this.#words = words
    this.interruptible = options.interruptible ?? true
    this.priority = options.priority ?? 0
    this.#interrupt = interrupt
    if (onInterrupt) this.#onInterrupt.add(onInterrupt)
    this.#stopped = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** @internal A speech that was not accepted: it has failed, and none of it was heard. */
  static refused(error: unknown, options: SpeechOptions = {}): Speech {
    const speech = new Speech(0, options, { text: '' }, noop)
    speech.settle({ how: 'failed', confirmed: true, heard: '', error })
    return speech
  }

  /** All of its words so far, heard or not. */
  get text(): string {
    return this.#words.text
  }

  /** The words that the caller has heard so far: by what the line has reported, and by the time since then. */
  get heard(): string {
    return this.#outcome?.heard ?? this.heardSoFar?.() ?? ''
  }

  /** Whether the speech was interrupted. The caller may hear it for a moment longer. */
  get interrupted(): boolean {
    return this.#interrupted
  }

  /** How the speech ended. Undefined until then. */
  get outcome(): PlayoutOutcome | undefined {
    return this.#outcome
  }

  /** @internal The promise that `waitForPlayout()` returns. */
  get ended(): Promise<PlayoutOutcome> {
    return this.#stopped
  }

  /** Resolves once the caller can no longer hear it, or after `playoutTimeout` if the line never confirms. Never rejects (SP3). */
  waitForPlayout(): Promise<PlayoutOutcome> {
    return this.#stopped
  }

  /** Stops the speech synchronously (SP1). No-op if it has ended (SP10). */
  interrupt({ force = false } = {}): void {
    if (this.#outcome || this.#interrupted) return
    if (!this.interruptible && !force) throw new UninterruptibleError()
    this.#interrupted = true
    // Copied first: a speech that is not yet audible ends inside the next call, which clears the callbacks.
    const callbacks = [...this.#onInterrupt]
    this.#interrupt?.(this)
    for (const callback of callbacks) callback()
    this.#release()
  }

  /** Resolves when the speech is interrupted or has ended, whichever comes first (SP4). */
  untilInterrupted(): Promise<void> {
    if (this.#interrupted || this.#outcome) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.add(resolve))
  }

  /** @internal The callback is called synchronously if the speech is interrupted. */
  onInterrupt(callback: () => void): void {
    if (!this.#interrupted && !this.#outcome) this.#onInterrupt.add(callback)
  }

  /** @internal Sets the outcome. The first one counts. */
  settle(outcome: PlayoutOutcome): void {
    if (this.#outcome) return
    this.#outcome = outcome
    this.#interrupt = undefined
    this.heardSoFar = undefined
    this.#settle(outcome)
    this.#release()
  }

  #release(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
    this.#onInterrupt.clear()
  }
}
