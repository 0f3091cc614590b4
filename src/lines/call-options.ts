import type { Scope } from '../scope/index.ts'
import type { Peer } from './peer.ts'
import type { Rate } from './rate-limit.ts'

export interface CallOptions {
  /** Names the call. */
  readonly id: string
  /** The name of the line, for the session's report. */
  readonly name: string
  /** The calls that this one belongs to. */
  readonly calls: CallOwner
  /** How long `onCall` may take to answer. */
  readonly answerTimeout: number
  /** How long an answered call waits for its first peer. Unset: a call starts with its peer and ends if that leaves. */
  readonly connectTimeout?: number
  /** How long a peer that was cut off may take to come back (LN1). */
  readonly rejoinTimeout: number
  /** How long the caller may give no sign of life (LN2). */
  readonly lostTimeout: number
  /** Messages and control frames that peers may send. */
  readonly messages: Rate
  /** Milliseconds after which to try again when the peer is congested, or sound will become due. */
  readonly resendEvery: number
}

/** What a call needs from the calls it belongs to. */
export interface CallOwner {
  /** Outlives every call. */
  readonly scope: Scope<string>
  /** The call has ended. `released` resolves when nothing of it is left: its peer may still be closing. */
  ended(id: string, released: Promise<void>): void
  /** Takes over a peer, closes it, and cuts it if it does not answer. */
  turnAway(peer: Peer, code: number, reason: string): void
}

/** How a call says goodbye to its peer. */
export type Farewell = 'hung-up' | 'ended' | 'unanswered' | 'closing' | 'misbehaved'
