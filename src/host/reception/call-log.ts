import type { Logger } from '../../parts/index.ts'
import { EndwellError, noop, type Resource, type Scope, type Timer } from '../../scope/index.ts'
import type { HistoryItem, Session } from '../../session/index.ts'
import { outcomeOf } from '../archive.ts'
import { lostReport } from '../fleet/lost-report.ts'
import { answerWithin } from '../journal/answer-within.ts'
import type { CallWrite, Journal, LostCall, NewCall, Owner, WriteResult } from '../journal/journal.ts'
import type { StoredReport } from '../report-events.ts'
import type { Spool } from './spool.ts'

export interface CallLogOptions {
  readonly scope: Scope<string>
  readonly journal: Pick<Journal, 'write' | 'find' | 'entries'>
  readonly spool: Pick<Spool, 'waiting' | 'add' | 'addNow' | 'importInto' | 'clear'>
  readonly logger: Logger
  /** Whether calls are taken while the journal is away. Default: `spool`. */
  readonly whileAway?: 'spool' | 'refuse'
  /** The call belongs to another process now: let go of it (HO5). Called once per call. */
  readonly fenced: (call: string) => void
  /** The journal has acknowledged writes after `ms`. */
  readonly written?: (ms: number) => void
}

interface Pending {
  readonly write: CallWrite
  readonly resolve: (result: WriteResult) => void
  readonly reject: (error: unknown) => void
}

/** A call that this process writes. */
interface Place {
  readonly fence: number
  /** The number of the latest entry. */
  seq: number
}

const limits = {
  /** Writes per transaction. */
  batch: 200,
  /** How long words may gather before they are written, in milliseconds, and as a multiple of what the last batch took. */
  gather: 1_000,
  gatherFactor: 10,
  /** How long the journal may take before the spool replaces it, in milliseconds: a caller is waiting. */
  answer: 2_000,
  /** How long it may take to import a part of the spool. No caller is waiting. */
  import: 10_000,
  /** Milliseconds between two attempts to reach a journal that is away. */
  retry: 1_000,
  /** Milliseconds after which the journal has carried out or given up a request that it did not answer. */
  doubt: 30_000,
  /** Writes that wait in memory when neither the journal nor the disk takes them. */
  waiting: 10_000,
}

/**
 * Writes the calls of this process to the journal: before a call is answered, as words are spoken, and its report before it
 * is forgotten (HO1). Writes go out in order, as many at once as have gathered while the previous ones were under way.
 *
 *            the journal fails, or does not answer in time           the disk fails
 *   journal ───────────────────────────────────────────────▶ spool ────────────────▶ memory: new calls are refused
 *      ▲                                                       │ ▲                     │
 *      └──── the journal is back, and the spool is imported ◀──┘ └─────────────────────┘ tries again
 *
 * The spool is imported beside the queue, so that new calls never wait for a journal that is still away.
 */
export class CallLog implements Resource {
  readonly #options: CallLogOptions
  readonly #places = new Map<string, Place>()
  readonly #idle: (() => void)[] = []
  #queue: Pending[] = []
  /** Writes that are being stored. */
  #batch: readonly Pending[] = []
  #running = false
  /** How long the journal took for the last batch. */
  #took = 0
  /** Ends the time in which words gather. */
  #hurry: () => void = noop
  /** Settles when the spool has taken the writes that it is given now. */
  #spooling: Promise<void> | undefined
  #store: 'journal' | 'spool' | 'memory' = 'journal'
  #retry: Timer | undefined
  #lost = 0
  #aborted = false

  constructor(options: CallLogOptions) {
    this.#options = options
  }

  /** Writes that wait for the journal to come back. */
  get spooled(): number {
    return this.#options.spool.waiting
  }

  /** Writes that could be stored nowhere. */
  get lost(): number {
    return this.#lost
  }

  /**
   * Writes a call. Resolves once it may be answered; rejects if it must not be. If the journal knows the call already, tries to
   * `take` it over from a process that is gone, and resolves with what was said there.
   */
  async open(
    call: NewCall,
    take: (call: string) => Promise<LostCall | undefined>,
  ): Promise<LostCall | undefined> {
    const { id, owner } = call
    const result = await this.#write({ type: 'open', call })
    const lost = result === 'fenced' ? await this.#take(id, owner, take) : undefined
    if (result === 'fenced' && !lost)
      throw new EndwellError('CALL_TAKEN', `call '${id}' belongs to another process, or has ended`)
    this.#places.set(id, { fence: lost?.fence ?? 1, seq: lost?.entries.at(-1)?.seq ?? 0 })
    return lost
  }

