import { computed, signal } from '@preact/signals'
import { LiveSession } from '../live/live-session.ts'
import type {
  CallClient,
  CallEvents,
  CallPlace,
  Calls,
  CallState,
  CallTrouble,
  Devices,
  Transport,
} from './call-client.ts'
import { storedSettings, storeSettings } from './phone-settings.ts'

/** The page's telephone: one call at a time, and the session that took it. */
export class Phone {
  readonly state = signal<CallState>('idle')
  readonly inCall = computed(() => this.state.value !== 'idle' && this.state.value !== 'ended')
  readonly muted = signal(false)
  /** The level of the microphone, from 0 to 1. */
  readonly level = signal(0)
  /** The level of the agent's sound, from 0 to 1. */
  readonly agentLevel = signal(0)
  /** Whether the microphone is only on while the caller holds a key or a button. */
  readonly pushToTalk = signal(storedSettings().pushToTalk === true)
  readonly volume = signal(storedSettings().volume ?? 1)
  readonly devices = signal<Devices>(storedSettings().devices ?? {})
  /** What carries the current or the last call. */
  readonly transport = signal<Transport | undefined>(undefined)
  readonly trouble = signal<{ readonly what: CallTrouble; readonly detail?: string } | undefined>(undefined)
  /** The session of the current call or, between calls, of the last one. */
  readonly session = signal<LiveSession | undefined>(undefined)
  /** When the last call ended on this side, by the clock of its session. */
  readonly endedAt = signal<number | undefined>(undefined)
  readonly #calls: Calls
  #call: CallClient | undefined

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Whether this page was in a call before it was reloaded. */
  get canRejoin(): boolean {
    return this.#calls.canRejoin()
  }

  async call(where: CallPlace, { rejoin = false } = {}): Promise<void> {
    if (this.#call) return
    this.session.value?.stop()
    this.session.value = undefined
    this.endedAt.value = undefined
    this.trouble.value = undefined
    this.transport.value = undefined
    this.muted.value = this.pushToTalk.value
    this.state.value = 'connecting'
    let call: CallClient | undefined
    // Ignores events of a call that is no longer the current one.
    const own =
      <Args extends unknown[]>(handle: (...args: Args) => void) =>
      (...args: Args): void => {
        if (this.#call === call) handle(...args)
      }
    const events: CallEvents = {
      state: own((state) => this.#stateChanged(state)),
      session: own((id) => this.#answered(id)),
      transport: own((name) => {
        this.transport.value = name
      }),
      level: own((level) => {
        this.level.value = level
      }),
      agentLevel: own((level) => {
        this.agentLevel.value = level
      }),
      trouble: own((what, detail) => {
        this.trouble.value = what && { what, ...(detail === undefined ? {} : { detail }) }
      }),
    }
    call = this.#calls.make(events, where, this.devices.value, rejoin)
    this.#call = call
    call.setVolume(this.volume.value)
    if (this.muted.value) call.mute(true)
    await call.connect()
  }

  hangUp(): void {
    this.#call?.hangUp()
  }

  mute(on: boolean): void {
    this.muted.value = on
    this.#call?.mute(on)
  }

  setPushToTalk(on: boolean): void {
    this.pushToTalk.value = on
    if (this.inCall.value) this.mute(on)
    this.#store()
  }

  setVolume(volume: number): void {
    this.volume.value = volume
    this.#call?.setVolume(volume)
    this.#store()
  }

  useDevices(devices: Devices): void {
    this.devices.value = devices
    this.#call?.useDevices(devices).catch(() => {})
    this.#store()
  }

  #store(): void {
    storeSettings({
      pushToTalk: this.pushToTalk.value,
      volume: this.volume.value,
      devices: this.devices.value,
    })
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

  #stateChanged(state: CallState): void {
    this.state.value = state
    if (this.inCall.value) return
    this.#call = undefined
    this.endedAt.value = this.session.value?.now
    this.level.value = 0
    this.agentLevel.value = 0
  }

  #answered(id: string): void {
    if (this.session.value?.id === id) return
    this.session.value?.stop()
    this.session.value = new LiveSession(id)
  }
}
