/**
 * How many slices of sound may wait for their marks. A line that never returns a mark must not fill the memory, and a
 * thousand slices are hours of speech. Beyond that, the oldest keep their assumed value, and their marks are unknown.
 */
const MOST_PENDING = 1_000

/**
 * Tracks how much of the sound played to a line has been heard, and whether the line reported it or it is assumed (LN3).
 *
 * The assumption: a line plays its queue in real time, and an underrun is a pause. Reports of the line, by its marks,
 * override every assumption, and also correct the clock for the sound behind the mark. The clock has no timers: all
 * times are passed in. Time that goes backwards counts as standing still.
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
  /** The run that the line plays, or played last. */
  #run: PlayoutRun | undefined
  /** The slice that sound is added to. Unset after a mark, a clear or the beginning of a stretch. */
  #open: PlayoutSlice | undefined
  /** In the order of the queue. A slice is removed when its mark has come back. */
  readonly #pending: PlayoutSlice[] = []
  #sent = 0
  /** The farthest position whose mark has come back. */
  #confirmed = 0

  /** Milliseconds of sound that were ever queued. */
  get sent(): number {
    return this.#sent
  }

  /** When the queue is expected to be empty: heard to its end, or cleared. Undefined while nothing was queued. */
  get endsAt(): number | undefined {
    return this.#run?.silentAt
  }

  /** Starts a stretch: sound played from now on belongs to it, until the next stretch starts. */
  begin(): PlayoutStretch {
    this.#open = undefined
    this.#stretch = new PlayoutStretch((now) => this.#tick(now))
    return this.#stretch
  }

  /** Sound was queued. Returns the moment at which it is expected to start. */
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
   * Puts a mark behind everything played so far, and returns its id for the line. A mark put right after a clear comes
   * back when the sound has stopped, like one put right before the clear.
   */
  mark(now: number): number {
    this.#run ??= new PlayoutRun(this.#sent, this.#tick(now))
    this.#slice(this.#run).mark = ++this.#lastMark
    this.#open = undefined
    return this.#lastMark
  }

  /**
   * The line returned a mark, and reports what was heard since the mark before. A `heard` that is negative or not a
   * number counts as not reported; one that is too large counts as everything. What the line only assumes is not known.
   * Returns false for an unknown mark.
   */
  marked(id: number, heard: number | undefined, now: number, assumed = false): boolean {
    const time = this.#tick(now)
    const last = this.#pending.findIndex(({ mark }) => mark === id)
    if (last < 0) return false
    let first = last
    while (first > 0 && this.#pending[first - 1]!.mark === undefined) first--

    const marked = this.#pending[last]!
    for (const earlier of this.#pending.slice(0, first)) this.#imply(earlier, marked.run, time, assumed)
    const later = this.#pending.slice(last + 1)
    this.#settle(this.#pending.splice(first, last - first + 1), heard, marked.run, time, assumed)
    this.#correct(marked, later, time)
    return true
  }

  /** The line's queue was thrown away. What was not heard by now counts as unheard, until a mark corrects that. */
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

  /** The mark behind these slices came back. `heard` covers all of them together. */
  #settle(
    slices: readonly PlayoutSlice[],
    heard: number | undefined,
    run: PlayoutRun,
    now: number,
    assumed: boolean,
  ): void {
    if (heard === undefined || !Number.isFinite(heard) || heard < 0) {
      for (const slice of slices) this.#imply(slice, run, now, assumed)
      return
    }
    shareOut(slices, heard, now).forEach((ms, slice) => {
      slice.settle(ms, !assumed)
      slice.endsAt = now
    })
  }

  /** A later mark came back, without a report about the slice itself. */
  #imply(slice: PlayoutSlice, run: PlayoutRun, now: number, assumed: boolean): void {
    if (slice.settled) return
    if (!slice.run.cleared) slice.settle(slice.sent, !assumed)
    else {
      // When a line returns the marks of a run shows how long its sound continued after the clear.
      const head = slice.run === run ? run.reachAt(now) : slice.run.headAt(now)
      slice.settle(slice.upTo(head), false)
    }
    slice.endsAt = now
  }

  /** Shifts the sound that is still to be heard, to match the position of the mark. */
  #correct(marked: PlayoutSlice, later: readonly PlayoutSlice[], now: number): void {
    // A mark that a later one has overtaken says nothing about the time.
    if (marked.end < this.#confirmed) return
    this.#confirmed = marked.end
    const { run } = marked
    // Sound that continues after a clear lasts no longer than the run.
    const silentAt = run.cleared ? Math.min(now, run.endsAt) : now
    if (!run.cleared) run.at(marked.end, now)
    const next = new Set(later.map((slice) => slice.run))
    next.delete(run)
    for (const each of next) each.notBefore(silentAt)

    for (const slice of later) {
      if (slice.run.cleared) continue
      const soonest = silentAt + slice.end - (slice.run === run ? marked.end : slice.run.start)
      slice.endsAt = slice.run.momentOf(slice.end, Math.max(slice.endsAt, soonest))
    }
  }

  /** Makes time monotonic. */
  #tick(now: number): number {
    if (Number.isFinite(now) && (this.#now === undefined || now > this.#now)) this.#now = now
    return this.#now ?? 0
  }
}

