import { samplesIn, type SampleRate } from '../../audio/index.ts'
import { frameLength } from './protocol.ts'
import { limits } from './limits.ts'

/** A mark that is out. */
export interface PendingMark {
  readonly id: number
  /** The sound that it tells about: from the mark before it, to `at`. */
  readonly from: number
  readonly at: number
  /** Samples of it that were heard in a page that is gone. */
  carried: number
}

export interface Piece {
  readonly position: number
  readonly samples: Int16Array
}

/**
 * What the caller is to hear, by positions (see protocol.ts):
 *
 *      forgotten       kept, to be sent again       waiting
 *   ├──────────────┼──────────────────────────┼─────────────────┤
 *   0            played                     sent               end
 *                  └──── at most `ahead` ─────┘
 *
 * It does nothing by itself: times are handed in, and whoever holds it sends what `next()` gives.
 */
export class PlayoutQueue {
  readonly #rate: SampleRate
  readonly #ahead: number
  readonly #piece: number
  readonly #most: number
  #pieces: Piece[] = []
  #end = 0
  #sent = 0
  #played = 0
  /** Sound before it must not be heard any more. */
  #cleared = 0
  /** What was thrown away, as far back as a mark tells about it. */
  #skipped: { readonly from: number; readonly to: number }[] = []
  #marks: PendingMark[] = []
  #lastMark = 0
  /** Where a caller whose page makes no sound is assumed to be, and since when. */
  #assumed: { at: number; since: number } | undefined

  constructor(rate: SampleRate) {
    this.#rate = rate
    this.#ahead = samplesIn(limits.ahead, rate)
    this.#piece = samplesIn(frameLength, rate)
    this.#most = samplesIn(limits.queued, rate)
  }

  /** The position of the last clear. */
  get cleared(): number {
    return this.#cleared
  }

  get marks(): readonly PendingMark[] {
    return this.#marks
  }

  /** Milliseconds of sound that are not known to have been heard. */
  get unheard(): number {
    return this.#ms(this.#end - this.#from)
  }

  /** Queues sound. False if there is too much already. */
  play(samples: Int16Array, now: number): boolean {
    this.#assume(now)
    if (this.#end - this.#from + samples.length > this.#most) return false
    if (samples.length > 0) this.#pieces.push({ position: this.#end, samples })
    this.#end += samples.length
    return true
  }

  mark(id: number): PendingMark {
    const mark = { id, from: this.#lastMark, at: this.#end, carried: 0 }
    this.#lastMark = this.#end
    this.#marks.push(mark)
    if (this.#marks.length > limits.marks) this.#marks.shift()
    return mark
  }

  /** Throws away what has not been heard. Returns the position from which on the page may play. */
  clear(): number {
    this.#skipTo(this.#end)
    return this.#cleared
  }

  /** The next piece that the page should have, if it has not enough. */
  next(): Piece | undefined {
    if (this.#assumed || this.#sent >= Math.min(this.#end, this.#from + this.#ahead)) return undefined
    const holder = this.#pieces.find(({ position, samples }) => position + samples.length > this.#sent)!
    const position = this.#sent
    const begin = position - holder.position
    const samples = holder.samples.subarray(begin, begin + this.#piece)
    this.#sent += samples.length
    return { position, samples }
  }

  /** The page has played everything before `at`, it says. It cannot have played what it was not sent. */
  played(at: number): void {
    this.#played = Math.max(this.#played, Math.min(at, this.#sent))
    this.#forget()
  }

  /** The page returns a mark. What it says was heard counts up to what there was. */
  marked(id: number, heard: number): { readonly heard: number } | undefined {
    const index = this.#marks.findIndex((mark) => mark.id === id)
    const mark = this.#marks[index]
    if (!mark) return undefined
    this.#marks.splice(index, 1)
    this.played(mark.at)
    return { heard: Math.min(heard + this.#ms(mark.carried), this.#ms(mark.at - mark.from)) }
  }

  /** Takes the marks back that are out, each with what is known to have been heard of it. */
  giveUp(): { readonly id: number; readonly heard: number }[] {
    const marks = this.#marks
    this.#marks = []
    return marks.map(({ id, from, at }) => ({ id, heard: this.#ms(this.#heardBetween(from, at)) }))
  }

  /**
   * A page has joined. One that has been here before goes on with what it has; to a new one everything is sent that
   * the one before it is not known to have played. Returns the position from which on it may play.
   */
  joined(place: { readonly played: number; readonly buffered: number } | undefined): number {
    if (place) {
      this.played(place.played)
      this.#sent = Math.max(this.#from, Math.min(place.buffered, this.#sent))
      return this.#cleared
    }
    for (const mark of this.#marks) mark.carried = this.#heardBetween(mark.from, mark.at)
    this.#sent = this.#from
    return this.#sent
  }

  /** No sound comes out of the page: from here on the time tells what would have been heard, and is lost. */
  silent(now: number): void {
    this.#assumed ??= { at: this.#from, since: now }
  }

  /** Sound comes out again. Returns the position from which on the page may play: what is said now, not then. */
  audible(now: number): number {
    this.#assume(now)
    this.#assumed = undefined
    return this.#cleared
  }

  /** Where the caller is, or goes on. */
  get #from(): number {
    return Math.max(this.#played, this.#cleared)
  }

  #assume(now: number): void {
    const { at, since } = this.#assumed ?? {}
    if (at === undefined || since === undefined) return
    const here = Math.max(at, this.#cleared)
    const there = Math.min(this.#end, here + samplesIn(Math.max(0, now - since), this.#rate))
    this.#assumed = { at: there, since: now }
    this.#skipTo(there)
  }

  #skipTo(position: number): void {
    if (position <= this.#from) return
    this.#skipped.push({ from: this.#from, to: position })
    this.#cleared = position
    this.#sent = Math.max(this.#sent, position)
    this.#forget()
  }

  /** Lets go of what nobody will ask for again. */
  #forget(): void {
    const gone = this.#pieces.findIndex(({ position, samples }) => position + samples.length > this.#from)
    this.#pieces.splice(0, gone < 0 ? this.#pieces.length : gone)
    const oldest = this.#marks[0]?.from ?? this.#lastMark
    if (this.#skipped.length > 0) this.#skipped = this.#skipped.filter(({ to }) => to > oldest)
  }

  #heardBetween(from: number, to: number): number {
    const until = Math.min(to, this.#played)
    const missed = this.#skipped.reduce(
      (sum, gap) => sum + Math.max(0, Math.min(gap.to, until) - Math.max(gap.from, from)),
      0,
    )
    return Math.max(0, until - from - missed)
  }

  #ms(samples: number): number {
    return (samples * 1000) / this.#rate
  }
}
