/** How a call stands, as the page shows it. */
export type CallState = 'idle' | 'connecting' | 'live' | 'rejoining' | 'ended'

/**
 * What can be in the way of a call. With a microphone that is denied or missing one can still type; sound that is
 * blocked comes with the next click.
 */
export type CallTrouble =
  | 'microphone-denied'
  | 'microphone-missing'
  | 'microphone-failed'
  | 'sound-blocked'
  | 'sound-failed'
  | 'refused'
  | 'replaced'
  | 'unanswered'
  | 'unreachable'
  | 'lost'

export interface CallEvents {
  state(state: CallState): void
  /** The session on the other side. */
  session(id: string): void
  /** How loud the microphone is, from 0 to 1. */
  level(level: number): void
  /** Undefined when it is over. */
  trouble(trouble: CallTrouble | undefined, detail?: string): void
}

/** A call from this page: what the page needs of a line's client. */
export interface CallClient {
  /** Resolves when somebody has answered, or it is clear that nobody will: events tell which. */
  connect(): Promise<void>
  mute(on: boolean): void
  hangUp(): void
  sendText(text: string): void
  press(key: string): void
  /** Tries again to let sound out: to be called from a click. */
  unblock(): Promise<void>
}

/** Where the host takes calls, and how to be let in. */
export interface CallPlace {
  readonly url: string
  readonly token?: () => Promise<string>
}

/** Makes calls. */
export interface Calls {
  /** Whether this page was in a call when it was loaded anew. */
  canRejoin(): boolean
  /** A call that `rejoin`s goes back into that one, and is over without a word if it is. */
  make(events: CallEvents, where: CallPlace, rejoin: boolean): CallClient
}
