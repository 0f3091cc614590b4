/** The state of the page's call. */
export type CallState = 'idle' | 'connecting' | 'live' | 'rejoining' | 'ended'

/**
 * A problem with the call. Without a microphone the user can still type; blocked sound starts after the next click on
 * the page.
 */
export type CallTrouble =
  | 'microphone-denied'
  | 'microphone-missing'
  | 'microphone-failed'
  | 'sound-blocked'
  | 'sound-failed'
  | 'webrtc-failed'
  | 'refused'
  | 'busy'
  | 'gone'
  | 'replaced'
  | 'unanswered'
  | 'unreachable'
  | 'lost'

export type Transport = 'websocket' | 'webrtc'

export interface CallEvents {
  state(state: CallState): void
  /** The id of the session that took the call. */
  session(id: string): void
  /** What carries the call. */
  transport(name: Transport): void
  /** The level of the microphone, from 0 to 1. */
  level(level: number): void
  /** The level of the agent's sound, from 0 to 1. */
  agentLevel(level: number): void
  /** Undefined once the problem is solved. */
  trouble(trouble: CallTrouble | undefined, detail?: string): void
}

/** A call from this page: what the page uses of a line's client. */
export interface CallClient {
  /** Resolves once the call was answered or has failed. The events tell which. */
  connect(): Promise<void>
  mute(on: boolean): void
  hangUp(): void
  sendText(text: string): void
  press(key: string): void
  /** From 0 to 1. */
  setVolume(volume: number): void
  /** Changes the devices of the call. */
  useDevices(devices: Devices): Promise<void>
  /** Starts blocked sound. Must be called from a click. */
  unblock(): Promise<void>
}

/** The ids of the devices to use. Without one, the browser's default. */
export interface Devices {
  readonly microphone?: string | undefined
  readonly speaker?: string | undefined
}

/** The address of the host's line, and a way to get a token for it. */
export interface CallPlace {
  readonly url: string
  /** Where calls over WebRTC are started, if the host takes them. */
  readonly webrtc?: string | undefined
  readonly token?: () => Promise<string>
}

/** Makes calls. */
export interface Calls {
  /** Whether this page was in a call before it was reloaded. */
  canRejoin(): boolean
  /** With `rejoin`, the call returns to the one before the reload. It becomes `idle` if that one has ended. */
  make(events: CallEvents, where: CallPlace, devices: Devices, rejoin: boolean): CallClient
}
