import type { TurnCommand, TurnEvent, TurnTimer } from '../../../src/session/hearing/turn-events.ts'
import { TurnMachine } from '../../../src/session/hearing/turn-machine.ts'
import { turnSettings, type TurnOptions } from '../../../src/session/hearing/turn-options.ts'

// ── events ──

export const userStarts = (at: number, since = at): TurnEvent => ({ type: 'user-started', at, since })
export const userStops = (at: number, since = at): TurnEvent => ({ type: 'user-stopped', at, since })
export const interim = (at: number, text: string): TurnEvent => ({ type: 'interim', at, text })
export const final = (at: number, text: string): TurnEvent => ({ type: 'final', at, text })
export const typed = (at: number, text: string): TurnEvent => ({ type: 'typed', at, text })
export const key = (at: number, digit: string): TurnEvent => ({ type: 'digit', at, digit })
export const agentThinks = (at: number, thinking = true, interruptible = true): TurnEvent => ({
  type: 'agent-thinking',
  at,
  thinking,
  interruptible,
})
export const agentSpeaks = (at: number, interruptible = true): TurnEvent => ({
  type: 'agent-started',
  at,
  interruptible,
})
export const agentStops = (at: number, how: 'finished' | 'interrupted' = 'finished'): TurnEvent => ({
  type: 'agent-stopped',
  at,
  how,
})
export const simple = (
  type:
    | 'live'
    | 'stt-started'
    | 'maybe-end-of-turn'
    | 'turn-resumed'
    | 'end-of-turn'
    | 'commit'
    | 'discard'
    | 'barge-in'
    | 'ending',
  at: number,
): TurnEvent => ({ type, at })
export const judged = (at: number, text: string, score?: number): TurnEvent => ({
  type: 'judged',
  at,
  text,
  ...(score === undefined ? {} : { score }),
})

// ── the machine in virtual time ──

/** Runs a turn machine in virtual time: every timer fires at its due time, before an event at the same time. */
export class TurnDriver {
  readonly machine: TurnMachine
  readonly commands: { readonly at: number; readonly command: TurnCommand }[] = []
  readonly #timers = new Map<TurnTimer, number>()

  constructor(options: TurnOptions, events: readonly TurnEvent[], until = Number.POSITIVE_INFINITY) {
    this.machine = new TurnMachine(turnSettings(options))
    for (const event of events) {
      this.#pass(event.at)
      this.handle(event)
    }
    this.#pass(until)
  }

  handle(event: TurnEvent): TurnCommand[] {
    const commands = this.machine.handle(event)
    for (const command of commands) {
      if (command.type === 'set-timer') this.#timers.set(command.timer, command.at)
      if (command.type === 'clear-timer') this.#timers.delete(command.timer)
      this.commands.push({ at: event.at, command })
    }
    return commands
  }

  #pass(until: number): void {
    for (;;) {
      const [next] = [...this.#timers].toSorted(([, a], [, b]) => a - b)
      if (!next || next[1] > until) return
      const [timer, due] = next
      this.#timers.delete(timer)
      this.handle({ type: 'timer', timer, due, at: due })
    }
  }

  /** The commands of these types, each with its time: `1500 commit hello`. */
  lines(...types: readonly TurnCommand['type'][]): string[] {
    return this.commands
      .filter(({ command }) => types.includes(command.type))
      .map(({ at, command }) => `${at} ${format(command)}`)
  }
}

export function format(command: TurnCommand): string {
  const { type } = command
  if (type === 'commit') return `commit ${command.text}${command.preempted ? ' (preempted)' : ''}`
  if (type === 'judge' || type === 'preempt') return `${type} ${command.text}`
  if (type === 'digits') return `digits ${command.digits}`
  if (type === 'user-state') return command.state
  if (type === 'set-timer') return `set ${command.timer} ${command.at}`
  return type === 'clear-timer' ? `clear ${command.timer}` : type
}

/** The turns that these events make. */
export const commits = (options: TurnOptions, ...events: readonly TurnEvent[]): string[] =>
  new TurnDriver(options, events).lines('commit')

/** The turns, and everything that changes what the agent is doing. */
export const agentCommands = (options: TurnOptions, ...events: readonly TurnEvent[]): string[] =>
  new TurnDriver(options, events).lines('pause', 'resume', 'interrupt', 'commit')

/** The turns, and the replies begun early. */
export const replyCommands = (options: TurnOptions, ...events: readonly TurnEvent[]): string[] =>
  new TurnDriver(options, events).lines('preempt', 'discard-preempt', 'commit')
