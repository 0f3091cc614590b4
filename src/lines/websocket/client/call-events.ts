import type { CallEnd } from './wire.ts'

export type CallState = 'idle' | 'connecting' | 'live' | 'rejoining' | 'ended'

/**
 * What can go wrong, for programs. Refusals of the server have its codes: `TOKEN_EXPIRED`, `BUSY`, `CALL_GONE`, …
 *
 * - `MICROPHONE_DENIED`, `MICROPHONE_MISSING`, `MICROPHONE_FAILED`: the call goes on, by typing
 * - `SOUND_BLOCKED`: the browser wants a click first; the next one on the page is taken for it
 * - `SOUND_FAILED`: the call goes on without sound
 * - `TOKEN_FAILED`: the function that fetches the token threw; there is no call
 * - `SERVER_GONE`: the server cannot be reached, or not any more; the call is over
 */
export type CallErrorCode =
  | 'MICROPHONE_DENIED'
  | 'MICROPHONE_MISSING'
  | 'MICROPHONE_FAILED'
  | 'SOUND_BLOCKED'
  | 'SOUND_FAILED'
  | 'TOKEN_FAILED'
  | 'SERVER_GONE'
  | (string & {})

export interface CallEvents {
  state: CallState
  /** How loud the microphone is: 0 to 1, ten times a second. */
  level: number
  /** Whether sound of the other side comes out. */
  speaking: boolean
  /** The connection was cut; the call comes back within so many milliseconds, or is lost. */
  rejoining: { readonly within: number }
  /** Comes once, last. */
  ended: CallEnd
  error: { readonly code: CallErrorCode; readonly cause?: unknown }
}

type Listener<Data> = (data: Data) => unknown

/** Tells listeners. One that throws disturbs nobody: its error goes to where the page sees its others. */
export class CallEmitter {
  readonly #listeners = new Map<keyof CallEvents, Set<Listener<never>>>()

  /** Returns the way to stop listening. */
  on<Name extends keyof CallEvents>(name: Name, listener: Listener<CallEvents[Name]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    // Wrapped, so that the same function can listen twice and stop once.
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
