import type { Clock, Timer } from './clock.ts'

/** A pure machine: an event goes in, commands come out. It has no clock, no promises and no I/O. */
export interface Machine<Event, Command> {
  handle(event: Event): readonly Command[]
}

/** How a machine asks for time. It learns that a timer fired by an event of type `timer`. */
export type TimerCommand<Name extends string> =
  | { readonly type: 'set-timer'; readonly timer: Name; readonly at: number }
  | { readonly type: 'clear-timer'; readonly timer: Name }

export interface TimerEvent<Name extends string> {
  readonly type: 'timer'
  readonly at: number
  readonly timer: Name
  /** The time the timer was set for. */
  readonly due: number
}

/** An event before the shell has stamped it with the time. */
export type Untimed<Event> = Event extends { readonly at: number } ? Omit<Event, 'at'> : never

/** Where timers come from: a clock, or a scope, which clears them when it closes. */
export interface Timers {
  readonly clock: Clock
  readonly state?: 'live' | 'closing' | 'closed'
  after(ms: number, name: string, callback: () => void): Timer
}

interface AnyEvent {
  readonly type: string
  readonly at: number
}
interface AnyCommand {
  readonly type: string
}

/** The timers of a machine, as its event type names them. */
type TimerOf<Event> = Event extends { readonly type: 'timer'; readonly timer: infer Name extends string }
  ? Name
  : never

export interface ShellOptions<Event extends AnyEvent, Command extends AnyCommand> {
  /** Names the timers. */
  readonly name: string
  /** Carries out every command that is not about timers. May cause further events, which are handled at once. */
  readonly carryOut: (command: Exclude<Command, TimerCommand<string>>) => void
  /** Builds the event for a timer that fired, for machines that need more than its name. */
  readonly timerEvent?: (timer: TimerOf<Event>, due: number) => Untimed<Event>
}

/**
 * The shell around a pure machine. It stamps events with the time, sets and clears the timers the machine asks for, and
 * has all other commands carried out, in order.
 *
 *   event ─▶ shell: + time ─▶ machine ─▶ commands ─▶ shell: timers
 *     ▲                                     └──────▶ carryOut
 *     └── timer fired ──────────────────────────────────┘
 */
export class MachineShell<Event extends AnyEvent, Command extends AnyCommand> {
  readonly #machine: Machine<Event, Command>
  readonly #source: Timers
  readonly #options: ShellOptions<Event, Command>
  readonly #timers = new Map<string, Timer>()
  #stopped = false

  constructor(machine: Machine<Event, Command>, source: Timers, options: ShellOptions<Event, Command>) {
    this.#machine = machine
    this.#source = source
    this.#options = options
  }

  /** Handles an event that happens now. */
  handle(event: Untimed<Event>): void {
    if (this.#stopped) return
    // The time comes first: V8 takes ten times as long to add a property after a spread.
    const stamped = { at: this.#source.clock.now(), ...event } as unknown as Event
    for (const command of this.#machine.handle(stamped)) {
      if (isSet(command)) this.#set(command.timer, command.at)
      else if (isClear(command)) this.#clear(command.timer)
      else this.#options.carryOut(command as Exclude<Command, TimerCommand<string>>)
    }
  }

  /** Clears every timer and ignores all further events. */
  stop(): void {
    this.#stopped = true
    for (const timer of this.#timers.values()) timer.clear()
    this.#timers.clear()
  }

  #set(timer: string, due: number): void {
    this.#clear(timer)
    // An earlier command may have stopped the shell, or have begun to close the scope.
    if (this.#stopped || (this.#source.state ?? 'live') !== 'live') return
    const { name, timerEvent } = this.#options
    const left = Math.max(0, due - this.#source.clock.now())
    const fired = (): void => {
      this.#timers.delete(timer)
      const event = timerEvent?.(timer as TimerOf<Event>, due) ?? { type: 'timer', timer, due }
      this.handle(event as Untimed<Event>)
    }
    this.#timers.set(timer, this.#source.after(left, `${name}: ${timer}`, fired))
  }

  #clear(timer: string): void {
    this.#timers.get(timer)?.clear()
    this.#timers.delete(timer)
  }
}

/** What every machine's state keeps about time. */
export interface TimedState<Name extends string> {
  /** The latest time the machine was given. */
  now: number
  /** When each timer that is set will fire. */
  timers: Partial<Record<Name, number | undefined>>
}

/**
 * Moves a machine's time forward to an event. Returns false for a timer that was cleared or replaced just before it
 * fired: such an event changes nothing.
 */
export function advance<Name extends string>(
  state: TimedState<Name>,
  event: { readonly type: string; readonly at: number; readonly timer?: Name; readonly due?: number },
): boolean {
  const { at, timer, due } = event
  if (event.type !== 'timer' || timer === undefined || due === undefined) {
    state.now = Math.max(state.now, at)
    return true
  }
  if (state.timers[timer] !== due) return false
  state.timers[timer] = undefined
  // A clock may fire a little early. The timer's own time counts then.
  state.now = Math.max(state.now, at, due)
  return true
}

/** The commands that change a machine's timers to the wanted ones. Timers that are not wanted are cleared. */
export function changeTimers<Name extends string>(
  { timers }: TimedState<Name>,
  wanted: ReadonlyMap<Name, number>,
): TimerCommand<Name>[] {
  const commands: TimerCommand<Name>[] = []
  for (const timer of Object.keys(timers) as Name[]) {
    if (timers[timer] === undefined || wanted.has(timer)) continue
    timers[timer] = undefined
    commands.push({ type: 'clear-timer', timer })
  }
  for (const [timer, at] of wanted) {
    if (timers[timer] === at) continue
    timers[timer] = at
    commands.push({ type: 'set-timer', timer, at })
  }
  return commands
}

/** The same for a machine with one timer, which is due at this time. Undefined: it is not wanted. */
export function changeTimer<Name extends string>(
  state: TimedState<Name>,
  timer: Name,
  due: number | undefined,
): TimerCommand<Name>[] {
  return changeTimers(state, new Map(due === undefined ? [] : [[timer, due]]))
}

const isSet = (command: AnyCommand): command is TimerCommand<string> & { type: 'set-timer' } =>
  command.type === 'set-timer'
const isClear = (command: AnyCommand): command is TimerCommand<string> & { type: 'clear-timer' } =>
  command.type === 'clear-timer'
