import type { Line, TransferRequest, TransferResult } from '../../parts/index.ts'
import { MachineShell, noop, type Clock, type TimerCommand, type Timers } from '../../scope/index.ts'
import { newKey } from '../secrets.ts'
import { conferenceDocument } from './carrier.ts'
import type { Dial } from './dial.ts'
import type { Dials } from './dials.ts'
import type { HangUp } from './hang-up.ts'
import { limits } from './limits.ts'
import { WarmTransferMachine, type Party, type WarmCommand, type WarmEvent } from './warm-transfer-machine.ts'

/** A call that can be given to a conference. */
export interface Leg {
  readonly id: string
  /** Gives the carrier another document. Resolves as a transfer does: with `answered` after `personAnswered()`. */
  redirect(document: string, within: number): Promise<TransferResult>
  /** Connects the caller to us again. Resolves when that has worked, or the caller is gone. */
  bringBack(): Promise<TransferResult>
  /** Asks the carrier about the call. */
  look(): Promise<'live' | 'ended' | 'unknown'>
  /** The call is where the document should lead it. */
  personAnswered(): void
  /** The call has ended, as the carrier says when it is asked. */
  callerHasHungUp(): void
}

export type WarmRequest = TransferRequest & { readonly consult: NonNullable<TransferRequest['consult']> }

/** A caller who is to be connected with a person. */
export interface WarmCaller {
  readonly leg: Leg
  readonly account: string | undefined
  /** The address under which the carrier reaches our webhooks. */
  readonly base: string
  /** Our own number, which the person sees unless the request has another. */
  readonly number: string | undefined
  /** Ends a call of the same account at the carrier. */
  readonly hangUp: (call: string) => HangUp
}

export interface WarmTransferOptions {
  readonly clock: Clock
  readonly dials: Dials
  readonly caller: WarmCaller
  readonly request: WarmRequest
  /** The number that the person sees. */
  readonly from: string
  /** Called when nothing more can come of it. */
  readonly forget: (transfer: WarmTransfer) => void
}

/** Connects a caller with a person, whom the agent has talked to before. `WarmTransferMachine` decides. */
export class WarmTransfer {
  /** The name of the conference, and the key of the call to the person. */
  readonly name = `endwell-${newKey()}`
  readonly result: Promise<TransferResult>
  /** The carrier's name for the call to the person, once somebody has answered. */
  personId: string | undefined
  readonly #options: WarmTransferOptions
  readonly #machine: WarmTransferMachine
  readonly #shell: MachineShell<WarmEvent, WarmCommand>
  #resolve: (result: TransferResult) => void = noop
  #dial: Dial | undefined
  #line: Line | undefined
  #person: Leg | undefined
  #consultation: Promise<unknown> | undefined
  #hangUp: HangUp | undefined

  constructor(options: WarmTransferOptions) {
    const { clock, request } = options
    this.#options = options
    this.result = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#machine = new WarmTransferMachine(request)
    // Timers of the clock, not of the scope: a server that closes waits for a caller who is on the way to the conference.
    const timers: Timers = { clock, after: (ms, name, callback) => clock.after(ms, name, callback) }
    this.#shell = new MachineShell(this.#machine, timers, {
      name: 'warm transfer',
      carryOut: (command) => this.#carryOut(command),
    })
  }

  get callerId(): string {
    return this.#options.caller.leg.id
  }

  /** Throws if the person cannot be called. */
  start(): void {
    try {
      this.#shell.handle({ type: 'go' })
    } catch (error) {
      this.abort()
      throw error
    }
  }

  /** The person's call has begun. Returns the conversation, or undefined if nobody wants it any more. */
  talk(line: Line, person: Leg): Promise<unknown> | undefined {
    this.#line = line
    this.#person = person
    this.#shell.handle({ type: 'here' })
    return this.#consultation
  }

  joined(call: string, conference: string): void {
    const who = this.#partyOf(call)
    if (who) this.#shell.handle({ type: 'joined', who, conference })
  }

  /** The caller has got another session. */
  callerIsBack(): void {
    this.#shell.handle({ type: 'back' })
  }

  /** A call has ended, or its session closes. */
  ended(call: string): void {
    const who = this.#partyOf(call)
    if (who) this.#shell.handle({ type: 'gone', who })
  }

  cancel(): void {
    this.#shell.handle({ type: 'cancel' })
  }

  /** Resolves when the outcome is known, and nothing of it is left to do. */
  async released(): Promise<void> {
    await this.result
    if (this.#hangUp?.busy) await this.#hangUp.settled(limits.longestHangUp)
    this.#shell.stop()
  }

  abort(): void {
    this.#hangUp?.abort()
    this.#resolve({ outcome: 'failed', why: 'the server closed' })
    this.#shell.stop()
  }

  #partyOf(call: string): Party | undefined {
    if (call === this.callerId) return 'caller'
    return call === (this.personId ?? this.#dial?.id) ? 'person' : undefined
  }

  #carryOut(command: Exclude<WarmCommand, TimerCommand<string>>): void {
    const { caller, forget } = this.#options
    const { leg } = caller
    switch (command.type) {
      case 'dial':
        return this.#call()
      case 'consult':
        return this.#consult()
      case 'move':
        return this.#move(command.who)
      case 'confirm':
        return (command.who === 'caller' ? leg : this.#person)?.personAnswered()
      case 'look':
        Promise.all([leg.look(), this.#person!.look()])
          .then(([first, person]) => this.#shell.handle({ type: 'looked', caller: first, person }))
          .catch(noop)
        return undefined
      case 'hung-up':
        return leg.callerHasHungUp()
      case 'bring-back':
        leg
          .bringBack()
          .then(({ outcome }) => this.#shell.handle({ type: 'returned', outcome }))
          .catch(noop)
        return undefined
      case 'end-person':
        return this.#endPerson()
      case 'settle':
        return this.#resolve({ outcome: command.outcome, why: command.why })
      case 'forget':
        return forget(this)
    }
  }

  #call(): void {
    const { dials, request, from, caller } = this.#options
    const { base, account } = caller
    const { to, ringTimeout, machines = 'talk' } = request
    const options = { to, from, ringTimeout: Math.max(5_000, ringTimeout), machines, key: this.name }
    this.#dial = dials.start(options, { base, account, for: this.callerId })
    this.#dial.report
      .then(({ outcome, why }) => this.#shell.handle({ type: 'dialled', outcome, why }))
      .catch(noop)
  }

  #consult(): void {
    const deciding = this.#options.request.consult(this.#line!)
    this.#consultation = deciding
    deciding.then(
      (how) => this.#shell.handle({ type: 'decided', how: how === 'join' ? 'join' : 'decline' }),
      () => this.#shell.handle({ type: 'decided', how: 'failed' }),
    )
  }

  #move(who: Party): void {
    const { caller } = this.#options
    const leg = who === 'caller' ? caller.leg : this.#person!
    const status = `${caller.base}/conference?for=${encodeURIComponent(this.callerId)}`
    leg
      .redirect(conferenceDocument({ name: this.name, status }), limits.join)
      .then(({ outcome, why }) => this.#shell.handle({ type: 'moved', who, outcome, why }))
      .catch(noop)
  }

  /** Ends the attempt to call the person, or the person's call. Again, if that has failed before. */
  #endPerson(): void {
    const call = this.personId
    this.#dial?.cancel().catch(noop)
    if (call === undefined || this.#hangUp?.busy || this.#hangUp?.confirmed) return
    this.#hangUp = this.#options.caller.hangUp(call)
    this.#hangUp.ask()
  }
}
