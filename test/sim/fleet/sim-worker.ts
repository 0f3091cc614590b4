import { CallLog } from '../../../src/host/reception/call-log.ts'
import type { Journal, NewCall } from '../../../src/host/journal/index.ts'
import { silentLogger } from '../../../src/parts/index.ts'
import { Scope, noop } from '../../../src/scope/index.ts'
import { samples } from '../../../src/testing/journal-conformance/index.ts'
import type { World } from '../../../src/testing/index.ts'
import { FakeSession } from '../../host/reception/fake-session.ts'
import { MemorySpool, type Disk } from '../../host/reception/memory-spool.ts'
import type { FleetFacts } from './fleet-facts.ts'
import type { SimProcess } from './sim-process.ts'

export interface SimWorkerOptions {
  readonly world: World
  readonly facts: FleetFacts
  readonly process: SimProcess
  readonly journal: Journal
  readonly disk: Disk
  /** The id of the host when the worker starts. */
  readonly host: string
  readonly name: string
  readonly refuses: boolean
  /** The worker no longer serves a call that has not ended: its caller hears nothing more. */
  readonly cut: (call: string) => void
}

/** A call worker: a real call log, and sessions that only talk. */
export class SimWorker {
  readonly process: SimProcess
  readonly name: string
  readonly scope: Scope<string>
  readonly log: CallLog
  readonly sessions = new Map<string, FakeSession>()
  readonly #options: SimWorkerOptions
  /** Empty while the host has no id: no calls are taken. */
  #host: string

  constructor(options: SimWorkerOptions) {
    const { process, journal, world, disk, name, host, refuses } = options
    this.#options = options
    this.process = process
    this.name = name
    this.#host = host
    this.scope = new Scope<string>(process.name, { clock: process.clock })
    this.log = new CallLog({
      scope: this.scope,
      journal,
      spool: new MemorySpool(world.clock, disk, `${host}-${name}`),
      logger: silentLogger,
      whileAway: refuses ? 'refuse' : 'spool',
      fenced: (call) => this.letGo(call),
    })
  }

  /** Resolves to whether the worker answers. */
  async answer(id: string, resumes: boolean): Promise<boolean> {
    const { journal, facts, world } = this.#options
    if (this.#host === '' || !this.process.runs || this.sessions.has(id)) return false
    facts.call(id)
    const owner = { host: this.#host, worker: this.name, address: `${this.process.name}:1` }
    const call: NewCall = samples.newCall(id, {
      owner,
      openedAt: world.clock.date(),
      work: ['save'],
      ...(resumes ? { resume: { key: 'hash' } } : {}),
    })
    const lost = await this.log
      .open(call, (taken) => journal.take(taken, owner))
      .catch(() => 'refused' as const)
    if (lost === 'refused' || this.process.dead) return false
    // As a reception: the host may have been declared dead meanwhile.
    if (owner.host !== this.#host) {
      this.log.letGo(id)
      return false
    }
    const known = facts.call(id)
    known.moved ||= known.answered
    known.answered = true
    known.lostAt = undefined
    known.servers.set(this.process.name, {
      host: owner.host,
      worker: this.name,
      fence: lost?.fence ?? 1,
      excusedAt: world.clock.now(),
    })
    world.tell(`${this.process.name} answers ${id}${lost ? ` again, with fence ${lost.fence}` : ''}`)
    const session = new FakeSession(id)
    this.sessions.set(id, session)
    this.log.follow(session.session, lost?.entries.map(({ item }) => item) ?? [])
    return true
  }

  say(id: string, text: string): void {
    if (!this.process.runs) return
    const session = this.sessions.get(id)
    if (!session) return
    const call = this.#options.facts.call(id)
    if (!call.moved) call.said.push(text)
    session.say(text, `${this.process.name} ${text}`)
  }

  end(id: string): void {
    if (!this.process.runs || !this.#drop(id)) return
    this.log.end(id, samples.reportOf(id)).catch(noop)
  }

  /** Ends the session, but not the call (HO5). */
  letGo(id: string): void {
    this.log.letGo(id)
    if (!this.#drop(id)) return
    this.#options.world.tell(`${this.process.name} lets go of ${id}`)
    this.#options.facts.call(id).lostAt ??= this.#options.world.clock.now()
    this.#options.cut(id)
  }

  /** The host was declared dead, or has joined again. */
  setHost(host: string): void {
    this.#host = host
    for (const id of this.sessions.keys()) this.letGo(id)
  }

  /** The supervisor is gone: what is left is stored at once, and the process ends. */
  exit(): void {
    if (this.process.runs) this.log.abort()
    this.kill()
  }

  kill(): void {
    if (this.process.dead) return
    this.process.kill()
    this.scope.abort()
    for (const id of this.sessions.keys()) {
      this.#options.facts.call(id).lostAt ??= this.#options.world.clock.now()
      this.#drop(id)
      this.#options.cut(id)
    }
  }

  #drop(id: string): boolean {
    this.#options.facts.call(id).servers.delete(this.process.name)
    return this.sessions.delete(id)
  }
}
