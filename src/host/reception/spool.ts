import { fdatasyncSync, closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { mkdir, open, readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CallWrite, Journal, WriteResult } from '../journal/journal.ts'

/** Writes per transaction while a spool is imported. */
const CHUNK = 200

const PREFIX = 'spool-'

/**
 * A file that stands in for the journal while that is away (HO1): one write per line, on disk before `add` resolves. A line
 * that is torn by a crash was never acknowledged, and is ignored.
 */
export class Spool {
  readonly #folder: string
  readonly #file: string

  /** `name` is unique among the processes that share the folder, now and later. */
  constructor(folder: string, name: string) {
    this.#folder = folder
    this.#file = join(folder, `${PREFIX}${name}.ndjson`)
  }

  async add(writes: readonly CallWrite[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const file = await open(this.#file, 'a', 0o600)
    try {
      await file.appendFile(linesOf(writes))
      await file.datasync()
    } finally {
      await file.close()
    }
  }

  /** For a process that must not wait: it is about to end. */
  addNow(writes: readonly CallWrite[]): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const file = openSync(this.#file, 'a', 0o600)
    try {
      writeSync(file, linesOf(writes))
      fdatasyncSync(file)
    } finally {
      closeSync(file)
    }
  }

  /** Moves everything into the journal, in order. Calls `done` for each write. The file is deleted once all are written. */
  async importInto(journal: Pick<Journal, 'write'>, done?: ImportDone): Promise<number> {
    return await importFile(this.#file, journal, done)
  }
}

type ImportDone = (write: CallWrite, result: WriteResult) => void

/** Moves what other processes left behind into the journal. Nothing may be adopted before. Returns the number of writes. */
export async function importSpools(folder: string, journal: Pick<Journal, 'write'>): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  let count = 0
  for (const name of names.filter((each) => each.startsWith(PREFIX)).toSorted())
    count += await importFile(join(folder, name), journal)
  return count
}

async function importFile(path: string, journal: Pick<Journal, 'write'>, done?: ImportDone): Promise<number> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const writes = text.split('\n').flatMap(writeOf)
  for (let from = 0; from < writes.length; from += CHUNK) {
    const chunk = writes.slice(from, from + CHUNK)
    const results = await journal.write(chunk)
    for (const [index, write] of chunk.entries()) done?.(write, results[index]!)
  }
  await rm(path, { force: true })
  return writes.length
}

/** Starts with a line break, so that a torn line before it spoils nothing. */
function linesOf(writes: readonly CallWrite[]): string {
  return writes.map((write) => `\n${JSON.stringify(write)}`).join('') + '\n'
}

function writeOf(line: string): CallWrite[] {
  if (line === '') return []
  try {
    return [JSON.parse(line) as CallWrite]
  } catch {
    return []
  }
}
