/** What Pipecat's own server reads in the request that starts a call. The agent gets everything else. */
export interface TransportRequest {
  readonly transport?: unknown
  readonly enableDefaultIceServers?: unknown
  readonly createDailyRoom?: unknown
}

/** The fields of a request that choose a transport. */
export const transportFields: ReadonlySet<string> = new Set<keyof TransportRequest>([
  'transport',
  'enableDefaultIceServers',
  'createDailyRoom',
])

/** The transports of Pipecat's clients, by their names in requests and in Voice UI Kit. */
const transports: ReadonlyMap<unknown, Transport> = new Map<unknown, Transport>([
  ['websocket', 'websocket'],
  ['webrtc', 'webrtc'],
  ['smallwebrtc', 'webrtc'],
  ['daily', 'other'],
  ['livekit', 'other'],
])

export type Transport = 'websocket' | 'webrtc' | 'other'

/** The transport of a client, as far as the data of its request tell. Undefined if they do not. */
export function transportOf(data: unknown): Transport | undefined {
  const { transport, enableDefaultIceServers, createDailyRoom } = (data ?? {}) as TransportRequest
  const named = transports.get(transport)
  if (named) return named
  if (createDailyRoom === true) return 'other'
  return enableDefaultIceServers === undefined ? undefined : 'webrtc'
}
