import type { CallRefusal } from '../base-calls.ts'
import type { Logger } from '../../parts/index.ts'
import { OptionError, checkOptions, type Scope, type OptionNames } from '../../scope/index.ts'
import { Calling, type CarrierRequest, type WebhookAnswer } from './calling.ts'
import type { Carrier } from './carrier.ts'
import type { DialsOptions } from './dials.ts'
import { fetchWithBothTokens } from './fetch-with-both-tokens.ts'
import type { RecordedCall } from './recorded-call.ts'
import type { SharedDials } from './shared-dials.ts'
import { telnyx } from './telnyx.ts'
import { twilio } from './twilio.ts'
import type { TwilioLine } from './twilio-line.ts'

/** What is known about a call before it is answered. */
export interface PhoneCallInfo {
  /** The carrier's name for the call; the line has the same id. */
  readonly id: string
  /** The caller's number, as the carrier writes it. */
  readonly from: string | undefined
  /** The number that was called. */
  readonly to: string | undefined
  /** The carrier's account that the call belongs to. */
  readonly account: string | undefined
  /** Whether we have called. Then `from` is our own number, and `to` that of the person. */
  readonly direction: 'inbound' | 'outbound'
  /** What the call was dialled with. Empty for an inbound call. */
  readonly parameters: Readonly<Record<string, string>>
  /** Everything else that the carrier sent: the fields of its webhook, or the parameters of a stream without one. */
  readonly details: Readonly<Record<string, string>>
}

/** `unknown`: no process has ever answered the call. */
export type ComesBack = 'yes' | 'no' | 'later' | 'unknown'

export interface TwilioCallsOptions {
  /** Owns the calls: closing it ends them, in bounded time. */
  scope: Scope<string>
  /** Called for each call: make a session with the line, and start it. Throwing or rejecting refuses the call. */
  onCall: (line: TwilioLine, info: PhoneCallInfo) => unknown
  /** Default: `twilio`. */
  carrier?: 'twilio' | 'telnyx'
  /**
   * Twilio's auth token, or a Telnyx API key: checks requests and ends calls. Without it, only this machine may call, and
   * calls end because their stream does.
   */
  authToken?: string | undefined
  /**
   * Twilio's other auth token, while you replace one by the other: requests that are signed with either are taken, and the carrier is
   * asked with `authToken` and, if it does not take that, with this one.
   */
  secondaryAuthToken?: string | undefined
  /** Twilio's account. If set, calls of other accounts are refused. Default: each call reports its account. */
  accountSid?: string | undefined
  /** The key with which Telnyx signs, as its portal shows it. */
  publicKey?: string | undefined
  /** The id of the TeXML application that makes calls, for calling out with Telnyx. */
  application?: string | undefined
  /** Whether the carrier records every call, from the beginning. Needs `authToken`. Default: false. */
  record?: boolean
  /** Called when a recording of a call is there, after the call has ended (RC2). The process may be another one. */
  onRecording?: (recording: RecordedCall) => unknown
  /**
   * How the agent presses keys. `tones` in the sound reach every phone whose line passes sound on faithfully. `carrier` has the carrier
   * press them, for menus that do not hear the tones: Telnyx does so beside the sound, but Twilio ends the stream and opens another
   * one, and for a second or two nothing is heard. Needs `authToken`. Default: `tones`.
   */
  keys?: 'tones' | 'carrier'
  /** Calls out per second. Default: 1, which is what a new account at Twilio may. */
  dialRate?: number
  /** Calls out at once that nobody has answered yet; further ones wait. Default: 10. */
  maxDials?: number
  /** Where the carrier reaches this server, like `https://phone.example.com`. Default: from its request headers. */
  publicUrl?: string | undefined
  /**
   * What a call begins with. Default: `webhook`, so that models are ready when sound arrives, and a stream that was cut
   * can come back. Webhook and stream must then reach the same process; where they may not, use `stream`.
   */
  beginsWith?: 'webhook' | 'stream'
  /**
   * Says whether a call that this process does not know may come back here after its stream was cut: for processes that
   * share a journal. `later` has the carrier ask again, and `unknown` as for a new call, a few times. Default: such a call
   * ends with its stream.
   */
  comesBack?: (call: string) => Promise<ComesBack>
  /**
   * Says whether another process has room for a call that this one has no room for, and gets its stream. Only for calls
   * that begin with their stream. Default: such a call is refused.
   */
  hasRoomElsewhere?: () => Promise<boolean>
  /**
   * Passes a webhook about a call that this process does not know on to the process that has it, and returns its answer.
   * Undefined if no process has the call. Default: such a webhook is answered here.
   */
  passOn?: (call: string, request: CarrierRequest) => Promise<WebhookAnswer | undefined>
  /** The attempts of other processes to call somebody. Default: a webhook of another process's attempt ends its call. */
  sharedDials?: SharedDials
  /** Signs the addresses of streams, if there is no auth token. Processes that share a port share it. Default: random. */
  ticketKey?: string | undefined
  /** Prefix of the paths. Default: `/phone`, which makes `/phone/answer`, `/phone/status` and `/phone/stream`. */
  path?: string
  /** Base address of the carrier's REST API. Default: the carrier's own. */
  api?: string
  /** Makes the requests to that API. Default: the platform's `fetch`. */
  fetch?: typeof fetch
  /** How long the stream of an answered call may take to come. Default: 10 s. */
  connectTimeout?: number
  /** How long a stream that was cut may take to come back (LN1). Default: 5 s. */
  rejoinTimeout?: number
  /** How long no sound may come from the caller (LN2). Carriers send silence too. Default: 10 s. */
  lostTimeout?: number
  /** How long `onCall` may take to open the line. Default: 30 s, as long as a session may take to start. */
  answerTimeout?: number
  /** Maximum number of concurrent calls. Default: 100. */
  maxCalls?: number
  /** Maximum number of new calls per second. Default: 20. */
  maxRate?: number
  /**
   * Whether there is room for another call, by what a call costs. Asked before each new call; if not, the caller is told
   * at once that the line is busy. With local models: `hasLocalRoom` of `endwell/providers/local`.
   */
  hasRoom?: () => boolean
  /** Called for each new call that is refused, for metrics. */
  onRefused?: (why: CallRefusal) => void
  /** Called when a call begins or ends, or when a stream begins or ceases to wait: `size` or `arriving` has changed. */
  onChange?: () => void
  logger?: Logger
}

