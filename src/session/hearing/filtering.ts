import { Resampler, lengthOf, type AudioFormat, type AudioFrame } from '../../audio/index.ts'
import { PartMisbehavedError, PartTimeoutError, isFrame, type FilterStream } from '../../parts/index.ts'
import { callOut } from '../../scope/index.ts'
import { limits } from '../limits.ts'

export interface FilteringOptions {
  readonly filter: FilterStream
  /** The format of the sound that comes from the line. */
  readonly from: AudioFormat
  /** The format that the filter was opened with. */
  readonly to: AudioFormat
  /** Takes the sound, in order. */
  readonly pass: (frame: AudioFrame) => void
  readonly now: () => number
  /** Called once, when the filter is bypassed. */
  readonly failed: (error: unknown) => void
}

/** A frame in the filter. */
interface Passing {
  readonly frame: AudioFrame
  readonly since: number
  filtered: AudioFrame | undefined
}

/**
 * Passes the caller's sound through a filter: one frame in, one frame out, in order.
 *
 *   line ─ frame ─▶ filter ─▶ pass          bypassed for the rest of the call if the filter throws, rejects,
 *            └─────────────────▲            returns something else, or holds a frame for too long (PT5)
 */
export class Filtering {
  readonly #options: FilteringOptions
  readonly #resampler: Resampler | undefined
  /** Frames in the filter, the oldest first. */
  readonly #passing: Passing[] = []
  #bypassed = false

  constructor(options: FilteringOptions) {
    const { from, to } = options
    this.#options = options
    if (from.sampleRate !== to.sampleRate)
      this.#resampler = new Resampler({ from: from.sampleRate, to: to.sampleRate })
  }

  push(sound: AudioFrame): void {
    const { filter, pass, now, to } = this.#options
    const frame = this.#resampler
      ? { samples: this.#resampler.push(sound.samples), sampleRate: to.sampleRate }
      : sound
    const [oldest] = this.#passing
    // Checked here and not by a timer: while no sound comes, nothing is late.
    if (oldest && (now() - oldest.since > limits.filterDelay || this.#passing.length >= limits.filterFrames))
      this.#fail(new PartTimeoutError('the filter', limits.filterDelay))
    if (this.#bypassed) return pass(frame)
    const passing: Passing = { frame, since: now(), filtered: undefined }
    this.#passing.push(passing)
    const result = callOut(
      () => filter.filter(frame),
      (error) => this.#fail(error),
    )
    if (isFrame(result)) return this.#done(passing, result)
    if (!this.#bypassed)
      Promise.resolve(result).then(
        (later) => this.#done(passing, later),
        () => {},
      )
    return undefined
  }

  /** Passes on what is in the filter. From now on, sound does not go through it. */
  bypass(): void {
    this.#bypassed = true
    for (const { frame, filtered = frame } of this.#passing.splice(0)) this.#options.pass(filtered)
  }

  #done(passing: Passing, filtered: unknown): void {
    if (this.#bypassed) return
    const { frame } = passing
    if (
      !isFrame(filtered) ||
      filtered.sampleRate !== frame.sampleRate ||
      lengthOf(filtered) !== lengthOf(frame)
    )
      return this.#fail(new PartMisbehavedError('the filter', 'filter', filtered, 'frame'))
    passing.filtered = filtered
    while (this.#passing[0]?.filtered) this.#options.pass(this.#passing.shift()!.filtered!)
  }

  #fail(error: unknown): void {
    if (this.#bypassed) return
    this.bypass()
    this.#options.failed(error)
  }
}
