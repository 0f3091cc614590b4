import { noop, type Resource, type Timer } from '../../scope/index.ts'
import { newKey } from '../secrets.ts'
import { ActiveDial, type ActiveDialOptions } from './active-dial.ts'
import type { CarrierRequest, Webhook } from './calling.ts'
import { dialOutcomeOf } from './carrier.ts'
import { checkDial, type DialOptions } from './dial.ts'
import type { DialOutcome } from './dial-machine.ts'
import { DialError } from './errors.ts'
import { HangUp } from './hang-up.ts'
import { limits } from './limits.ts'
import type { AttemptPlace, SharedDials } from './shared-dials.ts'

export interface DialsOptions extends Omit<ActiveDialOptions, 'base'> {
  /** Unset if the address under which the carrier reaches our webhooks is not known. */
  readonly base: string | undefined
  /** New calls per second, and calls at once that nobody has answered yet. */
  readonly rate: number
  readonly atOnce: number
  /** The attempts of other processes. */
  readonly shared: SharedDials | undefined
  /** Called when an attempt begins or has an outcome. */
  readonly changed: () => void
}

/** All attempts to call somebody: paces them, and finds them again when the carrier reports. */
export class Dials implements Resource {
  readonly #options: DialsOptions
  readonly #byKey = new Map<string, ActiveDial>()
  readonly #byTicket = new Map<string, ActiveDial>()
  readonly #queue = new Set<ActiveDial>()
  #underWay = 0
  /** When the next call may be made. */
  #nextAt = 0
  #timer: Timer | undefined
  #stopped = false
  /** Ends calls whose process is gone. */
  readonly #hangUps = new Set<HangUp>()

  constructor(options: DialsOptions) {
    this.#options = options
    options.scope.own('calls out', this)
  }

  /** Attempts that are queued or ring. */
  get size(): number {
    return this.#queue.size + this.#underWay
  }

  /** The attempt with a key, if it is one of this process. */
  find(key: string): ActiveDial | undefined {
    return this.#byKey.get(key)
  }

  /** The attempt of this process that has the key already. Throws if options are invalid. */
  known(options: DialOptions): ActiveDial | undefined {
    checkDial(options)
    return options.key === undefined ? undefined : this.#byKey.get(options.key)
  }