const optionNames: OptionNames<TwilioCallsOptions> = {
  scope: true,
  onCall: true,
  carrier: true,
  authToken: true,
  secondaryAuthToken: true,
  accountSid: true,
  publicKey: true,
  application: true,
  record: true,
  onRecording: true,
  keys: true,
  dialRate: true,
  maxDials: true,
  publicUrl: true,
  beginsWith: true,
  comesBack: true,
  hasRoomElsewhere: true,
  passOn: true,
  sharedDials: true,
  ticketKey: true,
  path: true,
  api: true,
  fetch: true,
  connectTimeout: true,
  rejoinTimeout: true,
  lostTimeout: true,
  answerTimeout: true,
  maxCalls: true,
  maxRate: true,
  hasRoom: true,
  onRefused: true,
  onChange: true,
  logger: true,
}

/** The carrier that the options describe. */
export function carrierOf(
  options: Pick<
    TwilioCallsOptions,
    'carrier' | 'authToken' | 'secondaryAuthToken' | 'accountSid' | 'publicKey' | 'application' | 'api'
  >,
): Carrier {
  const { carrier = 'twilio', authToken, accountSid, publicKey, application } = options
  if (carrier === 'telnyx') {
    const { api = 'https://api.telnyx.com' } = options
    return telnyx({ apiKey: authToken, publicKey, application, api })
  }
  const { api = 'https://api.twilio.com' } = options
  const { secondaryAuthToken } = options
  return twilio({ authToken, secondaryAuthToken, accountSid, api })
}

/** What asks the carrier's REST API. */
export function fetchOf({
  fetch: ask = fetch,
  secondaryAuthToken,
}: Pick<TwilioCallsOptions, 'fetch' | 'secondaryAuthToken'>): typeof fetch {
  return secondaryAuthToken === undefined ? ask : fetchWithBothTokens(ask, secondaryAuthToken)
}

/** What decides whether a request comes from the carrier. */
export function callingOf(options: TwilioCallsOptions, carrier: Carrier, path: string): Calling {
  const { scope, authToken: secret, secondaryAuthToken: otherSecret, ticketKey, publicUrl } = options
  const { clock } = scope
  const { accountSid: account } = options
  return new Calling({ carrier, secret, otherSecret, ticketKey, publicUrl, path, account, clock })
}

/** What calls out need. */
export function dialingOf(
  options: TwilioCallsOptions,
  carrier: Carrier,
  path: string,
): Omit<DialsOptions, 'changed' | 'logger'> {
  const { scope, publicUrl, accountSid: account, sharedDials: shared } = options
  const { dialRate: rate = 1, maxDials: atOnce = 10 } = options
  const base = publicUrl === undefined ? undefined : `${publicUrl.replace(/\/+$/, '')}${path}`
  return { scope, carrier, fetch: fetchOf(options), account, base, rate, atOnce, shared }
}

/** Throws if options are invalid. */
export function checkCallsOptions(options: TwilioCallsOptions): void {
  checkOptions('TwilioCalls', options, optionNames)
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
  const { secondaryAuthToken } = options
  if (
    secondaryAuthToken !== undefined &&
    (authToken === undefined || carrier === 'telnyx' || secondaryAuthToken === '')
  )
    throw new OptionError('secondaryAuthToken is the second one of Twilio: pass it together with authToken')
  if (authToken === '')
    throw new OptionError('authToken must not be empty: leave it out to take calls from this machine only')
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
  const { dialRate = 1, maxDials = 1 } = options
  if (!(dialRate > 0 && maxDials > 0)) throw new OptionError('dialRate and maxDials must be above 0')
  const { keys = 'tones' } = options
  if (keys !== 'tones' && keys !== 'carrier')
    throw new OptionError(`keys must be tones or carrier; it is '${String(keys)}'`)
  if (keys === 'carrier' && authToken === undefined)
    throw new OptionError('keys: the carrier presses them only if it knows you: set authToken')
}
