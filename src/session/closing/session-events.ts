import type { TimerCommand, TimerEvent } from '../../scope/index.ts'
import type { CloseAsk, HangUpOutcome } from './asks.ts'
import type { Cap } from './caps.ts'

/** The life of a session. `ending` is a graceful end in progress: a drain or a goodbye. */
export type SessionState = 'new' | 'live' | 'ending' | 'closing' | 'closed'

export type SessionTimer = 'stall' | 'limit' | 'max-duration-warning' | 'max-duration' | 'idle'

/** Everything that can end a session, and everything that shows whether a graceful end is stuck. */
export type SessionEvent = { readonly at: number } &
  /** The line and the models are open. */
  (
    | { readonly type: 'opened' }
    | EndEvent
    /** The turn in flight has finished: no speech, no reply, no tool is left. */
    | { readonly type: 'idle'; readonly ending: number }
    /** The goodbye has ended or, without a goodbye, the current speech. */
    | {
        readonly type: 'said'
        readonly ending: number
        readonly how?: 'played' | 'interrupted' | 'failed' | undefined
        readonly confirmed?: boolean | undefined
      }
    | { readonly type: 'close'; readonly ask: CloseAsk }
    /** The synchronous part of closing is done: the scope is closing. */
    | { readonly type: 'begun' }
    | { readonly type: 'closed' }
    /** Neither side has said anything for a while. */
    | { readonly type: 'user-idle' }
    | { readonly type: 'user-active' }
    /** A model or a voice failed. `canSpeak` is false if the voice itself did. */
    | { readonly type: 'part-failed'; readonly part: string; readonly canSpeak: boolean }
    /** A model answered, or a voice was heard. */
    | { readonly type: 'part-worked'; readonly part: string }
    /** An apology has ended. */
    | { readonly type: 'apologised' }
    /** The session has used this share of its budget; 1 is all of it. */
    | { readonly type: 'spent'; readonly share: number }
    | (TimerEvent<SessionTimer> & Activity)
  )

/** A request for a graceful end (CL3). */
export interface EndEvent extends Activity {
  readonly type: 'end'
  readonly id: number
  readonly ask: CloseAsk
  readonly say?: string | undefined
  readonly cancellable?: boolean
}

/** What makes progress in the session. Without any, a graceful end is stuck. */
export interface Activity {
  /** When something last made progress. */
  readonly movedAt: number
  /** Until when something makes progress on its own: sound on the line, a tool within its own timeout. */
  readonly busyUntil: number
}

export type SessionCommand =
  | TimerCommand<SessionTimer>
  /** Emit the new state. */
  | { readonly type: 'emit-state'; readonly state: SessionState }
  /** Start no new turns. With `bargeIn`, the caller can still interrupt what the agent says. */
  | { readonly type: 'stop-turns'; readonly ending: number; readonly bargeIn: boolean }
  /** Answer with `idle` once the turn in flight has finished. */
  | { readonly type: 'finish-turn'; readonly ending: number }
  /** Answer with `said` once the current speech has ended, and after it `say`, if given. */
  | {
      readonly type: 'say'
      readonly ending: number
      readonly say: string | undefined
      readonly interruptible: boolean
    }
  /** The turn in flight is stuck: stop it, so that the goodbye can be said. */
  | { readonly type: 'give-up-turn'; readonly ending: number }
  /** An answer failed: say so, and answer with `apologised` once that has ended. */
  | { readonly type: 'apologise'; readonly say: string }
  /** The end was cancelled: take turns again. */
  | { readonly type: 'resume' }
  | { readonly type: 'settle'; readonly ending: number; readonly outcome: HangUpOutcome }
  /** A cap will end the session soon. `left` is milliseconds, or the share of the budget. */
  | { readonly type: 'warn'; readonly reason: Cap; readonly left: number }
  | CloseCommand
  /** The session is closing already: note another request, which may bring the deadline nearer. */
  | { readonly type: 'close-again'; readonly ask: CloseAsk }

/**
 * Close now. If a graceful end was in progress, it either names the reason, and `also` is the request that cut it short,
 * or it was cut off by a drop, and `cutOff` is the graceful end.
 */
export interface CloseCommand {
  readonly type: 'close'
  readonly ask: CloseAsk
  readonly also: CloseAsk | undefined
  readonly cutOff: { readonly ask: CloseAsk; readonly askedAt: number } | undefined
}
