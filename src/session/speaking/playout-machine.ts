import { advance, changeTimers, type TimerCommand, type TimerEvent } from '../../scope/index.ts'

export type PlayoutTimer = 'stall' | `playout ${number}`

/** Events of the agent's speeches, which are identified by number. */
export type PlayoutEvent = { readonly at: number } & (
  | { readonly type: 'queue'; readonly id: number; readonly priority: number }
  /** The first sound of the current speech was sent. */
  | { readonly type: 'sounding'; readonly id: number }
  /** All of its sound was made, or the voice failed. `endsAt` is when it should have been heard. */
  | { readonly type: 'made'; readonly id: number; readonly failed: boolean; readonly endsAt: number }
  /** After a pause, everything made so far that was not heard has been sent again. */
  | { readonly type: 'sent-again'; readonly id: number; readonly endsAt: number }
  /** The line returned a mark: the last one of speech `id`, or an older one. `assumed`: by the time, not by a report. */
  | { readonly type: 'confirmed'; readonly id: number | undefined; readonly assumed?: boolean }
  | { readonly type: 'interrupt'; readonly id: number }
  /** The caller may be interrupting: silence the speech, but keep it (SP9). */
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** Whether to wait for the line even if it has failed to confirm before, because it is hung up afterwards. */
  | { readonly type: 'wait-for-line'; readonly wait: boolean }
  /** Whether the caller is with somebody else: no further speech begins until the caller is back. */
  | { readonly type: 'away'; readonly away: boolean }
  /** Closing: no further speech begins. */
  | { readonly type: 'mute' }
  /** Closing: nothing is audible from now on. */
  | { readonly type: 'silence' }
  /** `soundUntil` is when the current speech last made progress: sound made, or sound still to be heard. */
  | (TimerEvent<PlayoutTimer> & { readonly soundUntil: number })
)

export type PlayoutCommand =
  | TimerCommand<PlayoutTimer>
  /** Start to make and send its sound. */
  | { readonly type: 'deliver'; readonly id: number }
  /** Stop making its sound: because it `stalled`, or because it was interrupted. */
  | { readonly type: 'stop'; readonly id: number; readonly stalled: boolean }
  /** Send a mark after its last sound. */
  | { readonly type: 'finish'; readonly id: number }
  /** Clear the line's queue. If the speech was audible, send a mark that confirms when the sound has stopped. */
  | { readonly type: 'clear'; readonly id: number; readonly audible: boolean; readonly paused: boolean }
  /** Send everything that was not heard before the pause again, and answer with `sent-again`. */
  | { readonly type: 'send-again'; readonly id: number }
  /** The speech has ended. `confirmed` if the line confirmed it, or nothing was audible. */
  | {
      readonly type: 'end'
      readonly id: number
      readonly how: 'played' | 'interrupted' | 'failed'
      readonly confirmed: boolean
    }

export interface PlayoutSettings {
  /** How long to wait for the line to confirm that a sound has stopped (SP3). */
  readonly playoutTimeout: number
  /** A speech fails after this long without progress: no sound on the line and none made. */
  readonly stallTimeout: number
  /** Whether a speech may be paused. */
  readonly pauses: boolean
}

/** A speech whose sound is being made, sent or stopped. */
interface Playing {
  readonly id: number
  phase: 'delivering' | 'sent' | 'cut' | 'ended'
  /** Whether some of its sound has been sent. */
  audible: boolean
  paused: boolean
  /** Whether all of its sound has been made, and when it should have been heard. */
  made: boolean
  endsAt: number
  failed: boolean
  /** When it fails, unless it makes progress before. */
  stallAt: number | undefined
  /** When the line must have confirmed its end, and whether that includes `playoutTimeout`. */
  confirmBy: number | undefined
  patient: boolean
  confirmed: boolean
}

/** The whole state of a playout machine, as plain data. */
export interface PlayoutState {
  now: number
  timers: Partial<Record<PlayoutTimer, number | undefined>>
  /** In speaking order. */
  queue: { readonly id: number; readonly priority: number }[]
  current: Playing | undefined
  /** Interrupted speeches that may be audible for a while longer. */
  stopping: Playing[]
  muted: boolean
  /** Whether the caller is with somebody else. */
  away: boolean
  /** Whether the line has confirmed lately. A line that failed to is not waited for until it confirms again (SP5). */
  confirms: boolean
  waitForLine: boolean
}

