import { close, mkdir, open, write } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { RecordingError, type RecordingSink } from './recording-sink.ts'
import { checkOptions } from '../../scope/index.ts'

export interface FileSinkOptions {
  /** Whether to overwrite an existing file. Default: false, the first write rejects with `EEXIST`. */
  readonly overwrite?: boolean
}

/**
 * Records to a file, which is created at the first write and readable by its owner only. A folder that is missing is
 * created too.
 *
 * Node's file operations run in threads that cannot be cancelled. If the disk hangs, `abort` returns at once and starts no
 * further operation, but the file is closed only when the pending operation has returned.
 */
export function fileSink(path: string, options: FileSinkOptions = {}): RecordingSink {
  checkOptions('fileSink', options, { overwrite: true })
  const { overwrite = false } = options
  return new FileSink(path, overwrite ? 'w' : 'wx')
}

class FileSink implements RecordingSink {
  /** Its absolute path. */
  readonly place: string
  readonly #flags: string
  #opening: Promise<number> | undefined
  #file: number | undefined
  #position = 0
  /** Whether a file operation is pending. Closing the file then could let another file reuse its descriptor. */
  #busy = false
  #closed = false

  constructor(path: string, flags: string) {
    this.place = resolve(path)
    this.#flags = flags
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#writeAt(this.#position, bytes)
    this.#position += bytes.length
  }

  async patch(position: number, bytes: Uint8Array): Promise<void> {
    await this.#writeAt(position, bytes)
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#closed = true
    this.#file = undefined
    if (file !== undefined) await this.#call<void>((done) => close(file, done))
  }

  abort(): void {
    this.#closed = true
    if (!this.#busy) this.#release()
  }

  async #writeAt(position: number, bytes: Uint8Array): Promise<void> {
    this.#assertOpen()
    const file = await (this.#opening ??= this.#open())
    for (let at = 0; at < bytes.length;) {
      this.#assertOpen()
      const from = at
      const length = bytes.length - from
      at += await this.#call<number>((done) => write(file, bytes, from, length, position + from, done))
    }
  }

  async #open(): Promise<number> {
    try {
      return await this.#openFile()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      this.#assertOpen()
      await this.#call<unknown>((done) => mkdir(dirname(this.place), { recursive: true, mode: 0o700 }, done))
      this.#assertOpen()
      return await this.#openFile()
    }
  }

  #openFile(): Promise<number> {
    return this.#call<number>((done) =>
      open(this.place, this.#flags, 0o600, (error, file) => {
        if (!error) this.#file = file
        done(error, file)
      }),
    )
  }

  /** Runs one file operation. If the sink is aborted meanwhile, closes the file when the operation has returned. */
  #call<T>(work: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#busy = true
      work((error, value) => {
        this.#busy = false
        if (this.#closed) this.#release()
        if (error) reject(error)
        else resolve(value)
      })
    })
  }

  /** Called right before every operation: after an abort, the descriptor may belong to another file. */
  #assertOpen(): void {
    if (this.#closed) throw new RecordingError('RECORDING_FAILED', `${this.place} is closed`)
  }

  #release(): void {
    const file = this.#file
    this.#file = undefined
    // An error is ignored: the recording was given up already.
    if (file !== undefined) close(file, () => {})
  }
}
