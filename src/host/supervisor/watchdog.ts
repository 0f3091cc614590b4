import { url as debuggerUrl } from 'node:inspector'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { noop, systemClock, type Timer } from '../../scope/index.ts'
import { limits } from './limits.ts'
import type { Block } from './messages.ts'
import { CallNote, NOTE_BYTES, noteNativeCalls } from './native-calls.ts'
import { ABOUT_TO_CUT, type WatchdogData } from './watchdog-data.ts'

export interface WatchdogOptions {
  /** Whether a blocked event loop is cut, and the process killed if it cannot be. Default: true. */
  readonly cut?: boolean
  /** The worker's own, from its identity. */
  readonly closeTimeout: number
  /**
   * The event loop was blocked, and turns again. Not called for a block in native code that ends the process: the supervisor
   * has that one, as all others.
   */
  readonly onBlocked?: (block: Block) => void
}

/**
 * Watches the event loop of this worker from a thread (HO23). Start it when the agent file has been loaded, before
 * `WorkerLink.ready()`: loading may block for as long as it likes.
 *
 *   event loop ── raises a counter every 50 ms ──▶ shared memory ◀── looks every 100 ms ── watchdog thread ──▶ supervisor
 *       ▲                                                                                    │
 *       └───────────────────────── inspector: pause, read the stack, cut ────────────────────┘
 *
 * A cut drops what was queued behind the culprit, and leaves its promises unsettled. So a worker that was cut is replaced.
 */
export class Watchdog {
  readonly #thread: Worker
  readonly #counts: Int32Array
  readonly #restore: () => void
  #timer: Timer | undefined

  private constructor({ cut = true, closeTimeout, onBlocked }: WatchdogOptions) {
    const shared = new SharedArrayBuffer(12 + NOTE_BYTES)
    this.#counts = new Int32Array(shared, 0, 2)
    this.#restore = noteNativeCalls(new CallNote(shared, 8))
    allowCuts()
    const own = new URL('../../', import.meta.url).href
    this.#thread = startThread({ shared, cut, own, closeTimeout })
    this.#thread.on('message', (message: Block | 'watching') => {
      if (message !== 'watching') onBlocked?.(message)
    })
    // Without its watchdog the worker goes on: the supervisor notices that the beats are missing.
    this.#thread.on('error', noop)
    this.#beat()
  }

  /** Resolves once the event loop is watched. */
  static async start(options: WatchdogOptions): Promise<Watchdog> {
    const watchdog = new Watchdog(options)
    await new Promise((resolve, reject) => {
      watchdog.#thread.once('message', resolve)
      watchdog.#thread.once('error', reject)
    })
    watchdog.#thread.unref()
    return watchdog
  }

  async stop(): Promise<void> {
    this.#timer?.clear()
    this.#restore()
    await this.#thread.terminate()
  }

  #beat(): void {
    Atomics.add(this.#counts, 0, 1)
    Atomics.store(this.#counts, 1, debuggerUrl() === undefined ? 0 : 1)
    this.#timer = systemClock.after(limits.beat, 'beat', () => this.#beat())
  }
}

/**
 * Node ends a process whose stack of async ids is not in order, and a cut leaves it so. Clearing it, as Node does after an
 * uncaught exception, keeps the process alive. From Node 24 on it cannot be cleared; instead the supervisor starts workers
 * with `--no-force-async-hooks-checks`. The check is back on if `async_hooks.createHook` is used there: then a cut ends the
 * process, which is replaced.
 */
function allowCuts(): void {
  const node: NodeInternals = process as unknown as NodeInternals
  const { noDeprecation = false } = node
  let clear: () => void = noop
  try {
    node.noDeprecation = true
    const hooks = node.binding('async_wrap')
    clear = () => hooks.clearAsyncIdStack()
  } catch {
    // Node 24 or later.
  } finally {
    node.noDeprecation = noDeprecation
  }
  Object.defineProperty(process, Symbol.for(ABOUT_TO_CUT), { value: clear, configurable: true })
}

interface NodeInternals {
  noDeprecation?: boolean
  binding(name: 'async_wrap'): { clearAsyncIdStack(): void }
}

/** The thread is JavaScript in the package, and TypeScript in the repository, where tsx has to be registered first. */
function startThread(workerData: WatchdogData): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const file = new URL(`./watchdog-thread.${extension}`, import.meta.url)
  if (extension === 'js') return new Worker(file, { workerData, execArgv: [] })
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx'))
  const { href: api } = new URL('./esm/api/index.mjs', tsx)
  const code = `import('${api}').then(({ register }) => (register(), import('${file.href}')))`
  return new Worker(code, { eval: true, workerData, execArgv: [] })
}