const newState = (): PlayoutState => ({
  now: 0,
  timers: {},
  queue: [],
  current: undefined,
  stopping: [],
  muted: false,
  away: false,
  confirms: true,
  waitForLine: false,
})

/**
 * Plays one speech after the other, and decides when each has ended. A pure machine: an event goes in, commands come out.
 *
 *   queued ─▶ delivering ── made ──▶ sent, mark out ── mark back ──▶ ended: confirmed
 *      │       │ ▲   │ stalled: failed ──▲  │           └ playoutTimeout ─▶ ended: not confirmed
 *      │  pause│ │   │                      │
 *      │       ▼ │resume                    │
 *      │      paused                        │
 *      │         │                          │
 *      │         └──── interrupt ───────────┴──▶ cut: cleared, mark out ── mark back, or playoutTimeout ──▶ ended
 *      └─ interrupt ─▶ ended: nothing was heard
 *
 * An event changes the state. Then `#proceed` acts on the state, whatever event led to it.
 */
export class PlayoutMachine {
  readonly #settings: PlayoutSettings
  readonly #state: PlayoutState

  constructor(settings: PlayoutSettings, state = newState()) {
    this.#settings = settings
    this.#state = state
  }

  get state(): Readonly<PlayoutState> {
    return this.#state
  }

  /** The speech that is audible, or will be next. */
  get current(): number | undefined {
    return this.#state.current?.id
  }

  /** Whether the current speech is paused: its sound is kept, but not sent. */
  get isPaused(): boolean {
    return this.#state.current?.paused === true
  }

  /** Whether nothing is audible and the queue is empty. */
  get isIdle(): boolean {
    return !this.#state.current && this.#state.queue.length === 0
  }

  /** The queued speeches, the next one first. */
  get queue(): readonly number[] {
    return this.#state.queue.map(({ id }) => id)
  }

  handle(event: PlayoutEvent): PlayoutCommand[] {
    const state = this.#state
    if (!advance(state, event)) return []
    const commands = this.#take(event)
    this.#proceed(commands)
    const timers = new Map<PlayoutTimer, number>()
    const { current, stopping } = state
    if (current?.stallAt !== undefined) timers.set('stall', current.stallAt)
    for (const { id, confirmBy } of current ? [current, ...stopping] : stopping)
      if (confirmBy !== undefined) timers.set(`playout ${id}`, confirmBy)
    const changes = changeTimers(state, timers)
    this.#forgetTimers()
    return [...changes, ...commands]
  }

