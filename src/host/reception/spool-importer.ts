import { noop } from '../../scope/index.ts'
import type { CallWrite, Journal, WriteResult } from '../journal/journal.ts'

export type ImportDone = (write: CallWrite, result: WriteResult) => void

/** Moves the writes of one process into the journal, in order. */
export class SpoolImporter {
  /** Calls that this process opened while another one had them: what it wrote about them is void. */
  readonly #refused = new Set<string>()

  /**
   * Writes a chunk. Opens calls before everything else: if two processes have opened a call while the journal was away, both
   * have the first fence, and only the opening tells whose call it is.
   */
  async write(
    chunk: readonly CallWrite[],
    journal: Pick<Journal, 'write'>,
    done: ImportDone = noop,
  ): Promise<void> {
    await this.#write(
      chunk.filter(({ type }) => type === 'open'),
      journal,
      done,
    )
    const others = chunk.filter(({ type }) => type !== 'open')
    await this.#write(
      others.filter((write) => !this.#isVoid(write)),
      journal,
      done,
    )
    for (const write of others) if (this.#isVoid(write)) done(write, 'fenced')
  }

  async #write(
    writes: readonly CallWrite[],
    journal: Pick<Journal, 'write'>,
    done: ImportDone,
  ): Promise<void> {
    if (writes.length === 0) return
    const results = await journal.write(writes)
    for (const [index, write] of writes.entries()) {
      const result = results[index]!
      if (write.type === 'open' && result === 'fenced') this.#refused.add(write.call.id)
      done(write, result)
    }
  }

  #isVoid(write: CallWrite): boolean {
    return write.type !== 'open' && write.fence === 1 && this.#refused.has(write.call)
  }
}
