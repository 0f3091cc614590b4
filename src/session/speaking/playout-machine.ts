import { advance, changeTimers, type TimerCommand, type TimerEvent } from '../../scope/index.ts'

export type PlayoutTimer = 'stall' | `playout ${number}`

/** What happens to the agent's speeches. They are known by number. */
export type PlayoutEvent = { readonly at: number } & (
  | { readonly type: 'queue'; readonly id: number; readonly priority: number }
  /** The first sound of the current speech is on its way to the caller. */
  | { readonly type: 'sounding'; readonly id: number }
  /** All of its sound has been made, or the voice failed on the way. `endsAt` is when it should have been heard. */
  | { readonly type: 'made'; readonly id: number; readonly failed: boolean; readonly endsAt: number }
  /** What was not heard before a pause was sent again, as far as it was made. */
  | { readonly type: 'sent-again'; readonly id: number; readonly endsAt: number }
  /** The line returned a mark: the last one of speech `id`, or another one. */
  | { readonly type: 'confirmed'; readonly id: number | undefined }
  | { readonly type: 'interrupt'; readonly id: number }
  /** The caller may be interrupting: be silent, but ready to go on (SP9). */
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** Whether to wait for the line even if it failed to confirm before: it is hung up after what is said. */
  | { readonly type: 'wait-for-line'; readonly wait: boolean }
  /** Closing: no further speech begins. */
  | { readonly type: 'mute' }
  /** Closing: nothing is heard any more. */
  | { readonly type: 'silence' }
  /** `soundUntil` is when the current speech last moved: the latest of sound made and sound still to be heard. */
  | (TimerEvent<PlayoutTimer> & { readonly soundUntil: number })
)

export type PlayoutCommand =
  | TimerCommand<PlayoutTimer>
  /** Begin to make its sound and send it. */
  | { readonly type: 'deliver'; readonly id: number }
  /** Stop making its sound. `stalled` if it stood still for too long, and not because it was interrupted. */
  | { readonly type: 'stop'; readonly id: number; readonly stalled: boolean }
  /** Put a mark behind its last sound. */
  | { readonly type: 'finish'; readonly id: number }
  /** Throw away what the line has queued of it, with a mark that tells when it has stopped, if it was audible. */
  | { readonly type: 'clear'; readonly id: number; readonly audible: boolean; readonly paused: boolean }
  /** Send again what was not heard before the pause, and answer with `sent-again`. */
  | { readonly type: 'send-again'; readonly id: number }
  /** It has ended. `confirmed` if the line said so, or nothing was audible. */
  | {
      readonly type: 'end'
      readonly id: number
      readonly how: 'played' | 'interrupted' | 'failed'
      readonly confirmed: boolean
    }

export interface PlayoutSettings {
  /** How long a line may fail to confirm that a sound has stopped (SP3). */
  readonly playoutTimeout: number
  /** How long a speech may stand still, with no sound on the line and none made. Then it fails. */
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
  /** Whether all of its sound has been made, and when that should have been heard. */
  made: boolean
  endsAt: number
  failed: boolean
  /** When it stands still for too long, unless something moves before. */
  stallAt: number | undefined
  /** When the line must have confirmed its end; and whether that leaves the line any time. */
  confirmBy: number | undefined
  patient: boolean
  confirmed: boolean
}

interface State {
  now: number
  timers: Partial<Record<PlayoutTimer, number | undefined>>
  /** In the order of speaking. */
  queue: { readonly id: number; readonly priority: number }[]
  current: Playing | undefined
  /** Interrupted speeches whose sound may go on for a while. */
  stopping: Playing[]
  muted: boolean
  /** A line that failed to confirm is not waited for again, until it confirms (SP5). */
  confirms: boolean
  waitForLine: boolean
}

/**
 * Speaks one speech after the other, and decides when each has ended. A pure machine: an event goes in, commands come out.
 *
 *   queued ─▶ delivering ── made ──▶ sent, mark out ── mark back ──▶ ended: confirmed
 *      │       │ ▲   │ stalled: given up ▲  │           └ playoutTimeout ─▶ ended: not confirmed
 *      │  pause│ │   │                      │
 *      │       ▼ │resume                    │
 *      │      paused                        │
 *      │         │                          │
 *      │         └──── interrupt ───────────┴──▶ cut: cleared, mark out ── mark back, or playoutTimeout ──▶ ended
 *      └─ interrupt ─▶ ended: nothing was heard
 *
 * An event changes the state. Then `#proceed` does what follows from the state, whichever event led to it.
 */
export class PlayoutMachine {
  readonly #settings: PlayoutSettings
  readonly #state: State = {
    now: 0,
    timers: {},
    queue: [],
    current: undefined,
    stopping: [],
    muted: false,
    confirms: true,
    waitForLine: false,
  }

  constructor(settings: PlayoutSettings) {
    this.#settings = settings
  }

  /** The speech that is audible, or will be next. */
  get current(): number | undefined {
    return this.#state.current?.id
  }

  /** Whether the current speech is paused: its sound is kept, and not sent. */
  get isPaused(): boolean {
    return this.#state.current?.paused === true
  }

  /** Whether nothing is audible and nothing waits. */
  get isIdle(): boolean {
    return !this.#state.current && this.#state.queue.length === 0
  }

  /** The speeches that wait, the next one first. */
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
    return [...changeTimers(state, timers), ...commands]
  }

  /** Writes into the state what an event says. Returns what must be done before anything else. */
  #take(event: PlayoutEvent): PlayoutCommand[] {
    const state = this.#state
    const { current, queue, stopping } = state
    switch (event.type) {
      case 'queue': {
        const { id, priority } = event
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
          playing.confirmed = true
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
        // Its end is expected once it has been sent again.
        current.endsAt = Infinity
        return [{ type: 'send-again', id: current.id }]
      case 'wait-for-line':
        state.waitForLine = event.wait
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

  /** Ends what has ended, marks what was sent to its end, and begins with the next speech. */
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
    if (state.current || state.muted || !state.queue[0]) return
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
    // What was not audible has ended right away.
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
      // It has become the last speech since: the line is waited for after all.
      if (!playing.patient && state.waitForLine) playing.confirmBy = undefined
      else {
        state.confirms = false
        playing.phase = 'ended'
      }
    }
    return []
  }

  /** One timer that looks again, rather than one per frame. A paused speech is not expected to move. */
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
