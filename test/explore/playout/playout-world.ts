import {
  PlayoutMachine,
  type PlayoutCommand,
  type PlayoutEvent,
  type PlayoutSettings,
} from '../../../src/session/speaking/playout-machine.ts'
import { copyOf, noteTimer, rule, type Timed } from '../timed.ts'

/** A speech that has not ended, as far as events and commands show. */
export interface Speech {
  readonly id: number
  stage: 'queued' | 'delivering' | 'stopped'
  audible: boolean
  made: boolean
  /** A mark was sent after its last sound, or after the sound that was cleared. */
  marked: boolean
}

/** A playout machine, in virtual time. Can be forked to look at several futures. */
export class PlayoutWorld implements Timed {
  now = 0
  lastId = 0
  muted = false
  away = false
  /** When the current speech last made progress. */
  soundUntil = 0
  /** The number of the speech that must be sent again. */
  again: number | undefined
  readonly timers: Map<string, number>
  readonly speeches: Map<number, Speech>
  readonly machine: PlayoutMachine
  readonly #settings: PlayoutSettings

  constructor(settings: PlayoutSettings, origin?: PlayoutWorld) {
    this.#settings = settings
    this.machine = new PlayoutMachine(settings, origin && copyOf(origin.machine.state))
    this.timers = new Map(origin?.timers)
    this.speeches = copyOf(origin?.speeches ?? new Map<number, Speech>())
    if (!origin) return
    this.now = origin.now
    this.lastId = origin.lastId
    this.muted = origin.muted
    this.away = origin.away
    this.soundUntil = origin.soundUntil
    this.again = origin.again
  }

  fork(): PlayoutWorld {
    return new PlayoutWorld(this.#settings, this)
  }

  get current(): Speech | undefined {
    return [...this.speeches.values()].find(({ stage }) => stage === 'delivering')
  }

  handle(event: PlayoutEvent): PlayoutCommand[] {
    this.#note(event)
    const commands = this.machine.handle(event)
    for (const command of commands) {
      noteTimer(this, command)
      this.#check(command)
    }
    const { machine, current } = this
    rule(machine.current === current?.id, 'another speech is current than was delivered')
    const queued = [...this.speeches.values()].filter(({ stage }) => stage === 'queued')
    rule(machine.queue.length === queued.length, 'a queued speech was forgotten')
    const waits = queued.length > 0 && !this.muted && !this.away
    rule(!waits || current !== undefined, 'a speech waits although nothing is said')
    const stopped = [...this.speeches.values()].some(({ stage }) => stage === 'stopped')
    const isBounded = this.timers.size > 0 || machine.isPaused || this.again !== undefined
    rule(isBounded || !(current || stopped), 'a speech has no bound')
    return commands
  }

  #note(event: PlayoutEvent): void {
    if (event.type === 'timer') this.timers.delete(event.timer)
    if (event.type === 'queue') {
      const { id } = event
      this.speeches.set(id, { id, stage: 'queued', audible: false, made: false, marked: false })
    }
    if (event.type === 'sounding') this.speeches.get(event.id)!.audible = true
    if (event.type === 'made') this.speeches.get(event.id)!.made = true
    if (event.type === 'sent-again') this.again = undefined
    if (event.type === 'mute') this.muted = true
    if (event.type === 'away') this.away = event.away
  }

  #check(command: PlayoutCommand): void {
    if (command.type === 'set-timer' || command.type === 'clear-timer') return
    const speech = this.speeches.get(command.id)
    rule(speech !== undefined, `${command.type} for a speech that has ended`)
    switch (command.type) {
      case 'deliver':
        rule(!this.muted && !this.away, 'a speech begins that nobody would hear')
        rule(!this.current, 'two speeches at once')
        rule(speech.stage === 'queued', 'a speech begins twice')
        speech.stage = 'delivering'
        this.soundUntil = this.now
        return
      case 'stop':
        rule(speech.stage === 'delivering', 'a speech is stopped that was not being said')
        rule(!command.stalled || !speech.made, 'a speech stalls whose sound was made')
        speech.made = true
        if (!command.stalled) speech.stage = 'stopped'
        return
      case 'finish':
        rule(speech.made && speech.audible, 'a mark follows a speech that has not been said')
        speech.marked = true
        return
      case 'clear':
        if (command.paused) rule(speech.stage === 'delivering', 'a speech is paused that is not being said')
        else rule(speech.stage === 'stopped', 'the sound of a speech is cleared that goes on')
        rule(command.audible === speech.audible, 'a clear says wrongly whether the speech was audible')
        speech.marked = !command.paused && speech.audible
        this.again = undefined
        return
      case 'send-again':
        rule(speech.stage === 'delivering', 'a speech is sent again that is not being said')
        this.again = command.id
        return
      case 'end':
        rule(command.how !== 'played' || speech.made, 'a speech was played whose sound was not made')
        rule(
          command.how !== 'interrupted' || speech.stage !== 'delivering',
          'a speech that goes on was interrupted',
        )
        this.speeches.delete(command.id)
        if (this.again === command.id) this.again = undefined
    }
  }
}
