import { readFile } from 'node:fs/promises'

/** The part of `WebAssembly` that is used. The types of Node lack it. */
interface Wasm {
  compile(bytes: Uint8Array): Promise<object>
  readonly Instance: new (module: object, imports: object) => { readonly exports: Exports }
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly _start: () => void
}

const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: Wasm }

/** Error numbers of WASI. */
const [OK, BAD_FILE, NO_ENTRY, NOT_SEEKABLE] = [0, 8, 44, 70]
const [STDIN, STDOUT, ROOT] = [0, 1, 3]
const [DEVICE, FOLDER, FILE] = [2, 3, 4]
const ALL_RIGHTS = 0x1fff_ffffn

interface File {
  read: number
  bytes: Uint8Array
  length: number
}

const modules = new Map<string, Promise<object>>()

/** Compiles a file, once per process: threads share a module and its code, which are most of what flite takes in memory. */
export function compileWasm(path: string): Promise<object> {
  const known = modules.get(path)
  if (known) return known
  const compiled = readFile(path).then((bytes) => wasm.compile(bytes))
  modules.set(path, compiled)
  compiled.catch(() => modules.delete(path))
  return compiled
}

/** What a run has printed to stdout, and the contents of its output file. */
export interface WasiRun {
  readonly printed: string
  readonly output: Uint8Array
}

/**
 * A command that was compiled to WASI preview 1. It runs with one input file, `/in`, and one output file, `/out`, both in
 * memory, and reaches nothing else of the machine. It has only the system calls that flite needs: Node's own WASI is
 * experimental, warns about it in the terminal, and writes to real files, which a thread that is ended leaves behind.
 */
export class WasiProgram {
  readonly #module: object
  #exports: Exports | undefined
  /** The memory before the first run. */
  #initial = new Uint8Array()
  #args: readonly Uint8Array[] = []
  #printed = emptyFile()
  readonly #files = new Map<string, File>()
  readonly #open = new Map<number, File>()

  constructor(module: object) {
    this.#module = module
  }

  /** Runs the command once. Throws if it fails. */
  run(args: readonly string[], input = ''): WasiRun {
    const encoder = new TextEncoder()
    this.#args = ['command', ...args].map((arg) => encoder.encode(`${arg}\0`))
    const bytes = encoder.encode(input)
    const [printed, output] = [emptyFile(), emptyFile()]
    this.#printed = printed
    this.#files.clear()
    this.#files.set('in', { read: 0, bytes, length: bytes.length })
    this.#files.set('out', output)
    this.#open.clear()
    const { _start: start } = this.#restored()
    try {
      start()
    } catch (error) {
      // Its stack pointer is wrong now, so that it cannot run again.
      this.#exports = undefined
      if (!(error instanceof Exit && error.code === 0)) throw error
    }
    return { printed: new TextDecoder().decode(contentOf(printed)), output: contentOf(output) }
  }

