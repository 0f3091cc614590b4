import { close, open, write } from 'node:fs'
import { RecordingError, type RecordingSink } from './recording-sink.ts'

export interface FileSinkOptions {
  /** Whether a file that is there already may be lost: no unless set. */
  readonly overwrite?: boolean
}

/**
 * A recording in a file, opened when the first byte comes. Only its owner may read it: it is what somebody said.
 *
 * Node does its work in threads that cannot be stopped. If the disk hangs, `abort` returns at once and nothing more is
 * begun, but the file is closed only when the disk has answered.
 */
export function fileSink(path: string, { overwrite = false }: FileSinkOptions = {}): RecordingSink {
  return new FileSink(path, overwrite ? 'w' : 'wx')
}

class FileSink implements RecordingSink {
  readonly #path: string
  readonly #flags: string
  #opening: Promise<number> | undefined
  #file: number | undefined
  #position = 0
  /** Something is in the hands of the system. A file is not closed then: its number could be given to another. */
  #busy = false
  #over = false

  constructor(path: string, flags: string) {
    this.#path = path
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
    this.#over = true
    this.#file = undefined
    if (file !== undefined) await this.#call<void>((done) => close(file, done))
  }

  abort(): void {
    this.#over = true
    if (!this.#busy) this.#letGo()
  }

  async #writeAt(position: number, bytes: Uint8Array): Promise<void> {
    this.#mustBeOpen()
    const file = await (this.#opening ??= this.#open())
    for (let at = 0; at < bytes.length;) {
      this.#mustBeOpen()
      const from = at
      const length = bytes.length - from
      at += await this.#call<number>((done) => write(file, bytes, from, length, position + from, done))
    }
  }

  #open(): Promise<number> {
    return this.#call<number>((done) =>
      open(this.#path, this.#flags, 0o600, (error, file) => {
        if (!error) this.#file = file
        done(error, file)
      }),
    )
  }

  /** One call of the system. If the sink is aborted meanwhile, the file is let go when the system has answered. */
  #call<T>(work: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#busy = true
      work((error, value) => {
        this.#busy = false
        if (this.#over) this.#letGo()
        if (error) reject(error)
        else resolve(value)
      })
    })
  }

  /** Asked right before every call: after an abort the file's number may be another file's. */
  #mustBeOpen(): void {
    if (this.#over) throw new RecordingError('RECORDING_FAILED', `${this.#path} is closed`)
  }

  #letGo(): void {
    const file = this.#file
    this.#file = undefined
    // Whether that works or not: nobody can do anything about it any more.
    if (file !== undefined) close(file, () => {})
  }
}
