/** What the user does, as the page and the logs say it: `finishing` is silent, with a turn that is not committed yet. */
export type UserState = 'silent' | 'speaking' | 'finishing'

export type TurnTimer = 'endpoint' | 'barge-in' | 'false-interruption' | 'stable' | 'idle' | 'digits'

/**
 * What the machine is told. `at` is when it is told, in milliseconds of a monotonic clock; `since` is when it really
 * happened, which may be a while before.
 */
export type TurnEvent =
  /** The session is live: from here on the user can be idle. Again, if an ending was cancelled: all is as before it. */
  | { readonly type: 'live'; readonly at: number }
  | { readonly type: 'user-started'; readonly at: number; readonly since: number }
  | { readonly type: 'user-stopped'; readonly at: number; readonly since: number }
  /** The words since the last final text. Each replaces the one before; '' takes it back. */
  | { readonly type: 'interim'; readonly at: number; readonly text: string }
  /** The next words that will not change. '' says that there are none in what was heard: nothing is waited for. */
  | { readonly type: 'final'; readonly at: number; readonly text: string }
  /** The STT says that the user has finished. Counts in mode `stt` only. */
  | { readonly type: 'end-of-turn'; readonly at: number }
  /** The turn detector's answer to `judge`. Without a score it could not tell, and is not waited for. */
  | { readonly type: 'judged'; readonly at: number; readonly text: string; readonly score?: number }
  /** Somebody ends the turn by hand. */
  | { readonly type: 'commit'; readonly at: number }
  /** Somebody throws the words of the turn away. */
  | { readonly type: 'discard'; readonly at: number }
  /** Somebody interrupts by hand. */
  | { readonly type: 'barge-in'; readonly at: number }
  /** The user typed: a whole turn at once. */
  | { readonly type: 'typed'; readonly at: number; readonly text: string }
  /** A key of the telephone. */
  | { readonly type: 'digit'; readonly at: number; readonly digit: string }
  /** An answer is in the making, or is not any more. One that was started by `preempt` counts from its `commit` on. */
  | {
      readonly type: 'agent-thinking'
      readonly at: number
      readonly thinking: boolean
      /** True unless set. */
      readonly interruptible?: boolean
    }
  /** The agent is heard from now on. Comes in pairs with `agent-stopped`. */
  | { readonly type: 'agent-started'; readonly at: number; readonly interruptible: boolean }
  /** The agent is not heard any more. Why makes no difference here, and all of it in a trace. */
  | { readonly type: 'agent-stopped'; readonly at: number; readonly how: 'finished' | 'interrupted' }
  /** Some tool runs, or none does any more. It keeps the user from being idle, and stands in the way of no turn. */
  | { readonly type: 'tool'; readonly at: number; readonly running: boolean }
  /** The session is ending. With `bargeIn`, what the agent says from now on (a goodbye) can still be interrupted. */
  | { readonly type: 'ending'; readonly at: number; readonly bargeIn?: boolean }
  /** A timer that was set for `due` has fired. */
  | { readonly type: 'timer'; readonly at: number; readonly timer: TurnTimer; readonly due: number }

/** What the machine wants done, in order. */
export type TurnCommand =
  /** Tell me at `at`, by a `timer` event. Replaces the timer of that name, if one is set. */
  | { readonly type: 'set-timer'; readonly timer: TurnTimer; readonly at: number }
  | { readonly type: 'clear-timer'; readonly timer: TurnTimer }
  /** Make final what has been heard so far. */
  | { readonly type: 'flush-stt' }
  /** Ask the turn detector about this text. The question before, if open, is void. */
  | { readonly type: 'judge'; readonly text: string }
  /** Begin to answer this text, though the turn is not sure. Leaves no trace until `commit` says `preempted`. */
  | { readonly type: 'preempt'; readonly text: string }
  /** The turn goes on: throw away what `preempt` began. */
  | { readonly type: 'discard-preempt' }
  | CommitCommand
  /** The agent is really interrupted: what it says, and the answer in the making. Tools are not. */
  | { readonly type: 'interrupt' }
  /** The user might be interrupting: silence the agent, and be ready to go on. Ends by `resume` or `interrupt`. */
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** An entry of telephone keys is complete. */
  | { readonly type: 'digits'; readonly digits: string }
  | { readonly type: 'user-state'; readonly state: UserState }
  /** Both have been silent since then, with nothing in flight. */
  | { readonly type: 'user-idle'; readonly since: number }

/** The user's turn. Nothing the agent says or prepares is in its way: that was interrupted before. */
export interface CommitCommand {
  readonly type: 'commit'
  readonly text: string
  /** `text` if it was typed or keyed in, and nothing of it spoken. */
  readonly from: 'speech' | 'text'
  /** When the user stopped speaking; for typed turns, when the text came. */
  readonly stopped: number
  /** The generation that `preempt` began is for exactly this text, and may be used. */
  readonly preempted: boolean
}

/** What the user has said, and is not committed. */
export interface PendingWords {
  /** An utterance is being spoken right now. */
  readonly speaking: boolean
  /** One has been spoken, and its final text has not come. */
  readonly transcribing: boolean
  /** Final and interim text so far. */
  readonly text: string
}
