import { PlayoutRun } from './playout-run.ts'
import { PlayoutSlice, PlayoutStretch } from './playout-stretch.ts'

/**
 * How many slices of sound may wait for their marks. A line that never returns one must not fill the memory, and a
 * thousand are hours of speeches. The oldest then stay as they are assumed, and their marks are unknown.
 */
const MOST_PENDING = 1_000

/**
 * Knows how much of what was played to a line has been heard, and whether the line said so or it is assumed (LN3).
 *
 * A line plays in real time what is queued, and an underrun is a pause: from that the clock assumes. What the line tells
 * by its marks stands above every assumption, and sets the clock right for the sound behind the mark, too. The clock
 * does nothing by itself: all times are handed in. Time that goes backwards stands still.
 *
 * @example
 * const speech = playout.begin()
 * line.play(frame)
 * playout.play(durationOf(frame), clock.now())
 * line.mark(playout.mark(clock.now()))
 * // … when the line calls marked(id, heard):
 * playout.marked(id, heard, clock.now())
 * speech.heard(clock.now()) // { ms: 20, known: true }
 */
export class PlayoutClock {
  #now: number | undefined
  #lastMark = 0
  #stretch = new PlayoutStretch((now) => this.#tick(now))
  /** What the line plays, or played last. */
  #run: PlayoutRun | undefined
  /** Where sound is being added: none after a mark, a clear or the beginning of a stretch. */
  #open: PlayoutSlice | undefined
  /** In the order of the queue. A slice stays until its mark has come back. */
  readonly #pending: PlayoutSlice[] = []
  #sent = 0
  /** The farthest position whose mark has come back. */
  #confirmed = 0

  /** How much was ever played, in milliseconds. */
  get sent(): number {
    return this.#sent
  }

  /** When the queue is expected to be empty: heard to its end, or cleared. Undefined while nothing was played. */
  get endsAt(): number | undefined {
    return this.#run?.overAt
  }

  /** Starts a stretch: what is played from here on belongs to it, until the next one starts. */
  begin(): PlayoutStretch {
    this.#open = undefined
    this.#stretch = new PlayoutStretch((now) => this.#tick(now))
    return this.#stretch
  }

