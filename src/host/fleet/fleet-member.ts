import type { Logger } from '../../parts/index.ts'
import { MachineShell, noop, systemRandom, type Random, type Scope } from '../../scope/index.ts'
import type { SessionReport } from '../../session/index.ts'
import { outcomeOf } from '../archive.ts'
import { answerWithin } from '../journal/answer-within.ts'
import type { CallWrite, HostRecord, Journal, LostCall, Order, WriteResult } from '../journal/journal.ts'
import { LeaseMachine, type LeaseCommand, type LeaseEvent } from './lease-machine.ts'
import { lostReport } from './lost-report.ts'
import { OrphanMachine, type OrphanCommand, type OrphanEvent } from './orphan-machine.ts'

export interface FleetMemberOptions {
  readonly scope: Scope<string>
  readonly journal: Journal
  /** What other hosts see of this host. */
  readonly host: Omit<HostRecord, 'id'>
  /** Makes an id for this host. Called again if the host was declared dead. */
  readonly newId: () => string
  /** How long a lease lasts, in milliseconds. Default: 15 s. */
  readonly lease?: number
  /**
   * Whether no other host can open the journal. Then all others in it are dead, and their calls are adopted at once; and
   * when this host leaves, no other one can go on with the calls that wait for their callers. Default: false.
   */
  readonly isAlone?: boolean
  /** How long a caller whose process is gone may take to come back. Default: 20 s. */
  readonly resumeWindow?: number
  readonly random?: Random
  /** The host has an id, at the start and after it was declared dead. */
  readonly joined: (host: string) => void
  /** Orders for calls of this host. */
  readonly ordered: (orders: readonly Order[]) => void
  /** An operator asks this host to take no more calls. May be called again. */
  readonly drained: () => void
  /** All calls of this host belong to others now: let go of them, and take no new ones until it has joined again. */
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
  /** Calls that are adopted with one request: few, so that all hosts get their share of a dead host's calls. */
  adopt: 50,
  /** Milliseconds before more are adopted. */
  adoptPause: 250,
  /** Calls that are closed at once. */
  close: 20,
  /** Milliseconds after which no request of a worker that is gone can be under way. */
  orphanAgain: 30_000,
  /** Orphans that are remembered after their end. */
  ended: 10_000,
  /** How long to wait for the carrier to hang up a call, in milliseconds. */
  hangUp: 5_000,
}

/** Names an orphan. A call that is orphaned again has a higher fence. */
const orphanKey = ({ id, fence }: LostCall): string => `${fence} ${id}`

interface Orphan {
  readonly call: LostCall
  readonly culprit: string | undefined
}

/** A host among those that share a journal: keeps its lease, adopts the calls of dead hosts, and closes lost calls. */
export class FleetMember {
  readonly #options: FleetMemberOptions
  readonly #lease: MachineShell<LeaseEvent, LeaseCommand>
  readonly #orphans: MachineShell<OrphanEvent, OrphanCommand>
  readonly #lost = new Map<string, Orphan>()
  /** Orphans that have a report, or were taken. A late answer may name them again. */
  readonly #ended = new Set<string>()
  /** Orphans that are being closed. */
  readonly #closing = new Set<Promise<void>>()
  /** The id under which the host has joined. Empty before. */
  #id = ''
  /** The id to join under. It stays until it has worked, so that a join whose answer was lost leaves no second host. */
  #nextId: string | undefined
  #onStarted: () => void = noop
  #leaving = false

