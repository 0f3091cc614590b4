import type { Logger } from '../../parts/index.ts'
import { MachineShell, noop, type Scope } from '../../scope/index.ts'
import type { SessionReport } from '../../session/index.ts'
import { outcomeOf } from '../archive.ts'
import type { HostRecord, Journal, LostCall, Order } from '../journal/journal.ts'
import { LeaseMachine, type LeaseCommand, type LeaseEvent } from './lease-machine.ts'
import { lostReport } from './lost-report.ts'
import { OrphanMachine, type OrphanCommand, type OrphanEvent } from './orphan-machine.ts'

export interface FleetMemberOptions {
  readonly scope: Scope<string>
  readonly journal: Journal
  /** What to tell others about this host. */
  readonly host: Omit<HostRecord, 'id'>
  /** Makes an id for this host. Called again if the host was declared dead. */
  readonly newId: () => string
  /** How long a lease lasts, in milliseconds. Default: 15 s. */
  readonly lease?: number
  /** How long a caller whose process is gone may take to come back. Default: 20 s. */
  readonly resumeWindow?: number
  /** The host has an id, at the start and after it was declared dead. */
  readonly joined: (host: string) => void
  /** Orders for calls of this host. */
  readonly ordered: (orders: readonly Order[]) => void
  /** An operator asks this host to take no more calls. May be called again. */
  readonly drained: () => void
  /** All calls of this host belong to others now: let go of them. */
  readonly letGo: () => void
  /** Hangs up a call that nobody goes on with, at its carrier. */
  readonly hangUp: (call: LostCall) => Promise<void>
  /** Calls of dead hosts were adopted. */
  readonly adopted?: (calls: readonly LostCall[]) => void
  /** A call whose process is gone has its report now, and its work is due. */
  readonly closed?: (report: SessionReport, call: LostCall) => void
  readonly logger: Logger
}

const limits = {
  lease: 15_000,
  resumeWindow: 20_000,
  /** Milliseconds after which a request to the journal is repeated. */
  retry: 1_000,
  /** Calls that are adopted with one request. */
  adopt: 100,
  /** Calls that are closed at once. */
  close: 20,
  /** How long the carrier may take to hang up a call, in milliseconds. */
  hangUp: 5_000,
}

/** A host among those that share a journal: keeps its lease, adopts the calls of dead hosts, and closes those that are lost. */
export class FleetMember {
  readonly #options: FleetMemberOptions
  readonly #lease: MachineShell<LeaseEvent, LeaseCommand>
  readonly #orphans: MachineShell<OrphanEvent, OrphanCommand>
  readonly #lost = new Map<string, { readonly call: LostCall; readonly culprit: string | undefined }>()
  #id = ''
  #started = Promise.resolve()
  #onStarted: () => void = noop
  #left: Promise<void> | undefined

