import type { TransferOutcome, TransferResult } from '../../parts/index.ts'
import type { TimerCommand, TimerEvent } from '../../scope/index.ts'

/** Where a call is, as far as this process knows. */
export type CallPlace =
  /** The caller is connected to us, or is about to be. */
  | 'here'
  /** The stream has stopped. Either the call has ended, or somebody gave the carrier another document. */
  | 'stopped'
  /** The carrier was asked to ring somebody else. */
  | 'asking'
  /** The carrier rings somebody else. */
  | 'ringing'
  /** The carrier was asked to press keys, or presses them. Then it connects the call to us again. */
  | 'pressing'
  /** Nobody answered, or the keys are pressed: the carrier will connect the call to us again. */
  | 'returning'
  /** The call goes on without us. */
  | 'elsewhere'
  | 'ended'

export type LifeTimer = 'place'

/**
 * How the carrier answers a request to redirect a call: `gone` if the call has ended, `silent` if nobody knows whether the
 * request was carried out. `why` explains a refusal or the silence.
 */
export interface RedirectAnswer {
  readonly how: 'accepted' | 'refused' | 'gone' | 'silent'
  readonly why?: string
}

export type LifeEvent = { readonly at: number } &
  /** The session wants the caller to talk to somebody else, who may ring for this long. */
  (
    | { readonly type: 'transfer'; readonly ringFor: number }
    /** The session wants the carrier to press keys, which takes this long. */
    | { readonly type: 'press'; readonly lasts: number }
    /** How the carrier answered the request to redirect the call. */
    | ({ readonly type: 'asked' } & RedirectAnswer)
    /** The stream sent `stop`. */
    | { readonly type: 'stop' }
    /** A stream of the call has started. */
    | { readonly type: 'started' }
    /** The carrier asks for another document, because the stream ended and nobody gave it one. */
    | { readonly type: 'again' }
    /** The person who was rung has answered. */
    | { readonly type: 'answered' }
    /** A person who was rung, on this leg, has rejected the call. */
    | { readonly type: 'rejected'; readonly leg: string }
    /** The carrier has pressed the keys, and asks for another document. */
    | { readonly type: 'pressed' }
    /** The conversation with the person has ended, or never began. */
    | { readonly type: 'dialled'; readonly outcome: TransferOutcome; readonly leg?: string | undefined }
    /** The caller is with nobody: whoever was to be there has left. */
    | { readonly type: 'alone' }
    /** The carrier says that the call has ended. */
    | { readonly type: 'ended' }
    /** What the carrier says when it is asked about the call. */
    | { readonly type: 'looked'; readonly found: 'live' | 'ended' | 'unknown' }
    | TimerEvent<LifeTimer>
  )

export type LifeCommand =
  | TimerCommand<LifeTimer>
  /** Give the carrier the document that rings somebody else, or presses keys. Answer with `asked`. */
  | { readonly type: 'redirect' }
  /** Ask the carrier to connect the caller to us again. */
  | { readonly type: 'recall' }
  /** Ask the carrier whether the call is live. Answer with `looked`. */
  | { readonly type: 'look' }
  /** Nothing can be sent to the caller, who may come back. */
  | { readonly type: 'wait' }
  /** Wait for the stream, for as long as after a cut. */
  | { readonly type: 'expect' }
  /** The transfer has this outcome. */
  | ({ readonly type: 'settle' } & TransferResult)
  /** Whether the keys were pressed, and why not. */
  | { readonly type: 'keys'; readonly pressed: boolean; readonly why?: string | undefined }
  /** The caller hung up. */
  | { readonly type: 'hung-up' }
  /** Somebody else has given the carrier another document: the call is not ours any more. */
  | { readonly type: 'taken' }
