import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'

/** Functions of Node that block in native code, where the inspector cannot see who called them. */
const blocking: readonly (readonly [module: object, names: readonly string[]])[] = [
  [childProcess, ['execSync', 'execFileSync', 'spawnSync']],
  [crypto, ['pbkdf2Sync', 'scryptSync', 'generateKeyPairSync', 'generatePrimeSync']],
  [
    zlib,
    ['gzipSync', 'gunzipSync', 'deflateSync', 'inflateSync', 'brotliCompressSync', 'brotliDecompressSync'],
  ],
]

/** Bytes of a note: the stack of a call. */
export const NOTE_BYTES = 4_096

/** The stack of the blocking call that the main thread is in, in memory that it shares with its watchdog. */
export class CallNote {
  readonly #length: Int32Array
  readonly #text: Buffer

  /** `shared` has a length, and `NOTE_BYTES` of text from `offset` + 4 on. */
  constructor(shared: SharedArrayBuffer, offset: number) {
    this.#length = new Int32Array(shared, offset, 1)
    this.#text = Buffer.from(shared, offset + 4, NOTE_BYTES)
  }

  /** Empty if the main thread is in no such call. */
  get text(): string {
    return this.#text.toString('utf8', 0, Atomics.load(this.#length, 0))
  }

  set text(text: string) {
    Atomics.store(this.#length, 0, 0)
    Atomics.store(this.#length, 0, this.#text.write(text))
  }
}

/** Notes the caller of each blocking function while it runs. Returns a function that undoes it. */
export function noteNativeCalls(note: CallNote): () => void {
  const undo = blocking.flatMap(([module, names]) =>
    names.map((name) => replace(module as Record<string, unknown>, name, note)),
  )
  syncBuiltinESMExports()
  return () => {
    for (const each of undo) each()
    syncBuiltinESMExports()
  }
}

function replace(module: Record<string, unknown>, name: string, note: CallNote): () => void {
  const original = module[name]
  if (typeof original !== 'function') return () => {}
  const noted = function (this: unknown, ...args: unknown[]): unknown {
    note.text = stackAbove(noted)
    try {
      return Reflect.apply(original, this, args)
    } finally {
      note.text = ''
    }
  }
  Object.defineProperty(noted, 'name', { value: name })
  module[name] = noted
  return () => {
    if (module[name] === noted) module[name] = original
  }
}

function stackAbove(caller: (...args: unknown[]) => unknown): string {
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, caller)
  return holder.stack ?? ''
}