  constructor(options: FleetMemberOptions) {
    const { scope, lease = limits.lease } = options
    this.#options = options
    this.#lease = new MachineShell<LeaseEvent, LeaseCommand>(
      new LeaseMachine({ lease, retry: limits.retry }),
      scope,
      { name: 'lease', carryOut: (command) => this.#carryOut(command) },
    )
    this.#orphans = new MachineShell<OrphanEvent, OrphanCommand>(
      new OrphanMachine({ atOnce: limits.close, retry: limits.retry }),
      scope,
      {
        name: 'orphans',
        carryOut: ({ call }) => void this.#close(call).catch(noop),
      },
    )
  }

  /** The id of this host. Empty until it has joined. */
  get id(): string {
    return this.#id
  }

  /** Joins. Resolves once the journal knows the host, and rejects never: it keeps trying. */
  start(): Promise<void> {
    this.#started = new Promise((resolve) => (this.#onStarted = resolve))
    this.#lease.handle({ type: 'start' })
    return this.#started
  }

  /** A worker of this host is gone. Rejects if the journal is away. Returns the number of its calls. */
  async orphan(worker: string, culprit?: string): Promise<number> {
    const lost = await this.#options.journal.orphan(this.#id, worker)
    this.#take(lost, culprit)
    return lost.length
  }

  /** Looks for dead hosts and orders now. */
  wake(): void {
    this.#lease.handle({ type: 'wake' })
  }

  /** Gives up the lease. Resolves once the journal knows, or cannot be told. */
  async leave(): Promise<void> {
    this.#lease.handle({ type: 'leave' })
    this.#lease.stop()
    this.#orphans.stop()
    await this.#left
  }

  #carryOut(command: Exclude<LeaseCommand, { type: 'set-timer' | 'clear-timer' }>): void {
    const { journal, logger } = this.#options
    const failed = (what: string) => (error: unknown) => {
      logger.warn({ error }, `the journal could not be reached: ${what}`)
      this.#lease.handle({ type: 'failed' })
    }
    switch (command.type) {
      case 'join':
        return void this.#join().catch(failed('join'))
      case 'beat':
        return void this.#beat().catch(failed('beat'))
      case 'adopt':
        return void this.#adopt().catch(failed('adopt'))
      case 'let-go':
        logger.error({ host: this.#id }, 'this host was declared dead: it lets go of its calls')
        this.#orphans.handle({ type: 'let-go' })
        this.#lost.clear()
        return this.#options.letGo()
      case 'leave':
        this.#left = this.#id === '' ? undefined : journal.leave(this.#id).catch(noop)
    }
  }

  async #join(): Promise<void> {
    const { journal, host, newId, lease = limits.lease, joined } = this.#options
    const id = newId()
    await journal.join({ ...host, id }, lease)
    this.#id = id
    joined(id)
    this.#onStarted()
    this.#lease.handle({ type: 'joined' })
  }

  async #beat(): Promise<void> {
    const { journal, lease = limits.lease, ordered, drained } = this.#options
    const beat = await journal.beat(this.#id, lease)
    if (!beat) return this.#lease.handle({ type: 'declared-dead' })
    this.#lease.handle({ type: 'beaten' })
    if (beat.draining) drained()
    if (beat.orders.length > 0) ordered(beat.orders)
    return undefined
  }

  async #adopt(): Promise<void> {
    const { journal, adopted, logger } = this.#options
    const calls = await journal.adopt(this.#id, limits.adopt)
    if (calls.length > 0) {
      logger.warn({ calls: calls.length }, 'calls of a dead host were adopted')
      adopted?.(calls)
      this.#take(calls)
    }
    this.#lease.handle({ type: 'adopted', more: calls.length >= limits.adopt })
  }

  #take(calls: readonly LostCall[], culprit?: string): void {
    const { resumeWindow = limits.resumeWindow } = this.#options
    for (const call of calls) {
      this.#lost.set(call.id, { call, culprit })
      this.#orphans.handle({ type: 'orphaned', call: call.id, wait: call.resume ? resumeWindow : 0 })
    }
  }

  /** Hangs up, so that nobody is billed for a call without an agent, and writes the report. */
  async #close(id: string): Promise<void> {
    const lost = this.#lost.get(id)
    if (!lost) return this.#orphans.handle({ type: 'closed', call: id })
    const { journal, scope, hangUp, closed } = this.#options
    const { call, culprit } = lost
    const report = lostReport(call, scope.clock.date(), culprit)
    try {
      const write = {
        type: 'close',
        call: id,
        fence: call.fence,
        report,
        summary: outcomeOf(report),
      } as const
      const [result] = await journal.write([write])
      this.#lost.delete(id)
      this.#orphans.handle({ type: 'closed', call: id })
      // Refused: the caller came back, and somebody goes on with the call.
      if (result !== 'written') return undefined
      closed?.(report, call)
      await hangUp(call)
    } catch {
      this.#orphans.handle({ type: 'failed', call: id })
    }
    return undefined
  }
}
