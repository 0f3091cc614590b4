import {
  Call,
  type CallEnd,
  type CallErrorCode,
  type CallOptions,
  type CallState,
  type Transcript,
} from '../lines/websocket/client/index.ts'
import { errorText } from './texts.ts'

/** A problem with a call. Without a microphone, the call continues and the caller can type. */
export interface CallError {
  readonly code: CallErrorCode
  /** English, for the caller. Use `code` for another language. */
  readonly message: string
}

/** What a component shows of the current call, or of the last one. Immutable. */
export interface CallSnapshot {
  readonly state: CallState
  /** Names the call; the server's line has the same id. Undefined until the call is answered. */
  readonly id: string | undefined
  readonly muted: boolean
  /** Whether the agent's sound is playing. */
  readonly speaking: boolean
  /** What was said so far. The agent's words are in it once they were heard. */
  readonly transcript: Transcript
  /** The last problem with the call. */
  readonly error: CallError | undefined
  /** Why the call ended. */
  readonly end: CallEnd | undefined
  /** The call itself, to draw its sound, change its devices or set its volume. */
  readonly call: Call | undefined
}

const idle: CallSnapshot = {
  state: 'idle',
  id: undefined,
  muted: false,
  speaking: false,
  transcript: { entries: [], interim: '' },
  error: undefined,
  end: undefined,
  call: undefined,
}

/**
 * The calls of one component: at most one at a time, and none once the component is gone (UI1, UI2). It knows nothing of
 * React but the two functions that `useSyncExternalStore` takes.
 */
export class CallStore {
  /** The options of the next call. */
  options: CallOptions
  readonly #make: (options: CallOptions) => Call
  readonly #listeners = new Set<() => void>()
  #snapshot = idle
  #muted = false
  #mounts = 0

  constructor(options: CallOptions, make: (options: CallOptions) => Call = (own) => new Call(own)) {
    this.options = options
    this.#make = make
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): CallSnapshot => this.#snapshot

  /** The component has mounted. Returns the function to call when it unmounts. */
  readonly mount = (): (() => void) => {
    this.#mounts++
    // A page that is left ends its call, instead of leaving the server to find out.
    addEventListener('pagehide', this.hangUp)
    return () => {
      this.#mounts--
      removeEventListener('pagehide', this.hangUp)
      // In strict mode, and when code is reloaded, React mounts the component again before the microtasks run.
      queueMicrotask(() => {
        if (this.#mounts === 0) this.hangUp()
      })
    }
  }

  readonly connect = async (): Promise<CallState> => {
    const { call: current } = this.#snapshot
    if (this.#mounts === 0) return 'ended'
    if (current && current.state !== 'ended') return current.state
    const call = this.#make(this.options)
    if (this.#muted) call.mute()
    this.#snapshot = { ...idle, call, muted: this.#muted }
    call.on('state', (state) => this.#update({ state, id: call.id }))
    call.on('speaking', (speaking) => this.#update({ speaking }))
    call.on('transcript', (transcript) => this.#update({ transcript }))
    call.on('error', ({ code }) => this.#update({ error: { code, message: errorText(code) } }))
    call.on('ended', (end) => this.#update({ end, speaking: false }))
    return await call.connect()
  }

  readonly hangUp = (): void => {
    if (this.#snapshot.state !== 'ended') this.#snapshot.call?.hangUp()
  }

  readonly mute = (): void => this.#mute(true)

  readonly unmute = (): void => this.#mute(false)

  readonly sendText = (text: string): void => this.#snapshot.call?.sendText(text)

  readonly press = (digits: string): void => this.#snapshot.call?.press(digits)

  #mute(muted: boolean): void {
    const { call } = this.#snapshot
    this.#muted = muted
    if (muted) call?.mute()
    else call?.unmute()
    this.#update({ muted })
  }

  #update(change: Partial<CallSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change }
    for (const listener of this.#listeners) listener()
  }
}

/** What a server renders: no call. */
export const serverSnapshot = (): CallSnapshot => idle
