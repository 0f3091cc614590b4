/**
 * Who ended a call. The application can end it by closing the stream or by TwiML (`application`), or over REST
 * (`application-by-rest`).
 */
export type CallEnder = 'caller' | 'application' | 'application-by-rest' | 'carrier'

/** An event of a call, as its carrier sees it. `at` is in milliseconds since the first ring. */
export type TwilioCallEvent = { readonly at: number } & TwilioCallEventDetails

export type TwilioCallEventDetails =
  | { readonly type: 'ringing' }
  /** The webhook responded with TwiML; `told-more` if the call had already been answered. */
  | { readonly type: 'answered' | 'told-more' }
  /** The webhook did not respond with TwiML, so the call failed. */
  | { readonly type: 'refused'; readonly status: number; readonly why: string }
  /** A verb that is not simulated, such as `Say`, was skipped. */
  | { readonly type: 'verb'; readonly name: string }
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
