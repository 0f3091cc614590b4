import { Worker } from 'node:worker_threads'
import { Channel, type Resource, type Scope } from '../../scope/index.ts'
import { LocalError } from './errors.ts'
import type { FromThread, ToThread } from './thread-messages.ts'
import { threadOf, type ThreadFile } from './thread-file.ts'

/** How long a thread may take to load its model. */
const START_WITHIN = 15_000

export interface ThreadOptions {
  readonly name: string
  readonly file: ThreadFile
  /** What the thread is set up with. */
  readonly data: unknown
  /** Makes an error of what its set-up reported. */
  readonly refused?: (refusal: Refusal) => Error
}

/** What the code in the thread threw. */
export interface Refusal {
  readonly message: string
  readonly detail: unknown
}

/**
 * A worker thread that answers questions: code that blocks, or that cannot be trusted to end, lives there, and
 * `abort()` ends it whatever it is doing.
 */
export class WorkerThread<Question, Answer> implements Resource {
  readonly #name: string
  readonly #worker: Worker
  readonly #asked = new Map<number, Channel<Answer>>()
  #lastId = 0
  /** Why nothing can be asked any more. */
  #over: Error | undefined
  #onDeath: ((error: Error) => void) | undefined

  private constructor(name: string, worker: Worker) {
    this.#name = name
    this.#worker = worker
    worker.on('message', (message: FromThread<Answer>) => this.#told(message))
    worker.on('messageerror', (error) => this.#died(error))
    worker.on('error', (error) => this.#died(error))
    worker.on('exit', (code) => this.#died(new Error(`it exited with code ${code}`)))
  }

  /** Starts the thread and waits until it is ready. The scope owns it. */
  static open<Question, Answer>(
    scope: Scope<string>,
    options: ThreadOptions,
  ): Promise<WorkerThread<Question, Answer>> {
    return scope.open(options.name, async (signal) => {
      const thread = new WorkerThread<Question, Answer>(options.name, threadOf(options.file, options.data))
      const abort = (): void => thread.abort()
      signal.addEventListener('abort', abort, { once: true })
      try {
        await thread.#ready(scope, options)
        return thread
      } catch (error) {
        thread.abort()
        // Whoever did not wait for it is not told that it failed.
        signal.throwIfAborted()
        throw error
      } finally {
        signal.removeEventListener('abort', abort)
      }
    })
  }

  /** Asks something. The answers end when it has nothing more to say; they throw if it fails, or if the thread dies. */
  ask(question: Question, transfer: readonly ArrayBuffer[] = []): AsyncIterable<Answer> {
    const answers = new Channel<Answer>()
    if (this.#over) {
      answers.fail(this.#over)
      return answers
    }
    const id = ++this.#lastId
    this.#asked.set(id, answers)
    const message: ToThread<Question> = { id, question }
    this.#worker.postMessage(message, [...transfer])
    return answers
  }

  /** Calls back if the thread dies by itself, also if it has by now. */
  onDeath(listener: (error: Error) => void): void {
    this.#onDeath = listener
  }

  async close(): Promise<void> {
    this.#end(new LocalError('WORKER_DIED', `the worker of '${this.#name}' was closed`))
    await this.#worker.terminate()
  }

  abort(): void {
    this.#end(new LocalError('WORKER_DIED', `the worker of '${this.#name}' was ended`))
    this.#worker.terminate().catch(() => {})
  }

  #ready(scope: Scope<string>, { name, refused }: ThreadOptions): Promise<void> {
    const first = new Channel<Answer>()
    this.#asked.set(0, first)
    const timer = scope.clock.after(START_WITHIN, `start of the worker of '${name}'`, () => {
      const why = `the worker of '${name}' was not ready within ${START_WITHIN} ms: is the machine overloaded?`
      first.fail(new LocalError('ENGINE_TIMEOUT', why))
    })
    const waiting = first[Symbol.asyncIterator]().next()
    return waiting.then(
      () => timer.clear(),
      (error: unknown) => {
        timer.clear()
        throw refused && error instanceof RefusedError ? refused(error.refusal) : error
      },
    )
  }

  #told(message: FromThread<Answer>): void {
    const answers = this.#asked.get(message.id)
    if (message.type === 'answer') return answers?.push(message.answer)
    this.#asked.delete(message.id)
    if (message.type === 'done') answers?.end()
    else answers?.fail(new RefusedError(this.#name, message))
  }

  #died(cause: unknown): void {
    if (this.#over) return
    const words = cause instanceof Error ? cause.message : String(cause)
    const error = new LocalError('WORKER_DIED', `the worker of '${this.#name}' has died: ${words}`, { cause })
    this.#end(error)
    this.#onDeath?.(error)
  }

  #end(error: Error): void {
    if (this.#over) return
    this.#over = error
    for (const answers of this.#asked.values()) answers.fail(error)
    this.#asked.clear()
  }
}

class RefusedError extends LocalError {
  readonly refusal: Refusal

  constructor(name: string, refusal: Refusal) {
    super('ENGINE_FAILED', `'${name}' failed: ${refusal.message}`)
    this.name = 'LocalError'
    this.refusal = refusal
  }
}