  async #take(
    call: string,
    owner: Owner,
    take: (call: string) => Promise<LostCall | undefined>,
  ): Promise<LostCall | undefined> {
    try {
      return await take(call)
    } catch (error) {
      this.#doubt(call, owner)
      // The journal knows the call, so it is not a new one. It may be another's by now.
      throw new EndwellError('CALL_TAKEN', `call '${call}' could not be taken over`, { cause: error })
    }
  }

  /** Whether this process writes the call. */
  has(call: string): boolean {
    return this.#places.has(call)
  }

  /** Writes nothing more about a call: it belongs to another process (HO5). */
  letGo(call: string): void {
    this.#places.delete(call)
  }

  /** Writes what is said and done in a session, until it closes. `known` is what the journal has already. */
  follow(session: Session, known: readonly HistoryItem[] = []): void {
    const written = new Map(known.map((item) => [item.id, item]))
    const note = (): void => {
      const changed = session.history.items.filter((item) => {
        const before = written.get(item.id)
        // Items are frozen: one that changes is replaced.
        if (before === item) return false
        written.set(item.id, item)
        return JSON.stringify(before) !== JSON.stringify(item)
      })
      if (changed.length > 0) this.#append(session.id, changed)
    }
    for (const event of ['user', 'spoken', 'pressed', 'tool-done', 'handoff'] as const)
      session.on(event, note)
  }

  /** Writes the report. Resolves once it is stored; rejects if it could not be. */
  async end(call: string, report: StoredReport, summary: object = outcomeOf(report)): Promise<void> {
    const place = this.#places.get(call)
    if (!place) return
    this.#places.delete(call)
    await this.#write({ type: 'close', call, fence: place.fence, report, summary })
  }

  // ── as a resource ──

  /** Resolves once everything is stored, in the journal or in the spool. */
  async close(): Promise<void> {
    if (!this.#running && this.#queue.length === 0) return
    this.#hurry()
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** Stores what is left without waiting for anything, and from now on everything. */
  abort(): void {
    this.#aborted = true
    this.#retry?.clear()
    // Including writes that are under way: it is not known whether they are stored, and a repetition changes nothing.
    const left = [...this.#batch, ...this.#queue.splice(0)]
    this.#batch = []
    this.#hurry()
    this.#storeNow(left)
  }

  inspect(): object {
    return {
      calls: this.#places.size,
      waiting: this.#queue.length,
      spooled: this.spooled,
      store: this.#store,
    }
  }

  #storeNow(left: readonly Pending[]): void {
    if (left.length === 0) return
    try {
      this.#options.spool.addNow(left.map(({ write }) => write))
      for (const { resolve } of left) resolve('written')
    } catch (error) {
      this.#lost += left.length
      for (const { reject } of left) reject(error)
    }
  }

  // ── the queue ──

  #append(call: string, items: readonly HistoryItem[]): void {
    const place = this.#places.get(call)
    if (!place) return
    const at = this.#options.scope.clock.date()
    const entries = items.map((item) => ({ seq: ++place.seq, at, item }))
    const write = { type: 'entries', call, fence: place.fence, entries } as const
    this.#write(write)
      .then((result) => this.#stored(write, result))
      .catch(noop)
  }

  /** Lets go of a call if the journal has refused a write about it. */
  #stored(write: CallWrite, result: WriteResult): void {
    const [call, fence] = write.type === 'open' ? [write.call.id, 1] : [write.call, write.fence]
    // The process may have taken the call again since, under another fence.
    if (result !== 'fenced' || this.#places.get(call)?.fence !== fence) return
    this.#places.delete(call)
    this.#options.logger.warn({ call }, 'another process has taken over the call')
    this.#options.fenced(call)
  }

  #write(write: CallWrite): Promise<WriteResult> {
    return new Promise((resolve, reject) => {
      const pending = { write, resolve, reject }
      if (this.#aborted) return this.#storeNow([pending])
      if (this.#store === 'memory' && write.type === 'open') return reject(unavailable())
      this.#queue.push(pending)
      this.#limitQueue()
      if (write.type !== 'entries') this.#hurry()
      this.#run().catch(noop)
    })
  }

  /** Stores what is queued, in order. One at a time. */
  async #run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    try {
      while (this.#queue.length > 0 && this.#store !== 'memory') {
        await this.#gather()
        this.#batch = this.#queue.splice(0, limits.batch)
        await (this.#store === 'journal' ? this.#send(this.#batch) : this.#spool(this.#batch))
        this.#batch = []
      }
    } finally {
      this.#running = false
    }
    if (this.#queue.length === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Lets words gather for a multiple of the time that the journal took last: the busier it is, the fewer writes it gets. */
  async #gather(): Promise<void> {
    const { clock } = this.#options.scope
    const pause = Math.min(limits.gather, limits.gatherFactor * this.#took)
    const onlyWords = this.#queue.every(({ write }) => write.type === 'entries')
    if (this.#store !== 'journal' || this.#idle.length > 0 || pause < 10 || !onlyWords) return
    await new Promise<void>((resolve) => {
      const timer = clock.after(pause, 'words gather', resolve)
      const hurry = (): void => {
        timer.clear()
        resolve()
      }
      this.#hurry = hurry
    })
    this.#hurry = noop
  }

  async #send(batch: readonly Pending[]): Promise<void> {
    const { journal, scope, written, logger } = this.#options
    const began = scope.clock.now()
    let results: readonly WriteResult[]
    try {
      results = await answerWithin(scope.clock, limits.answer, journal.write(batch.map(({ write }) => write)))
    } catch (error) {
      // The abort has stored the writes.
      if (this.#aborted) return
      logger.error({ error }, 'the journal does not answer: calls are written to a spool')
      this.#store = 'spool'
      return await this.#spool(batch, error)
    }
    this.#took = scope.clock.now() - began
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    written?.(this.#took)
  }

  /** `sent`: why the journal may or may not have the writes already. */
  async #spool(batch: readonly Pending[], sent?: unknown): Promise<void> {
    const { whileAway, spool, logger } = this.#options
    const refuses = whileAway === 'refuse'
    if (refuses) this.#refuse(batch, sent)
    const kept = refuses ? batch.filter(({ write }) => write.type !== 'open') : batch
    this.#tryLater()
    if (kept.length === 0) return
    try {
      this.#spooling = spool.add(kept.map(({ write }) => write))
      await this.#spooling
      for (const { resolve } of kept) resolve('written')
    } catch (error) {
      logger.error(
        { error },
        'the spool cannot be written: calls are kept in memory, and new ones are refused',
      )
      this.#store = 'memory'
      this.#refuse(kept, sent)
      this.#refuse(this.#queue)
      // An abort has stored what was under way.
      this.#queue = this.#aborted
        ? []
        : [...kept, ...this.#queue].filter(({ write }) => write.type !== 'open')
      this.#limitQueue()
    } finally {
      this.#spooling = undefined
    }
  }

  /** Refuses the new calls of a batch. `sent`: why the journal did not confirm them. */
  #refuse(batch: readonly Pending[], sent?: unknown): void {
    for (const { write, reject } of batch) {
      if (write.type !== 'open') continue
      reject(sent ?? unavailable())
      if (sent !== undefined) this.#doubt(write.call.id, write.call.owner)
    }
  }

  /** The journal may have given the call to this process, which does not serve it. Looks later, and closes it there. */
  #doubt(call: string, owner: Owner): void {
    const { scope } = this.#options
    if (scope.state !== 'live') return
    scope.after(limits.doubt, `is '${call}' in the journal?`, () => {
      this.#closeUnserved(call, owner).catch(() => this.#doubt(call, owner))
    })
  }

  async #closeUnserved(call: string, { host, worker }: Owner): Promise<void> {
    const { journal, scope } = this.#options
    const record = await answerWithin(scope.clock, limits.answer, journal.find(call))
    const own = record?.owner?.host === host && record.owner.worker === worker
    if (!own || record.state === 'closed') return
    const entries = await answerWithin(scope.clock, limits.answer, journal.entries(call))
    if (this.#places.has(call)) return
    const why = 'the call was refused, because the journal did not answer'
    const report = lostReport({ ...record, entries }, scope.clock.date(), why)
    await this.#write({ type: 'close', call, fence: record.fence, report, summary: outcomeOf(report) })
  }

  #limitQueue(): void {
    const tooMany = this.#store === 'memory' ? this.#queue.length - limits.waiting : 0
    if (tooMany <= 0) return
    this.#lost += tooMany
    for (const { reject } of this.#queue.splice(0, tooMany)) reject(unavailable())
  }

  // ── the journal comes back ──

  #tryLater(): void {
    const { scope } = this.#options
    if (this.#retry || this.#aborted || scope.state !== 'live') return
    this.#retry = scope.after(
      limits.retry,
      'the journal may be back',
      () => void this.#comeBack().catch(noop),
    )
  }

  async #comeBack(): Promise<void> {
    const { journal, spool, logger, scope } = this.#options
    const count = spool.waiting
    const bounded: Pick<Journal, 'write'> = {
      write: (batch) => answerWithin(scope.clock, limits.import, journal.write(batch)),
    }
    try {
      if (count === 0) await answerWithin(scope.clock, limits.answer, journal.find(''))
      // Calls are written to the spool meanwhile. The journal is used again as soon as nothing is left.
      while (spool.waiting > 0 || this.#spooling) {
        await this.#spooling?.catch(noop)
        await spool.importInto(bounded, (write, result) => this.#stored(write, result))
      }
      this.#retry = undefined
      this.#store = 'journal'
      spool.clear()
      logger.info({ count }, 'the journal is back, and has everything from the spool')
    } catch {
      this.#retry = undefined
      // The disk may have room again.
      this.#store = 'spool'
      this.#tryLater()
    }
    await this.#run()
  }
}

const unavailable = (): EndwellError =>
  new EndwellError('JOURNAL_UNAVAILABLE', 'the journal is away, and no calls are taken until it is back')
