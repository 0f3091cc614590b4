import type { HostState, Journal, Order, WorkCounts, WorkQuery, WorkRecord } from '../journal/journal.ts'

export interface OperationsOptions {
  readonly journal: Pick<Journal, 'hosts' | 'work' | 'workCounts' | 'retry' | 'order' | 'drain'>
  /** The host of this process. Without it, this process belongs to no host. */
  readonly own?: {
    readonly id: () => string
    /** Takes no more calls. */
    readonly drain: () => Promise<unknown>
  }
}

/** Which work to retry: one piece, that of a call, or all that is dead. */
export type RetryQuery = { readonly key: string } | { readonly call: string } | { readonly dead: true }

/** What an operator can see and do, besides calls: hosts and after-call work, of all that share a journal. */
export class Operations {
  readonly #options: OperationsOptions

  constructor(options: OperationsOptions) {
    this.#options = options
  }

  /** The id of this process's host. */
  get own(): string | undefined {
    return this.#options.own?.id()
  }

  hosts(): Promise<readonly HostState[]> {
    return this.#options.journal.hosts()
  }

  async work(
    query: WorkQuery,
  ): Promise<{ readonly work: readonly WorkRecord[]; readonly counts: WorkCounts }> {
    const { journal } = this.#options
    const [work, counts] = await Promise.all([journal.work(query), journal.workCounts()])
    return { work, counts }
  }

  /** Returns how many pieces of work are due now. */
  retry(query: RetryQuery): Promise<number> {
    return this.#options.journal.retry('dead' in query ? {} : query)
  }

  /** Leaves an order in the journal for the process that serves a call. False if no process does. */
  order(order: Order): Promise<boolean> {
    return this.#options.journal.order(order)
  }

  /** Has a host take no more calls. Another host learns it with its next heartbeat. False if there is no such host. */
  async drain(host: string): Promise<boolean> {
    const { journal, own } = this.#options
    if (own && host === own.id()) {
      await own.drain()
      return true
    }
    if (!(await journal.hosts()).some(({ id }) => id === host)) return false
    await journal.drain(host)
    return true
  }
}
