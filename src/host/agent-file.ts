import type { RtviOptions } from '../lines/rtvi-websocket/index.ts'
import type { WebRtcOptions } from '../lines/webrtc/index.ts'
import type { Agent, Models, SessionOptions } from '../session/index.ts'
import type { AfterCallHandlers } from './work/index.ts'

/**
 * The default export of an agent file: the agent that answers calls, and its models.
 *
 * ```ts
 * export default {
 *   name: 'Bright Dental',
 *   agent: () => new Agent({ instructions: 'You answer the phone for Bright Dental.' }),
 *   models: () => ({ realtime: new OpenAIRealtime() }),
 * } satisfies AgentFile
 * ```
 */
export interface AgentFile {
  /** The name shown on the page. */
  readonly name: string
  /**
   * The agent that answers. A function is called once per call: it may choose the agent by the number that was dialled. It is also
   * called before the first call, to find mistakes early, with a call of the line `none`.
   */
  readonly agent: Agent | ((call: CallInfo) => Agent)
  /** Creates the models. Called once per call. */
  readonly models: () => Models
  /** Example sentences shown on the page, for models that understand only these. */
  readonly phrases?: readonly string[]
  /** What RTVI clients may see: see `RtviOptions`. Default: nothing about tools but that they run. */
  readonly rtvi?: RtviOptions
  /** Takes calls over WebRTC, too, which needs the packages `werift` and `opusscript`. `{}` is enough: see `WebRtcOptions`. Default: no. */
  readonly webrtc?: WebRtcOptions
  /** Further options of the session. A function is called for each call, for example to name a recording. */
  readonly session?: CallOptions | ((call: CallPart) => CallOptions)
  /**
   * Work after each call, by name: `{ saveTranscript(report, { key }) { … }, crm: webhook({ … }) }`. The host runs it in a
   * process of its own, at least once, also after a crash (HO2). Keep the names: the journal has nothing else.
   */
  readonly afterCall?: AfterCallHandlers
  /** How long an attempt at after-call work may take. Default: 60 s. */
  readonly afterCallTimeout?: number
}

/** What is known about a call before it is answered (HO44). */
export interface CallInfo {
  readonly id: string
  /** The kind of line: `phone`, `browser`, `rtvi`, `webrtc`. */
  readonly line: string
  /** Whether we have called. Then `from` is our own number, and `to` that of the person. */
  readonly direction: 'inbound' | 'outbound'
  /** The number of the caller, on the phone. */
  readonly from?: string
  /** The number that was called, on the phone. */
  readonly to?: string
  /**
   * What a call out was dialled with, or the query of the webhook at your carrier: `/phone/answer?department=sales`. For RTVI clients,
   * the plain values of their `requestData`, as the client chose them.
   */
  readonly parameters: Readonly<Record<string, string>>
}

/** Stands for the calls to come, before the first one. */
const noCall: CallInfo = { id: 'none', line: 'none', direction: 'inbound', parameters: {} }

/** The agent for a call. Without a call: for a look at the agent. */
export function agentFor({ agent }: Pick<AgentFile, 'agent'>, call: CallInfo = noCall): Agent {
  return typeof agent === 'function' ? agent(call) : agent
}

export interface CallPart {
  readonly id: string
  /** 1, and more each time that the call goes on in another process. */
  readonly part: number
}

export type CallOptions = Omit<SessionOptions, 'agent' | 'models' | 'line' | 'intercept' | 'id'>
