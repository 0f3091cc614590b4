import type { Logger } from '../../parts/index.ts'
import { EndwellError, noop, type Resource, type Scope, type Timer } from '../../scope/index.ts'
import type { HistoryItem, Session, SessionReport } from '../../session/index.ts'
import { outcomeOf } from '../archive.ts'
import type { CallWrite, Journal, LostCall, NewCall, WriteResult } from '../journal/journal.ts'
import type { Spool } from './spool.ts'

export interface CallLogOptions {
  readonly scope: Scope<string>
  readonly journal: Pick<Journal, 'write' | 'hosts'>
  readonly spool: Spool
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

/** Where this process stands with a call. */
interface Place {
  fence: number
  /** The number of the latest entry. */
  seq: number
}

const limits = {
  /** Writes per transaction. */
  batch: 200,
  /** How long the journal may take before the spool replaces it, in milliseconds: a caller is waiting. */
  answer: 2_000,
  /** Milliseconds between two attempts to reach a journal that is away. */
  retry: 1_000,
  /** Writes that wait in memory when neither the journal nor the disk takes them. */
  waiting: 10_000,
}

/**
 * Writes the calls of this process to the journal: before a call is answered, as words are spoken, and its report before it
 * is forgotten (HO1). Writes go out in order, as many at once as have gathered while the previous ones were under way. While
 * the journal is away they go to a spool, from which they are moved as soon as it is back.
 */
export class CallLog implements Resource {
  readonly #options: CallLogOptions
  readonly #places = new Map<string, Place>()
  readonly #idle: (() => void)[] = []
  #queue: Pending[] = []
  #running = false
  /** Neither the journal nor the disk took the oldest writes: wait for the next attempt. */
  #stuck = false
  /** The journal has answered again: empty the spool first. */
  #backAgain = false
  /** How many writes the spool has that the journal does not have. */
  #spooled = 0
  #retry: Timer | undefined
  #lost = 0

  constructor(options: CallLogOptions) {
    this.#options = options
  }

  /** Writes that wait for the journal to come back. */
  get spooled(): number {
    return this.#spooled
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
    const { id } = call
    const result = await this.#write({ type: 'open', call })
    const lost = result === 'fenced' ? await take(id) : undefined
    if (result === 'fenced' && !lost)
      throw new EndwellError('CALL_TAKEN', `call '${id}' belongs to another process, or has ended`)
    this.#places.set(id, { fence: lost?.fence ?? 1, seq: lost?.entries.at(-1)?.seq ?? 0 })
    return lost
  }

  /** Whether this process writes the call. */
  has(call: string): boolean {
    return this.#places.has(call)
  }

  /** Writes what is said and done in a session, until it closes. `known` is what the journal has already. */
  follow(session: Session, known: readonly HistoryItem[] = []): void {
    const written = new Map(known.map((item) => [item.id, JSON.stringify(item)]))
    const note = (): void => {
      const changed = session.history.items.filter((item) => {
        const text = JSON.stringify(item)
        if (written.get(item.id) === text) return false
        written.set(item.id, text)
        return true
      })
      if (changed.length > 0) this.#append(session.id, changed)
    }
    for (const event of ['user', 'spoken', 'tool-done', 'handoff'] as const) session.on(event, note)
  }

  /** Writes the report. Resolves once it is stored; rejects if it could not be. */
  async end(call: string, report: SessionReport): Promise<void> {
    const place = this.#places.get(call)
    if (!place) return
    this.#places.delete(call)
    await this.#write({ type: 'close', call, fence: place.fence, report, summary: outcomeOf(report) })
  }

  // ── as a resource ──

  /** Resolves once everything is stored, in the journal or in the spool. */
  async close(): Promise<void> {
    if (!this.#running && this.#queue.length === 0) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** Stores what is left without waiting for anybody. */
  abort(): void {
    this.#retry?.clear()
    const left = this.#queue.splice(0)
    if (left.length === 0) return
    try {
      this.#options.spool.addNow(left.map(({ write }) => write))
      for (const { resolve } of left) resolve('written')
    } catch (error) {
      this.#lost += left.length
      for (const { reject } of left) reject(error)
    }
  }

  inspect(): object {
    return { calls: this.#places.size, waiting: this.#queue.length, spooled: this.#spooled }
  }

  #append(call: string, items: readonly HistoryItem[]): void {
    const place = this.#places.get(call)
    if (!place) return
    const at = this.#options.scope.clock.date()
    const entries = items.map((item) => ({ seq: ++place.seq, at, item }))
    this.#write({ type: 'entries', call, fence: place.fence, entries })
      .then((result) => {
        if (result !== 'fenced' || !this.#places.delete(call)) return
        this.#options.logger.warn({ call }, 'another process has taken over the call')
        this.#options.fenced(call)
      })
      .catch(noop)
  }

  #write(write: CallWrite): Promise<WriteResult> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, resolve, reject })
      this.#run().catch(noop)
    })
  }

