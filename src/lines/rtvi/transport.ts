/** What the request that starts a call says about its client. Except for `library`, Pipecat's own server reads it, too. */
export interface ClientRequest {
  /** `endwell` if the client is our own. */
  readonly library?: unknown
  readonly transport?: unknown
  readonly enableDefaultIceServers?: unknown
  readonly createDailyRoom?: unknown
}

/** The fields of a request that are not for the agent. */
export const clientFields: ReadonlySet<string> = new Set<keyof ClientRequest>([
  'library',
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
  const { transport, enableDefaultIceServers, createDailyRoom } = (data ?? {}) as ClientRequest
  const named = transports.get(transport)
  if (named) return named
  if (createDailyRoom === true) return 'other'
  return enableDefaultIceServers === undefined ? undefined : 'webrtc'
}

/** Whether the client is our own page. */
export function isOwnPage(data: unknown): boolean {
  return ((data ?? {}) as ClientRequest).library === 'endwell'
}
