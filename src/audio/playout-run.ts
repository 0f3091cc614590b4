/**
 * What a line plays between two clears: sound of one queue, in real time, with a pause wherever the queue ran dry.
 * Positions count the milliseconds of sound that were ever queued; moments are times of the clock.
 *
 *   moment     100       300   500       700
 *              ├── sound ─┤ dry ├── sound ─┤
 *   position   0         200   200       400
 *
 * All it remembers is one place where a position and a moment met; what lies before it counts as heard.
 */
export class PlayoutRun {
  readonly start: number
  #end: number
  /** Heard for certain: no correction goes back behind it. */
  #floor: number
  #position: number
  #moment: number
  #clearedAt: number | undefined

  constructor(start: number, now: number) {
    this.start = start
    this.#end = start
    this.#floor = start
    this.#position = start
    this.#moment = now
  }

  get cleared(): boolean {
    return this.#clearedAt !== undefined
  }

  /** When the last of it is expected to be heard, whether it was cleared or not. */
  get endsAt(): number {
    return this.#moment + (this.#end - this.#position)
  }

  /** When the line is expected to have no more of it: at its end, or when it was cleared. */
  get overAt(): number {
    return Math.min(this.endsAt, this.#clearedAt ?? Infinity)
  }

  /** Queues sound. Returns when it is expected to begin. */
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

  /** How far it is heard: no farther than to the moment of the clear. */
  headAt(now: number): number {
    return this.reachAt(Math.min(now, this.#clearedAt ?? Infinity))
  }

  /** How far it is heard if the sound goes on in spite of a clear. */
  reachAt(now: number): number {
    return Math.max(this.#floor, Math.min(this.#end, this.#position + (now - this.#moment)))
  }

  /** When `position` is expected to be heard; `otherwise` if that is so long ago that the run forgot it. */
  momentOf(position: number, otherwise: number): number {
    return position < this.#position ? otherwise : this.#moment + (position - this.#position)
  }

  /** The line says that everything up to `position` has been heard, and just now the last of it. */
  at(position: number, now: number): void {
    this.#floor = Math.max(this.#floor, position)
    if (position < this.#position) return this.notBefore(position, now)
    this.#position = position
    this.#moment = now
  }

  /** `position` was not heard before `moment`: then what comes behind it is later, too. */
  notBefore(position: number, moment: number): void {
    this.#moment = Math.max(this.#moment, moment + (this.#position - position))
  }
}