  constructor(options: FleetMemberOptions) {
    const { scope, lease = limits.lease, isAlone = false, random = systemRandom } = options
    // So long must the journal have answered before calls are adopted.
    const grace = isAlone ? 0 : lease
    const { retry, adoptPause, close: atOnce } = limits
    this.#options = options
    this.#lease = new MachineShell<LeaseEvent, LeaseCommand>(
      new LeaseMachine({ lease, grace, retry, adoptPause, random }),
      scope,
      { name: 'lease', carryOut: (command) => this.#carryOut(command) },
    )
    this.#orphans = new MachineShell<OrphanEvent, OrphanCommand>(
      new OrphanMachine({ atOnce, retry }),
      scope,
      {
        name: 'orphans',
        carryOut: ({ calls }) => {
          const closing = this.#close(calls).finally(() => this.#closing.delete(closing))
          this.#closing.add(closing)
        },
      },
    )
  }

  /** The id of this host. Empty until it has joined. */
  get id(): string {
    return this.#id
  }

  /** Joins. Resolves once the journal knows the host. Never rejects: it keeps trying. */
  start(): Promise<void> {
    const started = new Promise<void>((resolve) => (this.#onStarted = resolve))
    this.#lease.handle({ type: 'start' })
    return started
  }

  /** A worker of this host is gone. Rejects if the journal is away. Returns the number of its calls. */
  async orphan(worker: string, culprit?: string): Promise<number> {
    const count = await this.#orphan(worker, culprit)
    this.#orphanAgain(worker, culprit)
    return count
  }

  /** Why the process of a call is gone, if that is known. */
  culpritOf(call: string): string | undefined {
    for (const orphan of this.#lost.values()) if (orphan.call.id === call) return orphan.culprit
    return undefined
  }

  /** Looks for orders now. */
  wake(): void {
    this.#lease.handle({ type: 'wake' })
  }

  /** Gives up the lease. Resolves once the journal knows, or could not be reached, and all hang-ups have ended. Bounded. */
  async leave(): Promise<void> {
    if (this.#leaving) return
    this.#leaving = true
    this.#lease.handle({ type: 'leave' })
    this.#lease.stop()
    this.#orphans.stop()
    if (this.#options.isAlone) await this.#close([...this.#lost.keys()])
    if (this.#id !== '') await this.#within(this.#options.journal.leave(this.#id)).catch(noop)
    await Promise.all(this.#closing)
  }

  // ── the lease ──

  #carryOut(command: Exclude<LeaseCommand, { type: 'set-timer' | 'clear-timer' }>): void {
    const { logger, letGo } = this.#options
    const failed = (error: unknown): void => {
      logger.warn({ error }, `the journal could not be reached: ${command.type}`)
      this.#lease.handle({ type: 'failed' })
    }
    switch (command.type) {
      case 'join':
        return void this.#join().catch(failed)
      case 'beat':
        return void this.#beat().catch(failed)
      case 'recover':
        return void this.#recover().catch(failed)
      case 'adopt':
        return void this.#adopt().catch(failed)
      case 'let-go':
        logger.error({ host: this.#id }, 'this host was declared dead: it lets go of its calls')
        this.#orphans.handle({ type: 'let-go' })
        this.#lost.clear()
        return letGo()
    }
  }

  /** A request that takes longer has failed, so that a beat never waits for long. */
  #within<T>(request: Promise<T>): Promise<T> {
    const { scope, lease = limits.lease } = this.#options
    return answerWithin(scope.clock, lease / 5, request)
  }

  async #join(): Promise<void> {
    const { journal, host, newId, lease = limits.lease, joined } = this.#options
    const id = (this.#nextId ??= newId())
    await this.#within(journal.join({ ...host, id }, lease))
    if (this.#leaving) return void journal.leave(id).catch(noop)
    this.#nextId = undefined
    this.#id = id
    joined(id)
    this.#onStarted()
    this.#lease.handle({ type: 'joined' })
    return undefined
  }

  async #beat(): Promise<void> {
    const { journal, lease = limits.lease, ordered, drained } = this.#options
    const request = journal.beat(this.#id, lease)
    // Also those of a late answer: the journal hands out each order once.
    request.then((late) => late && late.orders.length > 0 && ordered(late.orders)).catch(noop)
    const beat = await this.#within(request)
    if (beat?.draining) drained()
    this.#lease.handle({ type: beat ? 'beaten' : 'declared-dead' })
  }

  async #adopt(): Promise<void> {
    const id = this.#id
    const request = this.#options.journal.adopt(id, limits.adopt)
    // Also those of a late answer: they are orphans of this host now.
    request.then((calls) => this.#adopted(id, calls)).catch(() => this.#lease.handle({ type: 'unsure' }))
    const calls = await this.#within(request)
    this.#lease.handle({ type: 'adopted', more: calls.length >= limits.adopt })
  }

  #adopted(host: string, calls: readonly LostCall[]): void {
    const { adopted, logger } = this.#options
    if (calls.length === 0) return
    logger.warn({ calls: calls.length }, 'calls of a dead host were adopted')
    adopted?.(calls)
    this.#take(host, calls)
  }

  /** Finds calls that the journal gave to this host in an answer that was lost. */
  async #recover(): Promise<void> {
    const id = this.#id
    this.#take(id, await this.#within(this.#options.journal.orphans(id)))
    this.#lease.handle({ type: 'recovered' })
  }

  // ── orphans ──

  async #orphan(worker: string, culprit?: string): Promise<number> {
    const id = this.#id
    try {
      const lost = await this.#options.journal.orphan(id, worker)
      this.#take(id, lost, culprit)
      return lost.length
    } catch (error) {
      this.#lease.handle({ type: 'unsure' })
      throw error
    }
  }

  /** The worker may have been killed while it opened a call, and the journal may get that later. */
  #orphanAgain(worker: string, culprit?: string): void {
    const { scope } = this.#options
    if (scope.state !== 'live' || this.#leaving) return
    scope.after(limits.orphanAgain, `calls of ${worker}`, () => {
      this.#orphan(worker, culprit).catch(() => this.#orphanAgain(worker, culprit))
    })
  }

  #take(host: string, calls: readonly LostCall[], culprit?: string): void {
    // An answer from before the host was declared dead: others have the calls.
    if (host !== this.#id) return
    const fresh = calls.filter((call) => {
      const key = orphanKey(call)
      return !this.#lost.has(key) && !this.#ended.has(key)
    })
    for (const call of fresh) this.#lost.set(orphanKey(call), { call, culprit })
    const { resumeWindow = limits.resumeWindow } = this.#options
    const [comeBack, cannot] = [fresh.filter(({ resume }) => resume), fresh.filter(({ resume }) => !resume)]
    this.#orphans.handle({ type: 'orphaned', calls: comeBack.map(orphanKey), wait: resumeWindow })
    this.#orphans.handle({ type: 'orphaned', calls: cannot.map(orphanKey), wait: 0 })
  }

  /** Writes the reports, and then hangs up: a call that has a report cannot go on in another process. Never rejects. */
  async #close(keys: readonly string[]): Promise<void> {
    const { journal, scope, closed } = this.#options
    const orphans = keys.flatMap((key) => this.#lost.get(key) ?? [])
    const writes = orphans.map(({ call, culprit }) =>
      closeOf(call, lostReport(call, scope.clock.date(), culprit)),
    )
    let results: readonly WriteResult[]
    try {
      results = await this.#within(journal.write(writes))
    } catch {
      return this.#orphans.handle({ type: 'failed', calls: keys })
    }
    const hangUps = orphans.map(async ({ call }, index) => {
      this.#end(orphanKey(call))
      // Otherwise the caller came back, and another process goes on with the call.
      if (results[index] === 'written') {
        closed?.(writes[index]!.report, call)
        await this.#hangUp(call)
      }
      this.#orphans.handle({ type: 'closed', call: orphanKey(call) })
    })
    await Promise.all(hangUps)
  }

  #end(key: string): void {
    this.#lost.delete(key)
    this.#ended.add(key)
    const [oldest] = this.#ended
    if (this.#ended.size > limits.ended) this.#ended.delete(oldest!)
  }

  /** Resolves when the call is hung up, or after a bound. */
  #hangUp(call: LostCall): Promise<void> {
    const { scope, hangUp, logger } = this.#options
    return new Promise((resolve) => {
      const timer = scope.clock.after(limits.hangUp, `hang up '${call.id}'`, resolve)
      hangUp(call)
        .catch((error: unknown) => logger.warn({ error, call: call.id }, 'the call could not be hung up'))
        .finally(() => {
          timer.clear()
          resolve()
        })
        .catch(noop)
    })
  }
}

function closeOf(call: LostCall, report: SessionReport): CallWrite & { readonly type: 'close' } {
  return { type: 'close', call: call.id, fence: call.fence, report, summary: outcomeOf(report) }
}
