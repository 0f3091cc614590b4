import { SpoolImporter, type ImportDone } from '../../../src/host/reception/spool-importer.ts'
import type { Spool } from '../../../src/host/reception/spool.ts'
import type { CallWrite, Journal } from '../../../src/host/journal/index.ts'
import type { SimClock } from '../../../src/testing/index.ts'

/** The disk of a machine: what is on it survives the processes. */
export interface Disk {
  readonly files: Map<string, string[]>
  /** Milliseconds until something is written. Default: 1. */
  takes?: number
  full?: boolean
}

/** A spool in memory and in virtual time, with the same promises as the one on disk. */
export class MemorySpool implements Pick<Spool, 'waiting' | 'add' | 'addNow' | 'importInto' | 'clear'> {
  readonly #clock: SimClock
  readonly #disk: Disk
  readonly #name: string
  readonly #importer = new SpoolImporter()
  #imported = 0
  #kept = false

  constructor(clock: SimClock, disk: Disk, name: string) {
    this.#clock = clock
    this.#disk = disk
    this.#name = name
    disk.files.set(name, [])
  }

  get waiting(): number {
    return this.#lines.length - this.#imported
  }

  get #lines(): string[] {
    return this.#disk.files.get(this.#name)!
  }

  async add(writes: readonly CallWrite[]): Promise<void> {
    await this.#clock.elapse(this.#disk.takes ?? 1, 'the disk writes')
    this.#append(writes)
  }

  addNow(writes: readonly CallWrite[]): void {
    this.#kept = true
    this.#append(writes)
  }

  #append(writes: readonly CallWrite[]): void {
    if (this.#disk.full) throw new Error('ENOSPC: no space left on device')
    this.#lines.push(...writes.map((write) => JSON.stringify(write)))
  }

  async importInto(journal: Pick<Journal, 'write'>, done?: ImportDone): Promise<void> {
    while (this.waiting > 0) {
      const chunk = this.#lines.slice(this.#imported, this.#imported + 3)
      await this.#importer.write(chunk.map(parsed), journal, done)
      this.#imported += chunk.length
    }
  }

  clear(): void {
    if (this.#kept || this.waiting > 0) return
    this.#lines.length = 0
    this.#imported = 0
  }
}

/** Imports what a process that is gone has left, as the next process of its machine does. */
export async function importDisk(disk: Disk, name: string, journal: Pick<Journal, 'write'>): Promise<void> {
  const importer = new SpoolImporter()
  const lines = disk.files.get(name) ?? []
  for (let at = 0; at < lines.length; at += 3)
    await importer.write(lines.slice(at, at + 3).map(parsed), journal)
  disk.files.delete(name)
}

const parsed = (line: string): CallWrite => JSON.parse(line) as CallWrite
