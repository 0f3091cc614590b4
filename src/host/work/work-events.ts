import type { TimerCommand, TimerEvent } from '../../scope/index.ts'
import type { ClaimedWork, WorkOutcome } from '../journal/journal.ts'

export type WorkTimer = 'claim' | 'renew' | 'settle' | 'attempt'

/** Claimed work as the machine gets it. */
export interface ClaimedItem {
  readonly work: ClaimedWork
  /** Milliseconds since the work first fell due. */
  readonly age: number
  /** Whether this process has a handler of that name. */
  readonly known: boolean
}

/** How a handler ended. */
export type HandlerResult =
  | { readonly how: 'done' }
  /** Tried again, after `delay` milliseconds at least. */
  | { readonly how: 'failed'; readonly error: string; readonly delay?: number }
  | { readonly how: 'unrecoverable'; readonly error: string }

/** Why a handler is cancelled. */
export type CancelCause = 'timeout' | 'lost' | 'closing'

type Timed<Event> = Event & {
  readonly at: number
  /** From 0 (inclusive) to 1 (exclusive), new for every event. */
  readonly jitter: number
}

export type WorkEvent = Timed<
  /** Work may be due: at the start, after a close, after a retry by hand. */
  | { readonly type: 'wake' }
  | { readonly type: 'claimed'; readonly items: readonly ClaimedItem[]; readonly nextIn?: number }
  | { readonly type: 'claim-failed' }
  | { readonly type: 'renewed'; readonly keys: readonly string[] }
  | { readonly type: 'renew-failed' }
  /** The handler of an attempt returned or threw, however late. */
  | { readonly type: 'ended'; readonly attempt: number; readonly result: HandlerResult }
  | { readonly type: 'settled'; readonly attempt: number; readonly written: boolean }
  | { readonly type: 'settle-failed'; readonly attempt: number }
  /** Claim nothing more, and let the running handlers finish. */
  | { readonly type: 'close' }
  /** The time for that is up. */
  | { readonly type: 'hurry' }
  /** The journal has made what was left due, or failed to. */
  | { readonly type: 'released' }
  | Omit<TimerEvent<WorkTimer>, 'at'>
>

export type WorkCommand =
  | { readonly type: 'claim'; readonly limit: number }
  | { readonly type: 'renew'; readonly work: readonly { readonly key: string; readonly fence: number }[] }
  | { readonly type: 'run'; readonly attempt: number; readonly work: ClaimedWork }
  | { readonly type: 'cancel'; readonly attempt: number; readonly cause: CancelCause }
  /** The handler goes on, and its result no longer counts. */
  | { readonly type: 'abandon'; readonly attempt: number }
  | {
      readonly type: 'settle'
      readonly attempt: number
      readonly work: ClaimedWork
      readonly fence: number
      readonly outcome: WorkOutcome
    }
  | { readonly type: 'release' }
  | { readonly type: 'stopped' }
  | TimerCommand<WorkTimer>

export interface WorkSettings {
  /** How many attempts run at once. */
  readonly concurrency: number
  /** How long an attempt may take. */
  readonly timeout: number
  /** How long a claim lasts unless it is renewed. */
  readonly lease: number
}
