import { iterate, type Scope } from '../../scope/index.ts'
import { Attempt } from '../attempt.ts'
import { FallbackError } from '../errors.ts'
import type { FallbackOptions } from './fallback-options.ts'
import type { PartContext } from '../part.ts'
import { FallbackModels, memberContext } from './fallback-models.ts'
import type { VendorHealth } from './vendor-health.ts'

/** A part that streams answers to requests: an LLM, a TTS. */
export interface RequestPart<Client> {
  readonly name: string
  open(context: PartContext): Promise<Client>
}

/** An open model, in a scope of its own, so that it can be closed alone. */
interface Instance<Client> {
  readonly scope: Scope
  readonly client: Promise<Client>
  /** How many requests are running. */
  uses: number
  /** The model has failed. The last request closes the instance. */
  retired: boolean
}

/** Names the model in the chunks that say what it used. */
type Attribute<Chunk> = (chunk: Chunk, by: string, isFirst: boolean) => Chunk

type Start<Client, Chunk> = (client: Client, attempt: Attempt) => AsyncIterable<Chunk>

/**
 * Sends each request to the first of several models that works. A model is opened when it is first needed, and reopened
 * after a failure: an instance whose connection is lost stays useless even when its provider has recovered.
 */
export class FallbackStream<Client, Chunk> {
  readonly #models: FallbackModels<RequestPart<Client>>
  readonly #context: PartContext
  readonly #firstWithin: number
  readonly #attribute: Attribute<Chunk>
  readonly #instances = new Map<RequestPart<Client>, Instance<Client>>()

  constructor(
    name: string,
    parts: readonly RequestPart<Client>[],
    health: VendorHealth,
    context: PartContext,
    options: FallbackOptions,
    attribute: Attribute<Chunk>,
  ) {
    this.#context = context
    this.#attribute = attribute
    this.#firstWithin = options.firstWithin ?? 5_000
    this.#models = new FallbackModels(name, parts, health, context, options)
  }

  /** Opens the first model that can be opened. */
  async open(): Promise<void> {
    // An open model has not proven that it works, so this must not keep others from finding out.
    const empty = this.#request(
      this.#context.scope.signal,
      () => none(),
      () => false,
      0,
    )
    await empty.next()
  }

  /**
   * Tries one model after another until one yields its first chunk. A later error is thrown, and so is any error when
   * `inputFailed` says that the input is to blame and not the model.
   */
  request(
    signal: AbortSignal,
    start: Start<Client, Chunk>,
    inputFailed: () => boolean = () => false,
  ): AsyncGenerator<Chunk> {
    return this.#request(signal, start, inputFailed, this.#firstWithin)
  }

  async *#request(
    signal: AbortSignal,
    start: Start<Client, Chunk>,
    inputFailed: () => boolean,
    within: number,
  ): AsyncGenerator<Chunk> {
    signal.throwIfAborted()
    const failures = new Map<number, { name: string; error: unknown }>()
    for (let use = this.#models.next(failures, within); use; use = this.#models.next(failures, within)) {
      const { part, index } = use
      const instance = this.#use(part)
      const attempt = this.#attempt(part, signal)
      let client: Client | undefined
      let yielded = false
      try {
        client = await attempt.stop.until(instance.client)
        for await (const chunk of iterate(start(client, attempt), attempt.stop)) {
          const isFirst = !yielded
          if (isFirst) use.worked()
          yielded = true
          attempt.began()
          yield this.#attribute(chunk, part.name, isFirst)
        }
        return
      } catch (error) {
        signal.throwIfAborted()
        if (this.#context.scope.state !== 'live' || inputFailed()) throw error
        use.failed(error)
        this.#retire(part, instance)
        if (yielded) throw error
        failures.set(index, { name: part.name, error })
      } finally {
        attempt.end()
        // The next request must not inherit an opening that hangs or has failed, even if this one was cancelled.
        if (client === undefined) this.#retire(part, instance)
        this.#release(instance)
      }
    }
    throw new FallbackError(this.#models.name, [...failures.values()])
  }

  #attempt(part: RequestPart<Client>, signal: AbortSignal): Attempt {
    const { scope } = this.#context
    // The scope's signal is included so that the timer of the attempt does not outlive the scope.
    const signals = [signal, scope.signal]
    return new Attempt(`the first answer of '${part.name}'`, signals, scope, this.#firstWithin)
  }

  #use(part: RequestPart<Client>): Instance<Client> {
    const instance = this.#instances.get(part) ?? this.#open(part)
    this.#instances.set(part, instance)
    instance.uses++
    return instance
  }

  #open(part: RequestPart<Client>): Instance<Client> {
    const scope = this.#context.scope.child(part.name)
    const open = async (): Promise<Client> => part.open(memberContext(this.#context, scope, part.name))
    const client = open()
    // Requests that await it get the error. Without any, it must not become an unhandled rejection.
    client.catch(() => {})
    return { scope, client, uses: 0, retired: false }
  }

  #retire(part: RequestPart<Client>, instance: Instance<Client>): void {
    if (this.#instances.get(part) === instance) this.#instances.delete(part)
    instance.retired = true
  }

  #release(instance: Instance<Client>): void {
    instance.uses--
    if (instance.retired && instance.uses === 0) closeInBackground(instance.scope)
  }
}

/** Closes a scope without waiting for it. The parent scope owns it and reports how it ended. */
export function closeInBackground(scope: Scope): void {
  scope.close({ reason: 'model failed' }).catch(() => {})
}

async function* none(): AsyncGenerator<never> {
  yield* []
}
