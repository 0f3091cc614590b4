import type { LinkCommand, LinkEvent } from '../../../src/link/link-events.ts'
import { LinkMachine } from '../../../src/link/link-machine.ts'
import type { LinkSettings } from '../../../src/link/link-settings.ts'
import { copyOf, noteTimer, rule, type Timed } from '../timed.ts'

/** A link machine, in virtual time. Can be forked to look at several futures. */
export class LinkWorld implements Timed {
  now = 0
  readonly timers: Map<string, number>
  /** Sockets that were dialled and have neither ended nor been cut. */
  readonly sockets: Set<number>
  readonly machine: LinkMachine
  /** The connection in use, as far as commands show. */
  current: number | undefined
  #closing = false
  #closed = false
  readonly #settings: LinkSettings

  constructor(settings: LinkSettings, origin?: LinkWorld) {
    this.#settings = settings
    this.machine = new LinkMachine(settings, origin && copyOf(origin.machine.state))
    this.timers = new Map(origin?.timers)
    this.sockets = new Set(origin?.sockets)
    if (!origin) return
    this.now = origin.now
    this.current = origin.current
    this.#closing = origin.#closing
    this.#closed = origin.#closed
  }

  fork(): LinkWorld {
    return new LinkWorld(this.#settings, this)
  }

  handle(event: LinkEvent): LinkCommand[] {
    this.#closing ||= event.type === 'intent' || event.type === 'close' || event.type === 'abort'
    if (event.type === 'timer') this.timers.delete(event.timer)
    if (event.type === 'ended' && !event.socketOpen) this.sockets.delete(event.generation)
    const commands = this.machine.handle(event)
    for (const command of commands) {
      rule(!this.#closed, `'${command.type}' follows the end`)
      noteTimer(this, command)
      this.#check(command)
    }
    this.#checkState()
    return commands
  }

  #check(command: LinkCommand): void {
    switch (command.type) {
      case 'dial':
        rule(!this.#closing, 'the link dials while it closes')
        rule(
          this.#settings.order === 'new-first' || this.sockets.size === 0,
          'two connections, where one is allowed',
        )
        this.sockets.add(command.generation)
        return
      case 'use':
        rule(this.sockets.has(command.generation), 'a connection is used that has ended')
        this.current = command.generation
        return
      case 'hold':
        this.current = undefined
        return
      case 'cut':
        this.sockets.delete(command.generation)
        return
      case 'close':
      case 'send-ending':
        rule(this.sockets.has(command.generation), `'${command.type}' for a connection that has ended`)
        return
      case 'closed':
        this.#closed = true
        return
      case 'fence':
      case 'lost':
      case 'set-timer':
      case 'clear-timer':
    }
  }

  #checkState(): void {
    const { state, phase } = this.machine
    const { retries, lifetimeRetries } = this.#settings
    rule(
      state.failures <= retries && state.retries <= lifetimeRetries,
      'the link retries more often than it may',
    )
    rule(this.sockets.size <= 3, 'sockets pile up')
    rule((phase === 'closed') === this.#closed, 'the link is closed, or says so, but not both')
    rule(!this.#closed || this.sockets.size === 0, 'a closed link has sockets')
    rule(!this.#closed || this.timers.size === 0, 'a closed link has timers')
    rule(phase !== 'ready' || this.current === state.current?.generation, 'another connection is in use')
  }
}
