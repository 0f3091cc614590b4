/** What the user is doing. `finishing`: the user is silent, but the turn has not been committed. */
export type UserState = 'silent' | 'speaking' | 'finishing'

export type TurnTimer = 'endpoint' | 'barge-in' | 'false-interruption' | 'stable' | 'idle' | 'digits'

/**
 * Events for the turn machine. `at` is when the machine receives the event, in milliseconds of a monotonic clock; `since`
 * is when it really happened, which may be earlier.
 */
export type TurnEvent =
  /** The session is live, and the user can be idle from now on. Also sent when an ending was cancelled. */
  | { readonly type: 'live'; readonly at: number }
  | { readonly type: 'user-started'; readonly at: number; readonly since: number }
  | { readonly type: 'user-stopped'; readonly at: number; readonly since: number }
  /** The words since the last final text. Replaces the previous interim text; '' removes it. */
  | { readonly type: 'interim'; readonly at: number; readonly text: string }
  /** The next words, which will not change. '' means that the speech had no words: nothing more to wait for. */
  | { readonly type: 'final'; readonly at: number; readonly text: string }
  /** The STT reports that the user has begun to speak. Ignored except in mode `stt`, and where a VAD reports it. */
  | { readonly type: 'stt-started'; readonly at: number }
  /** The STT reports that the user may have finished. Ignored except in mode `stt`. */
  | { readonly type: 'maybe-end-of-turn'; readonly at: number }
  /** The STT reports that the user goes on after all. Ignored except in mode `stt`. */
  | { readonly type: 'turn-resumed'; readonly at: number }
  /** The STT reports that the user has finished. Ignored except in mode `stt`. */
  | { readonly type: 'end-of-turn'; readonly at: number }
  /** The turn detector's answer to `judge`. No score means that the detector could not tell. */
  | { readonly type: 'judged'; readonly at: number; readonly text: string; readonly score?: number }
  /** The application ends the turn. */
  | { readonly type: 'commit'; readonly at: number }
  /** The application discards the words of the turn. */
  | { readonly type: 'discard'; readonly at: number }
  /** The application interrupts the agent. */
  | { readonly type: 'barge-in'; readonly at: number }
  /** The user typed a text, which is a whole turn. */
  | { readonly type: 'typed'; readonly at: number; readonly text: string }
  /** The user pressed a telephone key. */
  | { readonly type: 'digit'; readonly at: number; readonly digit: string }
  /** Whether a reply is being generated. A reply begun by `preempt` counts from its `commit` on. */
  | {
      readonly type: 'agent-thinking'
      readonly at: number
      readonly thinking: boolean
      /** Default: true. */
      readonly interruptible?: boolean
    }
  /** The agent has become audible. Always followed by one `agent-stopped`. */
  | { readonly type: 'agent-started'; readonly at: number; readonly interruptible: boolean }
  /** The agent is no longer audible. `how` is for traces only. */
  | { readonly type: 'agent-stopped'; readonly at: number; readonly how: 'finished' | 'interrupted' }
  /** Whether any tool is running. A running tool keeps the user from being idle, but does not delay turns. */
  | { readonly type: 'tool'; readonly at: number; readonly running: boolean }
  /** The session is ending. With `bargeIn`, the user can still interrupt what the agent says, such as a goodbye. */
  | { readonly type: 'ending'; readonly at: number; readonly bargeIn?: boolean }
  /** A timer that was set for `due` has fired. */
  | { readonly type: 'timer'; readonly at: number; readonly timer: TurnTimer; readonly due: number }

/** What the turn machine wants done, in order. */
export type TurnCommand =
  /** Send a `timer` event at `at`. Replaces a timer of the same name. */
  | { readonly type: 'set-timer'; readonly timer: TurnTimer; readonly at: number }
  | { readonly type: 'clear-timer'; readonly timer: TurnTimer }
  /** Finalize the text of everything heard so far. */
  | { readonly type: 'flush-stt' }
  /** Ask the turn detector about this text. An earlier question without an answer is void. */
  | { readonly type: 'judge'; readonly text: string }
  /** Begin a reply to this text although the turn may go on. It has no effect until a `commit` with `preempted`. */
  | { readonly type: 'preempt'; readonly text: string }
  /** The turn goes on: discard the reply that `preempt` began. */
  | { readonly type: 'discard-preempt' }
  | CommitCommand
  /** The user interrupts the agent: stop its speech and the reply in progress. Tools go on. */
  | { readonly type: 'interrupt' }
  /** The user may be interrupting: silence the agent, but keep its speech. Followed by `resume` or `interrupt`. */
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** The user has entered these telephone keys. */
  | { readonly type: 'digits'; readonly digits: string }
  | { readonly type: 'user-state'; readonly state: UserState }
  /** Both sides have been silent since then, with nothing in flight. */
  | { readonly type: 'user-idle'; readonly since: number }

/** A turn of the user to be answered. If the agent was speaking or thinking, `interrupt` came before. */
export interface CommitCommand {
  readonly type: 'commit'
  readonly text: string
  /** `text` if all of the turn was typed or keyed in. */
  readonly from: 'speech' | 'text'
  /** When the user stopped speaking or, for a typed turn, when the text arrived. */
  readonly stopped: number
  /**
   * When the turn could have ended if its text had been there. Undefined if the end of the user's speech is not known, or
   * no text was needed.
   */
  readonly decided?: number | undefined
  /** When the turn had ended and its text was there. Earlier than the commit if the turn had to wait for the agent. */
  readonly finished: number
  readonly committed: number
  /** Whether the reply that `preempt` began is for exactly this text, and may be used. */
  readonly preempted: boolean
}

/** What the user has said that has not been committed. */
export interface PendingWords {
  /** Whether the user is speaking. */
  readonly speaking: boolean
  /** Whether the user has stopped speaking and the final text has not arrived. */
  readonly transcribing: boolean
  /** Final and interim text so far. */
  readonly text: string
}