/**
 * Distributes the sum that the line reports over the slices. A slice that was not cleared was heard to its end, a cleared
 * one as far as assumed. If that does not match the sum, the first slices get the rest, or the last ones get less.
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

/** How much of a sound was heard, and whether the line reported it or it is assumed from the elapsed time. */
export interface Heard {
  readonly ms: number
  readonly known: boolean
}

/**
 * Queued sound that lies within one stretch and one run, and between two marks. Until it is settled, the elapsed time
 * determines how much of it was heard.
 */
class PlayoutSlice {
  readonly run: PlayoutRun
  readonly start: number
  #end: number
  /** The mark right behind the slice. */
  mark: number | undefined
  endsAt: number
  #settled: Heard | undefined

  constructor(run: PlayoutRun, start: number) {
    this.run = run
    this.start = start
    this.#end = start
    this.endsAt = run.silentAt
  }

  get end(): number {
    return this.#end
  }

  get sent(): number {
    return this.#end - this.start
  }

  get settled(): boolean {
    return this.#settled !== undefined
  }

  add(ms: number): void {
    this.#end += ms
    this.endsAt = this.run.endsAt
  }

  heard(now: number): Heard {
    return this.#settled ?? { ms: this.upTo(this.run.headAt(now)), known: this.sent === 0 }
  }

  /** How much of the slice lies before a position. */
  upTo(position: number): number {
    return Math.max(0, Math.min(this.sent, position - this.start))
  }

  settle(ms: number, known: boolean): void {
    this.#settled = { ms, known: known || this.sent === 0 }
  }
}

/** Sound whose playout is tracked together, such as a speech. It may contain any number of marks. */
export class PlayoutStretch {
  readonly #slices: PlayoutSlice[] = []
  readonly #tick: (now: number) => number

  /** @internal Made by `PlayoutClock.begin`. */
  constructor(tick: (now: number) => number) {
    this.#tick = tick
  }

  /** How much was queued, in milliseconds, including what was cleared later. */
  get sent(): number {
    return this.#slices.reduce((sum, { sent }) => sum + sent, 0)
  }

  /**
   * When the end of the stretch is expected to be heard, or was thrown away by a clear; once the line has reported it,
   * when it did. Undefined while nothing was queued.
   */
  get endsAt(): number | undefined {
    return this.#slices.at(-1)?.endsAt
  }

  /** How much was heard so far. Known once the line has reported all of it. */
  heard(now: number): Heard {
    const time = this.#tick(now)
    let ms = 0
    let known = true
    for (const slice of this.#slices) {
      const part = slice.heard(time)
      ms += part.ms
      known &&= part.known
    }
    return { ms, known }
  }

  /** @internal */
  add(slice: PlayoutSlice): void {
    this.#slices.push(slice)
  }
}

/**
 * The sound that a line plays between two clears, in real time, with a pause wherever the queue ran dry.
 * Positions count the milliseconds of sound that were ever queued; moments are times of the clock.
 *
 *   moment     100       300   500       700
 *              ├── sound ─┤ dry ├── sound ─┤
 *   position   0         200   200       400
 *
 * A run stores one pair of position and moment; everything before that position counts as heard.
 */
class PlayoutRun {
  readonly start: number
  #end: number
  #position: number
  #moment: number
  #clearedAt: number | undefined

  constructor(start: number, now: number) {
    this.start = start
    this.#end = start
    this.#position = start
    this.#moment = now
  }

  get cleared(): boolean {
    return this.#clearedAt !== undefined
  }

  /** When the end of the run is expected to be heard, ignoring a clear. */
  get endsAt(): number {
    return this.#moment + (this.#end - this.#position)
  }

  /** When the line is expected to fall silent: at the end of the run, or when it was cleared. */
  get silentAt(): number {
    return Math.min(this.endsAt, this.#clearedAt ?? Infinity)
  }

  /** Queues sound. Returns when it is expected to start. */
  add(ms: number, now: number): number {
    if (this.endsAt < now) {
      this.#position = this.#end
      this.#moment = now
    }
    const begins = this.endsAt
    this.#end += ms
    return begins
  }

  clear(now: number): void {
    this.#clearedAt ??= now
  }

  /** The position up to which the run is heard, at most up to the moment of the clear. */
  headAt(now: number): number {
    return this.reachAt(Math.min(now, this.#clearedAt ?? Infinity))
  }

  /** The position up to which the run is heard if the sound continues despite a clear. */
  reachAt(now: number): number {
    return Math.min(this.#end, this.#position + (now - this.#moment))
  }

  /** When `position` is expected to be reached; `otherwise` if that moment is no longer known. */
  momentOf(position: number, otherwise: number): number {
    return position <= this.#position ? otherwise : this.#moment + (position - this.#position)
  }

  /** The line reports that `position` is reached now. What follows is queued already, so it comes without a pause. */
  at(position: number, now: number): void {
    this.#position = position
    this.#moment = now
  }

  /** The run did not start before `moment`, because another run was still heard: delays it accordingly. */
  notBefore(moment: number): void {
    this.#moment = Math.max(this.#moment, moment + (this.#position - this.start))
  }
}
