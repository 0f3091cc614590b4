import type { IncomingHttpHeaders } from 'node:http'
import type { Logger } from '../../parts/index.ts'
import { OptionError, checkOptions, type OptionNames, type Scope } from '../../scope/index.ts'
import type { CallRefusal } from '../base-calls.ts'
import { checkLimits } from '../check-limits.ts'
import { checkPaths } from '../check-paths.ts'
import { checkRtviValues, type RtviOptions } from '../rtvi/options.ts'
import { checkNetwork, webRtcNames, type WebRtcOptions } from '../webrtc-options.ts'
import type { OtherProcesses } from './other-processes.ts'
import type { WebRtcLine } from './webrtc-line.ts'

/** What is known about a call of a WebRTC client before it is answered. */
export interface WebRtcCallInfo {
  /** Names the call; the line has the same id, and the client knows it as the first part of `pc_id`. */
  readonly id: string
  /** The `requestData` with which the client began the call: any JSON, not validated. */
  readonly data: unknown
  /** The origin of the page. Undefined if a program calls. */
  readonly origin: string | undefined
  /** The address at the other end of the request: the proxy's, if there is one. */
  readonly address: string | undefined
  /** The headers of the request. */
  readonly headers: IncomingHttpHeaders
}

export interface WebRtcCallsOptions extends Pick<RtviOptions, 'tools'>, WebRtcOptions {
  /** Owns the calls: closing it ends them, in bounded time. */
  scope: Scope<string>
  /** Called for each client that has connected: make a session with the line, and start it. Throwing or rejecting refuses the call. */
  onCall: (line: WebRtcLine, info: WebRtcCallInfo) => unknown
  /**
   * Required from whoever starts a call, as a bearer token: have your own server start calls for its pages. Without one, only
   * pages on this machine may call. Use 32 random bytes, shared by all servers.
   */
  secret?: string | undefined
  /** Origins whose pages may call, like `https://example.com`. Default with a secret: any. */
  origins?: readonly string[] | undefined
  /** The address of this server for clients, like `https://agent.example.com`. Default: what the request says. */
  publicUrl?: string | undefined
  /** Where calls are started. Default: `/start`. */
  startPath?: string
  /** Where clients send their offers, also with `/sessions/ID` in front of it. Default: `/api/offer`. */
  offerPath?: string
  /** How long an accepted client may take to connect. Default: 15 s. */
  connectTimeout?: number
  /** How long a client may give no sign of life (LN2). Clients send one every second. Default: 3 s. */
  lostTimeout?: number
  /** How long `onCall` may take to open the line. Default: 30 s, as long as a session may take to start. */
  answerTimeout?: number
  /** Maximum number of concurrent calls. Default: 100. */
  maxCalls?: number
  /** Maximum number of new calls per second. Default: 20. */
  maxRate?: number
  /** Whether there is room for another call, by what a call costs: `hasLocalRoom` of `endwell/providers/local`, for instance. */
  hasRoom?: () => boolean
  /** Whether another process, which clients reach at the same address, has room for a call. Default: there is none. */
  hasRoomElsewhere?: () => Promise<boolean>
  /** The other processes that clients reach at the same address. Requests about their connections are passed on to them. Default: none. */
  otherProcesses?: OtherProcesses
  /** Signs tokens, for processes that take each other's. Default: random. */
  tokenKey?: string
  /** Called for each new call that is refused, for metrics. */
  onRefused?: (why: CallRefusal) => void
  /** Called when a call begins or ends: `size` has changed. */
  onChange?: () => void
  logger?: Logger
}

const optionNames: OptionNames<WebRtcCallsOptions> = {
  tools: true,
  ...webRtcNames,
  scope: true,
  onCall: true,
  secret: true,
  origins: true,
  publicUrl: true,
  startPath: true,
  offerPath: true,
  connectTimeout: true,
  lostTimeout: true,
  answerTimeout: true,
  maxCalls: true,
  maxRate: true,
  hasRoom: true,
  hasRoomElsewhere: true,
  otherProcesses: true,
  tokenKey: true,
  onRefused: true,
  onChange: true,
  logger: true,
}

/** Throws if an option is unknown or cannot work. */
export function checkWebRtcOptions(options: WebRtcCallsOptions): void {
  checkOptions('WebRtcCalls', options, optionNames)
  checkLimits(options)
  checkRtviValues(options)
  const { startPath = '/start', offerPath = '/api/offer', publicUrl } = options
  checkPaths({ startPath, offerPath }, publicUrl)
  checkNetwork(options)
  const { connectTimeout = 1 } = options
  if (!(connectTimeout > 0 && connectTimeout < Infinity))
    throw new OptionError('connectTimeout must be a finite number of milliseconds')
}