  /** Throws if nothing can be dialled now. Returns the address under which the carrier reaches our webhooks. */
  check(): string {
    const { scope, base, carrier, account } = this.#options
    if (base === undefined)
      throw new DialError('DIAL_IMPOSSIBLE', 'the carrier must be able to reach this server: set publicUrl')
    if (!carrier.canCreate(account))
      throw new DialError('DIAL_IMPOSSIBLE', `${carrier.name} needs ${carrier.creates}`)
    if (scope.state !== 'live' || this.#stopped)
      throw new DialError('DIAL_CLOSED', 'the server no longer makes calls')
    if (this.#queue.size >= limits.queuedDials)
      throw new DialError('DIAL_QUEUE_FULL', `${limits.queuedDials} calls wait for their turn`)
    return base
  }

  start(options: DialOptions, ticket = newKey()): ActiveDial {
    const known = this.known(options)
    if (known) return known
    const base = this.check()
    const { key = newKey() } = options
    const dial = new ActiveDial({ ...this.#options, base }, { ...options, key }, ticket)
    this.#byKey.set(key, dial)
    this.#byTicket.set(ticket, dial)
    this.#forget()
    this.#queue.add(dial)
    dial.report.then(() => this.#settled(dial)).catch(noop)
    this.#next()
    this.#options.changed()
    return dial
  }

  /** Takes no more attempts, and cancels those that nobody has answered (DI6). */
  stop(why: string): void {
    this.#stopped = true
    for (const dial of this.#byKey.values()) dial.handle({ type: 'cancel', why })
  }

  /** Finds the process that dials, for a webhook with a ticket. */
  async place(ticket: string, request: CarrierRequest): Promise<AttemptPlace> {
    const { shared, logger } = this.#options
    if (this.knows(ticket)) return 'here'
    if (!shared) return 'gone'
    return await shared.place(ticket, request).catch((error: unknown) => {
      logger.warn({ error }, 'the process that dials is not known')
      return 'later' as const
    })
  }

  /** Whether this process dials with a ticket, or has done so. */
  knows(ticket: string): boolean {
    return this.#byTicket.has(ticket)
  }

  /** Keeps what a webhook says about an attempt whose process is gone or cannot be reached. A call that still rings is ended (DI5). */
  lost({ purpose, dial, call, account, fields }: Webhook, place: 'gone' | 'later'): void {
    const { shared, scope, carrier, fetch: ask } = this.#options
    const ended = dialOutcomeOf(fields)
    if (ended) return shared?.ended(dial!, { outcome: ended, id: call })
    if (place === 'later') return undefined
    shared?.ended(dial!, { outcome: 'cancelled', id: call, why: 'the process that called is gone' })
    // A call that is answered ends with the answer to its webhook.
    if (purpose === '/answer' || scope.state !== 'live') return undefined
    const hangUp = new HangUp({ clock: scope.clock, carrier, fetch: ask, call, account })
    this.#hangUps.add(hangUp)
    hangUp.ask()
    hangUp
      .settled(limits.longestHangUp)
      .then(() => this.#hangUps.delete(hangUp))
      .catch(noop)
    return undefined
  }

  /** Whether a call that is answered is wanted, and what it was dialled with. Undefined if the ticket is none of ours. */
  asked(
    ticket: string,
    id: string,
    answeredBy: string | null,
  ): { take: boolean; options: DialOptions } | undefined {
    const dial = this.#byTicket.get(ticket)
    if (!dial) return undefined
    const machine = answeredBy !== null && (answeredBy.startsWith('machine') || answeredBy === 'fax')
    return { take: dial.asked(id, machine), options: dial.options }
  }

  /** The carrier reports how a call is. */
  reported(ticket: string, id: string, ended: DialOutcome | undefined): void {
    const dial = this.#byTicket.get(ticket)
    const wasUnknown = dial?.outcome === 'unknown'
    dial?.handle({ type: 'report', id, ended })
    if (wasUnknown && ended) this.#options.shared?.ended(ticket, { outcome: ended, id })
  }

  closing(): void {
    this.#timer?.clear()
    for (const dial of this.#byKey.values()) dial.handle({ type: 'cancel' })
  }

  async close(): Promise<void> {
    const hangUps = [...this.#hangUps].map((hangUp) => hangUp.settled(limits.longestHangUp))
    await Promise.all([...hangUps, ...[...this.#byKey.values()].map((dial) => dial.released())])
  }

  abort(): void {
    for (const dial of this.#byKey.values()) dial.abort()
    for (const hangUp of this.#hangUps) hangUp.abort()
  }

  inspect(): object {
    return { queued: this.#queue.size, underWay: this.#underWay }
  }

  /** Lets the next attempts begin, as far as pace and number allow. */
  #next(): void {
    const { scope, rate, atOnce } = this.#options
    const now = scope.clock.now()
    while (this.#queue.size > 0 && this.#underWay < atOnce && this.#nextAt <= now) {
      const [dial] = this.#queue
      this.#queue.delete(dial!)
      this.#underWay++
      this.#nextAt = Math.max(now, this.#nextAt) + 1_000 / rate
      dial!.begin()
    }
    if (this.#timer || this.#queue.size === 0 || this.#underWay >= atOnce || scope.state !== 'live') return
    this.#timer = scope.after(Math.max(0, this.#nextAt - now), 'the next call out', () => {
      this.#timer = undefined
      this.#next()
    })
  }

  #settled(dial: ActiveDial): void {
    if (dial.hasBegun) this.#underWay--
    this.#queue.delete(dial)
    this.#next()
    this.#options.changed()
  }

  /** Keys of ended attempts are remembered, up to a limit. */
  #forget(): void {
    for (const [key, dial] of this.#byKey) {
      if (this.#byKey.size <= limits.dialKeys) return
      if (dial.outcome === undefined) continue
      this.#byKey.delete(key)
      this.#byTicket.delete(dial.ticket)
    }
  }
}