  /** Sound was queued. Returns the moment at which it is expected to begin to be heard. */
  play(ms: number, now: number): number {
    const time = this.#tick(now)
    const length = Number.isFinite(ms) && ms > 0 ? ms : 0
    if (!this.#run || this.#run.cleared) this.#run = new PlayoutRun(this.#sent, time)
    const begins = this.#run.add(length, time)
    if (length > 0) {
      this.#slice(this.#run).add(length)
      this.#sent += length
    }
    return begins
  }

  /**
   * Puts a mark behind everything played so far, and returns its id for the line. One put right after a clear tells
   * when the sound has stopped, as one put right before it does.
   */
  mark(now: number): number {
    this.#run ??= new PlayoutRun(this.#sent, this.#tick(now))
    this.#slice(this.#run).mark = ++this.#lastMark
    this.#open = undefined
    return this.#lastMark
  }

  /**
   * The line returns a mark, with what it tells of the sound since the mark before. A `heard` that cannot be counts as
   * not told if it is negative or no number, and as all if it is too much. Returns false for a mark that is not out.
   */
  marked(id: number, heard: number | undefined, now: number): boolean {
    const time = this.#tick(now)
    const last = this.#pending.findIndex(({ mark }) => mark === id)
    if (last < 0) return false
    let first = last
    while (first > 0 && this.#pending[first - 1]!.mark === undefined) first--

    const marked = this.#pending[last]!
    for (const earlier of this.#pending.slice(0, first)) this.#imply(earlier, marked.run, time)
    const later = this.#pending.slice(last + 1)
    this.#settle(this.#pending.splice(first, last - first + 1), heard, marked.run, time)
    this.#setRight(marked, later, time)
    return true
  }

  /** The line's queue was thrown away. What was not heard by now is assumed never to be, until a mark tells better. */
  clear(now: number): void {
    const time = this.#tick(now)
    const run = this.#run
    if (!run || run.cleared) return
    run.clear(time)
    this.#open = undefined
    for (const slice of this.#pending) slice.endsAt = Math.min(slice.endsAt, time)
  }

  #slice(run: PlayoutRun): PlayoutSlice {
    if (this.#open) return this.#open
    this.#open = new PlayoutSlice(run, this.#sent)
    this.#stretch.add(this.#open)
    this.#pending.push(this.#open)
    if (this.#pending.length > MOST_PENDING) {
      const oldest = this.#pending.shift()!
      const { ms, known } = oldest.heard(this.#tick(NaN))
      oldest.settle(ms, known)
    }
    return this.#open
  }

  /** The mark behind these slices came back. What was heard is told of all of them together. */
  #settle(slices: readonly PlayoutSlice[], heard: number | undefined, run: PlayoutRun, now: number): void {
    if (heard === undefined || !Number.isFinite(heard) || heard < 0) {
      for (const slice of slices) this.#imply(slice, run, now)
      return
    }
    shareOut(slices, heard, now).forEach((ms, slice) => {
      slice.settle(ms, true)
      slice.endsAt = now
    })
  }

  /** A mark behind the slice came back, and nothing is told about the slice itself. */
  #imply(slice: PlayoutSlice, run: PlayoutRun, now: number): void {
    if (slice.settled) return
    if (!slice.run.cleared) slice.settle(slice.sent, true)
    else {
      // The moment at which a line returns the marks of a run tells how long its sound went on after the clear.
      const head = slice.run === run ? run.reachAt(now) : slice.run.headAt(now)
      slice.settle(slice.upTo(head), false)
    }
    slice.endsAt = now
  }

  /** Moves what is still to be heard to where the mark says the line is. */
  #setRight(marked: PlayoutSlice, later: readonly PlayoutSlice[], now: number): void {
    // A mark that a later one has overtaken has nothing to say about the time.
    if (marked.end < this.#confirmed) return
    this.#confirmed = marked.end
    const { run } = marked
    // Sound that goes on after a clear goes on no longer than there was of it.
    const overAt = run.cleared ? Math.min(now, run.endsAt) : now
    if (!run.cleared) run.at(marked.end, now)
    const next = new Set(later.map((slice) => slice.run))
    next.delete(run)
    for (const each of next) each.notBefore(overAt)

    for (const slice of later) {
      if (slice.run.cleared) continue
      const soonest = overAt + slice.end - (slice.run === run ? marked.end : slice.run.start)
      slice.endsAt = slice.run.momentOf(slice.end, Math.max(slice.endsAt, soonest))
    }
  }

  /** Time as it came in, made to go forward only. */
  #tick(now: number): number {
    if (Number.isFinite(now) && (this.#now === undefined || now > this.#now)) this.#now = now
    return this.#now ?? 0
  }
}

/**
 * How much was heard of each slice, where the line tells only the sum. What was not cleared was heard to its end, what
 * was cleared as assumed; if that is not the sum, the first ones get what is left, or the last ones less.
 */
function shareOut(slices: readonly PlayoutSlice[], heard: number, now: number): Map<PlayoutSlice, number> {
  const shares = new Map<PlayoutSlice, number>()
  let left = heard
  const give = (slice: PlayoutSlice, ms: number): void => {
    const share = Math.min(ms, left)
    left -= share
    shares.set(slice, (shares.get(slice) ?? 0) + share)
  }
  for (const slice of slices) if (!slice.run.cleared) give(slice, slice.sent)
  for (const slice of slices) if (slice.run.cleared) give(slice, slice.heard(now).ms)
  for (const slice of slices) give(slice, slice.sent - (shares.get(slice) ?? 0))
  return shares
}
