import { signal } from '@preact/signals'
import type { CallClient, CallEvents, CallPlace, Calls, CallState, CallTrouble } from './call-client.ts'
import { LiveSession } from './live-session.ts'

/** The telephone of the page: one call at a time, and the session at its other end. */
export class Phone {
  readonly state = signal<CallState>('idle')
  readonly muted = signal(false)
  /** How loud the microphone is, from 0 to 1. */
  readonly level = signal(0)
  readonly trouble = signal<{ readonly what: CallTrouble; readonly detail?: string } | undefined>(undefined)
  readonly session = signal<LiveSession | undefined>(undefined)
  readonly #calls: Calls
  #call: CallClient | undefined

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Whether this page was in a call when it was loaded anew. */
  get canRejoin(): boolean {
    return this.#calls.canRejoin()
  }

  async call(where: CallPlace, { rejoin = false } = {}): Promise<void> {
    if (this.#call) return
    this.session.value?.stop()
    this.session.value = undefined
    this.trouble.value = undefined
    this.muted.value = false
    this.state.value = 'connecting'
    let call: CallClient | undefined
    // What comes from a call that is not the current one any more is nobody's business.
    const own =
      <Args extends unknown[]>(tell: (...args: Args) => void) =>
      (...args: Args): void => {
        if (this.#call === call) tell(...args)
      }
    const events: CallEvents = {
      state: own((state) => this.#became(state)),
      session: own((id) => this.#answered(id)),
      level: own((level) => {
        this.level.value = level
      }),
      trouble: own((what, detail) => {
        this.trouble.value = what && { what, ...(detail === undefined ? {} : { detail }) }
      }),
    }
    call = this.#calls.make(events, where, rejoin)
    this.#call = call
    await call.connect()
  }

  hangUp(): void {
    this.#call?.hangUp()
  }

  mute(on: boolean): void {
    this.muted.value = on
    this.#call?.mute(on)
  }

  say(text: string): void {
    this.#call?.sendText(text)
  }

  press(key: string): void {
    this.#call?.press(key)
  }

  unblock(): void {
    this.#call?.unblock().catch(() => {})
  }

  #became(state: CallState): void {
    this.state.value = state
    if (state !== 'ended' && state !== 'idle') return
    this.#call = undefined
    this.level.value = 0
  }

  #answered(id: string): void {
    if (this.session.value?.id === id) return
    this.session.value?.stop()
    this.session.value = new LiveSession(id)
  }
}