  /** Removes timers that are not set. Each speech has one of its own, so that a long call would collect them. */
  #forgetTimers(): void {
    const { timers } = this.#state
    for (const timer of Object.keys(timers) as PlayoutTimer[])
      if (timers[timer] === undefined) delete timers[timer]
  }

  /** Applies an event to the state. Returns the commands that come first. */
  #take(event: PlayoutEvent): PlayoutCommand[] {
    const state = this.#state
    const { current, queue, stopping } = state
    switch (event.type) {
      case 'queue': {
        const { id, priority } = event
        // Closing has ended every speech. A reply that ignores its signal may add another one, which nobody would end.
        if (state.muted) return [{ type: 'end', id, how: 'interrupted', confirmed: true }]
        const place = queue.findIndex((other) => other.priority < priority)
        queue.splice(place < 0 ? queue.length : place, 0, { id, priority })
        return []
      }
      case 'sounding':
        if (current?.id === event.id) current.audible = true
        return []
      case 'made':
        if (current?.id !== event.id || current.made) return []
        current.made = true
        current.endsAt = event.endsAt
        current.failed = event.failed
        current.stallAt = undefined
        return []
      case 'sent-again':
        if (current?.id === event.id) current.endsAt = event.endsAt
        return []
      case 'confirmed':
        state.confirms = true
        for (const playing of current && !current.paused ? [current, ...stopping] : stopping) {
          if (playing.id !== event.id) continue
          playing.phase = 'ended'
          playing.confirmed = event.assumed !== true
        }
        return []
      case 'interrupt':
        return this.#interrupt(event.id)
      case 'pause':
        if (!current || current.paused || state.muted || !this.#settings.pauses) return []
        current.paused = true
        current.phase = 'delivering'
        current.confirmBy = undefined
        return [{ type: 'clear', id: current.id, audible: current.audible, paused: true }]
      case 'resume':
        if (!current?.paused || state.muted) return []
        current.paused = false
        // Its end is expected again once the rest of its sound has been sent again.
        current.endsAt = Infinity
        return [{ type: 'send-again', id: current.id }]
      case 'wait-for-line':
        state.waitForLine = event.wait
        return []
      case 'away':
        state.away = event.away
        return []
      case 'mute':
        state.muted = true
        return []
      case 'silence':
        for (const playing of stopping) playing.phase = 'ended'
        return []
      case 'timer':
        break
    }
    return event.timer === 'stall' ? this.#stalled(event.soundUntil) : this.#unconfirmed(event.timer)
  }

  /** Ends finished speeches, requests a mark after the last sound of a speech, and begins the next speech. */
  #proceed(commands: PlayoutCommand[]): void {
    const state = this.#state
    const { current } = state
    for (const playing of state.stopping) {
      if (playing.phase !== 'ended') continue
      commands.push({ type: 'end', id: playing.id, how: 'interrupted', confirmed: playing.confirmed })
    }
    state.stopping = state.stopping.filter(({ phase }) => phase !== 'ended')
    if (current?.made && !current.paused && current.phase === 'delivering' && current.endsAt < Infinity) {
      // Without sound there is nothing to wait for.
      current.phase = current.audible ? 'sent' : 'ended'
      current.confirmed = !current.audible
      if (current.audible) commands.push({ type: 'finish', id: current.id })
    }
    // A line that does not confirm in time counts as silent: it must not mute the session (SP5).
    for (const playing of current ? [current, ...state.stopping] : state.stopping) {
      const { phase, confirmBy, endsAt } = playing
      if ((phase !== 'sent' && phase !== 'cut') || confirmBy !== undefined) continue
      playing.patient = state.confirms || state.waitForLine
      playing.confirmBy = Math.max(state.now, endsAt) + (playing.patient ? this.#settings.playoutTimeout : 0)
    }
    if (current?.phase === 'ended') {
      const { id, failed, confirmed } = current
      state.current = undefined
      commands.push({ type: 'end', id, how: failed ? 'failed' : 'played', confirmed })
    }
    if (state.current || state.muted || state.away || !state.queue[0]) return
    const { id } = state.queue.shift()!
    state.current = {
      id,
      phase: 'delivering',
      audible: false,
      paused: false,
      made: false,
      endsAt: 0,
      failed: false,
      stallAt: state.now + this.#settings.stallTimeout,
      confirmBy: undefined,
      patient: false,
      confirmed: false,
    }
    commands.push({ type: 'deliver', id })
  }

  #interrupt(id: number): PlayoutCommand[] {
    const state = this.#state
    const { current, queue } = state
    const place = queue.findIndex((each) => each.id === id)
    if (place >= 0) {
      queue.splice(place, 1)
      return [{ type: 'end', id, how: 'interrupted', confirmed: true }]
    }
    if (current?.id !== id) return []
    const { audible } = current
    state.current = undefined
    current.stallAt = undefined
    // A speech that was not audible has ended at once.
    current.phase = audible ? 'cut' : 'ended'
    current.confirmed = !audible
    current.endsAt = state.now
    current.confirmBy = undefined
    state.stopping.push(current)
    return [
      { type: 'stop', id, stalled: false },
      { type: 'clear', id, audible, paused: false },
    ]
  }

  #unconfirmed(timer: PlayoutTimer): PlayoutCommand[] {
    const state = this.#state
    const { current, stopping } = state
    for (const playing of current ? [current, ...stopping] : stopping) {
      if (timer !== `playout ${playing.id}`) continue
      // The session has begun to end since: wait for the line after all.
      if (!playing.patient && state.waitForLine) playing.confirmBy = undefined
      else {
        state.confirms = false
        playing.phase = 'ended'
      }
    }
    return []
  }

  /** One timer that checks again, rather than one per frame. A paused speech is not expected to make progress. */
  #stalled(soundUntil: number): PlayoutCommand[] {
    const { current, now } = this.#state
    if (!current || current.made) return []
    const since = current.paused ? now : soundUntil
    current.stallAt = since + this.#settings.stallTimeout
    if (current.stallAt > now) return []
    current.made = true
    current.endsAt = soundUntil
    current.failed = true
    current.stallAt = undefined
    return [{ type: 'stop', id: current.id, stalled: true }]
  }
}
