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
    return Math.min(this.#end, this.#position + (now - this.#moment))
  }

  /** When the sound before `position` is expected to be over; `otherwise` if that is so long ago that it is forgotten. */
  momentOf(position: number, otherwise: number): number {
    return position <= this.#position ? otherwise : this.#moment + (position - this.#position)
  }

  /** The line says that just now `position` is reached. What is behind it follows without a pause: it waits by now. */
  at(position: number, now: number): void {
    this.#position = position
    this.#moment = now
  }

  /** The run did not begin before `moment`, because another one was still heard: then all of it may be later. */
  notBefore(moment: number): void {
    this.#moment = Math.max(this.#moment, moment + (this.#position - this.start))
  }
}
