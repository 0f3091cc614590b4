import { Resampler, type AudioFrame, type SampleRate } from '../../audio/index.ts'

/** Sound at its place; positions are counted in samples from the beginning of the recording. */
interface Piece {
  start: number
  samples: Int16Array
}

/** Seconds of cut sound that are kept in case some of it was heard after all: no line goes on longer after a clear. */
const CUT_KEPT = 10

const endOf = ({ start, samples }: Piece): number => start + samples.length

/** One side of a recording: pieces of sound in order, none over another, with silence in between. */
export class SoundChannel {
  readonly sampleRate: SampleRate
  /** Sound that would leave less silence than this behind the sound before it follows it at once, in samples. */
  readonly #slack: number
  #pieces: Piece[] = []
  /** Where the last sound in one go begins, and how much silence there is in front of it. */
  #last: Piece | undefined
  #room = 0
  /** Everything before this has been taken. */
  #taken = 0
  #end = 0
  #resampler: Resampler | undefined
  #cut: { readonly at: number; readonly pieces: readonly Piece[] } | undefined

  constructor(sampleRate: SampleRate, slack: number) {
    this.sampleRate = sampleRate
    this.#slack = slack
  }

  /** Where its sound ends. */
  get end(): number {
    return this.#end
  }

  /** Adds sound at a place, or right behind what is there already if that is farther. */
  add(frame: AudioFrame, at: number): void {
    if (!this.#last || at - this.#end > this.#slack || this.#end < this.#taken) this.#begin(at)
    this.#append(this.#resampled(frame))
  }

  /**
   * The sound cannot end after `limit`: moves the last of it, as far as it goes on without a pause, into the silence
   * before it. Returns how much too late it still ends.
   */
  pull(limit: number): number {
    const first = this.#last
    const over = this.#end - limit
    if (!first || over <= 0) return over
    const by = Math.min(over, this.#room, Math.max(0, first.start - this.#taken))
    if (by > 0) {
      for (let i = this.#pieces.length - 1; i >= 0; i--) {
        const piece = this.#pieces[i]!
        piece.start -= by
        if (piece === first) break
      }
      this.#room -= by
      this.#end -= by
    }
    return over - by
  }

  /** The sound from `at` on is not heard. What comes next stands by itself. */
  cut(at: number): void {
    this.#flush()
    const [kept, pieces] = split(this.#pieces, at)
    this.#pieces = kept
    this.#cut = { at, pieces: split(pieces, at + CUT_KEPT * this.sampleRate)[0] }
    this.#end = Math.min(this.#end, at)
    this.#last = undefined
  }

  /** After all, so much of what was cut was heard: puts it back, as far as nothing else stands there. */
  restore(count: number): void {
    if (!this.#cut) return
    const [older, newer] = split(this.#pieces, this.#cut.at)
    const until = Math.min(this.#cut.at + count, newer[0]?.start ?? Infinity)
    const [restored] = split(this.#cut.pieces, until)
    this.#cut = undefined
    this.#pieces = [...older, ...restored, ...newer]
    this.#end = Math.max(this.#end, ...restored.slice(-1).map(endOf))
  }

  /** No more sound will follow without a pause: what the resampler holds back comes out. */
  finish(): void {
    this.#flush()
    this.#last = undefined
  }

  /** Writes the sound up to `until` into every other place of `out`, and forgets it. What is not there stays as it is. */
  take(until: number, out: Int16Array, offset: 0 | 1): void {
    const from = this.#taken
    for (const { start, samples } of this.#pieces) {
      if (start >= until) break
      const last = Math.min(samples.length, until - start)
      for (let i = Math.max(0, from - start); i < last; i++)
        out[(start + i - from) * 2 + offset] = samples[i]!
    }
    this.forget(until)
    this.#taken = Math.max(this.#taken, until)
  }

  /** How much sound there is before a place that was not taken. */
  before(place: number): number {
    return this.#pieces.reduce((sum, { start, samples }) => {
      return sum + Math.max(0, Math.min(samples.length, place - start))
    }, 0)
  }

  /** Forgets the sound before a place; silence stands there then. */
  forget(before: number): void {
    if (this.#pieces[0] && this.#pieces[0].start < before) this.#pieces = split(this.#pieces, before)[1]
    if (this.#cut?.pieces.every((piece) => endOf(piece) <= before)) this.#cut = undefined
  }

  #begin(at: number): void {
    this.#flush()
    const free = Math.max(this.#end, this.#taken)
    this.#room = Math.max(0, at - free)
    this.#end = free + this.#room
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

/** The pieces before a place and those behind it; one that lies across is split. */
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
