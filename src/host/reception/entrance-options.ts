import type { Duplex } from 'node:stream'
import type { CallRefusal } from '../../lines/index.ts'
import type { RtviOptions } from '../../lines/rtvi-websocket/index.ts'
import type { WebRtcOptions } from '../../lines/webrtc/index.ts'
import type { Line, Logger } from '../../parts/index.ts'
import type { Scope } from '../../scope/index.ts'
import type { FaultBoard } from '../fault-board.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostOptions } from '../host.ts'
import type { Neighbours } from './neighbours.ts'
import type { NewCallInfo } from './new-call-info.ts'

export interface PhoneAccount {
  readonly carrier?: 'twilio' | 'telnyx'
  readonly authToken?: string
  /** Twilio's other auth token, while one is replaced by the other. */
  readonly secondaryAuthToken?: string
  readonly accountSid?: string
  readonly publicKey?: string
  /** The id of the TeXML application that calls out, at Telnyx. */
  readonly application?: string
  readonly publicUrl?: string
  /** The base URL of the REST API. Default: the carrier's. */
  readonly api?: string
  /** Calls out per second, and calls out at once that nobody has answered yet, per process. Default: 1, and 10. */
  readonly dialRate?: number
  readonly maxDials?: number
  /** Whether the carrier records every call. Default: false. */
  readonly record?: boolean
  /** How keys are pressed. Default: as tones. */
  readonly keys?: 'tones' | 'carrier'
}

export interface EntranceOptions {
  readonly scope: Scope<string>
  readonly info: Omit<HostOptions['info'], 'agent' | 'call'>
  /** The name of the agent, for the page. */
  readonly agent: string
  /** Required from every client, if set. */
  readonly secret?: string
  /** Host names of this server, besides addresses and `localhost`. */
  readonly names?: readonly string[]
  /** The account at the carrier. Without an auth token, only local calls are accepted. */
  readonly phone?: PhoneAccount
  /** What RTVI clients may see. Default: nothing about tools but that they run. */
  readonly rtvi?: RtviOptions
  /** How clients are reached over WebRTC. Default: such calls are not taken. */
  readonly webrtc?: WebRtcOptions
  /** The folder for recordings. The page can play them. Default: none, calls are only recorded if the agent file says so. */
  readonly recordings?: string
  /** The folder of the page. Default: none. */
  readonly page?: string
  readonly faults?: FaultBoard & { watch(tcp: Duplex): void }
  /** Calls at once, on all lines together. Default: 100. */
  readonly maxCalls?: number
  /** Whether there is room for another call, by what a call costs. */
  readonly hasRoom?: () => boolean
  /** Finds calls of other processes. Without it, a call lives and dies with this process. */
  readonly fleet?: Fleet
  /** How long a page may take to come back, in milliseconds. Default: 5 s; in a fleet, 25 s. */
  readonly rejoinTimeout?: number
  /** Take the calls that this process has no room for. Without them, such calls are refused. */
  readonly neighbours?: Neighbours
  /** Called when `occupied` may have changed. */
  readonly changed?: () => void
  /** Shared by the processes of one host: signs what they give out for each other, if there is no auth token. */
  readonly ticketKey?: string
  /** The body of `/metrics`, with its content type. */
  readonly metrics?: () => Promise<{ readonly type: string; readonly body: string }>
  /** Called for each new call that is refused. */
  readonly refused?: (why: CallRefusal) => void
  readonly logger?: Logger
  /** How many sessions there are. */
  readonly count: () => number
  readonly answer: (line: Line & { readonly answered: boolean }, call: NewCallInfo) => Promise<void>
}
