import { spawn, type ChildProcess } from 'node:child_process'
import { systemClock, type Resource } from '../../scope/index.ts'
import type { SoundCommand } from './sound-commands.ts'

export interface SoundProgramEvents {
  /** The program has written this. */
  data(bytes: Uint8Array): void
  /** The program has ended by itself, or could not be started. `how` is for people. Called at most once. */
  ended(how: string): void
}

/** A running program that records or plays sound. */
export interface SoundProgram extends Resource {
  /** Bytes that the program has not read yet. */
  readonly unread: number
  write(bytes: Uint8Array): void
}

/** Starts a program. It never throws: a program that cannot be started has ended. */
export type StartSound = (command: SoundCommand, events: SoundProgramEvents) => SoundProgram

/** Milliseconds for what a program has written last to arrive. */
const LAST_WORDS = 100

/** Characters of a program's stderr that an error repeats. */
const MAX_STDERR = 200

/** Starts a program as a child of this process. It is killed when the call ends: it has nothing to save. */
export const startSound: StartSound = (command, events) => new ChildProgram(command, events)

class ChildProgram implements SoundProgram {
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  #killed = false
  #stderr = ''

  constructor({ program, args }: SoundCommand, events: SoundProgramEvents) {
    // In a group of its own, which Ctrl-C of the terminal does not reach, and which is killed as a whole.
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    // Also if this process exits without closing the call.
    process.once('exit', this.#kill)
    const { stdin, stdout, stderr } = this.#child
    // A program that has ended does not read: its exit says why.
    stdin?.on('error', () => {})
    stdout?.on('data', (bytes: Buffer) => {
      if (!this.#killed) events.data(bytes)
    })
    stderr?.on('data', (bytes: Buffer) => (this.#stderr = (this.#stderr + String(bytes)).slice(-MAX_STDERR)))
    this.#exited = new Promise((resolve) => {
      const end = (how: string): void => {
        // Children of the program may be left, and keep the pipes open.
        for (const stream of [stdin, stdout, stderr]) stream?.destroy()
        process.off('exit', this.#kill)
        this.#kill()
        resolve()
        if (this.#killed) return
        this.#killed = true
        const why = this.#stderr.trim().split('\n').at(-1) ?? ''
        events.ended(`${program} ${how}${why === '' ? '' : `: ${why}`}`)
      }
      this.#child.once('error', ({ message }) => end(`could not be started: ${message}`))
      this.#child.once('exit', (code, signal) => {
        // What it has written last says why it ended. Its own children may keep the pipe open.
        const ended = (): void => end(`ended with ${signal ?? `exit code ${code}`}`)
        if (this.#killed) return ended()
        this.#child.once('close', ended)
        return void systemClock.after(LAST_WORDS, 'last words of a program', ended)
      })
    })
  }

  get unread(): number {
    return this.#child.stdin?.writableLength ?? 0
  }

  write(bytes: Uint8Array): void {
    if (!this.#killed) this.#child.stdin?.write(bytes)
  }

  closing(): void {
    this.abort()
  }

  async close(): Promise<void> {
    this.abort()
    await this.#exited
  }

  abort(): void {
    if (this.#killed) return
    this.#killed = true
    this.#kill()
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream?.destroy()
  }

  /** Not SIGTERM, which a program can ignore. */
  readonly #kill = (): void => {
    const { pid } = this.#child
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended, or the system has no groups.
      this.#child.kill('SIGKILL')
    }
  }
}