  /** Stores what is queued, in order. One at a time. */
  async #run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    while (this.#backAgain || (this.#queue.length > 0 && !this.#stuck)) await this.#next()
    this.#running = false
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #next(): Promise<void> {
    if (this.#backAgain) return await this.#emptySpool()
    const batch = this.#queue.splice(0, limits.batch)
    return await (this.#spooled > 0 ? this.#spool(batch) : this.#send(batch))
  }

  async #send(batch: readonly Pending[]): Promise<void> {
    try {
      const began = this.#options.scope.clock.now()
      const results = await this.#within(this.#options.journal.write(batch.map(({ write }) => write)))
      this.#options.written?.(this.#options.scope.clock.now() - began)
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      this.#options.logger.error({ error }, 'the journal does not answer: calls are written to a spool')
      await this.#spool(batch, error)
    }
  }

  async #spool(batch: readonly Pending[], away?: unknown): Promise<void> {
    const refused = this.#options.whileAway === 'refuse'
    const kept = batch.filter(({ write, reject }) => {
      if (!refused || write.type !== 'open') return true
      reject(
        away ??
          new EndwellError(
            'JOURNAL_UNAVAILABLE',
            'the journal is away, and no calls are taken until it is back',
          ),
      )
      return false
    })
    try {
      if (kept.length > 0) await this.#options.spool.add(kept.map(({ write }) => write))
      this.#spooled += kept.length
      for (const { resolve } of kept) resolve('written')
    } catch (error) {
      this.#options.logger.error({ error }, 'the spool cannot be written: calls are kept in memory')
      this.#keep(kept, error)
    }
    this.#tryLater()
  }

  /** Neither the journal nor the disk takes them. A call that is not answered yet is refused; everything else waits. */
  #keep(batch: readonly Pending[], error: unknown): void {
    const [opens, others] = [
      batch.filter(({ write }) => write.type === 'open'),
      batch.filter(({ write }) => write.type !== 'open'),
    ]
    for (const { reject } of opens) reject(error)
    this.#queue = [...others, ...this.#queue]
    this.#stuck = true
    const tooMany = this.#queue.length - limits.waiting
    if (tooMany <= 0) return
    this.#lost += tooMany
    for (const { reject } of this.#queue.splice(0, tooMany)) reject(error)
  }

  #tryLater(): void {
    const { scope } = this.#options
    if (this.#retry || scope.state !== 'live') return
    this.#retry = scope.after(limits.retry, 'the journal may be back', () => {
      this.#retry = undefined
      this.#probe().catch(noop)
    })
  }

  /** Asks beside the queue, so that new calls do not wait behind a journal that is still away. */
  async #probe(): Promise<void> {
    try {
      await this.#within(this.#options.journal.hosts())
      this.#backAgain = true
    } catch {
      this.#tryLater()
    }
    this.#stuck = false
    await this.#run()
  }

  async #emptySpool(): Promise<void> {
    const { journal, spool, logger } = this.#options
    this.#backAgain = false
    try {
      const count = await spool.importInto(journal, (write, result) => this.#imported(write, result))
      this.#spooled = 0
      if (count > 0) logger.info({ count }, 'the journal is back, and has everything from the spool')
    } catch {
      this.#tryLater()
    }
  }

  #imported(write: CallWrite, result: WriteResult): void {
    const call = write.type === 'open' ? write.call.id : write.call
    if (result === 'fenced' && this.#places.delete(call)) this.#options.fenced(call)
  }

  /** Rejects if the journal does not answer in time. The write may still happen: writing it again changes nothing. */
  #within<T>(answer: Promise<T>): Promise<T> {
    answer.catch(noop)
    return new Promise<T>((resolve, reject) => {
      const late = new EndwellError(
        'JOURNAL_UNAVAILABLE',
        `the journal has not answered for ${limits.answer} ms`,
      )
      const timer = this.#options.scope.clock.after(limits.answer, 'the journal answers', () => reject(late))
      answer
        .then(resolve, reject)
        .finally(() => timer.clear())
        .catch(noop)
    })
  }
}
