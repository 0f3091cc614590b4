import type { AudioFrame } from '../../audio/index.ts'
import type { TransferOutcome } from '../../parts/index.ts'
import type { TaskContext, OptionNames } from '../../scope/index.ts'
import type { CloseReason } from './close-reason.ts'
import type { SessionReport } from './report.ts'

export interface CloseSessionOptions {
  /** Default: `requested`. */
  reason?: CloseReason
  /** Who closes the session, for the report. */
  by?: string
  /** Milliseconds until the report. A later call can only shorten it. Default: the session's `closeTimeout`. */
  closeTimeout?: number
}

/** A request to close the session. */
export interface CloseAsk {
  readonly reason: CloseReason
  readonly by?: string | undefined
  readonly closeTimeout?: number | undefined
  /** The task that requests the close, if it belongs to the session. The close does not wait for it. */
  readonly from?: TaskContext | undefined
}

export const askNames: OptionNames<CloseAsk> = {
  reason: true,
  by: true,
  closeTimeout: true,
  from: true,
}

export interface HangUpOptions {
  /** The last words. */
  say?: string
  /** Whether the caller can cancel the end by speaking during the goodbye. Default: false. */
  cancellable?: boolean
  /** Default: `agent-hung-up`. */
  reason?: CloseReason
  /** Who hangs up, for the report. */
  by?: string
}

export const hangUpNames: OptionNames<HangUpOptions> = {
  say: true,
  cancellable: true,
  reason: true,
  by: true,
}

/** How a goodbye ended (SP8). */
export type HangUpOutcome = 'confirmed' | 'unconfirmed' | 'cancelled'

export interface TransferOptions {
  /** A phone number like `+4930123456`, or an address like `sip:desk@example.com`. */
  to: string
  /** What to say to the caller before. The phone rings once that was heard. */
  say?: string
  /** What to say if nobody answers. Default: nothing, since a tool returns the outcome and its model says so. */
  sorry?: string
  /** The number to show to the person who is called. Default: the carrier's choice. */
  from?: string
  /** How long it may ring, in milliseconds. Default: 30 s. */
  ringTimeout?: number
  /** Who transfers the call, for the report. */
  by?: string
  /**
   * `cold` (default): the person and the caller are connected as soon as the person answers. `warm`: the caller hears music, and
   * the agent first talks to the person, who may decline (TR4).
   */
  how?: 'cold' | 'warm'
  /** Warm: what to say to the person first, word for word. Default: the model says what it knows from the call. */
  summary?: string
  /** Warm: the `Agent` that talks to the person. It gets the tools `accept_call` and `decline_call`. Default: one that hands over. */
  agent?: ConsultingAgent
  /** Warm: how long the agent and the person may talk, in milliseconds. Default: 2 min. */
  consultTimeout?: number
  /** Warm: what the caller hears meanwhile. Default: quiet music. */
  hold?: Pick<HoldOptions, 'sound' | 'volume'>
  /** Warm: `hang-up` has the carrier find out first whether a machine has answered, in some seconds of silence. Default: `talk`. */
  machines?: 'talk' | 'hang-up'
}

/** What these options need to know of an `Agent`, which needs to know them. */
export interface ConsultingAgent {
  readonly name: string
  readonly instructions: string
}

export const transferNames: OptionNames<TransferOptions> = {
  to: true,
  say: true,
  sorry: true,
  from: true,
  ringTimeout: true,
  by: true,
  how: true,
  summary: true,
  agent: true,
  consultTimeout: true,
  hold: true,
  machines: true,
}

export interface HoldOptions {
  /** What to say to the caller before. */
  say?: string
  /** Played in a loop: audio, or the bytes of a WAV file. Default: quiet music. */
  sound?: AudioFrame | Uint8Array
  /** From 0 to 1. Default: 0.3. */
  volume?: number
  /** When the hold ends by itself, in milliseconds. Default: 10 min. */
  timeout?: number
}

export const holdNames: OptionNames<HoldOptions> = { say: true, sound: true, volume: true, timeout: true }

/** A caller on hold (HD1). */
export interface Hold {
  /** Ends the hold: the agent listens again. Calling it again does nothing. */
  readonly resume: () => void
}

/** How stations, tools and hooks end the session they belong to. */
export interface Ends {
  /** Closes the session. Never rejects. */
  close(ask: CloseAsk): Promise<SessionReport>
  /** Says goodbye and hangs up. `from` is the task that requests it, if it belongs to the session. */
  hangUp(options?: HangUpOptions, from?: TaskContext): Promise<HangUpOutcome>
  /** Reports that a part the session cannot do without has failed for good, and closes the session. */
  broken(where: string, error: unknown): void
}

export interface TransferringTool {
  readonly task: TaskContext
  /** Called when the caller is with somebody else, before the session is closed. */
  readonly done: () => void
}

/** How the session and its tools hand the caller over to a person. */
export interface Transfer {
  /** `tool` is the call that requests it, if a tool does: the close does not wait for it. */
  transfer(options: TransferOptions, tool?: TransferringTool): Promise<TransferOutcome>
}
