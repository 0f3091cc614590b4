import type { Logger } from '../../parts/index.ts'
import { OptionError, type Scope } from '../../scope/index.ts'
import type { Carrier } from './carrier.ts'
import { telnyx } from './telnyx.ts'
import { twilio } from './twilio.ts'
import type { TwilioLine } from './twilio-line.ts'

/** What is known of a call before it is answered. */
export interface PhoneCallInfo {
  /** The name that the carrier has for the call; the line has it, too. */
  readonly id: string
  /** The number of the caller, as the carrier writes it. */
  readonly from: string | undefined
  /** The number that was called. */
  readonly to: string | undefined
  /** What else the carrier tells: the fields of its webhook, or the parameters of a stream that came without one. */
  readonly details: Readonly<Record<string, string>>
}

export interface TwilioCallsOptions {
  /** Owns the calls: closing it ends them, in bounded time. */
  scope: Scope<string>
  /** Somebody calls: make a session with the line, and start it. What it throws refuses the call. */
  onCall: (line: TwilioLine, info: PhoneCallInfo) => unknown
  /** `twilio` unless set. */
  carrier?: 'twilio' | 'telnyx'
  /**
   * Twilio's auth token, or an API key of Telnyx: with it requests are checked and calls are ended. Unless it is set,
   * only this very machine may call, and calls end because their stream does.
   */
  authToken?: string | undefined
  /** Twilio's account. Told by each call unless set; if it is, calls of other accounts are refused. */
  accountSid?: string | undefined
  /** The key by which Telnyx signs, as its portal shows it. */
  publicKey?: string | undefined
  /** Where the carrier reaches this server: `https://phone.example.com`. By the headers of its requests unless set. */
  publicUrl?: string | undefined
  /**
   * What a call begins with: `webhook` unless set, so that models are ready when its sound comes, and a stream that was
   * cut can come back. Then webhook and stream must reach the same process; where they may not, it is the `stream`.
   */
  beginsWith?: 'webhook' | 'stream'
  /** Below which path it asks: `/phone` unless set, so that it has `/phone/answer`, `/phone/status`, `/phone/stream`. */
  path?: string
  /** The REST interface of the carrier: its own unless set. */
  api?: string
  /** What requests to it are made with: that of the platform unless set. */
  fetch?: typeof fetch
  /** How long the stream of a call that was answered may take to come: 10 s unless set. */
  connectTimeout?: number
  /** How long a stream that was cut may take to come back: 5 s unless set (LN1). */
  rejoinTimeout?: number
  /** How long no sound may come from the caller: 10 s unless set (LN2). Carriers send silence, too. */
  lostTimeout?: number
  /** How long `onCall` may take to open the line: 30 s unless set, as long as a session may take to start. */
  answerTimeout?: number
  /** Calls at once: 100 unless set. */
  maxCalls?: number
  /** New calls a second: 20 unless set. */
  maxRate?: number
  logger?: Logger
}

/** Who carries the calls, by what is known of the account. */
export function carrierOf(options: TwilioCallsOptions): Carrier {
  const { carrier = 'twilio', authToken, accountSid, publicKey } = options
  if (carrier === 'telnyx') {
    const { api = 'https://api.telnyx.com' } = options
    return telnyx({ apiKey: authToken, publicKey, api })
  }
  const { api = 'https://api.twilio.com' } = options
  return twilio({ authToken, accountSid, api })
}

/** Throws if options cannot be. */
export function checkOptions(options: TwilioCallsOptions): void {
  const {
    authToken,
    publicKey,
    publicUrl,
    carrier = 'twilio',
    path = '/phone',
    maxCalls = 1,
    maxRate = 1,
  } = options
  const { connectTimeout = 1, rejoinTimeout = 0, lostTimeout = 1 } = options
  if (authToken === '')
    throw new OptionError('authToken must not be empty: leave it out to take calls of this machine')
  if (carrier === 'telnyx' && (authToken === undefined) !== (publicKey === undefined))
    throw new OptionError('Telnyx signs with a key of its own: pass publicKey together with authToken')
  if (publicUrl !== undefined && !/^https?:\/\/[^/?#]+[^?#]*$/.test(publicUrl))
    throw new OptionError('publicUrl must be an address like https://phone.example.com')
  if (!path.startsWith('/') || path.length < 2) throw new OptionError("path must be like '/phone'")
  if (
    ![connectTimeout, rejoinTimeout, lostTimeout].every((ms) => ms >= 0 && ms < Infinity) ||
    lostTimeout === 0
  )
    throw new OptionError(
      'connectTimeout, rejoinTimeout and lostTimeout must be finite numbers of milliseconds',
    )
  if (!(maxCalls > 0 && maxRate > 0)) throw new OptionError('maxCalls and maxRate must be above 0')
}
