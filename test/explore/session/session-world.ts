import type { CloseReason } from '../../../src/session/closing/close-reason.ts'
import { drops } from '../../../src/session/closing/close-reason.ts'
import type {
  SessionCommand,
  SessionEvent,
  SessionState,
} from '../../../src/session/closing/session-events.ts'
import { SessionMachine, type SessionMachineSettings } from '../../../src/session/closing/session-machine.ts'
import { copyOf, noteTimer, rule, type Timed } from '../timed.ts'

/** Which states may follow each state. */
const next: Readonly<Record<SessionState, readonly SessionState[]>> = {
  new: ['live', 'closing'],
  live: ['ending', 'closing'],
  ending: ['live', 'closing'],
  closing: ['closed'],
  closed: [],
}

/** What can be known about a session machine from its events and commands alone. */
interface Seen {
  phase: SessionState
  /** The graceful end in progress. */
  ending: { readonly id: number; readonly reason: CloseReason; readonly cancellable: boolean } | undefined
  /** The machine waits for the turn in flight, or for the goodbye, of this graceful end. */
  turn: number | undefined
  goodbye: number | undefined
  apologising: boolean
  begun: boolean
  budgetWarned: boolean
  durationWarned: boolean
}

/** A session machine, in virtual time. Can be forked to look at several futures. */
export class SessionWorld implements Timed {
  now = 0
  /** When something last made progress. */
  movedAt = 0
  lastEnding = 0
  readonly timers: Map<string, number>
  readonly machine: SessionMachine
  readonly seen: Seen
  readonly #settings: SessionMachineSettings

  constructor(settings: SessionMachineSettings, origin?: SessionWorld) {
    this.#settings = settings
    this.machine = new SessionMachine(settings, origin && copyOf(origin.machine.state))
    this.timers = new Map(origin?.timers)
    this.seen = origin
      ? { ...origin.seen }
      : {
          phase: 'new',
          ending: undefined,
          turn: undefined,
          goodbye: undefined,
          apologising: false,
          begun: false,
          budgetWarned: false,
          durationWarned: false,
        }
    if (!origin) return
    this.now = origin.now
    this.movedAt = origin.movedAt
    this.lastEnding = origin.lastEnding
  }

  fork(): SessionWorld {
    return new SessionWorld(this.#settings, this)
  }

  handle(event: SessionEvent): SessionCommand[] {
    const { machine, seen } = this
    if (event.type === 'timer') this.timers.delete(event.timer)
    if (event.type === 'idle') seen.turn = undefined
    if (event.type === 'said') seen.goodbye = undefined
    if (event.type === 'apologised') seen.apologising = false
    if (event.type === 'begun') seen.begun = true
    const commands = machine.handle(event)
    for (const command of commands) {
      noteTimer(this, command)
      this.#check(command, event)
    }
    const { phase } = machine
    rule(phase === seen.phase || next[seen.phase].includes(phase), `${seen.phase} is followed by ${phase}`)
    seen.phase = phase
    rule(phase !== 'ending' || this.timers.has('stall'), 'a graceful end has no bound')
    rule(!machine.isClosing || this.timers.size === 0, 'a closing session has timers')
    rule(
      (phase === 'ending') === (seen.ending !== undefined),
      'a graceful end was not settled, or settled twice',
    )
    rule(machine.ending === seen.ending?.id, 'another graceful end is in progress than was begun')
    return commands
  }

  #check(command: SessionCommand, event: SessionEvent): void {
    const { seen, machine } = this
    const live = seen.phase !== 'closing' && seen.phase !== 'closed'
    switch (command.type) {
      case 'stop-turns':
        rule(live && !seen.ending, 'a graceful end begins during another end')
        seen.ending = {
          id: command.ending,
          reason: machine.state.ending!.ask.reason,
          cancellable: command.bargeIn,
        }
        return
      case 'finish-turn':
        seen.turn = command.ending
        return
      case 'give-up-turn':
        rule(seen.turn === command.ending, 'a turn is given up that nothing waits for')
        seen.turn = undefined
        return
      case 'say':
        rule(
          seen.ending?.id === command.ending && seen.goodbye === undefined,
          'a goodbye is said twice or too late',
        )
        seen.goodbye = command.ending
        return
      case 'settle':
        rule(seen.ending?.id === command.ending, 'a graceful end is settled that is not in progress')
        rule(
          command.outcome !== 'cancelled' || seen.ending.cancellable,
          'an end is cancelled that must not be',
        )
        seen.ending = undefined
        seen.turn = undefined
        seen.goodbye = undefined
        return
      case 'apologise':
        rule(live && !seen.apologising, 'two apologies at once')
        seen.apologising = true
        return
      case 'close':
        rule(live, 'the session closes twice')
        this.#checkReason(command.ask.reason, event)
        return
      case 'close-again':
        rule(seen.begun, 'a request to close overtakes the first one')
        return
      case 'warn':
        rule(live, 'a warning comes after the end')
        rule(command.reason !== 'budget' || !seen.budgetWarned, 'the budget is warned about twice')
        rule(command.reason !== 'max-duration' || !seen.durationWarned, 'the duration is warned about twice')
        seen.budgetWarned ||= command.reason === 'budget'
        seen.durationWarned ||= command.reason === 'max-duration'
        return
      case 'resume':
        rule(live && !seen.ending, 'the session resumes while it ends')
        return
      case 'emit-state':
      case 'set-timer':
      case 'clear-timer':
    }
  }

  /** The first trigger names the reason, except that a drop during a goodbye is a drop (CL2). */
  #checkReason(reason: CloseReason, event: SessionEvent): void {
    const { ending } = this.seen
    const asked = event.type === 'close' || event.type === 'end' ? event.ask.reason : undefined
    const first = asked !== undefined && (drops.has(asked) || !ending) ? asked : ending?.reason
    rule(first === undefined || reason === first, `the reason is ${reason}, and not ${first}`)
  }
}
