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
export class PlayoutRun {
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

  /** When `position` is expected to be reached; `otherwise` if that was too long ago to know. */
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
