import type { ErrorCode } from '../../../scope/index.ts'
import type { Transcript } from './transcript.ts'
import type { CallEnd } from './wire.ts'

export type CallState = 'idle' | 'connecting' | 'live' | 'rejoining' | 'ended'

/**
 * Error codes. If the server refuses the call, the code is the server's: `TOKEN_EXPIRED`, `BUSY`, …
 *
 * - `MICROPHONE_DENIED`, `MICROPHONE_MISSING`, `MICROPHONE_FAILED`: the call continues, and the user can type
 * - `SOUND_BLOCKED`: the browser wants a click first; the next click on the page unblocks the sound
 * - `SOUND_FAILED`: the call continues without sound
 * - `TOKEN_FAILED`: the function that fetches the token threw; the call ends
 * - `WEBRTC_FAILED`: the call uses its WebSocket instead
 * - `SERVER_GONE`: the server cannot be reached, or no longer responds; the call ends
 */
export type CallErrorCode = ErrorCode | (string & {})

export interface CallEvents {
  state: CallState
  /** Level of the microphone, 0 to 1. Ten times per second. */
  level: number
  /** Whether the agent's sound is playing. */
  speaking: boolean
  /** The transcript of the call has changed. */
  transcript: Transcript
  /** The connection was cut. The call resumes within this many milliseconds, or is lost. */
  rejoining: { readonly within: number }
  /** Emitted once, last. */
  ended: CallEnd
  error: { readonly code: CallErrorCode; readonly cause?: unknown }
}

type Listener<Data> = (data: Data) => unknown

/** Emits events. A listener that throws affects no other: its error is reported like any uncaught error of the page. */
export class CallEmitter {
  readonly #listeners = new Map<keyof CallEvents, Set<Listener<never>>>()

  /** Returns an unsubscribe function. */
  on<Name extends keyof CallEvents>(name: Name, listener: Listener<CallEvents[Name]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    // Wrapped, so that the same function can be subscribed twice and unsubscribed once.
    const own: Listener<CallEvents[Name]> = (data) => listener(data)
    listeners.add(own)
    return () => void listeners.delete(own)
  }

  emit<Name extends keyof CallEvents>(name: Name, data: CallEvents[Name]): void {
    const listeners = (this.#listeners.get(name) ?? []) as Iterable<Listener<CallEvents[Name]>>
    for (const listener of listeners) {
      try {
        listener(data)
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
