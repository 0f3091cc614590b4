import { closeSync, fdatasyncSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { noop } from '../../scope/index.ts'
import type { CallWrite, Journal } from '../journal/journal.ts'
import { SpoolImporter, type ImportDone } from './spool-importer.ts'

/** Writes per transaction while a spool is imported, and bytes. Few: after an outage, all hosts do this at once. */
const CHUNK = { writes: 50, bytes: 1_000_000 }

const PREFIX = 'spool-'
const SUFFIX = '.ndjson'
/** The file of a process that is gone, while it is imported. */
const CLAIMED = 'import-'

/**
 * A file that stands in for the journal while that is away (HO1): one write per line, on disk before `add` resolves. A line
 * that is torn by a crash was never acknowledged, and is ignored. Writes may be imported while others are added.
 */
export class Spool {
  readonly #folder: string
  readonly #file: string
  readonly #importer = new SpoolImporter()
  /** Bytes in the file that were acknowledged, and how many of them the journal has. */
  #size = 0
  #imported = 0
  #waiting = 0
  /** Counts files: another process may import this one, because it takes this process for dead. */
  #generation = 0
  #addedNow = false

  /** `name` is unique among the processes that share the folder, now and later: `<host>-<worker>`. */
  constructor(folder: string, name: string) {
    this.#folder = folder
    this.#file = join(folder, `${PREFIX}${name}${SUFFIX}`)
  }

  /** Writes that the journal does not have. */
  get waiting(): number {
    return this.#waiting
  }

  /** One at a time. */
  async add(writes: readonly CallWrite[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const file = await open(this.#file, 'a', 0o600)
    try {
      const lines = linesOf(writes)
      await file.appendFile(lines)
      await file.datasync()
      const { size } = await file.stat()
      if (size < this.#size + lines.length) this.#begin()
      this.#waiting += writes.length
      this.#size = size
    } catch (error) {
      // Calls whose opening was not acknowledged are refused, and must not be imported.
      if (!this.#addedNow) await file.truncate(this.#size).catch(noop)
      throw error
    } finally {
      await file.close()
    }
  }

  /** For a process that must not wait: it is about to end. */
  addNow(writes: readonly CallWrite[]): void {
    this.#addedNow = true
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const file = openSync(this.#file, 'a', 0o600)
    try {
      writeFileSync(file, linesOf(writes))
      fdatasyncSync(file)
    } finally {
      closeSync(file)
    }
  }

  /** Moves everything into the journal, in order, also what is added meanwhile. Calls `done` for each write. */
  async importInto(journal: Pick<Journal, 'write'>, done?: ImportDone): Promise<void> {
    while (this.#imported < this.#size) {
      const generation = this.#generation
      const end = this.#size
      const text = (await readBytes(this.#file)).subarray(this.#imported, end).toString()
      const moved = (bytes: number, writes: number): void => {
        if (generation !== this.#generation) return
        this.#imported = Math.min(end, this.#imported + bytes)
        this.#waiting -= writes
      }
      await importText(text, (chunk) => this.#importer.write(chunk, journal, done), moved)
      if (generation === this.#generation) this.#imported = end
    }
    this.#waiting = 0
  }

  /** Deletes the file, unless there is something in it that the journal does not have. */
  clear(): void {
    if (this.#addedNow || this.#imported < this.#size) return
    try {
      rmSync(this.#file, { force: true })
      this.#begin()
    } catch {
      // The file stays, and what the journal has is skipped.
    }
  }

  #begin(): void {
    this.#generation++
    this.#size = 0
    this.#imported = 0
    this.#waiting = 0
  }
}

/**
 * Moves what processes of this machine left behind into the journal. Nothing should be adopted before. Leaves the files of
 * processes that are alive. Returns the number of writes.
 */
export async function importSpools(
  folder: string,
  journal: Pick<Journal, 'write'>,
  isAlive: (host: string, worker: string) => boolean = () => false,
): Promise<number> {
  let count = 0
  for (const name of (await readdir(folder).catch((): string[] => [])).toSorted()) {
    const claimed = name.startsWith(CLAIMED)
    if (!claimed && (!name.startsWith(PREFIX) || isAlive(...ownerOf(name)))) continue
    const path = join(folder, claimed ? name : `${CLAIMED}${name}`)
    // So that a process that is alive after all goes on in a new file.
    if (!claimed) await rename(join(folder, name), path)
    const importer = new SpoolImporter()
    const text = (await readBytes(path)).toString()
    await importText(
      text,
      (chunk) => importer.write(chunk, journal),
      (_, writes) => (count += writes),
    )
    await rm(path, { force: true })
  }
  return count
}

/** The owner of a file: `spool-<host>-<worker>.ndjson`. */
function ownerOf(name: string): [host: string, worker: string] {
  const at = name.lastIndexOf('-')
  return [name.slice(PREFIX.length, at), name.slice(at + 1, -SUFFIX.length)]
}

/** Writes the lines of a file to the journal, in chunks. */
async function importText(
  text: string,
  write: (chunk: readonly CallWrite[]) => Promise<void>,
  moved: (bytes: number, writes: number) => void,
): Promise<void> {
  let chunk: CallWrite[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    await write(chunk)
    moved(bytes, chunk.length)
    chunk = []
    bytes = 0
  }
  for (const line of text.split('\n')) {
    chunk.push(...writeOf(line))
    bytes += Buffer.byteLength(line) + 1
    if (chunk.length >= CHUNK.writes || bytes >= CHUNK.bytes) await flush()
  }
  await flush()
}

/** Empty if there is no such file: another process has imported it. */
async function readBytes(path: string): Promise<Buffer> {
  return await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
}

/** Starts with a line break, so that a torn line before it spoils nothing. */
function linesOf(writes: readonly CallWrite[]): Buffer {
  return Buffer.from(writes.map((write) => `\n${JSON.stringify(write)}`).join('') + '\n')
}

function writeOf(line: string): CallWrite[] {
  if (line === '') return []
  try {
    return [JSON.parse(line) as CallWrite]
  } catch {
    return []
  }
}
