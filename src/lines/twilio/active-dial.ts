import type { Logger } from '../../parts/index.ts'
import { MachineShell, noop, type Scope, type TimerCommand, type Timers } from '../../scope/index.ts'
import { askCarrier, whyOf } from './ask-carrier.ts'
import type { Carrier } from './carrier.ts'
import type { Dial, DialOptions, DialReport } from './dial.ts'
import { DialMachine, type DialCommand, type DialEvent, type DialOutcome } from './dial-machine.ts'
import { HangUp } from './hang-up.ts'
import { limits } from './limits.ts'

export interface ActiveDialOptions {
  readonly scope: Scope<string>
  readonly carrier: Carrier
  readonly fetch: typeof fetch
  readonly account: string | undefined
  /** The address under which the carrier reaches our webhooks. */
  readonly base: string
  /** The call of the caller for whom somebody is called: its process gets the reports. */
  readonly for?: string | undefined
  readonly logger: Logger
}

/** One attempt to call somebody. `DialMachine` decides. */
export class ActiveDial implements Dial {
  readonly key: string
  readonly ticket: string
  readonly options: DialOptions
  readonly report: Promise<DialReport>
  hasBegun = false
  /** Whether the carrier has said who answered. */
  wasJudged = false
  readonly #dials: ActiveDialOptions
  readonly #machine: DialMachine
  readonly #shell: MachineShell<DialEvent, DialCommand>
  readonly #askedAt: number
  #resolve: (report: DialReport) => void = noop
  #hangUp: HangUp | undefined

  constructor(dials: ActiveDialOptions, options: DialOptions & { readonly key: string }, ticket: string) {
    const { key, ringTimeout = limits.ringTimeout, machines = 'talk' } = options
    this.key = key
    this.ticket = ticket
    this.options = options
    this.#dials = dials
    this.#askedAt = dials.scope.clock.now()
    this.report = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#machine = new DialMachine({ ringTimeout, refusesMachines: machines === 'hang-up' })
    // Timers of the clock, not of the scope: an attempt that is cancelled because the scope closes is bounded, too.
    const { clock } = dials.scope
    const timers: Timers = { clock, after: (ms, name, callback) => clock.after(ms, name, callback) }
    this.#shell = new MachineShell(this.#machine, timers, {
      name: 'call out',
      carryOut: (command) => this.#carryOut(command),
    })
  }

  get id(): string | undefined {
    return this.#machine.id
  }

  get outcome(): DialOutcome | undefined {
    return this.#machine.outcome
  }

  cancel(): Promise<DialReport> {
    this.#shell.handle({ type: 'cancel' })
    return this.report
  }

  begin(): void {
    this.hasBegun = true
    this.#shell.handle({ type: 'go' })
  }

  handle(
    event: { type: 'cancel'; why?: string } | { type: 'report'; id: string; ended: DialOutcome | undefined },
  ): void {
    this.#shell.handle(event)
  }

  /** Somebody has answered. Returns whether the call is wanted. */
  asked(id: string, machine: boolean): boolean {
    this.#shell.handle({ type: 'asked', id, machine })
    return this.#machine.outcome === 'answered'
  }

  /** Resolves when the outcome is known, and nothing of the attempt is left. */
  async released(): Promise<void> {
    await this.report
    if (this.#hangUp?.busy) await this.#hangUp.settled(limits.longestHangUp)
  }

  abort(): void {
    this.#hangUp?.abort()
    this.#shell.handle({ type: 'hung-up', confirmed: false })
    this.#shell.stop()
  }

  #carryOut(command: Exclude<DialCommand, TimerCommand<string>>): void {
    switch (command.type) {
      case 'create':
        this.#create().catch(noop)
        return
      case 'hang-up':
        this.#end(command.id).catch(noop)
        return
      case 'settle':
        this.#settle(command.outcome, command.why)
    }
  }

  #settle(outcome: DialOutcome, why: string | undefined): void {
    const { id, key } = this
    const took = this.#dials.scope.clock.now() - this.#askedAt
    const level = outcome === 'failed' || outcome === 'unknown' ? 'warn' : 'info'
    this.#dials.logger[level]({ key, call: id, outcome, why, took }, 'a call out has an outcome')
    this.#resolve({
      key,
      outcome,
      ...(id === undefined ? {} : { id }),
      ...(why === undefined ? {} : { why }),
      took,
    })
  }

  async #create(): Promise<void> {
    const { carrier, account, base, scope, fetch: ask } = this.#dials
    const { ringTimeout = limits.ringTimeout } = this.options
    const { to, from, machines } = this.options
    const caller = this.#dials.for === undefined ? '' : `&for=${encodeURIComponent(this.#dials.for)}`
    const url = `${base}/answer?dial=${this.ticket}${caller}`
    const status = `${base}/status?dial=${this.ticket}${caller}`
    const detection = machines === 'hang-up' ? 'before' : machines === 'tell' ? 'beside' : undefined
    const verdict = `${base}/verdict?dial=${this.ticket}${caller}`
    const request = carrier.create({ to, from, ringTimeout, detection, account, url, status, verdict })!
    const answer = await askCarrier({ clock: scope.clock, fetch: ask }, request)
    const why = whyOf(answer, carrier)
    // A request that was one too many was not carried out.
    const isLimited = answer.status === 429
    if (answer.status === undefined || (answer.passing && !isLimited))
      return this.#shell.handle({ type: 'silent', why })
    const made = answer.status >= 200 && answer.status < 300
    if (!made) return this.#shell.handle({ type: 'refused', why })
    const id = carrier.createdIn(answer.body)
    return this.#shell.handle(id === undefined ? { type: 'silent', why } : { type: 'created', id })
  }

  async #end(call: string): Promise<void> {
    const { carrier, account, scope, fetch: ask } = this.#dials
    const hangUp = new HangUp({ clock: scope.clock, carrier, fetch: ask, call, account })
    this.#hangUp = hangUp
    hangUp.ask()
    await hangUp.settled(limits.longestHangUp)
    this.#shell.handle({ type: 'hung-up', confirmed: hangUp.confirmed })
  }
}
