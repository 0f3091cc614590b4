import type { PlayoutRun } from './playout-run.ts'

/** How much of a sound was heard, and whether the line reported it or it is assumed from the elapsed time. */
export interface Heard {
  readonly ms: number
  readonly known: boolean
}

/**
 * Queued sound that lies within one stretch and one run, and between two marks. Until it is settled, the elapsed time
 * determines how much of it was heard.
 */
export class PlayoutSlice {
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
