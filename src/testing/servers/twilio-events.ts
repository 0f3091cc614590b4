/** Who ended a call: the caller, or the application by leaving the stream, by its TwiML, or over REST. */
export type CallEnder = 'caller' | 'application' | 'application-by-rest' | 'carrier'

/** What happened in a call, as a carrier sees it. `at` is milliseconds since it began to ring. */
export type TwilioCallEvent = { readonly at: number } & TwilioCallNews

export type TwilioCallNews =
  | { readonly type: 'ringing' }
  /** The webhook answered with TwiML; `told-more` if the call had been answered before. */
  | { readonly type: 'answered' | 'told-more' }
  /** It did not, and the call has failed. */
  | { readonly type: 'refused'; readonly status: number; readonly why: string }
  /** A verb that is not acted out here, `Say` for instance, was passed. */
  | { readonly type: 'verb'; readonly name: string }
  | { readonly type: 'connected' | 'started'; readonly stream: string }
  /** The application's sound reaches the caller; or there is none left. */
  | { readonly type: 'speaks' }
  | { readonly type: 'quiet'; readonly heard: number }
  /** A mark was due, and went back unless marks never do here. */
  | { readonly type: 'mark'; readonly name: string }
  /** The application threw away so many milliseconds of sound that nobody had heard. */
  | { readonly type: 'cleared'; readonly unheard: number }
  | { readonly type: 'says' | 'said' }
  | { readonly type: 'pressed'; readonly digit: string }
  /** The application sent what a carrier does not understand. */
  | { readonly type: 'misunderstood'; readonly why: string }
  | {
      readonly type: 'stream-ended'
      readonly stream: string
      readonly how: string
      readonly code?: number
      readonly status?: number
    }
  | { readonly type: 'ended'; readonly by: CallEnder }
