import type { AnswerVerdict } from '../../parts/index.ts'
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

/** A call for a caller who waits. */
type Consultation = Pick<ActiveDialOptions, 'base' | 'account' | 'for'>

/** All attempts to call somebody: paces them, and finds them again when the carrier reports. */
export class Dials implements Resource {
  readonly #options: DialsOptions
  readonly #byKey = new Map<string, ActiveDial>()
  readonly #byTicket = new Map<string, ActiveDial>()
  readonly #queue = new Set<ActiveDial>()
  /** Who has answered, for calls that have not begun here. */
  readonly #early = new Map<string, AnswerVerdict>()
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
  check(consultation?: Consultation): string {
    const { scope, carrier } = this.#options
    const { base, account } = { ...this.#options, ...consultation }
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

  /** `consultation`: a call for a caller who waits, so it does not. */
  start(options: DialOptions, consultation?: Consultation, ticket = newKey()): ActiveDial {
    const known = this.known(options)
    if (known) return known
    const base = this.check(consultation)
    const { key = newKey() } = options
    const dial = new ActiveDial(
      { ...this.#options, base, for: consultation?.for },
      { ...options, key },
      ticket,
    )
    this.#byKey.set(key, dial)
    this.#byTicket.set(ticket, dial)
    this.#forget()
    dial.report.then(() => this.#settled(dial)).catch(noop)
    if (consultation) this.#begin(dial)
    else this.#queue.add(dial)
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

  /**
   * The carrier says who answered. Returns its verdict if it is about the call with this ticket, and the first one (MD3). With `early`
   * the call has not begun here, and its verdict is kept. A ticket of another process is not known here.
   */
  judged(
    ticket: string | null,
    id: string,
    verdict: AnswerVerdict | undefined,
    early: boolean,
  ): AnswerVerdict | undefined {
    if (ticket === null || !verdict) return undefined
    const dial = this.#byTicket.get(ticket)
    if (dial && (dial.wasJudged || (dial.id !== undefined && dial.id !== id))) return undefined
    if (dial) dial.wasJudged = true
    if (dial && early) this.#early.set(id, verdict)
    const [oldest] = this.#early.keys()
    if (this.#early.size > limits.earlyVerdicts && oldest !== undefined) this.#early.delete(oldest)
    return verdict
  }

  /** The verdict on a call that begins now. */
  verdictOn(id: string): AnswerVerdict | undefined {
    const verdict = this.#early.get(id)
    this.#early.delete(id)
    return verdict
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
    const { scope, atOnce } = this.#options
    const now = scope.clock.now()
    while (this.#queue.size > 0 && this.#underWay < atOnce && this.#nextAt <= now) {
      const [dial] = this.#queue
      this.#queue.delete(dial!)
      this.#begin(dial!)
    }
    if (this.#timer || this.#queue.size === 0 || this.#underWay >= atOnce || scope.state !== 'live') return
    this.#timer = scope.after(Math.max(0, this.#nextAt - now), 'the next call out', () => {
      this.#timer = undefined
      this.#next()
    })
  }

  #begin(dial: ActiveDial): void {
    const { scope, rate } = this.#options
    this.#underWay++
    this.#nextAt = Math.max(scope.clock.now(), this.#nextAt) + 1_000 / rate
    dial.begin()
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
