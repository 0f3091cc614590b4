import {
  SendWindow,
  type AudioFrame,
  type HeardMark,
  type SampleRate,
  type SoundPiece,
} from '../audio/index.ts'
import { limits } from './limits.ts'
import type { Playout } from './playout.ts'

export interface PacedPlayoutOptions {
  readonly sampleRate: SampleRate
  /** Milliseconds of sound to send ahead of what is heard: what a clear cannot fetch back. */
  readonly ahead: number
  /** Milliseconds of sound per piece. */
  readonly piece: number
  /** How many milliseconds after it was due sound is heard, as far as that is known at a time. Default: 0. */
  readonly lag?: (now: number) => number
}

/** Sound to send, or marks that the caller has reached by now. */
export type Paced = SoundPiece | { readonly reached: readonly HeardMark[] }

/** Marks behind all sound that was sent before, and when that sound ends. */
interface Due {
  readonly at: number
  readonly endsAt: number
  /** The last of the marks, by its order in the window. */
  readonly order: number
}

/**
 * Playout to a peer that plays what it gets, in order and in real time, and reports nothing (positions: see `SendWindow`).
 *
 *   sent ──────────────┬── ahead ──┤
 *        heard by now ─┘           └─ nothing more is sent before it is due
 *
 * The clock sets the pace. A peer cannot be asked to forget what it has: a clear throws away what was not sent, and the rest is
 * heard to its end. So what was sent counts as heard, when its time has passed. All of that is assumed (LN3).
 */
export class PacedPlayout implements Playout<Paced> {
  readonly assumed = true
  readonly #window: SendWindow
  readonly #perMs: number
  readonly #ahead: number
  readonly #lag: (now: number) => number
  /** When everything that was sent will have been heard. */
  #endsAt = -Infinity
  /** The position behind the last sound that was sent. */
  #sentTo = 0
  readonly #due: Due[] = []

  constructor({ sampleRate, ahead, piece, lag = () => 0 }: PacedPlayoutOptions) {
    const { queued, marks } = limits
    this.#window = new SendWindow({ samples: Int16Array, sampleRate, ahead, piece, queued, marks })
    this.#perMs = sampleRate / 1000
    this.#ahead = ahead
    this.#lag = lag
  }

  get paced(): boolean {
    return this.#window.waiting || this.#window.markDue || this.#due.length > 0
  }

  get unheard(): number {
    return this.#window.unheard
  }

  play(frame: AudioFrame, now: number): boolean {
    this.#listen(now)
    return this.#window.play(frame, now)
  }

  mark(id: number): void {
    this.#window.mark(id)
  }

  clear(now: number): Paced {
    this.#listen(now)
    this.#window.clear(this.#window.sent)
    return { reached: [] }
  }

  next(now: number): Paced | undefined {
    const window = this.#window
    this.#listen(now)
    if (window.markDue)
      this.#due.push({ at: window.sent, endsAt: Math.max(now, this.#endsAt), order: window.sendMarks() })
    const [due] = this.#due
    if (due && due.endsAt <= now - this.#lag(now)) {
      this.#due.shift()
      window.confirm(due.at)
      return { reached: window.settle(due.order) }
    }
    if (this.#endsAt - now >= this.#ahead) return undefined
    const piece = window.nextSound(Infinity)
    if (!piece) return undefined
    this.#endsAt = Math.max(now, this.#endsAt) + piece.samples.length / this.#perMs
    this.#sentTo = piece.position + piece.samples.length
    return piece
  }

  giveUp(): HeardMark[] {
    return this.#window.giveUp()
  }

  /** The caller has heard what was sent, except for what is still to come. */
  #listen(now: number): void {
    const left = Math.max(0, this.#endsAt - now + this.#lag(now)) * this.#perMs
    this.#window.confirm(Math.max(0, Math.floor(this.#sentTo - left)))
  }
}
