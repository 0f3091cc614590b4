import type { BaseLine } from '../../src/lines/base-line.ts'
import { RtviCalls, type RtviCallsOptions } from '../../src/lines/rtvi-websocket/index.ts'
import { WebRtcCalls } from '../../src/lines/webrtc/index.ts'
import type { StartAnswer } from '../../src/lines/rtvi/start-endpoint.ts'
import { dataChannel, type Carrier } from './rtvi-client.ts'
import { dialRtvi, localPage } from './rtvi-fixture.ts'
import type { RealServer } from './real-wires.ts'
import type { Dial } from './sim-wires.ts'

/** A line for RTVI clients. */
export interface ClientLine {
  /** Starts a call. Returns the path that its client connects to. */
  start(): Promise<string>
  readonly dial: Dial
  readonly upgrade: RealServer['upgrade']
  /** How its clients are reached. Default: by WebSocket. */
  readonly carrier?: Carrier
}

export interface ClientLineOptions extends Pick<
  RtviCallsOptions,
  'scope' | 'secret' | 'lostTimeout' | 'maxRate'
> {
  readonly onCall: (line: BaseLine) => unknown
}

export type MakeClientLine = (options: ClientLineOptions) => ClientLine

export const rtviLine: MakeClientLine = (options) => {
  const calls = new RtviCalls(options)
  return {
    start: async () => {
      const { token } = connectionOf(await calls.start({ headers: localPage.headers, data: undefined }))
      return `/rtvi?token=${encodeURIComponent(token as string)}`
    },
    dial: dialRtvi(() => calls),
    upgrade: (...upgrade) => calls.upgrade(...upgrade),
  }
}

/** Its peers are simulated: there is no thread, and a client connects as soon as its offer is admitted. */
export const webRtcLine: MakeClientLine = (options) => {
  const calls = new WebRtcCalls(options)
  return {
    start: async () => {
      const connection = connectionOf(await calls.start({ headers: localPage.headers, data: undefined }))
      const { pathname, search } = new URL(
        (connection['webrtcRequestParams'] as { endpoint: string }).endpoint,
      )
      return `${pathname}${search}`
    },
    dial: dialWebRtc(() => calls),
    upgrade: () => {
      throw new Error('WebRTC has no upgrade')
    },
    carrier: dataChannel,
  }
}

/** Offers, and connects at once. */
export const dialWebRtc =
  (calls: () => WebRtcCalls): Dial =>
  (address) => {
    const token = new URL(address).searchParams.get('token') ?? ''
    const admitted = calls().admit({ pcId: undefined, data: undefined }, { token })
    if (typeof admitted === 'string') return { code: 1006, reason: admitted }
    return { accept: (peer) => calls().take(peer, { ...admitted, ...localPage }) }
  }

function connectionOf(answer: StartAnswer): Readonly<Record<string, unknown>> {
  if ('refused' in answer) throw new Error(answer.refused)
  return answer.connection as Readonly<Record<string, unknown>>
}
