import type { OptionNames, TaskContext } from '../../scope/index.ts'
import type { Llm } from '../../parts/index.ts'
import type { AudioFrame } from '../../audio/index.ts'

/** Who answered a call out. `menu`: a telephone menu, or a service that asks who is calling. */
export type AnsweredBy = 'person' | 'machine' | 'fax' | 'menu' | 'unknown'

/**
 * What showed who answered: the carrier, the length of the greeting, its words, the option `judge`, or a tone. For `unknown`: nothing
 * was said (`silence`), time was up (`limit`), or the session was closed meanwhile.
 */
export type AnsweredHow = 'carrier' | 'greeting' | 'words' | 'judge' | 'tone' | 'silence' | 'limit' | 'closed'

export interface Answered {
  readonly by: AnsweredBy
  readonly how: AnsweredHow
  /** `full`: a machine that takes no messages. `screening`: a person, or their phone, asks who is calling. */
  readonly kind?: 'full' | 'screening'
  /** What was said, as far as it was transcribed by then. */
  readonly said: string
  /** How long it took to find out, in milliseconds. */
  readonly took: number
}

/**
 * Judges the words of a greeting: returns `person`, `machine`, `fax` or `menu`. Everything else says nothing about who answered.
 */
export type GreetingJudge = (
  greeting: string,
  signal: AbortSignal,
) => string | undefined | PromiseLike<string | undefined>

export interface AnsweredByOptions {
  /** How long the greeting of a person takes at most. Default: 2.5 s. */
  greeting?: number
  /** How long a person is silent after it. Default: 0.5 s. */
  pause?: number
  /** How long nothing may be said before it is `unknown` who answered. Default: 10 s. */
  silence?: number
  /** How long it may take in all. Default: 20 s. */
  limit?: number
  /** Judges a long greeting without known phrases: a language model, or a function. Default: its length decides. */
  judge?: Llm | GreetingJudge
}

export const answeredByNames: OptionNames<AnsweredByOptions> = {
  greeting: true,
  pause: true,
  silence: true,
  limit: true,
  judge: true,
}

export interface LeaveMessageOptions {
  /** How long the machine must be silent before the message begins without a beep. Default: 2 s. */
  silence?: number
  /** How long to wait for the beep or the end of the greeting, before the message begins anyway. Default: 30 s. */
  timeout?: number
  /** Whether to hang up after the message. Default: true. */
  hangUp?: boolean
  /** Who leaves the message, for the report. */
  by?: string
}

export const leaveMessageNames: OptionNames<LeaveMessageOptions> = {
  silence: true,
  timeout: true,
  hangUp: true,
  by: true,
}

/** What a message began after. */
export type MessageStart = 'beep' | 'carrier' | 'silence' | 'timeout'

/** What became of a message (MD7). */
export interface MessageOutcome {
  /** Whether all of it was played while the machine was silent, and the line confirmed it. */
  readonly heard: boolean
  readonly how: 'played' | 'interrupted' | 'failed'
  readonly after: MessageStart
  /** How often it was begun: 2 if the machine was still talking, or beeped, when it began. 0 if never. */
  readonly attempts: number
  readonly error?: unknown
}

/** Gets what is heard, while somebody wants to know who answered. */
export interface Tap {
  hear(frame: AudioFrame): void
  /** An event of the turn machine about what the user says. */
  notice(event: { readonly type: string; readonly since?: number; readonly text?: string }): void
}

/** A call of a tool that leaves a message. */
export interface LeavingTool {
  readonly task: TaskContext
  /** Called before the session hangs up. */
  readonly done: () => void
}

/** Finds out who answered, and leaves messages. */
export interface Pickups {
  answeredBy(options?: AnsweredByOptions): Promise<Answered>
  /** `tool` is the call that requests it, if a tool does: the close does not wait for it. */
  leaveMessage(text: string, options?: LeaveMessageOptions, tool?: LeavingTool): Promise<MessageOutcome>
}
