import type { OptionNames } from '../../scope/index.ts'
import { speechNames, type PlayoutOutcome, type Speech, type SpeechOptions } from '../speaking/speech.ts'

export interface ReplyOptions extends SpeechOptions {
  /** Extra instructions for this reply only. */
  instructions?: string | undefined
}

export const replyNames: OptionNames<ReplyOptions> = {
  ...speechNames,
  instructions: true,
}

/** How a reply ended. */
export interface ReplyOutcome {
  readonly how: 'completed' | 'interrupted' | 'failed'
  readonly error?: unknown
}

/** A reply of the agent: words, tool calls, more words, for as many rounds as the model wants. */
export interface Reply {
  readonly id: number
  readonly interruptible: boolean
  /** Its speeches so far (SP4). */
  readonly speeches: readonly Speech[]
  readonly interrupted: boolean
  readonly outcome: ReplyOutcome | undefined
  /** Resolves when the model has finished or was stopped. The caller may hear the reply for longer. Never rejects. */
  readonly finished: Promise<ReplyOutcome>
  /** Whether it has finished and all of its speeches have ended. */
  readonly hasEnded: boolean
  /** Resolves when the reply has finished and all of its speeches have ended. Never rejects. */
  waitForPlayout(): Promise<readonly PlayoutOutcome[]>
  /** Stops the model and the speeches synchronously (SP1). Running tools go on, except those with `onInterrupt: 'cancel'`. */
  interrupt(options?: { force?: boolean }): void
}
