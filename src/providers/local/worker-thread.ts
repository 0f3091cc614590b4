import { Worker } from 'node:worker_threads'
import { Channel, type Resource, type Scope } from '../../scope/index.ts'
import { LocalError } from './errors.ts'
import type { FromThread, ToThread } from './thread-messages.ts'
import { localThreads } from './local-room.ts'
import { keepThread, takeThread } from './spare-threads.ts'
import { startThread } from '../start-thread.ts'
import type { ThreadFile } from './thread-file.ts'

/**
 * How long a thread may take to load its model: half a second on an idle machine. This bound only ends what hangs, since a
 * session has its own `startTimeout`.
 */
const START_TIMEOUT = 60_000

export interface ThreadOptions {
  readonly name: string
  readonly file: ThreadFile
  /** The data that the thread is set up with. */
  readonly data: unknown
  /** Whether it remembers nothing of its inputs, so that the next call can use it. Default: false. */
  readonly stateless?: boolean
  /** Converts an error of the set-up. */
  readonly setUpError?: (failure: ThreadFailure) => Error
}

/** An error thrown by the code in the thread. */
export interface ThreadFailure {
  readonly message: string
  readonly detail: unknown
}

/**
 * A worker thread that processes inputs. It is meant for code that blocks or may never end: `abort()` ends the thread
 * whatever it is doing. A thread that is stateless, and idle when it is closed, is kept for the next call.
 */
export class WorkerThread<Input, Output> implements Resource {
  readonly #options: ThreadOptions
  readonly #worker: Worker
  /** The outputs of unfinished inputs, by id. */
  readonly #pending = new Map<number, Channel<Output>>()
  #lastId = 0
  /** Why the thread has ended. */
  #error: Error | undefined
  #running = false
  #isKept = false
  #onDeath: ((error: Error) => void) | undefined

  private constructor(options: ThreadOptions, worker: Worker) {
    this.#options = options
    this.#worker = worker
    worker.on('message', (message: FromThread<Output>) => this.#handle(message))
    worker.on('messageerror', (error) => this.#died(error))
    worker.on('error', (error) => this.#died(error))
    worker.on('exit', (code) => this.#died(new Error(`exit code ${code}`)))
  }

  /** Starts the thread and waits until it is ready. The scope owns it. */
  static open<Input, Output>(
    scope: Scope<string>,
    options: ThreadOptions,
  ): Promise<WorkerThread<Input, Output>> {
    return scope.open(options.name, async (signal) => {
      const { file, data } = options
      const spare = options.stateless ? takeThread(file, data) : undefined
      const thread = new WorkerThread<Input, Output>(
        options,
        spare ?? startThread(import.meta.url, file, data),
      )
      if (spare) {
        thread.#run()
        return thread
      }
      localThreads.starting++
      const abort = (): void => thread.abort()
      signal.addEventListener('abort', abort, { once: true })
      try {
        await thread.#ready(scope)
        if (!thread.#error) thread.#run()
        return thread
      } catch (error) {
        thread.abort()
        // An abort takes precedence over the failure that it caused.
        signal.throwIfAborted()
        throw error
      } finally {
        localThreads.starting--
        signal.removeEventListener('abort', abort)
      }
    })
  }

  /** Processes an input. The returned iterable throws if that fails or the thread dies. */
  process(input: Input, transfer: readonly ArrayBuffer[] = []): AsyncIterable<Output> {
    const outputs = new Channel<Output>()
    if (this.#error) {
      outputs.fail(this.#error)
      return outputs
    }
    const id = ++this.#lastId
    this.#pending.set(id, outputs)
    const message: ToThread<Input> = { id, input }
    this.#worker.postMessage(message, [...transfer])
    return outputs
  }

  /** Sets the listener that is called if the thread dies without `close()` or `abort()`. */
  onDeath(listener: (error: Error) => void): void {
    this.#onDeath = listener
  }

  async close(): Promise<void> {
    // The next call may already use it.
    if (this.#isKept) return
    const { name, file, data, stateless = false } = this.#options
    const isIdle = stateless && this.#running && !this.#error && this.#pending.size === 0
    this.#end(new LocalError('WORKER_DIED', `the worker of '${name}' was closed`))
    if (!isIdle) return void (await this.#worker.terminate())
    this.#isKept = true
    return keepThread(file, data, this.#worker)
  }

  abort(): void {
    // The next call may already use it.
    if (this.#isKept) return
    this.#end(new LocalError('WORKER_DIED', `the worker of '${this.#options.name}' was aborted`))
    this.#worker.terminate().catch(() => {})
  }

  #ready(scope: Scope<string>): Promise<void> {
    const { name, setUpError } = this.#options
    const setUp = new Channel<Output>()
    this.#pending.set(0, setUp)
    const timer = scope.clock.after(START_TIMEOUT, `start of the worker of '${name}'`, () => {
      const why = `the worker of '${name}' was not ready within ${START_TIMEOUT} ms: is the machine overloaded?`
      setUp.fail(new LocalError('ENGINE_TIMEOUT', why))
    })
    const waiting = setUp[Symbol.asyncIterator]().next()
    return waiting.then(
      () => timer.clear(),
      (error: unknown) => {
        timer.clear()
        throw setUpError && error instanceof ThreadError ? setUpError(error.failure) : error
      },
    )
  }

  #handle(message: FromThread<Output>): void {
    const outputs = this.#pending.get(message.id)
    if (message.type === 'output') return outputs?.push(message.output)
    this.#pending.delete(message.id)
    if (message.type === 'done') outputs?.end()
    else outputs?.fail(new ThreadError(this.#options.name, message))
  }

  #died(cause: unknown): void {
    if (this.#error) return
    const why = cause instanceof Error ? cause.message : String(cause)
    const error = new LocalError('WORKER_DIED', `the worker of '${this.#options.name}' died: ${why}`, {
      cause,
    })
    this.#end(error)
    this.#onDeath?.(error)
  }

  #run(): void {
    this.#running = true
    localThreads.running++
  }

  #end(error: Error): void {
    if (this.#error) return
    this.#error = error
    if (this.#running) localThreads.running--
    for (const outputs of this.#pending.values()) outputs.fail(error)
    this.#pending.clear()
  }
}

class ThreadError extends LocalError {
  readonly failure: ThreadFailure

  constructor(name: string, failure: ThreadFailure) {
    super('ENGINE_FAILED', `'${name}' failed: ${failure.message}`)
    this.name = 'LocalError'
    this.failure = failure
  }
}
