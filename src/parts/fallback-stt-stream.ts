import type { AudioFrame } from '../audio/index.ts'
import type { Scope, TaskContext } from '../scope/index.ts'
import { Attempt } from './attempt.ts'
import { FallbackError } from './errors.ts'
import type { FallbackSttOptions } from './fallback-options.ts'
import { endInBackground } from './fallback-stream.ts'
import type { PartContext } from './part.ts'
import { Rota } from './rota.ts'
import { SoundMemory } from './sound-memory.ts'
import type { Stt, SttEvents, SttStream } from './stt.ts'

/** A model that listens, or is being opened for it. */
interface Listener {
  readonly part: Stt
  readonly scope: Scope
  stream: SttStream | undefined
  failure: { readonly error: unknown } | undefined
}

const deaf: SttEvents = { interim() {}, final() {}, endOfTurn() {}, failed() {} }

/** One stream to whoever listens, over many to the models. */
export class FallbackSttStream implements SttStream {
  readonly #context: PartContext
  readonly #events: SttEvents
  readonly #firstWithin: number
  readonly #rota: Rota<Stt>
  /** What was said since the last final text. */
  readonly #memory: SoundMemory
  #listener: Listener | undefined
  /** Models that have failed since text came last: none is tried twice in a row. */
  readonly #failures = new Map<Stt, unknown>()
  #flushed = false
  #detached = false
  #failed = false

  constructor(
    name: string,
    parts: readonly Stt[],
    context: PartContext,
    events: SttEvents,
    options: FallbackSttOptions,
  ) {
    this.#context = context
    this.#events = events
    this.#firstWithin = options.firstWithin ?? 5_000
    this.#memory = new SoundMemory(options.replay ?? 5_000)
    this.#rota = new Rota(name, parts, context, options, (part, own, task) => this.#probe(part, own, task))
  }

  /** Opens the first model that can be opened; throws if none can. */
  async open(): Promise<void> {
    const { scope } = this.#context
    for (const part of this.#rota.order) {
      if (this.#failures.has(part)) continue
      const listener: Listener = {
        part,
        scope: scope.child(part.name),
        stream: undefined,
        failure: undefined,
      }
      this.#listener = listener
      try {
        const stream = await this.#tryToOpen(part, listener.scope, this.#eventsOf(listener), scope.signal)
        if (listener.failure) throw listener.failure.error
        this.#begin(listener, stream)
        return
      } catch (error) {
        if (scope.state !== 'live') throw error
        this.#leave(listener, error)
      }
    }
    const failures = [...this.#failures].map(([{ name }, error]) => ({ name, error }))
    throw new FallbackError(this.#rota.name, failures)
  }

  push(frame: AudioFrame): void {
    if (this.#detached || this.#failed) return
    this.#memory.add(frame)
    this.#listener?.stream?.push(frame)
  }

  flush(): void {
    this.#flushed = true
    this.#listener?.stream?.flush()
  }

  detach(): void {
    this.#detached = true
    this.#listener?.stream?.detach()
  }

  /** The model is open: it hears what it has missed. */
  #begin(listener: Listener, stream: SttStream): void {
    listener.stream = stream
    for (const frame of this.#memory.frames) stream.push(frame)
    if (this.#flushed) stream.flush()
    if (this.#detached) stream.detach()
  }

  #eventsOf(listener: Listener): SttEvents {
    const heard = (): boolean => {
      if (listener !== this.#listener) return false
      this.#failures.clear()
      this.#rota.worked(listener.part)
      return true
    }
    return {
      interim: (text) => heard() && this.#events.interim(text),
      final: (text) => {
        if (!heard()) return
        this.#memory.take()
        this.#flushed = false
        this.#events.final(text)
      },
      endOfTurn: () => heard() && this.#events.endOfTurn(),
      failed: (error) => this.#lost(listener, error),
    }
  }

  /** The stream of a model has broken. */
  #lost(listener: Listener, error: unknown): void {
    if (listener !== this.#listener || listener.failure) return
    listener.failure = { error }
    // While it is being opened, whoever opens it finds out.
    if (!listener.stream) return
    this.#leave(listener, error)
    const { scope } = this.#context
    if (scope.state !== 'live') return this.#fail(error)
    scope.spawn(`next model of '${this.#rota.name}'`, async () => {
      try {
        await this.open()
      } catch (last) {
        this.#fail(last)
      }
    })
    return undefined
  }

  #leave(listener: Listener, error: unknown): void {
    this.#listener = undefined
    this.#failures.set(listener.part, error)
    this.#rota.failed(listener.part, error)
    endInBackground(listener.scope)
  }

  #fail(error: unknown): void {
    if (this.#failed) return
    this.#failed = true
    this.#memory.take()
    this.#events.failed(error)
  }

  async #probe(part: Stt, own: PartContext, task: TaskContext): Promise<void> {
    await this.#tryToOpen(part, own.scope, deaf, task.signal)
  }

  async #tryToOpen(
    part: Stt,
    scope: Scope<string>,
    events: SttEvents,
    signal: AbortSignal,
  ): Promise<SttStream> {
    const attempt = new Attempt(`opening '${part.name}'`, [signal], this.#context.scope, this.#firstWithin)
    try {
      return await attempt.stop.until(part.open({ ...this.#context, scope }, events))
    } finally {
      attempt.end()
    }
  }
}
