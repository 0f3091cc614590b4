import type { AudioFrame } from '../audio/index.ts'
import { CancelledError, LimitError, type Resource } from '../scope/index.ts'
import { Attempt } from './attempt.ts'
import type { BatchSttOptions } from './batch-stt-options.ts'
import type { PartContext } from './part.ts'
import { SoundMemory } from './sound-memory.ts'
import type { SttEvents, SttStream } from './stt.ts'
import type { VadEvents, VadStream } from './vad.ts'

/**
 * Collects speech and has it transcribed. What is being transcribed belongs to this resource and not to tasks: tasks
 * are cancelled when closing begins, and a last word may be among them (CL6).
 */
export class BatchSttStream implements SttStream, VadEvents, Resource {
  readonly #options: BatchSttOptions
  readonly #context: PartContext
  readonly #events: SttEvents
  readonly #over = new AbortController()
  #vad: VadStream | undefined
  /** While somebody speaks, all of it; else the last moments. */
  readonly #memory = new SoundMemory(Infinity)
  #speaking = false
  #detached = false
  #waiting = 0
  /** Settles when everything before has been told. */
  #told: Promise<void> = Promise.resolve()

  constructor(options: BatchSttOptions, context: PartContext, events: SttEvents) {
    this.#options = options
    this.#context = context
    this.#events = events
  }

  /** The detector is opened after this, since it speaks to it. */
  listensTo(vad: VadStream): void {
    this.#vad = vad
  }

  // ── the stream ──

  push(frame: AudioFrame): void {
    if (this.#over.signal.aborted || this.#detached) return
    this.#memory.add(frame)
    const { preRoll = 300, maxSpeech = 30_000 } = this.#options
    // A VAD takes a while to be sure: what it says is about sound of up to a second before its pre-roll.
    if (!this.#speaking) this.#memory.keep(preRoll + 1_000)
    else if (this.#memory.length >= maxSpeech) this.#cut(0)
    this.#vad?.push(frame)
  }

  flush(): void {
    if (this.#speaking) this.#cut(0)
  }

  detach(): void {
    this.flush()
    this.#detached = true
  }

  // ── what the detector tells ──

  started(ago: number): void {
    const { preRoll = 300 } = this.#options
    this.#memory.keep(ago + preRoll)
    this.#speaking = true
  }

  stopped(ago: number): void {
    if (!this.#speaking) return
    this.#speaking = false
    this.#cut(ago)
  }

  failed(error: unknown): void {
    this.#fail(error)
  }

  // ── the resource ──

  close(): void {
    this.abort()
  }

  abort(): void {
    if (!this.#over.signal.aborted) this.#over.abort(new CancelledError(`'${this.#options.name}' was closed`))
    this.#memory.take()
  }

  /** Has the stretch transcribed, unless too little of it is speech. `quiet` is the silence at its end. */
  #cut(quiet: number): void {
    const { preRoll = 300, minSpeech = 200, maxWaiting = 8 } = this.#options
    const speech = this.#memory.length - quiet
    const frames = [...this.#memory.frames]
    // The silence after one stretch is the beginning of the next.
    this.#memory.keep(Math.min(quiet, preRoll))
    if (speech < minSpeech || this.#over.signal.aborted) return
    if (++this.#waiting > maxWaiting) {
      this.#fail(new LimitError('maxWaiting', maxWaiting, `'${this.#options.name}' cannot keep up`))
      return
    }
    const text = this.#transcribe(frames)
    text.catch(() => {})
    this.#told = this.#told.then(async () => {
      try {
        this.#tell(await text)
      } catch (error) {
        this.#fail(error)
      }
      this.#waiting--
    })
  }

  async #transcribe(frames: readonly AudioFrame[]): Promise<string> {
    const { name, attempts = 2, timeout = 10_000 } = this.#options
    for (let left = attempts - 1; ; left--) {
      const attempt = new Attempt(
        `transcription by '${name}'`,
        [this.#over.signal],
        this.#context.scope,
        timeout,
      )
      try {
        return await attempt.stop.until(this.#options.transcribe(frames, attempt.signal))
      } catch (error) {
        if (left <= 0 || this.#over.signal.aborted) throw error
        this.#context.logger.warn({ part: name, error }, 'transcription failed, trying again')
      } finally {
        attempt.end()
      }
    }
  }

  #tell(text: string): void {
    if (text.trim() && !this.#over.signal.aborted) this.#events.final(text.trim())
  }

  #fail(error: unknown): void {
    if (this.#over.signal.aborted) return
    this.abort()
    this.#events.failed(error)
  }
}
