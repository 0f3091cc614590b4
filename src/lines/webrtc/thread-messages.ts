import type { IceServer } from '../webrtc-options.ts'

/** A candidate of the far end, as clients send it. An empty text means that there are no more. */
export interface IceCandidate {
  readonly candidate: string
  readonly sdpMid?: string
  readonly sdpMLineIndex?: number
}

/** How a connection reaches the network. */
export interface NetworkSettings {
  /** Addresses to offer to the far end. */
  readonly addresses: readonly string[]
  /** UDP ports to use, from the first to the last. Undefined: any. */
  readonly ports: readonly [number, number] | undefined
  /** Servers that tell this end its public address, or relay for it. */
  readonly iceServers: readonly IceServer[]
}

/** To the thread that has the connections. `peer` numbers them. */
export type ToThread = { readonly peer: number } & (
  | { readonly type: 'open'; readonly offer: string; readonly network: NetworkSettings }
  | { readonly type: 'candidates'; readonly candidates: readonly IceCandidate[] }
  | { readonly type: 'text'; readonly text: string }
  /** Sound to play next: 24 kHz. */
  | { readonly type: 'sound'; readonly samples: Int16Array }
  | { readonly type: 'close' }
  /** The thread exits, with all of its connections. */
  | { readonly type: 'exit' }
)

/** From the thread. */
export type FromThread = { readonly peer: number } & (
  | { readonly type: 'answer'; readonly sdp: string }
  /** The data channel is open. */
  | { readonly type: 'connected' }
  | { readonly type: 'text'; readonly text: string }
  /** Sound of the caller: 16 kHz. */
  | { readonly type: 'sound'; readonly samples: Int16Array }
  /** How long sound takes to reach the client, in milliseconds, by its latest report. */
  | { readonly type: 'delay'; readonly ms: number }
  /** Something failed that no peer can be blamed for. */
  | { readonly type: 'trouble'; readonly message: string }
  /** The last message about a peer: nothing of it is left. `invalid`: its offer cannot be answered. */
  | { readonly type: 'gone'; readonly how: 'invalid' | 'closed' | 'dropped'; readonly reason: string }
)

/** What a message to the thread has besides the number of its peer. */
export type ThreadRequest = ToThread extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'peer'>
    : never
  : never
