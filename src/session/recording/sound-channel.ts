import { Resampler, type AudioFrame, type SampleRate } from '../../audio/index.ts'

/** A run of samples. Positions are in samples from the start of the recording. */
interface Piece {
  start: number
  samples: Int16Array
}

/** Seconds of cut sound to keep, because some of it may have been heard: no line is audible for longer after a clear. */
const CUT_KEPT = 10

const endOf = ({ start, samples }: Piece): number => start + samples.length

/** One side of a recording: pieces of sound in order, without overlap, with silence in between. */
export class SoundChannel {
  readonly sampleRate: SampleRate
  /** Gaps up to this many samples are closed: the new sound directly follows the previous one. */
  readonly #slack: number
  #pieces: Piece[] = []
  /** The first piece of the last run without a gap, and how much silence there is before it. */
  #last: Piece | undefined
  #gap = 0
  /** Everything before this position has been taken. */
  #taken = 0
  #end = 0
  #resampler: Resampler | undefined
  #cut: { readonly at: number; readonly pieces: readonly Piece[] } | undefined

  constructor(sampleRate: SampleRate, slack: number) {
    this.sampleRate = sampleRate
    this.#slack = slack
  }

  /** The position where its sound ends. */
  get end(): number {
    return this.#end
  }

  /** Adds sound at a position, or directly after the existing sound if that ends later. */
  add(frame: AudioFrame, at: number): void {
    if (!this.#last || at - this.#end > this.#slack || this.#end < this.#taken) this.#begin(at)
    this.#append(this.#resampled(frame))
  }

  /**
   * Moves the last run without a gap back into the silence before it, so that the sound ends at `limit` if there is
   * enough silence.
   */
  pull(limit: number): void {
    const first = this.#last
    const excess = this.#end - limit
    if (!first || excess <= 0) return
    const by = Math.min(excess, this.#gap, Math.max(0, first.start - this.#taken))
    if (by > 0) {
      for (let i = this.#pieces.length - 1; i >= 0; i--) {
        const piece = this.#pieces[i]!
        piece.start -= by
        if (piece === first) break
      }
      this.#gap -= by
      this.#end -= by
    }
  }

  /** Removes the sound after `at`, which was not heard. The next sound begins a new run. */
  cut(at: number): void {
    this.#flush()
    const [kept, pieces] = split(this.#pieces, at)
    this.#pieces = kept
    this.#cut = { at, pieces: split(pieces, at + CUT_KEPT * this.sampleRate)[0] }
    this.#end = Math.min(this.#end, at)
    this.#last = undefined
  }

  /** Puts back `count` samples of what was cut, because they were heard, but not over other sound. */
  restore(count: number): void {
    if (!this.#cut) return
    const [older, newer] = split(this.#pieces, this.#cut.at)
    const until = Math.min(this.#cut.at + count, newer[0]?.start ?? Infinity)
    const [restored] = split(this.#cut.pieces, until)
    this.#cut = undefined
    this.#pieces = [...older, ...restored, ...newer]
    this.#end = Math.max(this.#end, ...restored.slice(-1).map(endOf))
  }

  /** Ends the current run: adds what the resampler holds back. */
  finish(): void {
    this.#flush()
    this.#last = undefined
  }

  /** Moves the sound up to `until` into every other element of `out`. Elements without sound are not changed. */
  take(until: number, out: Int16Array, offset: 0 | 1): void {
    const from = this.#taken
    for (const { start, samples } of this.#pieces) {
      if (start >= until) break
      const last = Math.min(samples.length, until - start)
      for (let i = Math.max(0, from - start); i < last; i++)
        out[(start + i - from) * 2 + offset] = samples[i]!
    }
    this.discard(until)
    this.#taken = Math.max(this.#taken, until)
  }

  /** How many samples of sound are kept before a position. */
  before(position: number): number {
    return this.#pieces.reduce((sum, { start, samples }) => {
      return sum + Math.max(0, Math.min(samples.length, position - start))
    }, 0)
  }

  /** Replaces the sound before a position with silence. */
  discard(before: number): void {
    if (this.#pieces[0] && this.#pieces[0].start < before) this.#pieces = split(this.#pieces, before)[1]
    if (this.#cut?.pieces.every((piece) => endOf(piece) <= before)) this.#cut = undefined
  }

  #begin(at: number): void {
    this.#flush()
    const free = Math.max(this.#end, this.#taken)
    this.#gap = Math.max(0, at - free)
    this.#end = free + this.#gap
    this.#last = undefined
  }

  #append(samples: Int16Array): void {
    const piece = { start: this.#end, samples }
    this.#last ??= piece
    this.#pieces.push(piece)
    this.#end += samples.length
  }

  #resampled({ samples, sampleRate }: AudioFrame): Int16Array {
    if (sampleRate !== this.#resampler?.from) {
      this.#flush()
      this.#resampler = new Resampler({ from: sampleRate, to: this.sampleRate })
    }
    return this.#resampler.push(samples)
  }

  #flush(): void {
    const rest = this.#resampler?.flush()
    if (rest && rest.length > 0) this.#append(rest)
  }
}

/** Splits a list of pieces at a position. A piece that spans it is split as well. */
function split(pieces: readonly Piece[], at: number): [before: Piece[], after: Piece[]] {
  const before: Piece[] = []
  const after: Piece[] = []
  for (const piece of pieces) {
    const { start, samples } = piece
    if (endOf(piece) <= at) before.push(piece)
    else if (start >= at) after.push(piece)
    else {
      before.push({ start, samples: samples.subarray(0, at - start) })
      after.push({ start: at, samples: samples.subarray(at - start) })
    }
  }
  return [before, after]
}
