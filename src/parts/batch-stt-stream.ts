import type { AudioFrame } from '../audio/index.ts'
import { CancelledError, LimitError, type Resource } from '../scope/index.ts'
import { Attempt } from './attempt.ts'
import type { BatchSttOptions } from './batch-stt-options.ts'
import type { PartContext } from './part.ts'
import { SoundMemory } from './sound-memory.ts'
import type { SttEvents, SttStream } from './stt.ts'
import type { VadEvents, VadStream } from './vad.ts'

/**
 * Collects speech and has it transcribed. Transcriptions belong to this resource and are not tasks: tasks are cancelled
 * when closing begins, but the last words must still be transcribed then (CL6).
 */
export class BatchSttStream implements SttStream, VadEvents, Resource {
  readonly #options: BatchSttOptions
  readonly #context: PartContext
  readonly #events: SttEvents
  readonly #ended = new AbortController()
  #vad: VadStream | undefined
  /** The current segment of speech, or else the last second or so. */
  readonly #memory = new SoundMemory(Infinity)
  #speaking = false
  #detached = false
  #waiting = 0
  /** Resolves when all transcripts so far have been emitted. */
  #emitted: Promise<void> = Promise.resolve()

  constructor(options: BatchSttOptions, context: PartContext, events: SttEvents) {
    this.#options = options
    this.#context = context
    this.#events = events
  }

  /** Sets the detector, which is opened with this object as its events. */
  useVad(vad: VadStream): void {
    this.#vad = vad
  }

  // ── SttStream ──

  push(frame: AudioFrame): void {
    if (this.#ended.signal.aborted || this.#detached) return
    this.#memory.push(frame)
    const { preRoll = 300, maxSpeech = 30_000 } = this.#options
    // A VAD reports speech up to a second after its start.
    if (!this.#speaking) this.#memory.keep(preRoll + 1_000)
    else if (this.#memory.length >= maxSpeech) this.#endSegment(0)
    this.#vad?.push(frame)
  }

  flush(): void {
    if (this.#speaking) this.#endSegment(0)
  }

  /** No-op: a transcription is given the sound only. */
  configure(): void {}

  detach(): void {
    this.flush()
    this.#detached = true
  }

  // ── VadEvents ──

  started(ago: number): void {
    const { preRoll = 300 } = this.#options
    this.#memory.keep(ago + preRoll)
    this.#speaking = true
  }

  stopped(ago: number): void {
    if (!this.#speaking) return
    this.#speaking = false
    this.#endSegment(ago)
  }

  failed(error: unknown): void {
    this.#fail(error)
  }

  // ── Resource ──

  close(): void {
    this.abort()
  }

  abort(): void {
    if (!this.#ended.signal.aborted)
      this.#ended.abort(new CancelledError(`'${this.#options.name}' was closed`))
    this.#memory.take()
  }

  /** Has the segment transcribed, unless it has too little speech. `quiet` is the silence at its end. */
  #endSegment(quiet: number): void {
    const { preRoll = 300, minSpeech = 200, maxWaiting = 8 } = this.#options
    const speech = this.#memory.length - quiet
    const frames = [...this.#memory.frames]
    // The silence after one segment is the pre-roll of the next.
    this.#memory.keep(Math.min(quiet, preRoll))
    if (speech < minSpeech || this.#ended.signal.aborted) return
    if (++this.#waiting > maxWaiting) {
      this.#fail(new LimitError('maxWaiting', maxWaiting, `'${this.#options.name}' cannot keep up`))
      return
    }
    const text = this.#transcribe(frames)
    text.catch(() => {})
    this.#emitted = this.#emitted.then(async () => {
      try {
        this.#emit(await text)
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
        [this.#ended.signal],
        this.#context.scope,
        timeout,
      )
      try {
        return await attempt.stop.until(this.#options.transcribe(frames, attempt.signal))
      } catch (error) {
        if (left <= 0 || this.#ended.signal.aborted) throw error
        this.#context.logger.warn({ part: name, error }, 'transcription failed, retrying')
      } finally {
        attempt.end()
      }
    }
  }

  #emit(text: string): void {
    if (text.trim() && !this.#ended.signal.aborted) this.#events.final(text.trim())
  }

  #fail(error: unknown): void {
    if (this.#ended.signal.aborted) return
    this.abort()
    this.#events.failed(error)
  }
}
