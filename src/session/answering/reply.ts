import type { PlayoutOutcome, Speech, SpeechOptions } from '../speaking/speech.ts'

export interface ReplyOptions extends SpeechOptions {
  /** Extra instructions for this reply only. */
  instructions?: string | undefined
}

/** How a reply ended. */
export interface ReplyOutcome {
  readonly how: 'completed' | 'interrupted' | 'failed'
  readonly error?: unknown
}

/** A reply of the agent: the words before a tool, the tool, the words after it, as often as the model wants. */
export interface Reply {
  readonly id: number
  readonly interruptible: boolean
  /** Its speeches so far (SP4). */
  readonly speeches: readonly Speech[]
  readonly interrupted: boolean
  readonly outcome: ReplyOutcome | undefined
  /** Resolves when the model has said everything, or was stopped. The caller may hear it for longer. Never rejects. */
  readonly finished: Promise<ReplyOutcome>
  /** Whether nothing of it is left to stop. */
  readonly over: boolean
  /** Resolves when all of it has been heard, after its tools. Never rejects. */
  waitForPlayout(): Promise<readonly PlayoutOutcome[]>
  /** Stops thinking and speaking now (SP1). Running tools go on, unless they say `onInterrupt: 'cancel'`. */
  interrupt(options?: { force?: boolean }): void
}
