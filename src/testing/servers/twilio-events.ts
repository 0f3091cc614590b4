/**
 * Who ended a call. The application can end it by closing the stream or by TwiML (`application`), or over REST
 * (`application-by-rest`). `person` is somebody who was called, and `other-leg` the call that a `<Dial>` connected it to.
 */
export type CallEnder = 'caller' | 'person' | 'other-leg' | 'application' | 'application-by-rest' | 'carrier'

/** The states of a call. All from `completed` on are final. */
export type CallState =
  | 'queued'
  | 'initiated'
  | 'ringing'
  | 'in-progress'
  | 'completed'
  | 'busy'
  | 'no-answer'
  | 'failed'
  | 'canceled'

/** An event of a call, as its carrier sees it. `at` is in milliseconds since the call was placed. */
export type TwilioCallEvent = { readonly at: number } & TwilioCallEventDetails

export type TwilioCallEventDetails =
  | { readonly type: 'queued' | 'initiated' | 'ringing' }
  /** The webhook responded with TwiML, or the person picked up; `told-more` for TwiML after that. */
  | { readonly type: 'answered' | 'told-more' }
  /** The webhook did not respond with TwiML, so the call failed. */
  | { readonly type: 'refused'; readonly status: number; readonly why: string }
  /** A verb that is not simulated, such as `Say`, was skipped. */
  | { readonly type: 'verb'; readonly name: string }
  /** The application gave the call another document over REST. */
  | { readonly type: 'redirected' }
  /** A `<Dial>` rings `to`. `call` is the sid of the new call. */
  | { readonly type: 'dials'; readonly to: string; readonly call: string }
  /** A `<Dial>` connected this call with another one, or disconnected it. */
  | { readonly type: 'bridged' | 'unbridged'; readonly call: string }
  | { readonly type: 'joins-conference' | 'leaves-conference'; readonly conference: string }
  /** The keys that somebody else on the call pressed, or that the carrier played. */
  | { readonly type: 'hears-keys'; readonly digits: string }
  | { readonly type: 'connected' | 'started'; readonly stream: string }
  /** The caller starts to hear the application. */
  | { readonly type: 'speaks' }
  /** The application's audio has ended, after `heard` milliseconds in total. */
  | { readonly type: 'quiet'; readonly heard: number }
  /** A mark was reached, and sent back unless `returnsMarks` is false. */
  | { readonly type: 'mark'; readonly name: string }
  /** The application cleared this many milliseconds of audio before they were heard. */
  | { readonly type: 'cleared'; readonly unheard: number }
  | { readonly type: 'says' | 'said' }
  | { readonly type: 'pressed'; readonly digit: string }
  /** The application sent a message that a carrier would not understand. */
  | { readonly type: 'misunderstood'; readonly why: string }
  | {
      readonly type: 'stream-ended'
      readonly stream: string
      readonly how: string
      readonly code?: number
      readonly status?: number
    }
  | { readonly type: 'ended'; readonly by: CallEnder }
