import { watch, type FSWatcher } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { describeError, systemClock, type Clock, type Timer } from '../../scope/index.ts'
import { fingerprintOf, type LoadedFile } from './fingerprint.ts'

export interface WatchedFilesOptions {
  /** Called when files have another content than the one that was loaded, with their paths. */
  readonly changed: (paths: readonly string[]) => void
  /** Called for a folder that cannot be watched. */
  readonly failed: (folder: string, why: string) => void
  readonly clock?: Clock
}

const limits = {
  /** Milliseconds without another event after which a change counts: editors write a file in several steps. */
  quiet: 50,
  /** Folders that are watched at most. Systems have a limit for all programs together. */
  folders: 500,
}

const modules = new Set(['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs', '.json'])

/**
 * Notices changes of files, by events of the system. It watches their folders, since editors replace files instead of writing
 * into them, and compares contents, since a file that was saved unchanged is no change (RL4).
 */
export class WatchedFiles {
  /**
   * Whether any module in a watched folder counts, because what was loaded last has failed: it may lack a file that is about to be
   * created.
   */
  eager = false
  readonly #options: WatchedFilesOptions
  readonly #clock: Clock
  /** What was loaded, by path. */
  readonly #files = new Map<string, string>()
  readonly #folders = new Map<string, FSWatcher | undefined>()
  /** Files with events since the last look. */
  readonly #touched = new Set<string>()
  #timer: Timer | undefined
  #closed = false

  constructor(options: WatchedFilesOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** Watches a file that was loaded. If it has changed since then, that is noticed, too. */
  add({ path, fingerprint }: LoadedFile): void {
    if (this.#closed) return
    this.#files.set(path, fingerprint)
    this.#watch(dirname(path))
    // Not before the folder is watched, so that no change goes unnoticed.
    if (fingerprintOf(path) !== fingerprint) this.#touch(path)
  }

  /** Forgets all other files. */
  keep(paths: ReadonlySet<string>): void {
    for (const path of this.#files.keys()) if (!paths.has(path)) this.#files.delete(path)
    const folders = new Set(Array.from(paths, (path) => dirname(path)))
    for (const [folder, watcher] of this.#folders) {
      if (folders.has(folder)) continue
      watcher?.close()
      this.#folders.delete(folder)
    }
  }

  close(): void {
    this.#closed = true
    this.#timer?.clear()
    for (const watcher of this.#folders.values()) watcher?.close()
    this.#folders.clear()
  }

  #watch(folder: string): void {
    if (this.#folders.has(folder)) return
    this.#folders.set(folder, undefined)
    if (this.#folders.size > limits.folders)
      return this.#options.failed(folder, `more than ${limits.folders} folders are watched`)
    try {
      const watcher = watch(folder, (_, name) => this.#event(folder, name))
      watcher.on('error', (error) => this.#lost(folder, error))
      this.#folders.set(folder, watcher)
    } catch (error) {
      this.#lost(folder, error)
    }
    return undefined
  }

  #lost(folder: string, error: unknown): void {
    this.#folders.get(folder)?.close()
    if (!this.#closed) this.#options.failed(folder, describeError(error).message)
  }

  /** Some systems do not name the file. */
  #event(folder: string, name: string | null): void {
    if (name !== null) return this.#touch(join(folder, name))
    for (const path of this.#files.keys()) if (dirname(path) === folder) this.#touch(path)
    return undefined
  }

  #touch(path: string): void {
    const matters = this.#files.has(path) || (this.eager && modules.has(extname(path)))
    if (this.#closed || !matters) return
    this.#touched.add(path)
    this.#timer?.clear()
    this.#timer = this.#clock.after(limits.quiet, 'a change has been written', () => this.#look())
  }

  #look(): void {
    const changed = [...this.#touched].filter((path) => {
      const now = fingerprintOf(path)
      const before = this.#files.get(path)
      // Remembered, so that a version that could not be loaded is not tried again.
      if (before !== undefined) this.#files.set(path, now)
      return now !== (before ?? '')
    })
    this.#touched.clear()
    if (changed.length > 0) this.#options.changed(changed)
  }
}
