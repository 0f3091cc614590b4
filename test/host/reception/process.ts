import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Archive } from '../../../src/host/archive.ts'
import { Directory } from '../../../src/host/fleet/directory.ts'
import { FleetDials } from '../../../src/host/fleet/fleet-dials.ts'
import { FleetWrites } from '../../../src/host/fleet/fleet-writes.ts'
import { Operations } from '../../../src/host/fleet/operations.ts'
import type { Journal, LostCall, Owner } from '../../../src/host/journal/index.ts'
import { CallLog, type CallLogOptions } from '../../../src/host/reception/call-log.ts'
import { Reception, type ReceptionOptions } from '../../../src/host/reception/reception.ts'
import { Spool } from '../../../src/host/reception/spool.ts'
import { silentLogger } from '../../../src/parts/index.ts'
import { Scope, noop } from '../../../src/scope/index.ts'
import { Agent, type SessionReport } from '../../../src/session/index.ts'
import { MemoryJournal } from '../../../src/testing/memory-journal.ts'
import { ScriptedLlm, ScriptedTts } from '../../../src/testing/index.ts'

export interface ProcessOptions extends Partial<ReceptionOptions>, Pick<CallLogOptions, 'whileAway'> {
  /** Its name within the host. */
  readonly worker?: string
  /** Replaces the journal's `take`. */
  readonly take?: (take: () => Promise<LostCall | undefined>) => Promise<LostCall | undefined>
}

/** What is shared by processes: the journal, and the folder of their host. */
export class TestHost {
  readonly journal = new MemoryJournal()
  readonly folder = mkdtempSync(join(tmpdir(), 'endwell-reception-'))
  readonly processes: TestProcess[] = []
  /** Whether the journal is away, for all processes. */
  fails = false

  static async open(): Promise<TestHost> {
    const host = new TestHost()
    await host.journal.join({ id: 'h1', name: 'one', version: '', capacity: 10 }, 60_000)
    return host
  }

  async start(options: ProcessOptions = {}): Promise<TestProcess> {
    const worker = options.worker ?? `w${this.processes.length + 1}`
    const started = await TestProcess.start(this, worker, options)
    this.processes.push(started)
    return started
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.processes) await each.end()
    rmSync(this.folder, { recursive: true })
  }
}

/** A process that takes calls. It can die: from then on it reaches nothing, and nothing of it reaches the journal. */
export class TestProcess {
  readonly reports: SessionReport[] = []
  readonly log: CallLog
  readonly #scope = new Scope<string>('process')
  readonly #journal: Journal
  #owner: Owner
  #dead = false
  #reception: Reception | undefined
  #ended: Promise<unknown> | undefined

  private constructor(host: TestHost, worker: string, { whileAway }: ProcessOptions) {
    const { journal, folder } = host
    this.#owner = { host: 'h1', worker, address: '' }
    this.#journal = journal.another({ fault: () => (this.#dead || host.fails ? 'fail' : undefined) })
    this.log = new CallLog({
      scope: this.#scope,
      journal: this.#journal,
      spool: new Spool(folder, worker),
      logger: silentLogger,
      ...(whileAway ? { whileAway } : {}),
      fenced: (call) => this.reception.letGo(call),
    })
  }

  static async start(host: TestHost, worker: string, options: ProcessOptions): Promise<TestProcess> {
    const started = new TestProcess(host, worker, options)
    const journal = started.#journal
    const own = (): Owner => started.#owner
    const directory = new Directory({ clock: started.#scope.clock, journal, own })
    const writes = new FleetWrites({ scope: started.#scope, journal, logger: silentLogger })
    const { take = (original) => original() } = options
    const models = () => ({ llm: new ScriptedLlm(), tts: new ScriptedTts() })
    const agent = () =>
      new Agent({ name: 'desk', instructions: '', onEnter: ({ session }) => session.say('Good morning!') })
    started.#reception = await Reception.start({
      file: { name: 'Bright Dental', agent, models },
      models,
      port: 0,
      info: { name: 'Bright Dental', version: '1', mode: 'dev' },
      ticketKey: 'shared by both processes',
      journal: { log: started.log, owner: own, take: (call) => take(() => journal.take(call, own())) },
      fleet: {
        archive: new Archive(journal),
        directory,
        dials: new FleetDials({ clock: started.#scope.clock, journal, directory, own, writes }),
        writes,
        operations: new Operations({ journal }),
      },
      ended: (report) => started.reports.push(report),
      ...options,
    })
    started.#owner = { ...started.#owner, address: `127.0.0.1:${started.reception.port}` }
    return started
  }

  get reception(): Reception {
    return this.#reception!
  }

  get url(): string {
    return this.reception.url
  }

  /** The process is killed. Its supervisor makes its calls orphans. */
  async die({ journal }: TestHost): Promise<void> {
    // What was said before is in the journal.
    await this.log.close()
    this.#dead = true
    for (const call of this.#calls()) this.reception.entrance.letGo(call)
    this.reception.abort()
    await journal.orphan('h1', this.#owner.worker)
  }

  #calls(): string[] {
    return [...this.reception.calls]
  }

  /** Closes everything. Repeating it changes nothing. */
  end(): Promise<unknown> {
    this.#ended ??= this.reception.close().then(() => this.#scope.close().catch(noop))
    return this.#ended
  }
}
