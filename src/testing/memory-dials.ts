import type { DialEnd, DialRecord, NewDial, Owner } from '../host/journal/index.ts'

/** The outcome of an attempt whose process is gone. */
export const dialLost = { outcome: 'unknown', why: 'the process that called is gone' } as const

/** Attempts to call somebody, as a journal in memory keeps them. */
export class MemoryDials {
  readonly #byKey = new Map<string, DialRecord>()

  claim(dial: NewDial, now: number): DialRecord {
    const record = this.#byKey.get(dial.key) ?? { ...dial, owner: { ...dial.owner }, claimedAt: now }
    this.#byKey.set(dial.key, record)
    return record
  }

  settle(ticket: string, end: DialEnd | undefined): boolean {
    const record = this.find({ ticket })
    if (!record) return false
    if (!end) return record.outcome === undefined && this.#byKey.delete(record.key)
    if (record.outcome !== undefined && record.outcome !== 'unknown') return false
    const { key, owner, claimedAt, call } = record
    this.#byKey.set(key, { key, ticket, owner, claimedAt, ...(call === undefined ? {} : { call }), ...end })
    return true
  }

  find(query: { readonly key: string } | { readonly ticket: string }): DialRecord | undefined {
    if ('key' in query) return this.#byKey.get(query.key)
    return [...this.#byKey.values()].find(({ ticket }) => ticket === query.ticket)
  }

  /** The process of these attempts is gone. */
  lose(isTheirs: (owner: Owner) => boolean): void {
    for (const record of this.#byKey.values())
      if (record.outcome === undefined && isTheirs(record.owner))
        this.#byKey.set(record.key, { ...record, ...dialLost })
  }

  prune(before: number, limit: number): void {
    const old = [...this.#byKey.values()].filter(({ claimedAt }) => claimedAt < before)
    for (const { key } of old.slice(0, limit)) this.#byKey.delete(key)
  }
}
