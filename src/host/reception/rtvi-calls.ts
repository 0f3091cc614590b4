import { clientFields, isOwnPage } from '../../lines/index.ts'
import {
  RtviCalls,
  type RtviCallInfo,
  type RtviCallsOptions,
  type RtviLine,
} from '../../lines/rtvi-websocket/index.ts'
import {
  WebRtcCalls,
  type OtherProcesses,
  type WebRtcCallsOptions,
  type WebRtcLine,
} from '../../lines/webrtc/index.ts'
import type { CallInfo } from '../agent-file.ts'
import { hopsOf, relayRead } from '../fleet/relay.ts'
import { limits } from '../supervisor/limits.ts'
import { traceparentOf } from '../watch/traceparent.ts'
import type { EntranceOptions } from './entrance-options.ts'
import type { Neighbours } from './neighbours.ts'

/** How long another process may take to answer an offer, in milliseconds: it may have to start a thread. */
const PASS_TIMEOUT = 10_000

/** Maximum number of parameters of a call. */
const MAX_PARAMETERS = 50

/** Takes calls of RTVI clients over WebSockets for a host. `shared` are the options of all its lines. */
export function rtviCallsOf(
  options: EntranceOptions,
  shared: Omit<RtviCallsOptions, 'onCall'>,
  webrtc: WebRtcCalls | undefined,
): RtviCalls {
  return new RtviCalls({
    ...shared,
    ...(webrtc ? { webrtc } : {}),
    ...clientOptions(options),
    ...options.rtvi,
    onCall: answerWith(options, 'rtvi'),
  })
}

/** Takes calls of RTVI clients over WebRTC. Undefined if the host does not take such calls. */
export function webRtcCallsOf(
  options: EntranceOptions,
  shared: Omit<WebRtcCallsOptions, 'onCall'>,
): WebRtcCalls | undefined {
  const { webrtc, rtvi: { tools = 'hidden' } = {} } = options
  if (!webrtc) return undefined
  return new WebRtcCalls({
    ...shared,
    ...clientOptions(options),
    ...(options.neighbours ? { otherProcesses: otherProcesses(options.neighbours) } : {}),
    ...webrtc,
    tools,
    onCall: answerWith(options, 'webrtc'),
  })
}

/** The other processes of this host. What they have to answer comes over HTTP, as from a client. */
function otherProcesses(neighbours: Neighbours): OtherProcesses {
  return {
    own: neighbours.own,
    passOn: async (request, process) => {
      if (hopsOf(request) >= limits.hops) return undefined
      const address = await neighbours.addressOf(process)
      return address === undefined ? undefined : await relayRead(request, address, PASS_TIMEOUT)
    },
  }
}

type SharedByClients = 'secret' | 'publicUrl' | 'tokenKey' | 'hasRoomElsewhere'

function clientOptions(options: EntranceOptions): Pick<RtviCallsOptions, SharedByClients> {
  const { secret, phone, ticketKey, neighbours } = options
  return {
    // Without a secret, only this machine may call: not by the public address, which a proxy serves.
    ...(secret === undefined ? {} : { secret, publicUrl: phone?.publicUrl }),
    ...(ticketKey === undefined ? {} : { tokenKey: ticketKey }),
    ...(neighbours ? { hasRoomElsewhere: () => neighbours.hasRoom() } : {}),
  }
}

/** Who calls, for the list of calls. */
const callers = { rtvi: 'RTVI client over WebSocket', webrtc: 'RTVI client over WebRTC' } as const

/** A client cannot come back, so there is nothing for another process to resume. */
function answerWith(
  { answer }: EntranceOptions,
  kind: keyof typeof callers,
): (line: RtviLine | WebRtcLine, info: RtviCallInfo) => unknown {
  return (line, { id, data, headers }) => {
    const trace = traceparentOf(headers)
    return answer(line, {
      id,
      line: kind,
      from: isOwnPage(data) ? 'browser over WebRTC' : callers[kind],
      info: { id, line: kind, direction: 'inbound', parameters: parametersOf(data) },
      ...(trace === undefined ? {} : { trace }),
    })
  }
}

/**
 * The strings, numbers and booleans of the client's `requestData`, and of its `body`, where Pipecat's own server looks for them. What
 * says which client it is is not for the agent.
 */
function parametersOf(data: unknown): CallInfo['parameters'] {
  const { body } = (data ?? {}) as { body?: unknown }
  const own = entriesOf(data).filter(([name]) => !clientFields.has(name))
  const plain = [...own, ...entriesOf(body)].filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  )
  return Object.fromEntries(plain.slice(0, MAX_PARAMETERS).map(([name, value]) => [name, String(value)]))
}

function entriesOf(value: unknown): [name: string, value: unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}
