import type { Logger } from '../../parts/index.ts'
import { LimitError, pause, type Resource, type Scope } from '../../scope/index.ts'
import { answerWithin } from '../journal/answer-within.ts'
import type { CallRecording, DialEnd, Journal } from '../journal/journal.ts'

export interface FleetWritesOptions {
  /** Waits for the writes under way when it closes. */
  readonly scope: Scope<string>
  readonly journal: Pick<Journal, 'settleDial' | 'addRecording'>
  readonly logger: Logger
}

const limits = {
  /** Milliseconds for the journal to answer. */
  answer: 5_000,
  /** Milliseconds until a write is repeated. */
  retry: 1_000,
  /** Attempts: ten minutes. */
  tries: 600,
  /** Writes at once. Carriers report as often as they like. */
  writes: 1_000,
}

/** Writes what carriers report outside of a session. Repeats a write while the journal is away. */
export class FleetWrites implements Resource {
  readonly #options: FleetWritesOptions
  readonly #writing = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor(options: FleetWritesOptions) {
    this.#options = options
    options.scope.own('late writes', this)
  }

  /** An attempt to call somebody has ended. */
  dialled(ticket: string, end: DialEnd): void {
    this.#add('the outcome of a call out', () => this.#options.journal.settleDial(ticket, end))
  }

  /** The carrier has a recording of a call. One of a call that is not in the journal is ignored (RC2). */
  recorded(call: string, recording: CallRecording): void {
    this.#add('a recording', () => this.#options.journal.addRecording(call, recording))
  }

  closing(): void {
    this.#closing.abort()
  }

  async close(): Promise<void> {
    await Promise.all(this.#writing)
  }

  abort(): void {
    this.#closing.abort()
  }

  inspect(): object {
    return { writing: this.#writing.size }
  }

  #add(what: string, write: () => Promise<unknown>): void {
    if (this.#writing.size >= limits.writes) {
      const error = new LimitError('writes', limits.writes, 'too many writes wait for the journal')
      return this.#options.logger.warn({ error, isLast: true }, `${what} could not be written`)
    }
    const writing = this.#write(what, write).finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }

  async #write(what: string, write: () => Promise<unknown>): Promise<void> {
    const { scope, logger } = this.#options
    for (let tries = 1; ; tries++) {
      try {
        await answerWithin(scope.clock, limits.answer, write())
        return
      } catch (error) {
        const isLast = tries >= limits.tries || this.#closing.signal.aborted
        logger.warn({ error, isLast }, `${what} could not be written`)
        if (isLast) return
        await pause(scope.clock, limits.retry, 'write again', this.#closing.signal)
      }
    }
  }
}
