import type { AudioFrame } from '../../audio/index.ts'
import type { Scope } from '../../scope/index.ts'
import { Attempt } from '../attempt.ts'
import { FallbackError } from '../errors.ts'
import type { FallbackReplayOptions } from './fallback-options.ts'
import { closeInBackground } from './fallback-stream.ts'
import type { PartContext } from '../part.ts'
import { FallbackModels, memberContext, type ModelUse } from './fallback-models.ts'
import { SoundMemory } from '../sound-memory.ts'
import type { Stt, SttEvents, SttSetup, SttStream } from '../stt.ts'
import type { VendorHealth } from './vendor-health.ts'

/** The model in use, or being opened. */
interface Listener {
  readonly use: ModelUse<Stt>
  readonly scope: Scope
  stream: SttStream | undefined
  failure: { readonly error: unknown } | undefined
}

/** One STT stream, served by the streams of several models in turn. */
export class FallbackSttStream implements SttStream {
  readonly #context: PartContext
  readonly #events: SttEvents
  readonly #firstWithin: number
  /** The next model is opened with it. */
  #setup: SttSetup
  readonly #models: FallbackModels<Stt>
  /** The audio since the last final text. */
  readonly #memory: SoundMemory
  #listener: Listener | undefined
  /** Models that have failed since the last transcript, by index. None of them is tried again before the next one. */
  readonly #failures = new Map<number, { name: string; error: unknown }>()
  #flushed = false
  #detached = false
  #failed = false

  constructor(
    name: string,
    parts: readonly Stt[],
    health: VendorHealth,
    context: PartContext,
    events: SttEvents,
    setup: SttSetup,
    options: FallbackReplayOptions,
  ) {
    this.#context = context
    this.#events = events
    this.#setup = setup
    this.#firstWithin = options.firstWithin ?? 5_000
    this.#memory = new SoundMemory(options.replay ?? 5_000)
    this.#models = new FallbackModels(name, parts, health, context, options)
  }

  /** Opens the first model that can be opened. Throws if none can. */
  async open(): Promise<void> {
    const { scope } = this.#context
    const next = (): ModelUse<Stt> | undefined => this.#models.next(this.#failures, this.#firstWithin)
    for (let use = next(); use; use = next()) {
      const { part } = use
      const listener: Listener = {
        use,
        scope: scope.child(part.name),
        stream: undefined,
        failure: undefined,
      }
      this.#listener = listener
      const setup = this.#setup
      try {
        const stream = await this.#tryToOpen(part, listener.scope, this.#eventsOf(listener), scope.signal)
        if (listener.failure) throw listener.failure.error
        if (this.#setup !== setup) stream.configure(this.#setup)
        this.#begin(listener, stream)
        return
      } catch (error) {
        if (scope.state !== 'live') throw error
        this.#drop(listener, error)
      }
    }
    throw new FallbackError(this.#models.name, [...this.#failures.values()])
  }

  push(frame: AudioFrame): void {
    if (this.#detached || this.#failed) return
    this.#memory.push(frame)
    this.#listener?.stream?.push(frame)
  }

  flush(): void {
    this.#flushed = true
    this.#listener?.stream?.flush()
  }

  configure(change: Pick<SttSetup, 'keyTerms'>): void {
    this.#setup = { ...this.#setup, ...change }
    this.#listener?.stream?.configure(change)
  }

  detach(): void {
    this.#detached = true
    this.#listener?.stream?.detach()
  }

  /** Passes to a newly opened model what it has missed. */
  #begin(listener: Listener, stream: SttStream): void {
    listener.stream = stream
    for (const frame of this.#memory.frames) stream.push(frame)
    if (this.#flushed) stream.flush()
    if (this.#detached) stream.detach()
  }

  #eventsOf(listener: Listener): SttEvents {
    const isCurrent = (): boolean => {
      if (listener !== this.#listener) return false
      this.#failures.clear()
      listener.use.worked()
      return true
    }
    return {
      started: () => isCurrent() && this.#events.started(),
      interim: (text) => isCurrent() && this.#events.interim(text),
      maybeEndOfTurn: () => isCurrent() && this.#events.maybeEndOfTurn(),
      resumed: () => isCurrent() && this.#events.resumed(),
      // Also of a model that is no longer used: it is charged all the same.
      usage: (usage) => this.#events.usage({ by: listener.use.part.name, ...usage }),
      final: (text, details) => {
        if (!isCurrent()) return
        this.#memory.take()
        this.#flushed = false
        this.#events.final(text, details)
      },
      endOfTurn: () => isCurrent() && this.#events.endOfTurn(),
      failed: (error) => this.#streamFailed(listener, error),
    }
  }

  #streamFailed(listener: Listener, error: unknown): void {
    if (listener !== this.#listener || listener.failure) return
    listener.failure = { error }
    // If the stream is still being opened, `open()` handles the failure.
    if (!listener.stream) return
    this.#drop(listener, error)
    const { scope } = this.#context
    if (scope.state !== 'live') return this.#fail(error)
    scope.spawn(`next model of '${this.#models.name}'`, async () => {
      try {
        await this.open()
      } catch (last) {
        this.#fail(last)
      }
    })
    return undefined
  }

  #drop(listener: Listener, error: unknown): void {
    this.#listener = undefined
    const { use } = listener
    this.#failures.set(use.index, { name: use.part.name, error })
    use.failed(error)
    closeInBackground(listener.scope)
  }

  #fail(error: unknown): void {
    if (this.#failed) return
    this.#failed = true
    this.#memory.take()
    this.#events.failed(error)
  }

  async #tryToOpen(
    part: Stt,
    scope: Scope<string>,
    events: SttEvents,
    signal: AbortSignal,
  ): Promise<SttStream> {
    const attempt = new Attempt(`opening '${part.name}'`, [signal], this.#context.scope, this.#firstWithin)
    try {
      const context = memberContext(this.#context, scope, part.name)
      return await attempt.stop.until(part.open(context, events, this.#setup))
    } finally {
      attempt.end()
    }
  }
}
