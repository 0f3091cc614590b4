import { UninterruptibleError } from './errors.ts'
import type { PlayoutOutcome, Speech } from './speech.ts'

/** How an answer came to its end. */
export interface ReplyOutcome {
  readonly how: 'completed' | 'interrupted' | 'failed'
  readonly error?: unknown
}

/** An answer of the agent: the words before a tool, the tool, the words after it, as often as the model wants. */
export class Reply {
  readonly id: number
  readonly interruptible: boolean
  readonly #speeches: Speech[] = []
  readonly #finished: Promise<ReplyOutcome>
  /** Gone once it is over: whoever keeps a reply keeps no session. */
  #cancel: (() => void) | undefined
  #settle!: (outcome: ReplyOutcome) => void
  #outcome: ReplyOutcome | undefined
  #interrupted = false

  /** @internal */
  constructor(id: number, { interruptible = true }: { interruptible?: boolean }, cancel: () => void) {
    this.id = id
    this.interruptible = interruptible
    this.#cancel = cancel
    this.#finished = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** Its stretches of sound so far (SP4). */
  get speeches(): readonly Speech[] {
    return this.#speeches
  }

  get interrupted(): boolean {
    return this.#interrupted
  }

  get outcome(): ReplyOutcome | undefined {
    return this.#outcome
  }

  /** Settles when the model has said all it wanted, or was stopped; sound may go on. Never throws. */
  get finished(): Promise<ReplyOutcome> {
    return this.#finished
  }

  /** Settles when all of it has been heard, tools included. Never throws. */
  async waitForPlayout(): Promise<readonly PlayoutOutcome[]> {
    await this.#finished
    return Promise.all(this.#speeches.map((speech) => speech.waitForPlayout()))
  }

  /** Whether nothing of it is left to be stopped. */
  get over(): boolean {
    return this.#outcome !== undefined && this.#speeches.every(({ outcome }) => outcome)
  }

  /** Stops thinking and speaking, now (SP1). Tools that run go on unless they say otherwise. */
  interrupt({ force = false } = {}): void {
    if (this.#interrupted || this.over) return
    if (!this.interruptible && !force) throw new UninterruptibleError()
    this.#interrupted = true
    for (const speech of this.#speeches) speech.interrupt({ force: true })
    this.#cancel?.()
  }

  /** @internal Its words are interrupted only together: nobody wants the second half of an answer. */
  add(speech: Speech): void {
    this.#speeches.push(speech)
    speech.onInterrupt(() => this.interrupt({ force: true }))
  }

  /** @internal */
  settle(outcome: ReplyOutcome): void {
    if (this.#outcome) return
    this.#outcome = outcome
    this.#cancel = undefined
    this.#settle(outcome)
  }
}