  /** A command can run only once in its memory. Restoring the memory is six times as fast as a new instance. */
  #restored(): Exports {
    if (this.#exports) {
      const memory = new Uint8Array(this.#exports.memory.buffer)
      memory.set(this.#initial)
      memory.fill(0, this.#initial.length)
      return this.#exports
    }
    const { exports } = new wasm.Instance(this.#module, { wasi_snapshot_preview1: this.#calls() })
    this.#exports = exports
    if (this.#initial.length === 0) this.#initial = new Uint8Array(exports.memory.buffer).slice()
    return exports
  }

  #calls(): object {
    return {
      args_sizes_get: (count: number, size: number) => {
        this.#view.setUint32(count, this.#args.length, true)
        this.#view.setUint32(
          size,
          this.#args.reduce((sum, { length }) => sum + length, 0),
          true,
        )
        return OK
      },
      args_get: (pointers: number, texts: number) => {
        let at = texts
        for (const [index, arg] of this.#args.entries()) {
          this.#view.setUint32(pointers + 4 * index, at, true)
          this.#memory.set(arg, at)
          at += arg.length
        }
        return OK
      },
      // Only to print how fast it was.
      clock_time_get: (_id: number, _precision: bigint, time: number) => {
        this.#view.setBigUint64(time, 0n, true)
        return OK
      },
      fd_close: (fd: number) => (this.#open.delete(fd) ? OK : BAD_FILE),
      fd_fdstat_get: (fd: number, stat: number) => {
        if (fd > ROOT && !this.#open.has(fd)) return BAD_FILE
        this.#memory.fill(0, stat, stat + 8)
        this.#view.setUint8(stat, fd === ROOT ? FOLDER : fd > ROOT ? FILE : DEVICE)
        this.#view.setBigUint64(stat + 8, ALL_RIGHTS, true)
        this.#view.setBigUint64(stat + 16, ALL_RIGHTS, true)
        return OK
      },
      fd_fdstat_set_flags: () => OK,
      fd_prestat_get: (fd: number, stat: number) => {
        if (fd !== ROOT) return BAD_FILE
        this.#view.setUint32(stat, 0, true)
        this.#view.setUint32(stat + 4, '/'.length, true)
        return OK
      },
      fd_prestat_dir_name: (_fd: number, name: number) => {
        this.#view.setUint8(name, '/'.charCodeAt(0))
        return OK
      },
      fd_read: (fd: number, pieces: number, count: number, size: number) => {
        const file = this.#open.get(fd)
        if (!file && fd !== STDIN) return BAD_FILE
        let total = 0
        for (const piece of this.#pieces(pieces, count)) total += file ? read(file, piece) : 0
        this.#view.setUint32(size, total, true)
        return OK
      },
      fd_seek: () => NOT_SEEKABLE,
      fd_write: (fd: number, pieces: number, count: number, size: number) => {
        const file = fd === STDOUT ? this.#printed : this.#open.get(fd)
        let total = 0
        for (const piece of this.#pieces(pieces, count)) {
          if (file) append(file, piece)
          total += piece.length
        }
        this.#view.setUint32(size, total, true)
        return OK
      },
      path_open: (
        _folder: number,
        _lookup: number,
        name: number,
        length: number,
        ...[, , , , opened]: [number, bigint, bigint, number, number]
      ) => {
        const file = this.#files.get(new TextDecoder().decode(this.#memory.subarray(name, name + length)))
        if (!file) return NO_ENTRY
        const fd = ROOT + 1 + this.#open.size
        this.#open.set(fd, file)
        this.#view.setUint32(opened, fd, true)
        return OK
      },
      proc_exit: (code: number) => {
        throw new Exit(code)
      },
    }
  }

  // Made anew each time, because a memory that grows gets another buffer.
  get #memory(): Uint8Array {
    return new Uint8Array(this.#exports!.memory.buffer)
  }

  get #view(): DataView {
    return new DataView(this.#exports!.memory.buffer)
  }

  /** The parts of the memory that a system call reads or writes. */
  #pieces(list: number, count: number): Uint8Array[] {
    return Array.from({ length: count }, (_, index) => {
      const at = this.#view.getUint32(list + 8 * index, true)
      return this.#memory.subarray(at, at + this.#view.getUint32(list + 8 * index + 4, true))
    })
  }
}

class Exit extends Error {
  readonly code: number

  constructor(code: number) {
    super(`exit code ${code}`)
    this.code = code
  }
}

const emptyFile = (): File => ({ read: 0, bytes: new Uint8Array(4_096), length: 0 })
const contentOf = ({ bytes, length }: File): Uint8Array => bytes.subarray(0, length)

/** Returns the number of bytes. */
function read(file: File, into: Uint8Array): number {
  const part = file.bytes.subarray(file.read, Math.min(file.read + into.length, file.length))
  into.set(part)
  file.read += part.length
  return part.length
}

function append(file: File, part: Uint8Array): void {
  const length = file.length + part.length
  if (length > file.bytes.length) {
    const larger = new Uint8Array(2 * length)
    larger.set(contentOf(file))
    file.bytes = larger
  }
  file.bytes.set(part, file.length)
  file.length = length
}
