import { iterate, type Scope, type TaskContext } from '../scope/index.ts'
import { Attempt } from './attempt.ts'
import { FallbackError } from './errors.ts'
import type { FallbackOptions } from './fallback-options.ts'
import type { PartContext } from './part.ts'
import { Rota } from './rota.ts'

/** A model that is asked and answers piece by piece: an LLM, a voice. */
export interface AskedPart<Client> {
  readonly name: string
  open(context: PartContext): Promise<Client>
}

/** One that was opened, in a scope of its own, so that it can be ended alone. */
interface Instance<Client> {
  readonly scope: Scope
  readonly client: Promise<Client>
  /** How many answers it is giving. */
  uses: number
  /** It has failed: the last one to use it ends it. */
  retired: boolean
}

type Begin<Client, Chunk> = (client: Client, attempt: Attempt) => AsyncIterable<Chunk>

/**
 * Models of one kind of which the first that works is asked. Each is opened when it is first needed and, once it has
 * failed, opened anew: a voice whose connection is lost for good is of no use even when its provider is back.
 */
export class FallbackStream<Client, Chunk> {
  readonly #rota: Rota<AskedPart<Client>>
  readonly #context: PartContext
  readonly #firstWithin: number
  readonly #probe: Begin<Client, Chunk>
  readonly #instances = new Map<AskedPart<Client>, Instance<Client>>()

  /** `probe` asks for the smallest answer there is. */
  constructor(
    name: string,
    parts: readonly AskedPart<Client>[],
    context: PartContext,
    options: FallbackOptions,
    probe: Begin<Client, Chunk>,
  ) {
    this.#context = context
    this.#firstWithin = options.firstWithin ?? 5_000
    this.#probe = probe
    this.#rota = new Rota(name, parts, context, options, (part, own, task) => this.#try(part, own, task))
  }

  /** Opens the first model that can be opened. */
  async open(): Promise<void> {
    const nothing = this.ask(this.#context.scope.signal, () => none())
    await nothing.next()
  }

  /**
   * Asks one after the other, until one has given its first chunk. From then on an error is an error; so it is when
   * `blameless` says that no model is to blame.
   */
  async *ask(
    signal: AbortSignal,
    begin: Begin<Client, Chunk>,
    blameless: () => boolean = () => false,
  ): AsyncGenerator<Chunk> {
    signal.throwIfAborted()
    const failures: { name: string; error: unknown }[] = []
    for (const part of this.#rota.order) {
      const instance = this.#use(part)
      const attempt = this.#attempt(part, signal)
      let given = false
      try {
        const client = await attempt.stop.until(instance.client)
        for await (const chunk of iterate(begin(client, attempt), attempt.stop)) {
          if (!given) this.#rota.worked(part)
          given = true
          attempt.began()
          yield chunk
        }
        return
      } catch (error) {
        signal.throwIfAborted()
        if (this.#context.scope.state !== 'live' || blameless()) throw error
        this.#rota.failed(part, error)
        this.#retire(part, instance)
        if (given) throw error
        failures.push({ name: part.name, error })
      } finally {
        attempt.end()
        this.#unuse(instance)
      }
    }
    throw new FallbackError(this.#rota.name, failures)
  }

  /** Whether a model works: it opens, and begins to answer. */
  async #try(part: AskedPart<Client>, own: PartContext, task: TaskContext): Promise<void> {
    const attempt = this.#attempt(part, task.signal)
    try {
      const client = await attempt.stop.until(part.open(own))
      for await (const chunk of iterate(this.#probe(client, attempt), attempt.stop)) {
        if (chunk !== undefined) break
      }
    } finally {
      attempt.end()
    }
  }

  #attempt(part: AskedPart<Client>, signal: AbortSignal): Attempt {
    const { scope } = this.#context
    // With the scope's own signal, so that no timer of it outlives the scope.
    const signals = [signal, scope.signal]
    return new Attempt(`the first answer of '${part.name}'`, signals, scope, this.#firstWithin)
  }

  #use(part: AskedPart<Client>): Instance<Client> {
    const instance = this.#instances.get(part) ?? this.#open(part)
    this.#instances.set(part, instance)
    instance.uses++
    return instance
  }

  #open(part: AskedPart<Client>): Instance<Client> {
    const scope = this.#context.scope.child(part.name)
    const open = async (): Promise<Client> => part.open({ ...this.#context, scope })
    const client = open()
    // Whoever waits for it hears of an error; it must not be unhandled when nobody does any more.
    client.catch(() => {})
    return { scope, client, uses: 0, retired: false }
  }

  #retire(part: AskedPart<Client>, instance: Instance<Client>): void {
    if (this.#instances.get(part) === instance) this.#instances.delete(part)
    instance.retired = true
  }

  #unuse(instance: Instance<Client>): void {
    instance.uses--
    if (instance.retired && instance.uses === 0) endInBackground(instance.scope)
  }
}

/** Nobody waits for it: the scope above owns it, and its report tells how it ended. */
export function endInBackground(scope: Scope): void {
  scope.close({ reason: 'model failed' }).catch(() => {})
}

async function* none(): AsyncGenerator<never> {
  yield* []
}
