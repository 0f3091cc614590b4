import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, open, rm, writeFile, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Resource, Scope, Timer } from '../../scope/index.ts'
import { LocalError } from './errors.ts'

export interface Program {
  readonly name: string
  readonly path: string
  readonly args: readonly string[]
  /** The time limit in milliseconds. */
  readonly timeout: number
}

/** Characters of a program's stderr that an error repeats. */
const MAX_STDERR = 300

/**
 * Runs a program once with `input` as its stdin, and returns its stdout. The scope owns the process, which is killed when
 * the scope ends or `signal` aborts. Speech programs have nothing to save then.
 *
 * Stdin and stdout are unlinked files, because Node's pipes are sockets, and a program that opens /dev/stdout cannot open
 * a socket. Therefore the text appears neither in the process list nor on disk afterwards.
 */
export async function runProgram(
  scope: Scope<string>,
  program: Program,
  input: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  signal.throwIfAborted()
  const files = await unlinkedFiles(input)
  try {
    signal.throwIfAborted()
    const run = new ProgramRun(program, files)
    scope.own(program.name, run)
    try {
      await run.finished(scope, signal)
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

async function unlinkedFiles(text: string): Promise<Files> {
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

class ProgramRun implements Resource {
  readonly #program: Program
  readonly #child: ChildProcess
  readonly #exited: Promise<LocalError | undefined>
  #stderr = ''
  #timer: Timer | undefined
  #killed = false

  constructor(program: Program, { input, output }: Files) {
    const { path, args } = program
    this.#program = program
    this.#child = spawn(path, args, { stdio: [input.fd, output.fd, 'pipe'] })
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(0, MAX_STDERR)
    })
    this.#exited = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(this.#error(error.message)))
      this.#child.on('exit', (code, signal) => {
        // Its own children may keep the pipe open.
        this.#child.stderr?.destroy()
        const how = signal === null ? `exit code ${code}` : `signal ${signal}`
        resolve(code === 0 ? undefined : this.#error(`${how} ${this.#stderr.trim()}`.trim()))
      })
    })
  }

  /** Resolves when the program has succeeded in time. Rejects with the signal's reason if that aborts. */
  async finished(scope: Scope<string>, signal: AbortSignal): Promise<void> {
    const { name, timeout } = this.#program
    let late: LocalError | undefined
    this.#timer = scope.clock.after(timeout, `timeout of ${name}`, () => {
      const why = `${name} took longer than ${timeout} ms and was killed: raise \`timeout\`, or use another engine`
      late = new LocalError('ENGINE_TIMEOUT', why)
      this.abort()
    })
    const cancelled = (): void => this.abort()
    signal.addEventListener('abort', cancelled, { once: true })
    try {
      const failure = await this.#exited
      signal.throwIfAborted()
      if (late ?? failure) throw late ?? failure
    } finally {
      this.#timer.clear()
      signal.removeEventListener('abort', cancelled)
    }
  }

  async close(): Promise<void> {
    this.abort()
    await this.#exited
  }

  abort(): void {
    if (this.#killed) return
    this.#killed = true
    this.#timer?.clear()
    // Not SIGTERM, which a program can ignore.
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
  }

  #error(why: string): LocalError {
    return new LocalError('ENGINE_FAILED', `${this.#program.name} failed: ${why}`)
  }
}
