import { CallLog, type CallLogOptions } from '../../../src/host/reception/call-log.ts'
import type { LostCall } from '../../../src/host/journal/index.ts'
import { silentLogger } from '../../../src/parts/index.ts'
import { Scope } from '../../../src/scope/index.ts'
import { inVirtualTime, type SimClock, type World } from '../../../src/testing/index.ts'
import type { JournalFault } from '../../../src/testing/journal-fault.ts'
import { MemoryJournal } from '../../../src/testing/memory-journal.ts'
import { samples } from '../../../src/testing/journal-conformance/index.ts'
import { FakeSession } from './fake-session.ts'
import { MemorySpool, type Disk } from './memory-spool.ts'

const { joinAs, newCall, ownerOn, reportOf, textOf } = samples

/** A process that writes calls, its disk, and a journal with faults. */
export class Stage {
  readonly clock: SimClock
  readonly journal: MemoryJournal
  readonly disk: Disk = { files: new Map() }
  readonly spool: MemorySpool
  readonly scope: Scope<string>
  readonly log: CallLog
  readonly fenced: string[] = []
  /** The sizes of the batches that were written. */
  readonly batches: number[] = []
  /** What happens to every request of the process. */
  fault: JournalFault | undefined
  readonly worker: string

  constructor({ clock }: World, options: Partial<CallLogOptions> = {}, shared?: Stage, worker = 'w1') {
    this.clock = clock
    this.worker = worker
    this.journal = shared?.journal ?? new MemoryJournal({ clock })
    this.scope = new Scope<string>('log', { clock })
    this.spool = new MemorySpool(clock, this.disk, worker)
    const own = this.journal.another({ clock, fault: () => this.fault })
    this.log = new CallLog({
      scope: this.scope,
      journal: {
        write: (batch) => {
          this.batches.push(batch.length)
          return own.write(batch)
        },
        find: (call) => own.find(call),
        entries: (call) => own.entries(call),
      },
      spool: this.spool,
      logger: silentLogger,
      fenced: (call) => this.fenced.push(call),
      ...options,
    })
  }

  open(id: string): Promise<LostCall | undefined> {
    const owner = ownerOn('h1', this.worker)
    return this.log.open(newCall(id, { owner, work: ['save'] }), (call) => this.journal.take(call, owner))
  }

  /** Opens a call, and returns its session. */
  async answer(id: string): Promise<FakeSession> {
    const lost = await this.open(id)
    const session = new FakeSession(id)
    this.log.follow(session.session, lost?.entries.map(({ item }) => item) ?? [])
    return session
  }

  end(id: string): Promise<void> {
    return this.log.end(id, reportOf(id))
  }

  /** What was said in a call, as the journal has it. */
  async said(id: string): Promise<string[]> {
    return (await this.journal.entries(id)).map(({ item }) => textOf(item))
  }

  async state(id: string): Promise<string | undefined> {
    return (await this.journal.find(id))?.state
  }
}

/** Plays a scene in virtual time. */
export const staged = (
  play: (stage: Stage, world: World) => Promise<void>,
  options: Partial<CallLogOptions> = {},
): Promise<void> =>
  inVirtualTime(async (world) => {
    const stage = new Stage(world, options)
    await joinAs(stage.journal, 'h1')
    await play(stage, world)
    await stage.scope.close()
  })
