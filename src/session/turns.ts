import type { Scope, Timer } from '../scope/index.ts'
import type {
  CommitCommand,
  PendingWords,
  TurnCommand,
  TurnEvent,
  TurnTimer,
  UserState,
} from './turn-events.ts'
import { TurnMachine } from './turn-machine.ts'
import type { TurnOptions } from './turn-options.ts'

/** Who carries out what the turn machine wants. */
export interface TurnsHost {
  flushStt(): void
  judge(text: string): void
  preempt(text: string): void
  discardPreempt(): void
  commit(turn: CommitCommand): void
  interrupt(): void
  pause(): void
  resume(): void
  digits(digits: string): void
  userState(state: UserState): void
  userIdle(): void
}

/** An event without its time: the shell knows what time it is. */
type Untimed<Event> = Event extends TurnEvent ? Omit<Event, 'at'> : never

/** The shell around the turn machine: it has the clock, sets the timers and passes the commands on. */
export class Turns {
  readonly #scope: Scope<string>
  readonly #host: TurnsHost
  readonly #machine: TurnMachine
  readonly #timers = new Map<TurnTimer, Timer>()

  constructor(scope: Scope<string>, options: TurnOptions, host: TurnsHost) {
    this.#scope = scope
    this.#host = host
    this.#machine = new TurnMachine(options)
  }

  /** Something happened just now. */
  tell(event: Untimed<TurnEvent>): void {
    const commands = this.#machine.handle({ ...event, at: this.#scope.clock.now() })
    for (const command of commands) this.#carryOut(command)
  }

  /** What the user has said that is not committed (CL6). */
  get pending(): PendingWords {
    return this.#machine.pendingWords()
  }

  #carryOut(command: TurnCommand): void {
    const host = this.#host
    switch (command.type) {
      case 'set-timer':
        return this.#set(command.timer, command.at)
      case 'clear-timer':
        return this.#clear(command.timer)
      case 'flush-stt':
        return host.flushStt()
      case 'judge':
        return host.judge(command.text)
      case 'preempt':
        return host.preempt(command.text)
      case 'discard-preempt':
        return host.discardPreempt()
      case 'commit':
        return host.commit(command)
      case 'interrupt':
        return host.interrupt()
      case 'pause':
        return host.pause()
      case 'resume':
        return host.resume()
      case 'digits':
        return host.digits(command.digits)
      case 'user-state':
        return host.userState(command.state)
      case 'user-idle':
        return host.userIdle()
    }
  }

  #set(timer: TurnTimer, due: number): void {
    this.#clear(timer)
    // A command before this one may have begun to close the session.
    if (this.#scope.state !== 'live') return
    const left = Math.max(0, due - this.#scope.clock.now())
    this.#timers.set(
      timer,
      this.#scope.after(left, `turn: ${timer}`, () => this.tell({ type: 'timer', timer, due })),
    )
  }

  #clear(timer: TurnTimer): void {
    this.#timers.get(timer)?.clear()
    this.#timers.delete(timer)
  }
}
