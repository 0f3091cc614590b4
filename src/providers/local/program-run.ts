import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, open, rm, writeFile, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Resource, Scope } from '../../scope/index.ts'
import { LocalError } from './errors.ts'

export interface Program {
  readonly name: string
  readonly path: string
  readonly args: readonly string[]
  /** How long it may take, in milliseconds. */
  readonly timeout: number
}

/** How much of a program's complaint is repeated. */
const COMPLAINT = 300

/**
 * Runs a program once: `input` is its standard input, its standard output is returned. The scope owns the process: it
 * is killed when the scope ends or `signal` aborts, and such programs have nothing to lose by that.
 *
 * Input and output are files without a name, since what Node gives a child as a pipe is a socket, and a program that
 * opens /dev/stdout cannot open one. What is spoken is neither in the list of processes nor left on the disk.
 */
export async function runProgram(
  scope: Scope<string>,
  program: Program,
  input: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  signal.throwIfAborted()
  const files = await namelessFiles(input)
  try {
    signal.throwIfAborted()
    const run = new ProgramRun(program, files)
    scope.own(program.name, run)
    try {
      await run.ended(scope, signal)
    } finally {
      scope.forget(run)
    }
    return await readAll(files.output)
  } finally {
    await Promise.all([files.input.close(), files.output.close()])
  }
}

interface Files {
  readonly input: FileHandle
  readonly output: FileHandle
}

async function namelessFiles(text: string): Promise<Files> {
  const folder = await mkdtemp(join(tmpdir(), 'endwell-'))
  try {
    await writeFile(join(folder, 'in'), text, { mode: 0o600 })
    const input = await open(join(folder, 'in'), 'r')
    return { input, output: await open(join(folder, 'out'), 'wx+', 0o600) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function readAll(file: FileHandle): Promise<Uint8Array> {
  const { size } = await file.stat()
  const bytes = new Uint8Array(size)
  const { bytesRead } = await file.read(bytes, 0, size, 0)
  return bytes.subarray(0, bytesRead)
}

/** A process that runs. */
class ProgramRun implements Resource {
  readonly #program: Program
  readonly #child: ChildProcess
  readonly #over: Promise<LocalError | undefined>
  #complaint = ''
  #killed = false

  constructor(program: Program, { input, output }: Files) {
    const { path, args } = program
    this.#program = program
    this.#child = spawn(path, args, { stdio: [input.fd, output.fd, 'pipe'] })
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#complaint = (this.#complaint + chunk.toString()).slice(0, COMPLAINT)
    })
    this.#over = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(this.#error(error.message)))
      this.#child.on('exit', (code, signal) => {
        // What it has started itself may hold this end of the pipe for as long as it likes.
        this.#child.stderr?.destroy()
        const how = signal === null ? `exit code ${code}` : `signal ${signal}`
        resolve(code === 0 ? undefined : this.#error(`${how} ${this.#complaint.trim()}`.trim()))
      })
    })
  }

  /** Settles when it has ended by itself, in time; throws otherwise, and the reason of the signal if that aborts. */
  async ended(scope: Scope<string>, signal: AbortSignal): Promise<void> {
    const { name, timeout } = this.#program
    let late: LocalError | undefined
    const timer = scope.clock.after(timeout, `limit of ${name}`, () => {
      const why = `${name} took longer than ${timeout} ms and was ended: raise \`timeout\`, or use another engine`
      late = new LocalError('ENGINE_TIMEOUT', why)
      this.abort()
    })
    const cancelled = (): void => this.abort()
    signal.addEventListener('abort', cancelled, { once: true })
    try {
      const failure = await this.#over
      signal.throwIfAborted()
      if (late ?? failure) throw late ?? failure
    } finally {
      timer.clear()
      signal.removeEventListener('abort', cancelled)
    }
  }

  async close(): Promise<void> {
    this.abort()
    await this.#over
  }

  abort(): void {
    if (this.#killed) return
    this.#killed = true
    // Not SIGTERM: a program that ignores it would stay, and this one has nothing to save.
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
  }

  #error(why: string): LocalError {
    return new LocalError('ENGINE_FAILED', `${this.#program.name} failed: ${why}`)
  }
}
